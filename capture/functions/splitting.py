"""Splitting into views: split and its kin, unstack."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from capture.errors import UnsupportedError
from capture.functions.arguments import as_array, single_axis
from capture.functions.positions import known_value, window
from capture.functions.registry import implements
from capture.functions.shaping import moveaxis
from capture.location import here
from capture.requiring import require_shape
from capture.symbolic import as_dim
from capture.tensor import Tensor
from ir.dims import Dim, dim_min, exact_div

if TYPE_CHECKING:
    from ir.dims import DimLike


def _count(sections: Any) -> int | None:
    """Return a number of sections, or ``None`` where positions are given."""
    try:
        len(sections)
    except TypeError:
        return int(sections)
    return None


def _sections(operation: str, x: Tensor, given: Any) -> Any:
    """Return sections as a number or a sequence of positions, reading known tensors."""
    sections = known_value(x._recorder, given)
    if type(sections) is Tensor or as_dim(sections) is not None:
        raise UnsupportedError(
            f"{operation}: the sections {sections} are known only when the graph runs, so the "
            f"number of results is not known{here(2)}\n  ways out: slices x[:n] and x[n:] "
            "take symbolic sizes; positions in a list may be symbolic"
        )
    return sections.tolist() if isinstance(sections, np.ndarray) else sections


@implements(np.array_split)
def array_split(ary: Any, indices_or_sections: Any, axis: Any = 0) -> list[Any]:
    """``numpy.array_split``: the first sections are one longer where they cannot be equal."""
    x = as_array("array_split", ary, indices_or_sections)
    sections = _sections("array_split", x, indices_or_sections)
    if not x.ndim:
        raise IndexError("tuple index out of range")
    axis = single_axis(axis, x.ndim)
    count = _count(sections)
    if count is not None:
        if count <= 0:
            raise ValueError("number sections must be larger than 0.")
        return _equal_parts(x, count, axis)
    ends = [0, *sections, None]
    before = (slice(None),) * axis
    return [x[(*before, slice(*pair))] for pair in pairwise(ends)]


def _equal_parts(x: Tensor, count: int, axis: int) -> list[Tensor]:
    length = x._type.shape[axis]
    parts = []
    for number in range(count):
        start: DimLike = number * (length // count) + dim_min(number, length % count)
        size = (length + count - 1 - number) // count
        parts.append(window(x, axis, start, size))
    return parts


@implements(np.split)
def split(ary: Any, indices_or_sections: Any, axis: Any = 0) -> list[Any]:
    """``numpy.split``: a symbolic axis has to turn out divisible."""
    x = as_array("split", ary, indices_or_sections)
    sections = _sections("split", x, indices_or_sections)
    count = _count(sections)
    if count is not None and count > 0 and x.ndim:
        length = x._type.shape[single_axis(axis, x.ndim)]
        if isinstance(length, Dim):
            if exact_div(length, count) is None:
                at = single_axis(axis, x.ndim)
                whole = count * (length // count)
                shape = x._type.shape
                required = require_shape(x, (*shape[:at], whole, *shape[at + 1 :]))
                if required is None:
                    raise UnsupportedError(
                        f"split: whether {length} divides into {count} equal parts is known "
                        f"only when the graph runs{here()}\n  ways out: array_split, whose "
                        "first parts may be longer; or slices such as x[: n // 2]"
                    )
                x = required
        elif length % count:
            raise ValueError("array split does not result in an equal division")
    return array_split(x, sections, axis)


@implements(np.hsplit)
def hsplit(ary: Any, indices_or_sections: Any) -> list[Any]:
    """``numpy.hsplit``."""
    x = as_array("hsplit", ary, indices_or_sections)
    if not x.ndim:
        raise ValueError("hsplit only works on arrays of 1 or more dimensions")
    return split(x, indices_or_sections, 1 if x.ndim > 1 else 0)


@implements(np.vsplit)
def vsplit(ary: Any, indices_or_sections: Any) -> list[Any]:
    """``numpy.vsplit``."""
    x = as_array("vsplit", ary, indices_or_sections)
    if x.ndim < 2:
        raise ValueError("vsplit only works on arrays of 2 or more dimensions")
    return split(x, indices_or_sections, 0)


@implements(np.dsplit)
def dsplit(ary: Any, indices_or_sections: Any) -> list[Any]:
    """``numpy.dsplit``."""
    x = as_array("dsplit", ary, indices_or_sections)
    if x.ndim < 3:
        raise ValueError("dsplit only works on arrays of 3 or more dimensions")
    return split(x, indices_or_sections, 2)


@implements(np.unstack)
def unstack(x: Any, /, *, axis: Any = 0) -> tuple[Any, ...]:
    """``numpy.unstack``: the axis must be known."""
    array = as_array("unstack", x)
    if not array.ndim:
        raise ValueError("Input array must be at least 1-d.")
    return tuple(moveaxis(array, axis, 0))
