"""Ufunc methods one step at a time: for what no closed form or fixed length makes shorter.

Every loop here is a loop of the graph, so lengths and positions may be known only when it runs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from capture.coerce import cast
from capture.functions import plain
from ir.shapes import product

if TYPE_CHECKING:
    from capture.tensor import Tensor


def fold_in_order(
    ufunc: np.ufunc, x: Tensor, start: Tensor | None, mask: Tensor | None
) -> Tensor:
    """Return the fold over the last axis; an error at run time where it is empty.

    Args:
        ufunc: What to fold with.
        x: The operand, in the dtype of the loop.
        start: The value to begin with.
        mask: Which elements take part; needs a start.
    """
    from capture.flow import fori_loop

    rows = _rows(x)
    selected = None if mask is None else _rows(mask)

    def step(i: Any, total: Any) -> Any:
        following = cast(ufunc(total, rows[i]), x.dtype)
        return following if selected is None else np.where(selected[i], following, total)

    if start is None:
        return plain.fresh(fori_loop(1, rows.shape[0], step, rows[0]))
    begin = plain.broadcast_to(start, x._type.shape[:-1])
    return plain.fresh(fori_loop(0, rows.shape[0], step, begin))


def accumulate_in_order(ufunc: np.ufunc, x: Tensor) -> Tensor:
    """Return the running fold over the last axis."""
    from capture.flow import fori_loop

    rows = _rows(x)

    def step(i: Any, totals: Any) -> Any:
        totals[i] = ufunc(totals[i - 1], rows[i])
        return totals

    return _columns(fori_loop(1, rows.shape[0], step, np.copy(rows)))


def fold_segments(ufunc: np.ufunc, x: Tensor, starts: Any, stops: Any) -> Tensor:
    """Return the folds over segments of the last axis, which begin at ``starts``.

    A segment that stops at or before its start is its first element.
    """
    from capture.flow import fori_loop

    rows = _rows(x)
    firsts = np.take(rows, starts, axis=0)

    def segment(k: Any, folds: Any) -> Any:
        def step(i: Any, total: Any) -> Any:
            return cast(ufunc(total, rows[i]), x.dtype)

        folds[k] = fori_loop(starts[k] + 1, stops[k], step, folds[k])
        return folds

    return _columns(fori_loop(0, starts.shape[0], segment, firsts))


def write_in_order(
    ufunc: np.ufunc, target: Tensor, indices: Any, operand: Tensor | None
) -> None:
    """Apply the ufunc in place, once per position named, in their order."""
    from capture.flow import fori_loop

    shape = target._type.shape
    numbers = plain.reshape(plain.iota(target._recorder, product(shape)), shape)
    named = numbers[indices]
    places = np.ravel(named)
    values = None if operand is None else np.ravel(np.broadcast_to(operand, named.shape))

    def step(i: Any, flat: Any) -> Any:
        place = places[i]
        held = flat[place]
        flat[place] = ufunc(held) if values is None else ufunc(held, values[i])
        return flat

    flat = fori_loop(0, places.shape[0], step, np.copy(np.ravel(target)))
    target[...] = flat.reshape(target.shape)


def _rows(x: Tensor) -> Any:
    """Return the operand with its last axis first."""
    return plain.transpose(x, [x.ndim - 1, *range(x.ndim - 1)])


def _columns(x: Any) -> Tensor:
    """Return the first axis last again."""
    return plain.transpose(x, [*range(1, x.ndim), 0])
