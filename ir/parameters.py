"""Op parameters as plain data: one codec for JSON and one for text, driven by field types."""

from __future__ import annotations

import base64
import dataclasses
import math
import types
import typing
import zlib
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from ir.dims import Dim, parse_dim
from ir.errors import InvalidGraphError
from ir.graph import Graph
from ir.ops import base
from ir.ops.base import OPS, Op, ParameterizedOp, memoized
from ir.types import DTYPE_NAMES, DTYPES_BY_NAME, TensorType

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ir.dims import Symbol

Plain: TypeAlias = "bool | int | float | str | list[Plain] | dict[str, str] | None"
"""What a parameter becomes in JSON; bytes are an object with ``base64``."""

_SPECIAL_FLOATS = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}


def parameter_text(value: Any) -> str:
    """Return a parameter as the printer shows it."""
    if type(value) is bool:
        return "true" if value else "false"
    if type(value) is tuple:
        return f"[{', '.join(map(parameter_text, value))}]"
    if isinstance(value, np.dtype):
        return DTYPE_NAMES.get(value, str(value))
    if type(value) is str:
        return f'"{value}"'
    if isinstance(value, Graph):
        return f"@{value.name}"
    if type(value) is bytes:  # the checksum tells apart what has the same size
        return f"<{len(value):,} bytes {zlib.crc32(value):08x}>"
    return str(value)


def encode(value: Any) -> Plain:
    """Return a parameter as plain JSON data."""
    if type(value) is float and not math.isfinite(value):
        return str(value)
    if value is None or type(value) in (bool, int, float, str):
        return value  # type: ignore[no-any-return]
    if isinstance(value, Dim):
        return str(value)
    if isinstance(value, np.dtype):
        return DTYPE_NAMES[value]
    if isinstance(value, TensorType):
        return [DTYPE_NAMES[value.dtype], encode(value.shape)]
    if type(value) is tuple:
        return [encode(item) for item in value]
    if type(value) is bytes:
        return {"base64": base64.b64encode(value).decode("ascii")}
    raise InvalidGraphError(f"parameter of type {type(value).__name__} cannot be written")


def _decode_plain(plain: Any, wanted: Any, symbols: Mapping[str, Symbol] | None) -> Any:
    origin, arguments = typing.get_origin(wanted), typing.get_args(wanted)
    if wanted is TensorType and type(plain) is list and len(plain) == 2:
        dtype = _decode_plain(plain[0], np.dtype[Any], symbols)
        return TensorType(dtype, _decode_plain(plain[1], tuple[int | Dim, ...], symbols))
    if isinstance(plain, Graph) and wanted is Graph:
        return plain
    if origin is tuple and type(plain) is list:
        return tuple(_decode_plain(item, arguments[0], symbols) for item in plain)
    if origin in (typing.Union, types.UnionType):
        if plain is None and type(None) in arguments:
            return None
        if Dim in arguments:
            return _decode_dim(plain, wanted, symbols)
        (inner,) = (a for a in arguments if a is not type(None))
        return _decode_plain(plain, inner, symbols)
    return _decode_atom(plain, wanted)


def _decode_dim(plain: Any, wanted: Any, symbols: Mapping[str, Symbol] | None) -> int | Dim:
    if type(plain) is str:
        return parse_dim(plain, symbols)
    if type(plain) is int:
        return plain
    raise _mismatch(plain, wanted)


def _decode_atom(plain: Any, wanted: Any) -> Any:
    """Return a dtype, number, bool, string or bytes."""
    if typing.get_origin(wanted) is np.dtype and type(plain) is str:
        if plain in DTYPES_BY_NAME:
            return DTYPES_BY_NAME[plain]
    elif wanted is float:
        if type(plain) is str and plain in _SPECIAL_FLOATS:
            return _SPECIAL_FLOATS[plain]
        if type(plain) in (int, float):
            return float(plain)
    elif wanted is bytes and type(plain) is dict and plain.keys() == {"base64"}:
        return _decode_bytes(plain["base64"])
    elif wanted in (bool, int, str) and type(plain) is wanted:
        return plain
    raise _mismatch(plain, wanted)


def _decode_bytes(text: Any) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (TypeError, ValueError) as error:
        raise InvalidGraphError(f"no base64: {error}") from None


def _mismatch(plain: Any, wanted: Any) -> InvalidGraphError:
    return InvalidGraphError(f"{plain!r} is no {getattr(wanted, '__name__', wanted)}")


@memoized
def field_types(cls: type[Op]) -> dict[str, Any]:
    """Return the declared type of each parameter of an op class."""
    if not issubclass(cls, ParameterizedOp):
        return {}
    names = {"Dim": Dim, "Any": Any, "Graph": Graph, "TensorType": TensorType, "np": np}
    hints = typing.get_type_hints(cls, localns=names)
    return {field.name: hints[field.name] for field in dataclasses.fields(cls)}  # type: ignore[arg-type]


def decode_op(
    name: str, parameters: Mapping[str, Any], symbols: Mapping[str, Symbol] | None = None
) -> Op:
    """Return the op ``name`` with parameters from plain data.

    Args:
        name: A key of :data:`ir.ops.OPS`.
        parameters: Plain values by field name, as :func:`encode` made them.
        symbols: The graph's symbols, so that dimensions get their bounds back.

    Raises:
        InvalidGraphError: The op is unknown or a parameter has the wrong type.
    """
    entry = OPS.get(name)
    if entry is None:
        raise InvalidGraphError(f"op {name!r} is unknown")
    if isinstance(entry, base.Op):
        if parameters:
            raise InvalidGraphError(f"{name}: takes no parameters, got {sorted(parameters)}")
        return entry
    wanted = field_types(entry)
    if set(wanted) != set(parameters):
        raise InvalidGraphError(
            f"{name}: parameters are {sorted(wanted)}, got {sorted(parameters)}"
        )
    try:
        values = {k: _decode_plain(parameters[k], t, symbols) for k, t in wanted.items()}
    except InvalidGraphError as error:
        raise InvalidGraphError(f"{name}: {error}") from None
    return entry(**values)
