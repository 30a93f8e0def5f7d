"""Array creation inside a scope: what no NumPy protocol shows."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from capture.coerce import cast, holds_tensor, lift
from capture.functions.reductions import broadcast_scalar
from capture.functions.shaping import as_shape
from capture.interception.replacing import replaces, tracked
from capture.layouts import fresh_layout
from capture.symbolic import as_dim, as_size, dim_of
from capture.tensor import Tensor
from capture.views import Owned
from ir.dims import Dim, ceil_div, dim_max
from ir.ops import interned
from ir.ops.shaping import Iota
from ir.types import INT64, supported_dtype

if TYPE_CHECKING:
    from collections.abc import Callable

    from capture.recorder import Recorder


def _filled(recorder: Recorder, shape: Any, value: Any, dtype: Any, order: str) -> Tensor:
    scalar = lift(recorder, value, None if dtype is None else supported_dtype(dtype))
    sizes = as_shape(shape)
    if not sizes:
        return Tensor(recorder, scalar._read(), scalar._type, Owned())
    made = broadcast_scalar(scalar, sizes)
    made._state = fresh_layout(sizes, order)
    return made


def _constant_fill(name: str, value: float) -> None:
    @replaces(name)
    def create(
        recorder: Recorder,
        shape: Any,
        dtype: Any = None,
        order: str = "C",
        *,
        device: Any = None,
        like: Any = None,
    ) -> Any:
        return _filled(recorder, shape, value, np.float64 if dtype is None else dtype, order)


_constant_fill("zeros", 0)
_constant_fill("ones", 1)
_constant_fill("empty", 0)


@replaces("full")
def full(
    recorder: Recorder,
    shape: Any,
    fill_value: Any,
    dtype: Any = None,
    order: str = "C",
    *,
    device: Any = None,
    like: Any = None,
) -> Any:
    """``numpy.full``."""
    fill = lift(recorder, fill_value)
    wanted = fill.dtype if dtype is None else supported_dtype(dtype)
    if fill.ndim:
        sizes = tuple(as_size(recorder, dim) for dim in as_shape(shape))
        spread: Any = np.broadcast_to
        return spread(cast(fill, wanted), sizes).copy(order)
    if type(fill_value) in (bool, int, float):
        fill = lift(recorder, fill_value, wanted)
    return _filled(recorder, shape, cast(fill, wanted), None, order)


@replaces("arange")
def arange(
    recorder: Recorder,
    *args: Any,
    dtype: Any = None,
    device: Any = None,
    like: Any = None,
    **named: Any,
) -> Any:
    """``numpy.arange``; bounds may be symbolic sizes."""
    start, stop, step = _range_bounds(args, named)
    if len(args) == 4:
        dtype = args[3]
    if all(as_dim(v) is None and not holds_tensor(v) for v in (start, stop, step)):
        wanted = None if dtype is None else supported_dtype(dtype)
        return tracked(recorder, np.arange(start, stop, step, dtype=wanted))
    first, last, stride = dim_of(start), dim_of(stop), dim_of(step)
    if isinstance(stride, Dim) or stride == 0:
        raise ValueError("arange: step must be a known number other than zero")
    span = last - first if stride > 0 else first - last
    count = dim_max(ceil_div(span, abs(stride)), 0)
    indices: Tensor = recorder.apply(interned(Iota, count))
    result = indices if stride == 1 else indices * stride
    if first != 0:
        result = result + as_size(recorder, first)
    return cast(result, INT64 if dtype is None else dtype)


def _range_bounds(args: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, Any, Any]:
    start, stop, step = (*args[:3], None, None, None)[:3]
    start = named.get("start", start)
    stop = named.get("stop", stop)
    step = named.get("step", step)
    if stop is None:
        start, stop = 0, start
    return (0 if start is None else start), stop, (1 if step is None else step)


@replaces("eye")
def eye(
    recorder: Recorder,
    N: Any,
    M: Any = None,
    k: Any = 0,
    dtype: Any = float,
    order: str = "C",
    *,
    device: Any = None,
    like: Any = None,
) -> Any:
    """``numpy.eye``; sizes may be symbolic."""
    rows, columns = dim_of(N), dim_of(N if M is None else M)
    if isinstance(rows, int) and isinstance(columns, int):
        make: Any = np.eye
        shift, kind = operator.index(k), supported_dtype(dtype)
        return tracked(recorder, make(rows, columns, shift, kind, order))
    row = recorder.apply(interned(Iota, rows))
    column = recorder.apply(interned(Iota, columns))
    made = cast(column[None, :] - row[:, None] == k, dtype)
    made._state = fresh_layout(made._type.shape, order)
    return made


@replaces("identity")
def identity(recorder: Recorder, n: Any, dtype: Any = None, *, like: Any = None) -> Any:
    """``numpy.identity``."""
    return eye(recorder, n, dtype=float if dtype is None else dtype)


@replaces("tri")
def tri(
    recorder: Recorder,
    N: Any,
    M: Any = None,
    k: Any = 0,
    dtype: Any = float,
    *,
    like: Any = None,
) -> Any:
    """``numpy.tri``; sizes may be symbolic."""
    row = recorder.apply(interned(Iota, dim_of(N)))
    column = recorder.apply(interned(Iota, dim_of(N if M is None else M)))
    return cast(column[None, :] - row[:, None] <= k, dtype)


@replaces("linspace")
def linspace(
    recorder: Recorder,
    start: Any,
    stop: Any,
    num: Any = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: Any = None,
    axis: int = 0,
    *,
    device: Any = None,
) -> Any:
    """``numpy.linspace``; ``num`` may be symbolic, the ends may be captured."""
    if not holds_tensor((start, stop, num)):
        make: Any = np.linspace
        return tracked(recorder, make(start, stop, num, endpoint, retstep, dtype, axis))
    low, high = lift(recorder, start, np.float64), lift(recorder, stop, np.float64)
    divisor = num - 1 if endpoint else num
    indices = cast(recorder.apply(interned(Iota, dim_of(num))), np.float64)
    spread = indices.reshape((-1, *(1,) * max(low.ndim, high.ndim)))
    step = (high - low) / np.maximum(lift(recorder, divisor, np.float64), 1)
    result = spread * step + low
    if endpoint:
        last = spread == lift(recorder, divisor, np.float64)
        result = np.where(last & (spread > 0), high, result)
    result = np.moveaxis(result, 0, axis) if axis else result
    if dtype is not None:
        wanted = supported_dtype(dtype)
        result = cast(np.floor(result) if wanted.kind in "iu" else result, wanted)
    return (result, step) if retstep else result


def _track_result(name: str) -> None:
    original = getattr(np, name)

    @replaces(name)
    def create(recorder: Recorder, *args: Any, **kwargs: Any) -> Any:
        return tracked(recorder, original(*args, **kwargs))


for _name in (
    "bartlett",
    "blackman",
    "diag_indices",
    "frombuffer",
    "fromstring",
    "geomspace",
    "hamming",
    "hanning",
    "indices",
    "kaiser",
    "logspace",
    "tril_indices",
    "triu_indices",
):
    _track_result(_name)


@replaces("fromfunction")
def fromfunction(
    recorder: Recorder,
    function: Callable[..., Any],
    shape: Any,
    *,
    dtype: Any = float,
    like: Any = None,
    **kwargs: Any,
) -> Any:
    """``numpy.fromfunction``: the function sees captured index grids."""
    grids = tracked(recorder, np.indices(shape, dtype=dtype))
    return function(*grids, **kwargs)
