"""ONNX ``Loop`` with Python functions as bodies."""

from __future__ import annotations

from typing import TYPE_CHECKING

import onnx

from exporters.onnx.element_types import ELEMENT_TYPES
from exporters.onnx.term import Term
from ir.types import BOOL, INT64

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from exporters.onnx.emitter import Emitter


def while_loop(
    emitter: Emitter,
    initial: Sequence[Term],
    holds: Callable[..., Term],
    step: Callable[..., tuple[Term, ...]],
) -> tuple[Term, ...]:
    """Repeat ``step`` on the carried terms while ``holds`` is true of them.

    Args:
        emitter: Where the loop goes.
        initial: Carried terms; their shapes may change from step to step.
        holds: Carried terms to a 0-d bool.
        step: Carried terms to carried terms. What both close over must exist already.
    """
    body = Body(emitter, initial)
    with emitter.inside(body.proto):
        carried = step(*body.carried)
        body.finish([holds(*carried), *carried])
    return emitter.nodes(
        "Loop",
        Term(emitter, "", INT64),
        holds(*initial),
        *initial,
        results=[term.dtype for term in initial],
        body=body.proto,
    )


def counted_loop(
    emitter: Emitter,
    count: Term,
    initial: Sequence[Term],
    step: Callable[..., tuple[tuple[Term, ...], tuple[Term, ...]]],
) -> tuple[Term, ...]:
    """Run ``step(index, *carried)`` for each index; it returns new carried terms and scans.

    Args:
        emitter: Where the loop goes.
        count: How often, 0-d int64.
        initial: Carried terms.
        step: Returns the carried terms and the terms to stack along a new first axis.

    Returns:
        The last carried terms, then the stacks (of an unknown shape after no step at all).
    """
    body = Body(emitter, initial)
    with emitter.inside(body.proto):
        carried, scanned = step(body.index, *body.carried)
        always = emitter.node("Identity", body.condition)
        body.finish([always, *carried, *scanned])
    dtypes = [term.dtype for term in (*initial, *scanned)]
    always = emitter.constant(True, BOOL)
    return emitter.nodes("Loop", count, always, *initial, results=dtypes, body=body.proto)


class Body:
    """The subgraph of a loop: its formal inputs, and its outputs once known."""

    def __init__(self, emitter: Emitter, initial: Sequence[Term]) -> None:
        self.emitter = emitter
        self.proto = onnx.GraphProto(name=emitter.names.fresh("body"))
        self.index = self._input("index", INT64, scalar=True)
        self.condition = self._input("condition", BOOL, scalar=True)
        self.carried = tuple(self._input("carried", term.dtype) for term in initial)

    def _input(self, hint: str, dtype: object, *, scalar: bool = False) -> Term:
        term = Term(self.emitter, self.emitter.names.fresh(hint), dtype)  # type: ignore[arg-type]
        declare(self.proto.input.add(), term, scalar=scalar)
        return term

    def finish(self, results: Sequence[Term]) -> None:
        """Declare the outputs; a term that is no result of the body gets an Identity."""
        made = {name for node in self.proto.node for name in node.output}
        declared: set[str] = set()
        for position, term in enumerate(results):
            if term.name not in made or term.name in declared:
                term = self.emitter.node("Identity", term)
            declared.add(term.name)
            declare(self.proto.output.add(), term, scalar=position == 0)


def declare(proto: onnx.ValueInfoProto, term: Term, *, scalar: bool) -> None:
    """Declare an input or output of a subgraph; only that of a scalar has a shape."""
    proto.name = term.name
    tensor = proto.type.tensor_type
    tensor.elem_type = ELEMENT_TYPES[term.dtype]
    if scalar:
        tensor.shape.SetInParent()


def any_of(flags: Term) -> Term:
    """Return whether any element holds, as a 0-d bool; false of nothing."""
    count = flags.emitter.node("ReduceSum", flags.to(INT64), keepdims=0)
    return count > 0
