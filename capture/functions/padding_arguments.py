"""The forms in which ``numpy.pad`` takes widths, values and lengths."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from capture.errors import UnsupportedError
from capture.functions.positions import known_value
from capture.location import here
from capture.symbolic import as_dim, dim_of
from capture.tensor import Tensor
from ir.dims import Dim, prove_le

if TYPE_CHECKING:
    from ir.dims import DimLike

Pairs: TypeAlias = list[tuple[Any, Any]]
Widths: TypeAlias = "list[tuple[DimLike, DimLike]]"


def as_pairs(value: Any, rank: int) -> Pairs:
    """Return a value before and after for each axis, from any form NumPy takes.

    Raises:
        ValueError: The form does not broadcast to ``(rank, 2)``.
    """
    if value is None:
        return [(None, None)] * rank
    listed = np.array(value, dtype=object)
    if any(isinstance(item, list | tuple) for item in listed.flat):
        raise ValueError("setting an array element with a sequence: pairs differ in length")
    if listed.size == 1 and listed.ndim < 3:
        return [(listed.item(), listed.item())] * rank
    return [tuple(pair) for pair in np.broadcast_to(listed, (rank, 2)).tolist()]


def pad_widths(x: Tensor, pad_width: Any) -> Widths:
    """Return how many elements go before and after each axis.

    Raises:
        TypeError: A width is no integer.
        ValueError: A width is negative, or the form does not fit the rank.
        UnsupportedError: A width is only known when the graph runs, or may be negative.
    """
    given = known_value(x._recorder, pad_width)
    if type(given) is Tensor:
        raise UnsupportedError(
            f"pad: widths {given._type} are known only when the graph runs{here(2)}\n"
            "  ways out: widths may be symbolic sizes, as in np.pad(x, (0, (-x.shape[0]) % 8))"
        )
    if isinstance(given, dict):
        given = _from_dict(given, x.ndim)
    if isinstance(given, np.ndarray) and given.dtype.kind != "i":
        raise TypeError("`pad_width` must be of integral type.")
    listed = np.array(given, dtype=object)
    if not listed.size or not all(_is_width(item) for item in listed.flat):
        raise TypeError("`pad_width` must be of integral type.")
    return [(_width(before), _width(after)) for before, after in as_pairs(given, x.ndim)]


def _from_dict(given: dict[Any, Any], rank: int) -> list[Any]:
    pairs: list[Any] = [(0, 0)] * rank
    for axis, width in given.items():
        if _is_width(width):
            pairs[axis] = (width, width)
        elif type(width) is tuple and len(width) == 2:
            pairs[axis] = width
        else:
            raise TypeError(
                f"`pad_width` of axis {axis} must be an int or a pair of ints: {width}"
            )
    return pairs


def _is_width(item: Any) -> bool:
    if as_dim(item) is not None:
        return True
    return isinstance(item, int | np.signedinteger) and not isinstance(item, bool)


def _width(item: Any) -> DimLike:
    width = dim_of(item)
    if prove_le(width, -1):
        raise ValueError("index can't contain negative values")
    if isinstance(width, Dim) and not prove_le(0, width):
        raise UnsupportedError(
            f"pad: whether the width {width} is negative is known only when the graph runs"
            f"{here(3)}\n  ways out: a remainder such as (-n) % 8 is never negative; or give "
            "the symbol bounds, as in Dim('n', max=8)"
        )
    return width


def stat_lengths(pairs: Pairs) -> Pairs:
    """Return how many elements statistics look at, rounded as NumPy does; ``None`` for all.

    Raises:
        ValueError: A length is negative.
    """

    def length(item: Any) -> DimLike | None:
        if item is None or as_dim(item) is not None:
            return None if item is None else dim_of(item)
        whole = int(np.round(item))
        if whole < 0:
            raise ValueError("index can't contain negative values")
        return whole

    return [(length(before), length(after)) for before, after in pairs]
