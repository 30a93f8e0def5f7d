"""``numpy.pad``: its arguments, and the order in which axes are padded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from capture.coerce import cast, lift
from capture.errors import UnsupportedError
from capture.functions.arguments import as_array
from capture.functions.joining import fortran_layout
from capture.functions.padding_arguments import as_pairs, pad_widths, stat_lengths
from capture.functions.padding_modes import (
    EXTREMES,
    STATISTICS,
    AxisPadding,
    edge,
    linear_ramp,
    reflect,
    reflect_odd,
    statistic,
    wrap,
)
from capture.functions.positions import known_value
from capture.functions.registry import implements
from capture.functions.shaping import moveaxis
from capture.location import here
from capture.tensor import Tensor
from capture.views import Owned
from ir.dims import Dim
from ir.ops import interned
from ir.ops.shaping import Pad

if TYPE_CHECKING:
    from collections.abc import Callable

    from capture.functions.padding_arguments import Widths

_OPTIONS = {
    "constant": {"constant_values"},
    "edge": set(),
    "empty": set(),
    "linear_ramp": {"end_values"},
    **{name: {"stat_length"} for name in STATISTICS},
    "reflect": {"reflect_type"},
    "symmetric": {"reflect_type"},
    "wrap": set(),
}
"""The keyword arguments of each mode."""


@implements(np.pad)
def pad(array: Any, pad_width: Any, mode: Any = "constant", **kwargs: Any) -> Any:
    """``numpy.pad``: widths may be symbolic sizes; ``mode="empty"`` fills with zeros."""
    x = as_array("pad", array, pad_width, kwargs)
    widths = pad_widths(x, pad_width)
    if callable(mode):
        return _padded_by(mode, x, widths, kwargs)
    if mode not in _OPTIONS:
        raise ValueError(f"mode '{mode}' is not supported")
    unknown = set(kwargs) - _OPTIONS[mode]
    if unknown:
        raise ValueError(f"unsupported keyword arguments for mode '{mode}': {unknown}")
    if not x.ndim:
        return x.copy()
    if mode in ("constant", "empty"):
        result = _padded_with(x, widths, kwargs.get("constant_values", 0))
    else:
        result = _padded_from_within(x, widths, mode, kwargs)
    return Tensor(
        x._recorder, result._read(), result._type, fortran_layout([x], result._type.shape)
    )


# --- constants ----------------------------------------------------------------------------


class _Constants(NamedTuple):
    """Fill values: 0-d tensors of the array's dtype, and whether they are all one value."""

    pairs: list[tuple[Tensor, Tensor]]
    uniform: bool


def _constants(x: Tensor, given: Any) -> _Constants:
    given = known_value(x._recorder, given)
    recorder = x._recorder
    if type(given) is Tensor:
        values = cast(given, x.dtype)
        spread: Any = np.broadcast_to(
            values.ravel() if values.size == 1 else values, (x.ndim, 2)
        )
        captured = [(spread[axis, 0], spread[axis, 1]) for axis in range(x.ndim)]
        return _Constants(captured, values.size == 1)
    # NumPy's own conversion of each value, checks included
    center = (1,) * x.ndim
    around = np.pad(np.zeros(center, x.dtype), 1, constant_values=given)
    picked = [
        tuple(around[(*center[:axis], side, *center[axis + 1 :])] for side in (0, 2))
        for axis in range(x.ndim)
    ]
    first = picked[0][0].tobytes()
    uniform = all(value.tobytes() == first for pair in picked for value in pair)
    pairs = [(lift(recorder, b, x.dtype), lift(recorder, a, x.dtype)) for b, a in picked]
    return _Constants(pairs, uniform)


def _padded_with(x: Tensor, widths: Widths, given: Any) -> Tensor:
    values = _constants(x, given)
    if values.uniform:
        return _surrounded(x, widths, values.pairs[0][0])
    for axis, (pair, (before, after)) in enumerate(zip(values.pairs, widths, strict=True)):
        sides: Widths = [(0, 0)] * x.ndim
        sides[axis] = (before, 0)
        x = _surrounded(x, sides, pair[0])
        sides[axis] = (0, after)
        x = _surrounded(x, sides, pair[1])
    return x


def _surrounded(x: Tensor, widths: Widths, value: Tensor) -> Tensor:
    if all(width == 0 for pair in widths for width in pair):
        return x
    befores, afters = zip(*widths, strict=True)
    made: Tensor = x._recorder.apply(interned(Pad, befores, afters), x, value)
    return made


# --- everything else ----------------------------------------------------------------------


def _padded_from_within(
    x: Tensor, widths: Widths, mode: str, options: dict[str, Any]
) -> Tensor:
    """Pad axis by axis; a later axis sees what the earlier ones were padded with."""
    shape = x._type.shape
    fill = _mode(mode, x.ndim, options)
    for axis, (size, (before, after)) in enumerate(zip(shape, widths, strict=True)):
        if before == 0 and after == 0:
            continue
        if size == 0:
            raise ValueError(
                f"can't extend empty axis {axis} using modes other than 'constant' or 'empty'"
            )
        if 0 in shape:  # there is nothing to compute, and no maximum of it
            zero = lift(x._recorder, 0, x.dtype)
            sides: Widths = [(0, 0)] * x.ndim
            sides[axis] = (before, after)
            x = _surrounded(x, sides, zero)
            continue
        x = fill(AxisPadding(x, axis, before, after))
    return x


def _mode(mode: str, rank: int, options: dict[str, Any]) -> Callable[[AxisPadding], Tensor]:
    if mode == "edge":
        return edge
    if mode == "wrap":
        return wrap
    if mode in ("reflect", "symmetric"):
        includes_edge = mode == "symmetric"
        if options.get("reflect_type", "even") == "odd":
            return lambda padding: reflect_odd(padding, includes_edge)
        return lambda padding: reflect(padding, includes_edge)
    if mode == "linear_ramp":
        ends = options.get("end_values", 0)
        return lambda padding: linear_ramp(padding, _ends(padding, rank, ends))
    lengths = stat_lengths(as_pairs(options.get("stat_length"), rank))
    if mode in EXTREMES and any(length == 0 for pair in lengths for length in pair):
        raise ValueError("stat_length of 0 yields no value for padding")
    return lambda padding: statistic(padding, STATISTICS[mode], lengths[padding.axis])


def _ends(padding: AxisPadding, rank: int, given: Any) -> tuple[Any, Any]:
    """Return the end values of an axis as float64, in which NumPy computes ramps."""
    x = padding.x
    known = known_value(x._recorder, given)
    if type(known) is Tensor:
        spread: Any = np.broadcast_to(known.astype(np.float64), (rank, 2))
        return spread[padding.axis, 0], spread[padding.axis, 1]
    before, after = as_pairs(known, rank)[padding.axis]
    return np.float64(before), np.float64(after)


def _padded_by(
    function: Callable[..., Any], x: Tensor, widths: Widths, options: dict[str, Any]
) -> Tensor:
    """Let the user's function fill each vector of the zero-padded array in place."""
    zero = lift(x._recorder, 0, x.dtype)
    padded = _surrounded(x, widths, zero)
    state = fortran_layout([x], padded._type.shape) or (None if x.ndim else Owned())
    padded = Tensor(x._recorder, padded._read(), padded._type, state)
    for axis in range(x.ndim):
        vectors = moveaxis(padded, axis, -1)
        others = vectors._type.shape[:-1]
        if any(isinstance(size, Dim) for size in others):
            raise UnsupportedError(
                f"pad: a function as mode runs once for each vector along an axis, and the "
                f"number of them in {x._type} is known only when the graph runs{here(2)}"
            )
        for index in np.ndindex(*others):
            function(vectors[(*index, ...)], list(widths[axis]), axis, options)
    return padded
