"""Types and ops as the format spells them, for one graph and its symbols.

The writer reads everything back through the same class before it is written, so what cannot
come back equal is refused with an :class:`ExportError` instead of being lost.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

from exporters.json.errors import JsonFormatError
from exporters.json.fields import Layout, described, integer, number, text
from exporters.json.schema import (
    DIM_CALL_WORK,
    DIM_CHOICE_WORK,
    FEW_DIM_CALLS,
    MAX_DIM_TEXT,
    MAX_DIM_WORK,
    MAX_PARAMETER_DEPTH,
    MAX_PARAMETER_ITEMS,
    MAX_RANK,
    MAX_SIZE,
    MIN_INTEGER,
    SHORT_DIM,
)
from ir.dims import Dim, Symbol, parse_dim
from ir.errors import IRError
from ir.parameters import decode_op
from ir.types import DTYPES_BY_NAME, TensorType

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ir.dims import DimLike
    from ir.graph import Graph
    from ir.ops import Op

_TYPE = re.compile(r"([a-z0-9]+)\[(.*)\]", re.ASCII)
_SIZE = re.compile(r"[0-9]{1,18}", re.ASCII)
_SYMBOL = Layout("name", "value axis min max")


def read_symbols(rows: list[Any]) -> dict[str, Symbol]:
    """Return the symbols by name, without their definition sites.

    Raises:
        JsonFormatError: A row is malformed or repeats a name.
    """
    symbols: dict[str, Symbol] = {}
    for index, plain in enumerate(rows):
        try:
            row = _SYMBOL.read(plain)
            name = text(row, "name")
            if name in symbols:
                raise JsonFormatError(f"symbol {name!r} is listed twice", ("name",))
            least = number(row, "min", MIN_INTEGER, MAX_SIZE, 0)
            greatest = row.get("max")
            if greatest is not None:
                greatest = number(row, "max", MIN_INTEGER, MAX_SIZE)
            symbols[name] = Symbol(name, least, greatest)
        except JsonFormatError as error:
            raise error.within(index) from None
        except IRError as error:
            raise JsonFormatError(str(error), (index,)) from None
    return symbols


class Vocabulary:
    """Reads types and ops, each distinct text once.

    Args:
        symbols: The graph's symbols, by name.
        graphs: Nested graphs that ops may mention by index.
    """

    def __init__(self, symbols: dict[str, Symbol], graphs: Sequence[Graph] = ()) -> None:
        self._symbols = symbols
        self._graphs = graphs
        self._types: dict[str, TensorType] = {}
        self._ops: dict[tuple[str, str], Op] = {}
        self._dims: dict[str, DimLike] = {}
        self._work = 0

    def type(self, plain: Any) -> TensorType:
        """Return the type that a text such as ``f32[batch,4]`` names.

        Raises:
            JsonFormatError: It names none.
        """
        if type(plain) is not str:
            raise JsonFormatError(f"expected a type, found {described(plain)}")
        found = self._types.get(plain)
        if found is None:
            found = self._types[plain] = self._read_type(plain)
        return found

    def op(self, name: str, parameters: dict[str, Any]) -> Op:
        """Return the op ``name`` with parameters from plain data.

        Raises:
            JsonFormatError: There is no such op, or its parameters are others.
        """
        try:  # repr, because 1, 1.0 and true are equal as keys but not as parameters
            key = (name, repr(parameters) if parameters else "")
        except RecursionError:
            raise JsonFormatError("nested too deeply", ("parameters",)) from None
        found = self._ops.get(key)
        if found is None:
            values = {}
            for parameter, plain in parameters.items():
                try:
                    values[parameter] = self._parameter(plain)
                except JsonFormatError as error:
                    raise error.within("parameters", parameter) from None
            try:
                found = decode_op(name, values, self._symbols)
            except (IRError, ArithmeticError, LookupError, TypeError, ValueError) as error:
                tokens = ("parameters",) if parameters else ("op",)
                raise JsonFormatError(str(error), tokens) from None
            self._ops[key] = found
        return found

    def _read_type(self, plain: str) -> TensorType:
        match = _TYPE.fullmatch(plain)
        dtype = DTYPES_BY_NAME.get(match[1]) if match else None
        if match is None or dtype is None:
            raise JsonFormatError(f"{described(plain)} is no type")
        dims = _split_dims(match[2])
        if len(dims) > MAX_RANK:
            raise JsonFormatError(
                f"a type of {len(dims)} axes; at most {MAX_RANK} are possible"
            )
        return TensorType(dtype, tuple(map(self._dim, dims)))

    def _dim(self, spelled: str) -> DimLike:
        if _SIZE.fullmatch(spelled):
            return int(spelled)
        dim = self._dims.get(spelled)
        if dim is None:
            self._spend(spelled)
            try:
                dim = self._dims[spelled] = parse_dim(spelled, self._symbols)
            except IRError as error:
                raise JsonFormatError(str(error)) from None
        if not isinstance(dim, Dim) and not 0 <= dim <= MAX_SIZE:
            raise JsonFormatError(f"{described(spelled)} is no size")
        return dim

    def _spend(self, spelled: str) -> None:
        """Bound the time that normalising dims may take."""
        if len(spelled) > MAX_DIM_TEXT:
            raise JsonFormatError(f"{len(spelled)} characters; limit {MAX_DIM_TEXT}")
        calls = spelled.count("(") + spelled.count("//") + spelled.count("%")
        self._work += max(0, len(spelled) - SHORT_DIM) ** 2
        self._work += max(0, calls - FEW_DIM_CALLS) ** 2 * DIM_CALL_WORK
        self._work += max(0, spelled.count(",") - FEW_DIM_CALLS) ** 2 * DIM_CHOICE_WORK
        if self._work > MAX_DIM_WORK:
            raise JsonFormatError("too many long dims in one document")

    def _parameter(self, plain: Any) -> Any:
        """Return a checked parameter; ``{"graph": index}`` is a nested graph."""
        if type(plain) is not dict:
            self._check_parameter(plain, MAX_PARAMETER_DEPTH)
            return plain
        if set(plain) == {"base64"}:  # bytes, as long as they are; the decoder checks them
            return plain
        if set(plain) != {"graph"}:
            raise JsonFormatError("expected a parameter, found an object")
        index = plain["graph"]
        if type(index) is not int or not 0 <= index < len(self._graphs):
            raise JsonFormatError(
                f"expected the index of one of {len(self._graphs)} graphs before this, found "
                f"{described(index)}",
                ("graph",),
            )
        return self._graphs[index]

    def _check_parameter(self, plain: Any, depth: int) -> None:
        if type(plain) is int:
            integer(plain)
        elif type(plain) is float:
            if not math.isfinite(plain):  # 1e999 reads as infinity, spelled "inf" here
                raise JsonFormatError("a number beyond float64")
        elif type(plain) is str:
            self._spend(plain)  # it may be a dim
        elif type(plain) is list:
            self._check_parameters(plain, depth)
        elif type(plain) is dict:
            raise JsonFormatError("expected a parameter, found an object")

    def _check_parameters(self, plain: list[Any], depth: int) -> None:
        if depth == 0:
            raise JsonFormatError("nested too deeply")
        if len(plain) > MAX_PARAMETER_ITEMS:
            raise JsonFormatError(f"{len(plain)} items; limit {MAX_PARAMETER_ITEMS}")
        for index, item in enumerate(plain):
            try:
                self._check_parameter(item, depth - 1)
            except JsonFormatError as error:
                raise error.within(index) from None


def _split_dims(listed: str) -> list[str]:
    """Split at the commas outside parentheses: ``max(n,3),4`` has two dims."""
    if "(" not in listed:
        return listed.split(",") if listed else []
    dims, depth, start = [], 0, 0
    for position, character in enumerate(listed):
        if character == "(":
            depth += 1
        elif character == ")":
            depth -= 1
        elif character == "," and depth == 0:
            dims.append(listed[start:position])
            start = position + 1
    return [*dims, listed[start:]]
