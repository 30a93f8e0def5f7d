"""Questions about dtypes, answered while capturing."""

from __future__ import annotations

from typing import Any

import numpy as np

from capture.functions.arguments import as_tensor, refuse
from capture.functions.registry import implements
from capture.tensor import Tensor


@implements(np.can_cast)
def can_cast(from_: Any, to: Any, casting: Any = "safe") -> bool:
    """``numpy.can_cast``."""
    source = from_.dtype if type(from_) is Tensor else from_
    return bool(np.can_cast(source, to, casting))


@implements(np.common_type)
def common_type(*arrays: Any) -> Any:
    """``numpy.common_type``."""
    return np.common_type(
        *(np.empty(0, as_tensor("common_type", a, *arrays).dtype) for a in arrays)
    )


@implements(np.min_scalar_type)
def min_scalar_type(a: Any, /) -> Any:
    """``numpy.min_scalar_type``: of an array, its dtype; of a captured scalar, unknown."""
    x = as_tensor("min_scalar_type", a)
    return x.dtype if x.ndim else np.min_scalar_type(np.asarray(x))


@implements(np.require)
def require(a: Any, dtype: Any = None, requirements: Any = None, *, like: Any = None) -> Any:
    """``numpy.require``: memory layout is the runtime's, so only the dtype matters."""
    refuse("require", like=like)
    x = as_tensor("require", a)
    return x if dtype is None else x.astype(dtype)
