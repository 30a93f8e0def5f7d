"""``einsum``: NumPy decides about dtype, layout and views; products are of labelled terms."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from capture.access import make_view
from capture.coerce import cast
from capture.diagonals import DiagonalStep
from capture.errors import UnsupportedError
from capture.functions.arguments import deliver
from capture.functions.contractions import operands
from capture.functions.einsum_subscripts import label_sizes, parse, split_arguments
from capture.functions.einsum_terms import summed
from capture.functions.registry import implements
from capture.functions.shaping import permuted
from capture.functions.stand_ins import laid_out, memory_order, stand_in
from capture.location import here
from capture.tensor import Tensor
from capture.views import Owned, concrete_shape
from ir.errors import ShapeError
from ir.types import supported_dtype

if TYPE_CHECKING:
    from collections.abc import Sequence

    from capture.functions.einsum_subscripts import Subscripts
    from capture.functions.einsum_terms import Path
    from capture.functions.stand_ins import StandIn

_MOST_ELEMENTS = 100_000
_MOST_LABELS = 16
"""With more labels, stand-ins of two elements along each are too large to ask for a layout."""


class Answer(NamedTuple):
    """What NumPy says about one call.

    Attributes:
        dtype: The result's dtype.
        is_view: Whether the result shares the operand's memory.
        is_scalar: Whether a result without axes is a NumPy scalar.
        order: The result's axes in memory, ``None`` for C order.
    """

    dtype: np.dtype[Any]
    is_view: bool
    is_scalar: bool
    order: tuple[int, ...] | None


@implements(np.einsum)
def einsum(*operands_: Any, out: Any = None, optimize: Any = False, **kwargs: Any) -> Any:
    """``numpy.einsum``: every form; ``optimize`` chooses the order as NumPy does."""
    text, values = split_arguments(operands_)
    given = operands("einsum", *values, *([] if out is None else [out]))
    tensors = given[: len(values)]
    options = tuple(sorted(kwargs.items()))
    path = _path(text, tensors, optimize)
    specs = _stand_ins(given, optimize is not False)
    target = None if out is None else specs[-1]
    asked = path if optimize is not False else None
    answer = _ask(text, specs[: len(values)], target, options, asked)
    shapes = [tensor._type.shape for tensor in tensors]
    subscripts = parse(text, shapes)
    try:
        sizes = label_sizes(subscripts, shapes)
    except ShapeError as error:
        error.add_note(
            f"  einsum: {text!r} of {', '.join(str(t._type) for t in tensors)}{here()}"
        )
        raise
    if answer.is_view:
        return _view(tensors[0], subscripts)
    dtype = _step_dtype(tensors, out, optimize, kwargs.get("dtype"))
    if dtype == np.float16:  # as NumPy's loops accumulate
        dtype = np.dtype(np.float32)
    result = summed(subscripts, tensors, sizes, path, dtype)
    if type(out) is Tensor:
        if out._type.shape != result._type.shape:
            raise ShapeError(f"einsum: out {out._type} cannot hold {result._type}{here()}")
        return deliver("einsum", result, out, "unsafe")
    result = cast(result, answer.dtype)
    result._state = laid_out(result._type.shape, answer.order)
    if not result.ndim and not answer.is_scalar:
        result._state = Owned()
    return result


def _stand_ins(tensors: Sequence[Tensor], ordered: bool) -> tuple[StandIn, ...]:
    """Return stand-ins; ``ordered`` ones keep which sizes are larger: optimized steps ask."""
    specs = tuple(map(stand_in, tensors))
    axes = sum(len(spec.shape) for spec in specs)
    if axes > _MOST_LABELS:
        return tuple(spec._replace(shape=(1,) * len(spec.shape)) for spec in specs)
    shapes = [concrete_shape(tensor._type.shape) for tensor in tensors]
    sizes = sorted({size for shape in shapes for size in shape if size > 1})
    ranks = {1: 1, 0: 2} | {size: place for place, size in enumerate(sizes, 2)}
    ranked = [tuple(ranks[size] for size in shape) for shape in shapes]
    if not ordered or math.prod(map(math.prod, ranked)) > _MOST_ELEMENTS:
        return specs
    return tuple(spec._replace(shape=shape) for spec, shape in zip(specs, ranked, strict=True))


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, list | tuple) else value


def _path(text: str, tensors: Sequence[Tensor], optimize: Any) -> Path:
    """Return which terms meet at each step: NumPy's choice for representative sizes."""
    if len(tensors) < 3 and optimize is False:
        return (tuple(range(len(tensors))),)
    wanted = "greedy" if optimize is False or optimize is True else optimize
    shapes = tuple((t.dtype, concrete_shape(t._type.shape)) for t in tensors)
    return _chosen_path(text, shapes, _frozen(wanted))


@lru_cache(maxsize=512)
def _chosen_path(text: str, shapes: tuple[Any, ...], optimize: Any) -> Path:
    arrays = [np.broadcast_to(np.zeros((), dtype), shape) for dtype, shape in shapes]
    wanted = (
        list(optimize) if type(optimize) is tuple and "einsum_path" in optimize else optimize
    )
    found = np.einsum_path(text, *arrays, optimize=wanted)[0]
    return tuple(found[1:])


@lru_cache(maxsize=512)
def _ask(
    text: str,
    specs: tuple[StandIn, ...],
    out: StandIn | None,
    options: tuple[tuple[str, Any], ...],
    path: Path | None,
) -> Answer:
    """Run NumPy's einsum on stand-ins; raises what NumPy raises."""
    arrays = [spec.array() for spec in specs]
    target = None if out is None else out.writeable_array()
    optimize: Any = False if path is None else ["einsum_path", *path]
    result = np.einsum(text, *arrays, out=target, optimize=optimize, **dict(options))
    is_scalar = not isinstance(result, np.ndarray)
    array = np.asarray(result)
    shares = out is None and not is_scalar and np.shares_memory(array, arrays[0])
    return Answer(array.dtype, shares, is_scalar, memory_order(array))


def _step_dtype(
    tensors: Sequence[Tensor], out: Any, optimize: Any, dtype: Any
) -> np.dtype[Any] | None:
    """Return the dtype everything is computed in, ``None`` for each step's own."""
    if dtype is not None:
        return supported_dtype(dtype)
    if optimize is False:
        destination = [out.dtype] if type(out) is Tensor else []
        common: np.dtype[Any] = np.result_type(*(t.dtype for t in tensors), *destination)
        return common
    own = np.result_type(*(tensor.dtype for tensor in tensors))
    if type(out) is Tensor and out.dtype != own:
        raise UnsupportedError(
            f"einsum: optimize= with out= of another dtype ({out.dtype} for {own}) is not "
            f"captured{here(2)}\n  ways out: give dtype=, or leave optimize= or out= away"
        )
    return None


def _view(x: Tensor, subscripts: Subscripts) -> Tensor:
    """Return a view of one operand: axes in another order, repeated ones along diagonals."""
    (term,) = subscripts.terms
    groups = tuple(
        tuple(axis for axis, label in enumerate(term) if label == wanted)
        for wanted in subscripts.output
    )
    if all(len(group) == 1 for group in groups):
        return permuted(x, [group[0] for group in groups])
    shape = tuple(x._type.shape[group[0]] for group in groups)
    return make_view(x, DiagonalStep(groups, x._type.shape), shape)


@implements(np.einsum_path)
def einsum_path(*operands_: Any, optimize: Any = "greedy", einsum_call: bool = False) -> Any:
    """``numpy.einsum_path``: NumPy's own answer, which depends on nothing but sizes."""
    text, values = split_arguments(operands_)
    tensors = operands("einsum_path", *values)
    if not all(tensor._type.is_static for tensor in tensors):
        raise UnsupportedError(
            f"einsum_path: the best order depends on a symbolic size{here()}\n  ways out: "
            "einsum(..., optimize=True), or a path that was found for typical sizes"
        )
    arrays = [
        np.broadcast_to(np.zeros((), t.dtype), concrete_shape(t._type.shape)) for t in tensors
    ]
    return np.einsum_path(text, *arrays, optimize=optimize, einsum_call=einsum_call)  # type: ignore[arg-type]
