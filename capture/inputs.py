"""Types of inputs: shapes given as numbers, names and dimensions."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ir.dims import Dim, DimLike, Symbol, parse_dim, symbols_of
from ir.errors import DimError
from ir.types import TensorType, supported_dtype

if TYPE_CHECKING:
    from collections.abc import Sequence

    from capture.recorder import Recorder


class TensorSpec(NamedTuple):
    """What is known of an argument before it exists.

    Args:
        shape: Sizes: numbers, symbol names, :class:`ir.Dim` objects, ``None`` for a fresh symbol.
        dtype: The dtype, float32 by default.
        name: The input's name; the parameter's when left out.
    """

    shape: tuple[Any, ...] = ()
    dtype: Any = np.float32
    name: str | None = None


def input_type(recorder: Recorder, name: str, shape: Sequence[Any], dtype: Any) -> TensorType:
    """Return the type of an input declared with user-given sizes.

    Raises:
        DimError: A size is negative, malformed, or a symbol's bounds contradict earlier ones.
        UnsupportedDTypeError: The dtype is refused.
    """
    wanted = supported_dtype(recorder.device.float_dtype if dtype is None else dtype)
    sizes = (shape,) if isinstance(shape, str | int | Dim) else shape
    dims = tuple(_dim(recorder, name, axis, size) for axis, size in enumerate(sizes))
    return TensorType(wanted, dims)


def _dim(recorder: Recorder, name: str, axis: int, size: Any) -> DimLike:
    if size is None:
        size = f"{name}_{axis}" if name.isidentifier() else recorder.fresh_symbol("d")
    if isinstance(size, str):
        dim = parse_dim(size, _Symbols(recorder))
    elif isinstance(size, Dim):
        dim = size
    else:
        dim = operator.index(size)
        if dim < 0:
            raise DimError(f"input {name!r}: axis {axis} has the negative size {dim}")
    return register_symbols(recorder, f"input {name!r}", dim)


def register_symbols(recorder: Recorder, what: str, dim: DimLike) -> DimLike:
    """Note a size's symbols in the scope; return the size.

    Raises:
        DimError: A symbol is known with other bounds.
    """
    for symbol in symbols_of(dim):
        known = recorder.symbols.setdefault(symbol.name, symbol)
        if known != symbol:
            raise DimError(
                f"{what}: symbol {symbol.name!r} was declared before with other bounds; use one "
                f"Dim object for both: {known} and {symbol}"
            )
    return dim


class _Symbols(dict[str, Symbol]):
    """Symbols by name: those declared before, and new ones with default bounds."""

    def __init__(self, recorder: Recorder) -> None:
        super().__init__(recorder.symbols)

    def __contains__(self, name: object) -> bool:
        return True

    def __missing__(self, name: str) -> Symbol:
        return Symbol(name)

    def get(self, name: str, default: Any = None) -> Any:
        return self[name]
