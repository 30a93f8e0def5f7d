"""What an op is: an object with a name, typed parameters, ``infer`` and ``evaluate``.

Everything generic (JSON, printer, CSE, verifier, interpreter) is written once over
:meth:`Op.parameters`, so declaring an op is its class body or its row, nothing else.
"""

from __future__ import annotations

import dataclasses
import struct
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, Self, TypeVar, cast, dataclass_transform

from ir.dims import Dim, Symbol, evaluate, symbols_of
from ir.errors import ShapeError
from ir.graph import Graph

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import numpy as np

    from ir.dims import DimLike, Shape
    from ir.types import TensorType

    Array = np.ndarray[Any, Any]


class Application(NamedTuple):
    """How an op is recorded for the operands of one call.

    Attributes:
        op: What is recorded.
        operands: The sizes that each operand must turn out to have.
        results: The sizes that each result is relied on to turn out to have.
        names: A name hint for each operand that is a constant; may be shorter.
    """

    op: Op
    operands: tuple[Shape, ...]
    results: tuple[Shape, ...]
    names: tuple[str, ...] = ()


class Op:
    """An operation with its parameters; equal ops are interchangeable.

    Subclasses are either singletons made from a row (see ``elementwise``) or frozen dataclasses
    deriving from :class:`ParameterizedOp`.
    """

    name: str
    pure: bool = True
    """Whether equal applications give equal results; false only for random ops."""

    symbols: tuple[Symbol, ...] = ()
    """Symbols that the parameters mention."""

    defines_symbols: bool = False
    """Whether its own dimensions are fresh symbols that its results define."""

    def infer(self, *operands: TensorType) -> tuple[TensorType, ...]:
        """Return the result types for operand types; never looks at data.

        Raises:
            ShapeError: The shapes do not fit.
            DTypeError: The dtypes are not exactly those of the op's loop.
        """
        raise NotImplementedError(type(self).__name__)

    def evaluate(self, *operands: Array) -> tuple[Array, ...]:
        """Return the result arrays for operand arrays, computed with NumPy."""
        raise NotImplementedError(type(self).__name__)

    def flops(self, operands: tuple[TensorType, ...]) -> DimLike | None:
        """Return the arithmetic operations of one application, where :mod:`ir.costs` asks the op.

        ``None`` counts one per element of the results.
        """
        return None

    def applied_to(
        self, operands: tuple[TensorType, ...], fresh: Callable[[str], Dim]
    ) -> Application | None:
        """Return how the op is recorded when it is called on captured operands.

        For ops whose results have sizes that only a run tells, or that rely on sizes which the
        operands are not known to have. ``None`` records the op as it is.

        Args:
            operands: Types of the operands.
            fresh: Makes a symbol of its own from a stem.

        Raises:
            IRError: The op does not take these operands.
        """
        return None

    @property
    def parameters(self) -> dict[str, Any]:
        """The op's typed fields by name."""
        return {}

    def bind(self, bindings: Mapping[str, int]) -> Op:
        """Return the op with every symbolic parameter replaced by its number.

        An op that defines symbols gets their numbers from its results and stays as it is.
        """
        return self

    def with_dims(self, replace: Callable[[Dim], Any]) -> Op:
        """Return the op with every dimension in its parameters replaced."""
        return self

    def __call__(self, *operands: Any) -> Any:
        """Record on captured operands, evaluate on arrays; one result comes back bare."""
        for operand in operands:
            record = getattr(type(operand), "__capture_record__", None)
            if record is not None:
                return record(operand, self, operands)
        results = self.evaluate(*operands)
        return results[0] if len(results) == 1 else results

    def __repr__(self) -> str:
        return f"<op {self}>"

    def __str__(self) -> str:
        return self.name


def _identity_key(value: Any) -> Any:
    """Make -0.0 differ from 0.0, True from 1 and NaN equal to itself."""
    if type(value) is float:
        return struct.pack("<d", value)
    if type(value) is bool:
        return (bool, value)
    if isinstance(value, tuple):
        return tuple(map(_identity_key, value))
    if isinstance(value, Graph):
        return _GraphKey(value)
    return value


class _GraphKey:
    """A nested graph inside an op's key: equal when structurally equal."""

    __slots__ = ("_hash", "graph")

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self._hash = hash((graph.name, len(graph.nodes), graph.output_names))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _GraphKey) and self.graph == other.graph

    def __hash__(self) -> int:
        return self._hash


def map_dims(value: Any, replace: Callable[[Dim], Any]) -> Any:
    """Return a parameter with every dimension in it replaced; nested graphs stay."""
    if isinstance(value, Dim):
        return replace(value)
    if isinstance(value, tuple):
        items = [map_dims(item, replace) for item in value]
        return tuple(items) if type(value) is tuple else type(value)(*items)
    return value


def _dims_in(value: Any) -> list[Dim]:
    if isinstance(value, Dim):
        return [value]
    if isinstance(value, tuple):
        return [dim for item in value for dim in _dims_in(item)]
    return []


class ParameterizedOp(Op):
    """Base of ops that carry parameters: a frozen dataclass compared by class and fields.

    The hash is computed once: the op sits in the builder's memo key for every recorded node.
    """

    _key: tuple[Any, ...]
    _hash: int

    def __post_init__(self) -> None:
        values = tuple(self.__dict__.values())
        key = (type(self), *map(_identity_key, values))
        object.__setattr__(self, "symbols", symbols_of(tuple(_dims_in(values))))
        object.__setattr__(self, "_key", key)
        object.__setattr__(self, "_hash", hash(key))

    def __eq__(self, other: object) -> bool:
        return self is other or (
            isinstance(other, ParameterizedOp) and self._key == other._key
        )

    def __hash__(self) -> int:
        return self._hash

    @property
    def parameters(self) -> dict[str, Any]:
        return {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}  # type: ignore[arg-type]

    def bind(self, bindings: Mapping[str, int]) -> Self:
        if not self.symbols or self.defines_symbols:
            return self
        return self.with_dims(lambda dim: evaluate(dim, bindings))

    def with_dims(self, replace: Callable[[Dim], Any]) -> Self:
        """Return the op with every dimension in its parameters replaced."""
        values = {k: map_dims(value, replace) for k, value in self.parameters.items()}
        return type(self)(**values)

    def __str__(self) -> str:
        from ir.parameters import parameter_text

        inner = ", ".join(f"{k}={parameter_text(v)}" for k, v in self.parameters.items())
        return f"{self.name} {{{inner}}}" if inner else self.name


Parameterized = TypeVar("Parameterized", bound=ParameterizedOp)
Memoized = TypeVar("Memoized", bound="Callable[..., Any]")


def memoized(function: Memoized) -> Memoized:
    """Remember results by arguments (``functools.lru_cache``), keeping the signature typed."""
    return cast("Memoized", lru_cache(maxsize=16384, typed=True)(function))


@memoized
def interned(cls: type[Parameterized], *values: Any) -> Parameterized:
    """Return ``cls(*values)``, the same object for the same values while it is in use.

    Making an op checks and hashes its fields (5-40 us); recording asks for the same few over and
    over. Only for fields of ints, dims, dtypes and tuples of them, where ``==`` means the same op.
    """
    return cls(*values)


OPS: dict[str, Op | type[Op]] = {}
"""Every op by name: the object itself for rows, the class for parameterised ops."""


Registered = TypeVar("Registered", bound="Op | type[Op]")


def register(op: Registered) -> Registered:
    """Add an op (row object or dataclass) to :data:`OPS`.

    Raises:
        ValueError: Another op has the name already.
    """
    if op.name in OPS:
        raise ValueError(f"an op named {op.name!r} exists already")
    OPS[op.name] = op
    return op


def expect_operands(op: Op, operands: tuple[TensorType, ...], count: int) -> None:
    """Raise unless ``count`` operands are given."""
    if len(operands) != count:
        raise ShapeError(f"{op.name}: takes {count} operands, got {len(operands)}")


OpClass = TypeVar("OpClass", bound="type[Op]")


@dataclass_transform(frozen_default=True, eq_default=False)
def parameterized(cls: OpClass) -> OpClass:
    """Declare a parameterised op: make the class a frozen dataclass and register it."""
    dataclasses.dataclass(frozen=True, eq=False, repr=False)(cls)
    return register(cls)
