"""The funnel: everything recorded in a scope goes through its :class:`Recorder`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from capture.constants import ConstantPool
from capture.errors import ScopeError
from capture.known import KnownValues
from capture.location import INTERNAL, here
from ir.builder import GraphBuilder
from ir.errors import IRError
from ir.nesting import renamed

if TYPE_CHECKING:
    from types import FrameType

    import numpy as np

    from capture.device import CaptureDevice
    from capture.explaining import Examples
    from capture.loans import Loan
    from capture.regions import Region
    from capture.tensor import Tensor
    from ir.dims import Symbol
    from ir.graph import Graph
    from ir.ops import Op
    from ir.types import TensorType


class Recorder:
    """Columns of the graph being recorded, with the memos that make recording fast.

    Attributes:
        builder: The columns.
        fast: Result type by (op, operand types), for operands that need no cast.
        bodies: How many bodies of nested graphs were entered; tells tensors inside from older ones.
        loans: Tensors that share memory on some path, by the id of the storage owners.
        placeholders: Stand-ins for the operands of bodies, each with what it belongs to.
        regions: The bodies being recorded, innermost last.
        sealed: The bodies recorded before; what they made exists only in them.
        examples: Example values and refusals, while a program is explained.
        fast_scalar: Constant index and result type by (op, operand type, Python scalar).
        unanswered: Refusals to give Python a value; user code may have caught them.
        closed: Why nothing may be recorded any more; empty while open.
    """

    __slots__ = (
        "_tensor",
        "bodies",
        "builder",
        "canonical_values",
        "closed",
        "computed",
        "constants",
        "consumed",
        "coordinates",
        "device",
        "dropped",
        "examples",
        "fast",
        "fast_scalar",
        "graphs",
        "inputs",
        "known",
        "loans",
        "placeholders",
        "regions",
        "sealed",
        "symbol_count",
        "symbols",
        "unanswered",
    )

    def __init__(self, device: CaptureDevice) -> None:
        from capture.tensor import Tensor

        self._tensor = Tensor
        self.device = device
        self.builder = GraphBuilder()
        self.constants = ConstantPool(self.builder)
        self.known = KnownValues(self.builder)
        self.fast: dict[Any, TensorType] = {}
        self.fast_scalar: dict[Any, tuple[int, TensorType]] = {}
        self.inputs: dict[int, str] = {}
        self.consumed: dict[int, str] = {}
        self.dropped: dict[int, str] = {}
        self.coordinates: dict[Any, Tensor] = {}
        self.canonical_values: dict[int, int] = {}
        self.computed: dict[Any, int] = {}
        self.closed = ""
        self.examples: Examples | None = None
        self.symbol_count = 0
        self.bodies = 0
        self.loans: dict[int, list[Loan]] = {}
        self.placeholders = self.known.stand_ins
        self.regions: list[Region] = []
        self.sealed: list[Region] = []
        self.graphs: list[Graph] = []
        self.symbols: dict[str, Symbol] = {}
        self.unanswered: list[Exception] = []

    def close(self, reason: str) -> None:
        """Refuse everything from now on; memos are emptied so that fast paths notice."""
        self.closed = reason
        self.fast.clear()
        self.fast_scalar.clear()
        self.constants.release()

    def require_open(self, operation: str) -> None:
        """Raise unless the scope still records.

        Raises:
            ScopeError: It is closed.
        """
        if self.closed:
            raise ScopeError(
                f"{operation}: the scope {self.closed}, and its tensors and handles ended with "
                f"it{here()}\n  ways out: do this before the scope closes; in a later scope, "
                "declare the array again with scope.input or scope.constant"
            )

    def require_own(self, operation: str, tensor: Tensor) -> None:
        """Raise when ``tensor`` belongs to another scope.

        Raises:
            ScopeError: It does.
        """
        if tensor._recorder is not self:
            tensor._recorder.require_open(operation)
            raise ScopeError(
                f"{operation}: {tensor!r} belongs to another scope, on "
                f"{tensor._recorder.device!r} instead of {self.device!r}{here()}\n  ways out: "
                "x.to_device(device) moves initialised tensors; everything else must be recorded "
                "in one scope"
            )

    def append(self, op: Op, operands: tuple[int, ...], frame: FrameType | None = None) -> int:
        """Record one node at the user's line and return the index of its first result.

        Raises:
            ScopeError: The scope is closed.
            IRError: The op does not take these operands.
        """
        if self.closed:
            self.require_open(op.name)
        if frame is None:
            frame = sys._getframe(1)
            while INTERNAL[frame.f_code.co_filename] and frame.f_back is not None:
                frame = frame.f_back
        try:
            return self.builder.append(op, operands, frame.f_code, frame.f_lasti)
        except IRError as error:
            at = here()
            if at:
                error.add_note(at.strip("\n"))
            raise

    def apply(self, op: Op, *operands: Tensor) -> Any:
        """Record ``op`` on tensors of exactly its dtypes; return one tensor or a tuple."""
        for operand in operands:
            self.require_own(op.name, operand)
        first = self.append(op, tuple([operand._read() for operand in operands]))
        types = self.builder.infer(op, tuple([operand._type for operand in operands]))
        if len(types) == 1:
            return self._tensor(self, first, types[0])
        return tuple(self._tensor(self, first + i, t) for i, t in enumerate(types))

    def new_input(self, name: str | None, type: TensorType) -> int:
        """Add a value that the caller of the graph supplies."""
        index = self.builder.add_value(type, name)
        self.inputs[index] = name or ""
        return index

    def unique_graph(self, graph: Graph) -> Graph:
        """Return an equal nested graph made before, or this one under a name of its own."""
        names = {known.name for known in self.graphs}
        stem, number = graph.name, 1
        for known in self.graphs:
            if known.name.partition(".")[0] == stem and renamed(known, stem) == graph:
                return known
        while graph.name in names:
            number += 1
            graph = renamed(graph, f"{stem}.{number}")
        self.graphs.append(graph)
        return graph

    def references_to(self, array: np.ndarray[Any, Any]) -> int:
        """Return how many references to an array are our own, also through views."""
        held = [*self.constants.held(), *self.builder.data.values(), *self.known.held()]
        views = {id(other) for other in held if other is not array and other.base is array}
        return sum(other is array for other in held) + len(views)

    def canonical(self, index: int) -> int:
        """Return the first value asked for here that is computed just as ``index`` is."""
        builder, known = self.builder, self.canonical_values
        stack = [index]
        while stack:
            value = stack[-1]
            node = builder.producers[value]
            if value in known:
                stack.pop()
                continue
            if node < 0 or not builder.ops[node].pure:
                known[value] = value
                continue
            missing = [operand for operand in builder.operands[node] if operand not in known]
            if missing:
                stack.extend(missing)
                continue
            operands = tuple([known[operand] for operand in builder.operands[node]])
            key = (builder.ops[node], value - builder.firsts[node], operands)
            known[value] = self.computed.setdefault(key, value)
        return known[index]

    def fresh_symbol(self, stem: str) -> str:
        """Return a symbol name that no other data-dependent size in this graph has."""
        self.symbol_count += 1
        return f"{stem}{self.symbol_count}"

    def __repr__(self) -> str:
        return f"<Recorder of {self.device!r}: {len(self.builder.ops)} nodes>"
