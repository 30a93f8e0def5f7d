"""Questions about arrays, and conversions that keep the shape."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from capture.coerce import cast, lift
from capture.functions.arguments import as_tensor, deliver, refuse
from capture.functions.reductions import broadcast_scalar
from capture.functions.registry import implements
from capture.functions.shaping import as_shape
from capture.promotion import check_casting, result_dtype
from capture.tensor import Tensor
from capture.ufuncs import UFUNC_HANDLERS
from capture.views import Owned, k_order
from ir.types import supported_dtype

if TYPE_CHECKING:
    from capture.promotion import PromotionKey


@implements(np.shape)
def shape(a: Any) -> Any:
    """``numpy.shape``."""
    return as_tensor("shape", a).shape


@implements(np.ndim)
def ndim(a: Any) -> int:
    """``numpy.ndim``."""
    return as_tensor("ndim", a).ndim


@implements(np.size)
def size(a: Any, axis: Any = None) -> Any:
    """``numpy.size``."""
    x = as_tensor("size", a)
    return x.size if axis is None else x.shape[axis]


@implements(np.astype)
def astype(
    x: Any, dtype: Any, /, *, copy: bool = True, device: Any = None, casting: str = "unsafe"
) -> Any:
    """``numpy.astype``."""
    tensor = as_tensor("astype", x)
    wanted = supported_dtype(dtype)
    check_casting("astype", tensor.dtype, wanted, casting)
    if tensor.dtype == wanted:
        return tensor.copy("K") if copy else tensor
    state = k_order([tensor], tensor._type.shape)
    if state is None and not tensor.ndim and not tensor.is_scalar:
        state = Owned()
    result = cast(tensor, wanted)
    result._state = state
    return result


@implements(np.result_type)
def result_type(*arrays_and_dtypes: Any) -> np.dtype[Any]:
    """``numpy.result_type``."""
    keys: list[PromotionKey] = []
    for item in arrays_and_dtypes:
        if type(item) is Tensor:
            keys.append(item.dtype)
        elif type(item) in (int, float):
            keys.append(type(item))
        else:
            keys.append(np.result_type(item))
    return result_dtype(keys)


def _filled_like(value: float) -> Any:
    def handler(
        a: Any,
        dtype: Any = None,
        order: str = "K",
        subok: bool = True,
        shape: Any = None,
        *,
        device: Any = None,
    ) -> Any:
        return full_like(a, value, dtype, order, subok, shape)

    return handler


@implements(np.full_like)
def full_like(
    a: Any,
    fill_value: Any,
    dtype: Any = None,
    order: str = "K",
    subok: bool = True,
    shape: Any = None,
    *,
    device: Any = None,
) -> Any:
    """``numpy.full_like``: of a tensor, or of an ndarray with a captured fill value."""
    x = as_tensor("full_like", a, fill_value)
    wanted = x.dtype if dtype is None else supported_dtype(dtype)
    sizes = x._type.shape if shape is None else as_shape(shape)
    fill = lift(x._recorder, fill_value)
    if fill.ndim:
        spread = np.broadcast_to(cast(fill, wanted), x.shape if shape is None else shape)
        return spread.copy()
    if type(fill_value) is not Tensor and isinstance(fill_value, bool | int | float):
        fill = lift(x._recorder, fill_value, wanted)
    result = broadcast_scalar(cast(fill, wanted), sizes)
    result._state = (
        k_order([x], sizes) if sizes and shape is None and order == "K" else None
    ) or (None if sizes else Owned())
    return result


zeros_like = implements(np.zeros_like)(_filled_like(0))
ones_like = implements(np.ones_like)(_filled_like(1))
empty_like = implements(np.empty_like)(_filled_like(0))


@implements(np.real)
def real(val: Any) -> Any:
    """``numpy.real``: captured dtypes are real."""
    return as_tensor("real", val)


def conjugate(x: Any, /, out: Any = None, **other: Any) -> Any:
    """``numpy.conjugate``: captured dtypes are real."""
    refuse("conjugate", **{k: v for k, v in other.items() if k == "where"})
    return deliver("conjugate", np.positive(x), out)


UFUNC_HANDLERS[np.conjugate] = conjugate
