"""What lowering rules write nodes with: names, constants, casts, legal forms."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
import onnx
from onnx import AttributeProto

from exporters.errors import ExportError, OpsetError, UnsupportedLoweringError
from exporters.onnx.constant_pool import ConstantPool
from exporters.onnx.element_types import ELEMENT_TYPES
from exporters.onnx.fusion.engine import fuse
from exporters.onnx.legality import FLOAT16, FLOAT64, Legality, Optimize, Target
from exporters.onnx.models.embedded import Embedded
from exporters.onnx.primitives import PRIMITIVES
from exporters.onnx.runtime_faults import without_faults
from exporters.onnx.signs import on_half_grid
from exporters.onnx.term import Term
from exporters.onnx.written import Written, key_of
from ir.types import DTYPE_NAMES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from exporters.onnx.legality import Carriers
    from exporters.onnx.naming import Namer
    from exporters.onnx.primitives import Attribute
    from exporters.onnx.term import Operand
    from ir.graph import Graph


_SMALL = 64
"""Bytes up to which constants of the graph and those of lowering rules are looked up together."""

FUNCTION_DOMAIN = "graph_capture"
"""The domain of the model-local functions."""


class Emitter:
    """Writes nodes into one ONNX graph.

    Attributes:
        body: The graph (or, inside :meth:`inside`, the subgraph) that receives nodes.
        location: Source line for the ``doc_string`` of the nodes being written, or ``""``.
        prefix: What the names of the nodes being written begin with, as ``"encoder/"``.
        kernels: Every (operator or variant, dtype) written so far.
        constants: Arrays of the initializers by name, in the order they were needed.
        functions: Model-local functions, inner ones first.
        calls: What each of them was made from: the graph, and the weights it takes as inputs.
        embedded: What the models inside the file ask of it.
    """

    def __init__(
        self,
        body: onnx.GraphProto,
        names: Namer,
        target: Target,
        opset: int,
        optimize: Optimize = 1,
    ) -> None:
        self.body = self._top = body
        self.names = names
        self.opset = opset
        self.legality = Legality(target, opset)
        self.optimize = optimize
        self.location = ""
        self.prefix = ""
        self.kernels: set[tuple[str, np.dtype[Any]]] = set()
        self.constants: dict[str, np.ndarray[Any, Any]] = {}
        self.functions: list[onnx.FunctionProto] = []
        self.calls: list[tuple[Graph, onnx.FunctionProto, list[np.ndarray[Any, Any]]]] = []
        self.embedded = Embedded()
        self._weights = ConstantPool()
        self._pool: dict[tuple[np.dtype[Any], tuple[int, ...], bytes], str] = {}
        self._written = Written()

    def fused(self, graph: Graph) -> Graph:
        """Return the graph in the larger forms that were asked for."""
        graph = fuse(graph, self.optimize, self.legality, self.body is not self._top)
        return without_faults(graph) if self.onnxruntime else graph

    # --- raw nodes ------------------------------------------------------------------------

    def write(
        self,
        op_type: str,
        inputs: Sequence[str],
        outputs: Sequence[str],
        attributes: Mapping[str, Attribute] | None = None,
        domain: str = "",
    ) -> None:
        """Append a node as it is."""
        node = self.body.node.add()
        node.domain = domain
        node.op_type = op_type
        node.name = self.node_name(outputs[0])
        node.input.extend(inputs)
        node.output.extend(outputs)
        if self.location:
            node.doc_string = self.location
        for name, value in (attributes or {}).items():
            _set_attribute(node.attribute.add(), name, value)

    def node(
        self,
        op_type: str,
        *operands: Term,
        result: np.dtype[Any] | None = None,
        **attributes: Attribute,
    ) -> Term:
        """Append a node with one result, of the first operand's dtype unless given."""
        made = result or operands[0].dtype
        self._note_kernel(op_type, operands, made)
        return self._node(op_type, operands, made, attributes)

    def _node(
        self,
        op_type: str,
        operands: Sequence[Term],
        result: np.dtype[Any],
        attributes: Mapping[str, Attribute],
    ) -> Term:
        key = key_of(op_type, operands, result, attributes)
        known = self._written.find(key)
        if known is not None:
            return known[0]
        made = Term(self, self.fresh(op_type.lower()), result)
        self.write(op_type, [term.name for term in operands], [made.name], attributes)
        self._written.add(key, made)
        return made

    def _note_kernel(
        self, op_type: str, operands: Sequence[Term], result: np.dtype[Any]
    ) -> None:
        source = operands[0].dtype if operands else result
        if op_type in ("Cast", "BitCast"):
            self.kernels.add((f"{op_type}:{source.name}", result))
        else:
            row = PRIMITIVES.get(op_type)
            position = row.data[0] if row is not None and row.data else 0
            dtype = operands[position].dtype if operands else result
            self.kernels.add((op_type, dtype))

    def fresh(self, hint: str) -> str:
        """Return a free name in the scope being written."""
        return self.names.fresh(self.prefix + hint)

    def node_name(self, output: str) -> str:
        """Return the name of the node with this first output: its scope, then the output."""
        return output if output.startswith(self.prefix) else self.prefix + output

    def nodes(
        self,
        op_type: str,
        *operands: Term,
        results: Sequence[np.dtype[Any]],
        **attributes: Attribute,
    ) -> tuple[Term, ...]:
        """Append a node with several results of the given dtypes."""
        self._note_kernel(op_type, operands, operands[0].dtype)
        key = key_of(op_type, operands, tuple(results), attributes)
        known = self._written.find(key)
        if known is not None:
            return known
        made = [Term(self, self.fresh(op_type.lower()), dtype) for dtype in results]
        inputs, outputs = [term.name for term in operands], [term.name for term in made]
        self.write(op_type, inputs, outputs, attributes)
        self._written.add(key, *made)
        return tuple(made)

    # --- legal nodes ----------------------------------------------------------------------

    def apply(self, key: str, *operands: Term, **attributes: Attribute) -> Term:
        """Append an operator in a dtype that runs, with casts around it where it needs them.

        Args:
            key: An operator or variant of :data:`PRIMITIVES`, such as ``"Mod:fmod"``.
            *operands: Its inputs.
            **attributes: Beyond those of the variant.

        Raises:
            UnsupportedLoweringError: No dtype that runs gives the exact result.
        """
        row = PRIMITIVES[key]
        positions = range(len(operands)) if row.data is None else row.data
        dtype = operands[positions[0]].dtype
        carrier = self.legality.carrier(key, dtype, row.carriers)
        if carrier is None:
            raise self.refusal(key, dtype, row.carriers)
        op_type = key.partition(":")[0]
        if carrier == dtype:
            legal = list(operands)
        else:
            legal = [
                term.to(carrier) if position in positions else term
                for position, term in enumerate(operands)
            ]
        self.kernels.add((key, carrier))
        result = self._node(
            op_type, legal, row.result or carrier, {**row.attributes, **attributes}
        )
        return result if row.result is not None else result.to(dtype)

    def refusal(self, key: str, dtype: np.dtype[Any], carriers: Carriers) -> ExportError:
        """Return the error for an operator that runs in no dtype that would be exact."""
        op_type, _, variant = key.partition(":")
        operator = f"{op_type}({variant})" if variant else op_type
        runtime = "ONNX Runtime" if self.onnxruntime else "ONNX"
        problem = f"no {operator} of {DTYPE_NAMES[dtype]} in {runtime} at opset {self.opset}"
        since = self.legality.first_opset(key, dtype, carriers)
        if since is None:
            return UnsupportedLoweringError(problem)
        return OpsetError(f"{problem}; opset {since} has it")

    def runs(self, key: str, dtype: np.dtype[Any]) -> bool:
        """Whether an operator or variant takes the dtype itself."""
        return self.legality.runs(key, dtype)

    def cast(self, term: Term, dtype: np.dtype[Any]) -> Term:
        """Return ``term`` as ``dtype``, exactly as NumPy converts; one node per pair."""
        if term.dtype == dtype:
            return term
        if (term.dtype, dtype) == (FLOAT64, FLOAT16) and self.onnxruntime:
            term = on_half_grid(term)
        return self.node("Cast", term, result=dtype, to=ELEMENT_TYPES[dtype])

    @property
    def onnxruntime(self) -> bool:
        """Whether ONNX Runtime's own deviations have to be worked around."""
        return self.legality.target == "onnxruntime"

    # --- constants ------------------------------------------------------------------------

    def constant(self, value: Operand | np.ndarray[Any, Any], dtype: np.dtype[Any]) -> Term:
        """Return a constant, one initializer per dtype, shape and bytes."""
        array = np.asarray(value, dtype)
        key = (array.dtype, array.shape, array.tobytes())
        name = self._pool.get(key)
        if name is None:
            name = self._pool[key] = self.names.fresh("constant")
            self.constants[name] = array
            if array.nbytes <= _SMALL:
                self._weights.add(name, array)
        return Term(self, name, dtype)

    def weight(self, array: np.ndarray[Any, Any], hint: str, prefix: str = "") -> str:
        """Return the name of an array of the graph, one initializer per content."""
        name = self._weights.find(array)
        if name is None:
            name = self.names.hinted(hint, prefix)
            self._weights.add(name, array)
            self.constants[name] = array
            if array.nbytes <= _SMALL:
                self._pool.setdefault((array.dtype, array.shape, array.tobytes()), name)
        return name

    def integers(self, values: Sequence[int]) -> Term:
        """Return an int64 vector, as ONNX takes axes, shapes and positions."""
        return self.constant(np.array(values, np.int64), np.dtype(np.int64))

    # --- subgraphs ------------------------------------------------------------------------

    @contextmanager
    def inside(self, body: onnx.GraphProto) -> Iterator[None]:
        """Write nodes into a subgraph; what is written there is not reused outside."""
        outer, written = self.body, self._written
        self.body, self._written = body, Written(written)
        try:
            yield
        finally:
            self.body, self._written = outer, written

    @contextmanager
    def isolated(self, body: onnx.GraphProto) -> Iterator[dict[str, np.ndarray[Any, Any]]]:
        """Write nodes into the body of a function, which sees nothing from around it.

        Yields:
            The constants that the body needs, filled while it is written.
        """
        outer = self.body, self._written, self._pool, self._weights, self.constants
        self.body, self._written = body, Written()
        self._pool, self._weights = {}, ConstantPool()
        self.constants = {}
        try:
            yield self.constants
        finally:
            self.body, self._written, self._pool, self._weights, self.constants = outer

    def rename(self, start: int, term: Term, name: str) -> bool:
        """Give a term another name if the nodes written since ``start`` produce it."""
        old, found = term.name, False
        for index in range(start, len(self.body.node)):
            node = self.body.node[index]
            for position, written in enumerate(node.output):
                if written == old:
                    node.output[position] = name
                    found = True
                    if position == 0:
                        node.name = self.node_name(name)
            for position, read in enumerate(node.input):
                if read == old:
                    node.input[position] = name
        if found:
            term.name = name
            self._written.rename(old, name)
        return found


def _set_attribute(proto: AttributeProto, name: str, value: Attribute) -> None:
    proto.name = name
    if isinstance(value, int):
        proto.type = AttributeProto.INT
        proto.i = value
    elif isinstance(value, float):
        proto.type = AttributeProto.FLOAT
        proto.f = value
    elif isinstance(value, str):
        proto.type = AttributeProto.STRING
        proto.s = value.encode()
    elif isinstance(value, onnx.TensorProto):
        proto.type = AttributeProto.TENSOR
        proto.t.CopyFrom(value)
    elif isinstance(value, onnx.GraphProto):
        proto.type = AttributeProto.GRAPH
        proto.g.CopyFrom(value)
    else:
        proto.type = AttributeProto.INTS
        proto.ints.extend(value)
