"""The nodes of one graph, at the top of a model or inside a node's subgraph."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from exporters.errors import ExportError, OpsetError, UnsupportedLoweringError
from exporters.onnx import families
from exporters.onnx.lowering import Context, lowering_of
from exporters.onnx.naming import Prefixes
from exporters.onnx.shapes import Sizes
from exporters.onnx.term import Term
from exporters.onnx.used_values import used_values
from ir.dims import Dim
from ir.ops import Elementwise
from ir.progress import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from exporters.onnx.emitter import Emitter
    from ir.dim_polynomial import Atom
    from ir.graph import Graph, Location, Node, Value
    from ir.ops.base import Op


_ARITHMETIC = frozenset(("Add", "Sub", "Mul", "Div"))


class GraphWriter:
    """Writes the nodes of one graph into the emitter's current body.

    Args:
        emitter: Where nodes go.
        graph: What to write.
        inputs: The ONNX name of each of its inputs.
        sizes: Terms for the symbols that a nested graph takes from around it.
        doc_strings: Whether nodes carry the user's source line.
    """

    def __init__(
        self,
        emitter: Emitter,
        graph: Graph,
        inputs: Sequence[str],
        *,
        sizes: Mapping[Atom, Term] | None = None,
        doc_strings: bool = True,
    ) -> None:
        self.emitter = emitter
        self.graph = graph = emitter.fused(graph)
        self.namer = emitter.names
        self.names = _Names(self._constant_name)
        self.names.update(zip(graph.inputs, inputs, strict=True))
        self.sizes = Sizes(emitter, graph.symbols, self.term, sizes)
        self.inputs = frozenset(graph.inputs)
        self.doc_strings = doc_strings
        self._prefixes = Prefixes(emitter.prefix)

    def write(self, wanted: Mapping[Value, str] | None = None) -> None:
        """Write every node; the loop is the exporter's hot path, hence its locals.

        Args:
            wanted: Names that computed values have to get.
        """
        wanted = wanted or {}
        namer, names, taken = self.namer, self.names, self.namer.taken
        fresh, hinted, number = namer.fresh, namer.hinted, namer.number
        add_node, forms, docs = self.emitter.body.node.add, _DirectForms(self.emitter), _Docs()
        doc_strings, by_rule = self.doc_strings, families.COMPARISONS
        if any(map(_is_empty, self.graph.constants)):
            by_rule |= _ARITHMETIC
        prefixes = self._prefixes
        taken |= self._nodes_called(wanted)
        for node in counted("writing nodes", self.graph.nodes):
            operands = node.inputs
            op_type = forms[node.op, operands[-1].type.dtype] if operands else None
            if op_type is None or (op_type in by_rule and _needs_rule(operands)):
                namer.number = number
                self._write_by_rule(node, wanted, docs)
                number = namer.number
                continue
            result = node.outputs[0]
            prefix = names.prefix = prefixes[node.scope]
            name = wanted.get(result)
            if name is None:
                if result.name is not None:
                    name = hinted(result.name, prefix)
                elif prefix:
                    name = fresh(prefix + node.op.name)
                else:
                    number += 1
                    name = f"{node.op.name}_{number}"
                    while name in taken:
                        number += 1
                        name = f"{node.op.name}_{number}"
                    taken.add(name)
            names[result] = name
            proto = add_node()
            proto.op_type = op_type
            proto.name = name if not prefix or name.startswith(prefix) else prefix + name
            inputs = proto.input  # appending is 0.1 us a node faster than extending
            for operand in operands:
                inputs.append(names[operand])
            proto.output.append(name)
            location = node.location
            if location is not None and doc_strings:
                proto.doc_string = docs[location]
        namer.number = number

    def _nodes_called(self, wanted: Mapping[Value, str]) -> set[str]:
        """Return what the nodes of these results are called, as no other may be."""
        prefixes = self._prefixes
        return {
            prefixes[value.producer.scope] + name
            for value, name in wanted.items()
            if value.producer is not None
        }

    def _write_by_rule(self, node: Node, wanted: Mapping[Value, str], docs: _Docs) -> None:
        emitter, op = self.emitter, node.op
        if isinstance(op, Elementwise) and any(map(_is_empty, node.inputs)):
            for value in node.outputs:
                start = len(emitter.body.node)
                self._name_result(value, self._nothing(value), start, wanted)
            return
        lowering = lowering_of(op)
        if lowering is None:
            raise UnsupportedLoweringError.at(node, "no ONNX lowering is known")
        if emitter.opset < lowering.since:
            raise OpsetError.at(
                node,
                f"ONNX opset {emitter.opset} has no form of it",
                f"export with opset={lowering.since} or later",
            )
        located = self.doc_strings and node.location is not None
        emitter.location = docs[node.location] if located else ""
        emitter.prefix = self.names.prefix = self._prefixes[node.scope]
        context = Context(emitter, node, self.sizes, self.inputs, self.inline, self._is_used)
        start = len(emitter.body.node)
        try:
            results = lowering.rule(context, *map(self.term, node.inputs))
        except ExportError as error:
            if error.located:
                raise
            raise type(error).at(node, str(error)) from None
        terms = (results,) if isinstance(results, Term) else results
        for value, term in zip(node.outputs, terms, strict=True):
            self._name_result(value, term, start, wanted)

    def _nothing(self, value: Value) -> Term:
        """Return an array without elements, which need no computing.

        An optimiser takes any array of them for zeros or ones, and the node that adds them to
        another or multiplies with it away, with the shape it would give.
        """
        shape = value.type.shape
        known = tuple(1 if isinstance(dim, Dim) else dim for dim in shape)
        empty = self.emitter.constant(np.zeros(known), value.type.dtype)
        return self.sizes.expand(empty, known, shape)

    def _is_used(self, value: Value) -> bool:
        return value in self._used

    @cached_property
    def _used(self) -> frozenset[Value]:
        return used_values(self.graph)

    def _name_result(
        self, value: Value, term: Term, start: int, wanted: Mapping[Value, str]
    ) -> None:
        name = wanted.get(value)
        if name is None and value.name is not None:
            name = self.namer.hinted(value.name, self.emitter.prefix)
        if name is not None:
            self.emitter.rename(start, term, name)
        self.names[value] = term.name

    def inline(
        self, graph: Graph, operands: Sequence[Term], sizes: Sequence[Term]
    ) -> tuple[Term, ...]:
        """Write a nested graph's nodes here; return its outputs.

        Args:
            graph: The nested graph.
            operands: A term per input.
            sizes: A term per free symbol.
        """
        given: dict[Atom, Term] = dict(zip(graph.free_symbols, sizes, strict=True))
        names = [operand.name for operand in operands]
        location, prefix = self.emitter.location, self.emitter.prefix
        inner = GraphWriter(
            self.emitter, graph, names, sizes=given, doc_strings=self.doc_strings
        )
        inner.write()
        self.emitter.location, self.emitter.prefix = location, prefix
        return tuple(map(inner.term, inner.graph.outputs))

    def term(self, value: Value) -> Term:
        """Return the term of a value that is defined already."""
        return Term(self.emitter, self.names[value], value.type.dtype)

    def _constant_name(self, value: Value) -> str:
        """Make a constant an initializer, shared with those of the same bytes."""
        data = value.data
        if data is None:
            raise ExportError(f"{value!r} is used before it is computed")
        prefix = self.names.prefix if value.name else ""
        name = self.emitter.weight(data, value.name or "constant", prefix)
        self.names[value] = name
        return name


class _Names(dict["Value", str]):
    """Names by value; a constant becomes an initializer when its name is first asked for.

    Attributes:
        prefix: The scope of the node that asks.
    """

    def __init__(self, constant_name: Callable[[Value], str]) -> None:
        super().__init__()
        self._constant_name = constant_name
        self.prefix = ""

    def __missing__(self, value: Value) -> str:
        return self._constant_name(value)


class _Docs(dict["Location | None", str]):
    """Source lines as text, made once each."""

    def __missing__(self, location: Location | None) -> str:
        assert location is not None
        text = self[location] = str(location)
        return text


class _DirectForms(dict["tuple[Op, np.dtype[Any]]", "str | None"]):
    """The operator of a one-to-one op in a dtype, or None where a rule has to write it."""

    def __init__(self, emitter: Emitter) -> None:
        super().__init__()
        self._emitter = emitter

    def __missing__(self, key: tuple[Op, np.dtype[Any]]) -> str | None:
        op, dtype = key
        op_type = families.ONE_TO_ONE.get(op)
        runs = op_type is not None and self._emitter.runs(op_type, dtype)
        form = self[key] = op_type if runs else None
        if form is not None:
            self._emitter.kernels.add((form, dtype))
        return form


def _needs_rule(operands: tuple[Value, ...]) -> bool:
    """Whether operands differ in dtype, as int64 and uint64 in a comparison, or one is empty."""
    mixed = operands[0].type.dtype != operands[-1].type.dtype
    return mixed or any(map(_is_empty, operands))


def _is_empty(value: Value) -> bool:
    """Whether a value is a constant without elements."""
    return value.producer is None and 0 in value.type.shape and value.data is not None
