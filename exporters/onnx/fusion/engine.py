"""Applying rewrites to a graph, stage after stage."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from exporters.onnx.fusion.patterns import Found, maker_of
from exporters.onnx.fusion.rules import Facts, Rule, Site, Stage, active_rules, census
from ir.graph import Node, Value
from ir.passes.dead_code import remove_dead_code
from ir.passes.rewriting import mapped_node, with_nodes
from ir.passes.uses import use_counts

if TYPE_CHECKING:
    from collections import Counter

    from exporters.onnx.fusion.rules import Census
    from exporters.onnx.legality import Legality
    from ir.graph import Graph

_LOOSE = 2
"""The level that lets NaN, infinities and the sign of returned zeros go."""

_ROUNDS = 8
"""How often a stage is swept at most; each round has to find something to be followed."""


def fuse(graph: Graph, level: int, legality: Legality, nested: bool = False) -> Graph:
    """Return the graph with the larger forms that the target runs faster.

    Graphs inside branches, loops and functions are fused when they are written.

    Args:
        graph: A finished graph; it stays as it is.
        level: 0 for nothing, 1 for what keeps every value, 2 for what keeps ordinary numbers.
        legality: Which operators run.
        nested: Whether the graph is the body of a branch, a loop or a function.
    """
    if level <= 0:
        return graph
    present = census(graph)
    for stage in Stage:
        for _ in range(_ROUNDS):
            rules = active_rules(stage, present, level, legality)
            if not rules:
                break
            facts = Facts(graph, returned_signs=nested or level < _LOOSE)
            rewritten = _Sweep(graph, present, rules, legality, facts).run()
            if rewritten is graph:
                break
            graph = remove_dead_code(rewritten)
            present = census(graph)
    return graph


class _Sweep:
    """One look at every node, the last ones first, so that the largest forms win."""

    def __init__(
        self,
        graph: Graph,
        present: Census,
        rules: list[Rule],
        legality: Legality,
        facts: Facts,
    ) -> None:
        self._graph = graph
        self._legality = legality
        self._candidates = _Candidates(rules)
        keys = {rule.pattern.key for rule in rules}
        self._roots = {op for op in present.ops if op in keys or type(op) in keys}
        self._uses: Counter[Value] | None = None
        self._facts = facts
        self._taken: set[Node] = set()
        self._made: dict[Node, tuple[list[Node], Value]] = {}

    def run(self) -> Graph:
        """Return the rewritten graph, the same one where nothing fits."""
        candidates, taken, roots = self._candidates, self._taken, self._roots
        for node in reversed(self._graph.nodes):
            if node.op in roots and node not in taken:
                # the ops around a node decide which rules come into question: one look-up
                found = candidates[(node.op, *[maker_of(value) for value in node.inputs])]
                if found:
                    self._try(node, found)
        return self._rebuilt() if self._made else self._graph

    def _try(self, node: Node, rules: list[Rule]) -> None:
        dtype = node.outputs[0].type.dtype
        for rule in rules:
            if rule.dtypes is not None and dtype not in rule.dtypes:
                continue
            if rule.pattern.test is not None and not rule.pattern.test(node):
                continue
            if not all(self._legality.runs(key, dtype) for key in rule.kernels):
                continue
            for found in rule.pattern.matches(node.outputs[0], Found(self._graph, {}, ())):
                if not self._is_free(rule, node, found):
                    continue
                site = Site(node, found, self._legality, self._facts)
                value = rule.rewrite(site)
                if value is None:
                    continue
                self._made[node] = (site.nodes, value)
                self._taken.update(found.nodes)
                return

    def _is_free(self, rule: Rule, root: Node, found: Found) -> bool:
        """Whether no other rewrite has the nodes, and nothing else reads what is inside."""
        if any(inner in self._taken for inner in found.nodes):
            return False
        if rule.shared:
            return True
        if self._uses is None:
            self._uses = use_counts(self._graph)
        inside: dict[Value, int] = {}
        nodes = set(found.nodes)
        for inner in nodes:
            for operand in inner.inputs:
                inside[operand] = inside.get(operand, 0) + 1
        return all(
            self._uses[result] == inside.get(result, 0)
            for inner in nodes
            if inner is not root
            for result in inner.outputs
        )

    def _rebuilt(self) -> Graph:
        replacement: dict[Value, Value] = {}
        nodes: list[Node] = []
        known = {*self._graph.constants, *self._graph.inputs}
        fresh: dict[Value, None] = {}
        own: set[Node] = set()
        for old in self._graph.nodes:
            made = self._made.get(old)
            if made is None:
                nodes.append(mapped_node(old, replacement) if replacement else old)
                continue
            new, result = made
            for node in new:
                mapped = mapped_node(node, replacement)
                nodes.append(mapped)
                own.add(mapped)
                fresh.update(
                    dict.fromkeys(
                        v for v in mapped.inputs if not v.producer and v not in known
                    )
                )
            (before,) = old.outputs
            after = replacement.get(result, result)
            if after.name is None and after.producer in own:  # not one of the graph given
                after.name = before.name
            replacement[before] = after
        return with_nodes(self._graph, nodes, replacement, fresh)


class _Candidates(dict[tuple[Any, ...], list[Rule]]):
    """Rules by an op and what made its operands, see :func:`maker_of`."""

    def __init__(self, rules: list[Rule]) -> None:
        super().__init__()
        self._rules = rules

    def __missing__(self, key: tuple[Any, ...]) -> list[Rule]:
        op, *makers = key
        made: set[Any] = {*makers, *map(type, makers)}
        found = self[key] = [
            rule
            for rule in self._rules
            if rule.pattern.key in (op, type(op))
            and not any(want.isdisjoint(made) for want in rule.pattern.wants)
        ]
        return found
