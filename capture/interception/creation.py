"""Array creation and coercion inside a scope: what no NumPy protocol shows.

Each function here stands for the NumPy function of the same name in user modules while a scope is
open. Outside a scope, in another thread, and for dtypes that are not captured it is the original.
"""

from __future__ import annotations

import functools
import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from capture.coerce import cast, find_recorder, holds_tensor, lift
from capture.functions.reductions import broadcast_scalar
from capture.functions.shaping import as_shape
from capture.interception.callers import creating_recorder
from capture.symbolic import SymbolicFloat, SymbolicInt, as_dim, dim_of
from capture.tensor import Tensor
from capture.views import Owned
from ir.dims import Dim, ceil_div, dim_max
from ir.errors import UnsupportedDTypeError
from ir.ops import interned
from ir.ops.shaping import Iota
from ir.types import DTYPE_NAMES, INT64, supported_dtype

if TYPE_CHECKING:
    from collections.abc import Callable

    from capture.recorder import Recorder

CREATION: dict[str, Callable[..., Any]] = {}
"""Replacements by the name they have in NumPy's main namespace."""


def replaces(name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a replacement; it is called with the recorder first, only inside a scope."""
    original = getattr(np, name)

    def register(replacement: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(original)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            recorder = find_recorder(args, kwargs) or creating_recorder()
            if recorder is None or recorder.closed:
                return original(*args, **kwargs)
            try:
                return replacement(recorder, *args, **kwargs)
            except UnsupportedDTypeError:
                if find_recorder(args, kwargs) is not None:
                    raise
                return original(*args, **kwargs)  # text, objects, dates: none of our business

        CREATION[name] = wrapper
        return replacement

    return register


def tracked(recorder: Recorder, array: Any) -> Any:
    """Return a concrete array as a constant of the graph."""
    if type(array) in (tuple, list):
        return type(array)(tracked(recorder, item) for item in array)
    if not isinstance(array, np.ndarray) or array.dtype.newbyteorder("=") not in DTYPE_NAMES:
        return array
    index = recorder.constants.array(np.asarray(array))
    type_ = recorder.builder.types[index]
    return Tensor(recorder, index, type_, None if type_.shape else Owned())


def _filled(recorder: Recorder, shape: Any, value: Any, dtype: Any) -> Tensor:
    scalar = lift(recorder, value, None if dtype is None else supported_dtype(dtype))
    sizes = as_shape(shape)
    if not sizes:
        return Tensor(recorder, scalar._read(), scalar._type, Owned())
    return broadcast_scalar(scalar, sizes)


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
        return _filled(recorder, shape, value, np.float64 if dtype is None else dtype)


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
        sizes = tuple(SymbolicInt(d, recorder) if isinstance(d, Dim) else d for d in as_shape(shape))
        return np.broadcast_to(cast(fill, wanted), sizes).copy()
    if type(fill_value) in (bool, int, float):
        fill = lift(recorder, fill_value, wanted)
    return _filled(recorder, shape, cast(fill, wanted), None)


def _coerced(recorder: Recorder, value: Any, dtype: Any, copy: bool | None) -> Any:
    wanted = None if dtype is None else supported_dtype(dtype)
    if type(value) is Tensor:
        result = value if wanted is None else cast(value, wanted)
        if result is value and (copy or value.is_scalar):
            result = value.copy()
        if result.is_scalar:
            result._state = Owned()
        return result
    if isinstance(value, SymbolicInt | SymbolicFloat) or holds_tensor(value):
        result = lift(recorder, value, wanted)
        if not result.ndim:
            result._state = Owned()
        return result
    return tracked(recorder, np.asarray(value, wanted))


@replaces("array")
def array(
    recorder: Recorder,
    object: Any,  # noqa: A002 - NumPy's own name
    dtype: Any = None,
    *,
    copy: bool | None = True,
    order: str = "K",
    subok: bool = False,
    ndmin: int = 0,
    like: Any = None,
    ndmax: int = 0,
) -> Any:
    """``numpy.array``."""
    result = _coerced(recorder, object, dtype, copy)
    while type(result) is Tensor and result.ndim < ndmin:
        result = result[None]
    return result


def _coercion(name: str) -> None:
    @replaces(name)
    def coerce(
        recorder: Recorder,
        a: Any,
        dtype: Any = None,
        order: Any = None,
        *,
        device: Any = None,
        copy: bool | None = None,
        like: Any = None,
    ) -> Any:
        result = _coerced(recorder, a, dtype, copy)
        if name in ("ascontiguousarray", "asfortranarray") and type(result) is Tensor:
            return result if result.ndim else result.reshape(1)
        return result


for _name in ("asarray", "asanyarray", "ascontiguousarray", "asfortranarray"):
    _coercion(_name)


@replaces("asarray_chkfinite")
def asarray_chkfinite(recorder: Recorder, a: Any, dtype: Any = None, order: Any = None) -> Any:
    """``numpy.asarray_chkfinite``: a captured value cannot be checked, so it is taken as it is."""
    return _coerced(recorder, a, dtype, None)


@replaces("arange")
def arange(recorder: Recorder, *args: Any, dtype: Any = None, device: Any = None, like: Any = None,
           **named: Any) -> Any:
    """``numpy.arange``; bounds may be symbolic sizes."""
    start, stop, step, *rest = (*_range_bounds(args, named), None)
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
        result = result + (SymbolicInt(first, recorder) if isinstance(first, Dim) else first)
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
    N: Any,  # noqa: N803 - NumPy's own name
    M: Any = None,  # noqa: N803 - NumPy's own name
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
        return tracked(recorder, np.eye(rows, columns, operator.index(k), supported_dtype(dtype)))
    row = recorder.apply(interned(Iota, rows))
    column = recorder.apply(interned(Iota, columns))
    return cast(column[None, :] - row[:, None] == k, dtype)


@replaces("identity")
def identity(recorder: Recorder, n: Any, dtype: Any = None, *, like: Any = None) -> Any:
    """``numpy.identity``."""
    return eye(recorder, n, dtype=float if dtype is None else dtype)


@replaces("tri")
def tri(
    recorder: Recorder,
    N: Any,  # noqa: N803 - NumPy's own name
    M: Any = None,  # noqa: N803 - NumPy's own name
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
        result = np.linspace(start, stop, num, endpoint, retstep, dtype, axis)  # type: ignore[call-overload]
        return tracked(recorder, result)
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
    "fromiter",
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
