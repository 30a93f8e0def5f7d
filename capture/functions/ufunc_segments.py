"""``ufunc.reduceat``: folds over the segments between indices."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from capture.coerce import cast, find_recorder, lift
from capture.errors import UnsupportedError
from capture.functions import plain
from capture.functions.arguments import as_tensor, axis_tuple, deliver
from capture.functions.ufunc_loops import fold_segments
from capture.functions.ufunc_methods import loop_of, out_dtype, reduce
from capture.known import UnknownValue
from capture.location import here
from capture.tensor import Tensor
from capture.ufuncs import METHOD_HANDLERS
from ir.dims import Dim, prove_lt
from ir.ops import interned
from ir.ops.indexing import Take
from ir.types import BOOL, INT64

_MASKED: dict[np.ufunc, Any] = {
    np.add: np.sum,
    np.multiply: np.prod,
    np.maximum: np.max,
    np.minimum: np.min,
    np.logical_and: np.all,
    np.logical_or: np.any,
}
_MASKED_BOOLS = {**_MASKED, np.add: np.any, np.multiply: np.all}
"""Folds that can leave elements out, for segments that are known only at run time."""


def reduceat(
    ufunc: np.ufunc,
    array: Any,
    indices: Any,
    axis: Any = 0,
    dtype: Any = None,
    out: Any = None,
) -> Any:
    """``ufunc.reduceat``: of ``x[i:j]`` between neighbouring indices, ``x[i]`` if not."""
    name = f"{ufunc.__name__}.reduceat"
    x = as_tensor(name, array, indices, out)
    options = (("axis", axis), ("dtype", dtype))
    loop = loop_of(ufunc, "reduceat", (x.dtype, x.ndim), out_dtype(out), options)
    (chosen,) = axis_tuple(axis, x.ndim)
    rest = [i for i in range(x.ndim) if i != chosen]
    moved = plain.transpose(cast(x, loop[1]), [*rest, chosen])
    starts = _starts(x, indices)
    if type(starts) is Tensor:
        result = _masked(ufunc, moved, starts)
    else:
        result = _sliced(ufunc, moved, starts.tolist())
    back = [*range(chosen), x.ndim - 1, *range(chosen, x.ndim - 1)]
    return deliver(name, plain.transpose(cast(result, loop[2]), back), out, "unsafe")


def _starts(x: Tensor, indices: Any) -> Any:
    """Return the indices as an int64 array where they are known, else as a tensor."""
    if find_recorder(indices) is None:
        known = np.asarray(indices, dtype=np.intp)
        return known if known.ndim == 1 else _too_deep()
    tensor = cast(lift(x._recorder, indices), INT64)
    if tensor.ndim != 1:
        _too_deep()
    try:
        return x._recorder.known.read(tensor._read())
    except UnknownValue:
        return tensor


def _too_deep() -> NoReturn:
    raise ValueError("object too deep for desired array")


def _sliced(ufunc: np.ufunc, x: Tensor, starts: list[int]) -> Tensor:
    """Fold each segment by itself."""
    size = x._type.shape[-1]
    for start in starts:
        if start < 0 or (type(size) is int and start >= size):
            raise IndexError(
                f"index {start} out-of-bounds in {ufunc.__name__}.reduceat [0, {size})"
            )
        if isinstance(size, Dim) and not prove_lt(start, size):
            raise UnsupportedError(
                f"{ufunc.__name__}.reduceat: whether index {start} lies within an axis of "
                f"{size} is known only at run time{here(2)}\n  ways out: give the symbol "
                f"a lower bound, as in Dim('n', min={start + 1})"
            )
    if not starts:
        return plain.window(x, -1, 0, 0)
    folds = []
    for start, stop in zip(starts, [*starts[1:], size], strict=True):
        length = 1 if isinstance(stop, int) and stop <= start else stop - start
        segment = plain.window(x, -1, start, length)
        folds.append(
            segment if length == 1 else reduce(ufunc, segment, -1, x.dtype, None, True)
        )
    return folds[0] if len(folds) == 1 else np.concatenate(folds, axis=-1)  # type: ignore[return-value]


def _masked(ufunc: np.ufunc, x: Tensor, starts: Tensor) -> Tensor:
    """Fold under a mask per segment; looking up each first element checks its index."""
    fold = (_MASKED_BOOLS if x.dtype == BOOL else _MASKED).get(ufunc)
    recorder, size = x._recorder, x._type.shape[-1]
    if size == 0 and starts._type.shape[0] != 0:
        raise IndexError(f"index out-of-bounds in {ufunc.__name__}.reduceat [0, 0)")
    end = np.multiply(x.shape[-1], lift(recorder, np.int64(1)))
    checked: Any = np.where(
        starts < 0, end, starts
    )  # an index before the front must fail as well
    first: Any = recorder.apply(interned(Take, x.ndim - 1), x, checked)
    number, count = plain.iota(recorder, starts._type.shape[0]), starts.shape[0]
    following = starts[np.minimum(number + 1, count - 1)]
    stops = np.where(number == count - 1, end, following)
    if fold is None:
        return fold_segments(ufunc, x, checked, stops)
    position = plain.iota(recorder, size)
    later = (position > starts[:, np.newaxis]) & (position < stops[:, np.newaxis])
    spread = x[..., np.newaxis, :]
    if ufunc in (np.add, np.multiply) and x.dtype != BOOL:
        identity = np.array(ufunc.identity, x.dtype)[()]
        others = fold(np.where(later, spread, identity), axis=-1, dtype=x.dtype)
        folded: Any = np.where(
            np.any(later, axis=-1), ufunc(first, others), first
        )  # keeps -0.0
        return plain.fresh(folded)
    repeated = np.where(
        later, spread, first[..., np.newaxis]
    )  # harmless: these are idempotent
    return plain.fresh(fold(repeated, axis=-1))


METHOD_HANDLERS["reduceat"] = reduceat
