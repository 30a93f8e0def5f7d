"""What graphs print is in the language of the grammar that ``docs/ir.md`` shows."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import reduce
from pathlib import Path

import numpy as np
import pytest

from capture import TensorSpec, control_flow, trace
from exporters import load_onnx
from tests.exporters.model_kit import dense
from tests.samples import SAMPLES
from tests.samples.checking import capture_sample

PAGE = Path(__file__).parent.parent.parent / "docs" / "ir.md"
TOKEN = re.compile(
    r'"(?P<literal>[^"]*)"|/(?P<regex>(?:[^/\\]|\\.)+)/|(?P<name>\w+)|[=|()\[\]{}]'
)

Ends = Iterator[int]
"""The positions at which a rule that begins at a position can end, the longest first."""
Rule = Callable[[str, int], Ends]


class Grammar:
    """Rules read from EBNF text, as generators that backtrack."""

    def __init__(self, text: str) -> None:
        self.rules: dict[str, Rule] = {}
        for line in text.strip().splitlines():
            name, _, right = line.partition("=")
            self._tokens = [*TOKEN.finditer(right)]
            self.rules[name.strip()] = self._choice()
            assert not self._tokens, line

    def accepts(self, text: str) -> bool:
        return any(not text[end:].strip() for end in self.rules["graph"](text, 0))

    def _next(self) -> str:
        return self._tokens[0][0] if self._tokens else ""

    def _choice(self) -> Rule:
        options = [self._sequence()]
        while self._next() == "|":
            self._tokens.pop(0)
            options.append(self._sequence())
        return lambda text, at: (end for option in options for end in option(text, at))

    def _sequence(self) -> Rule:
        items: list[Rule] = []
        while self._next() not in ("", "|", ")", "]", "}"):
            items.append(self._item())
        return reduce(_then, items)

    def _item(self) -> Rule:
        token = self._tokens.pop(0)
        if token["literal"] is not None:
            return _pattern(re.escape(token["literal"]))
        if token["regex"] is not None:
            return _pattern(token["regex"])
        if token["name"] is not None:
            return lambda text, at: self.rules[token["name"]](text, at)
        inner = self._choice()
        self._tokens.pop(0)
        return {"(": lambda: inner, "[": lambda: _optional(inner), "{": lambda: _many(inner)}[
            token[0]
        ]()


def _pattern(regex: str) -> Rule:
    compiled = re.compile(rf"\s*(?:{regex})")

    def match(text: str, at: int) -> Ends:
        found = compiled.match(text, at)
        if found is not None:
            yield found.end()

    return match


def _then(first: Rule, second: Rule) -> Rule:
    return lambda text, at: (end for middle in first(text, at) for end in second(text, middle))


def _optional(rule: Rule) -> Rule:
    def match(text: str, at: int) -> Ends:
        yield from rule(text, at)
        yield at

    return match


def _many(rule: Rule) -> Rule:
    """Take as many as there are, without looking for fewer: what follows begins differently."""

    def match(text: str, at: int) -> Ends:
        while (end := next(rule(text, at), None)) is not None:
            at = end
        yield at

    return match


def grammar() -> Grammar:
    found = re.search(
        r"```text\n(graph +=.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL
    )
    assert found is not None
    return Grammar(found[1])


GRAMMAR = grammar()


@pytest.mark.parametrize("sample", [s for s in SAMPLES if s.symbolic][::4], ids=str)
def test_graphs_print_what_the_grammar_says(sample):
    text = str(capture_sample(sample, sample.arrays, symbolic=True))
    assert GRAMMAR.accepts(text), text


def test_nested_graphs_and_constraints():
    @control_flow
    def settle(x, limit):
        blocks = x.reshape(-1, 4)
        while abs(blocks).max() > limit:
            blocks = blocks * 0.5
        return {"blocks": blocks, "none": np.zeros((0, 2)), "first": x[5]}

    text = str(trace(settle, TensorSpec(("n",), np.float32), TensorSpec((), np.float32)))
    assert "needs n % 4 == 0, n >= 6" in text
    assert "graph @body" in text
    assert GRAMMAR.accepts(text), text


def test_loaded_models():
    text = str(trace(load_onnx(dense()), TensorSpec(("n", 16), np.float32)))
    assert "onnx.model %x, %w {" in text
    assert GRAMMAR.accepts(text), text
    many = str(trace(lambda x: np.stack([x] * 30), TensorSpec(("n",), np.float32)))
    assert "… 22 more" in many
    assert GRAMMAR.accepts(many), many


def test_nodes_of_many_operands():
    spec = TensorSpec(("n",), np.float32)
    text = str(trace(lambda x: np.concatenate([x + i for i in range(30)]), spec))
    assert "… 22 more" in text
    assert GRAMMAR.accepts(text), text


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (" : f32", " f32"),
        ("return", "give"),
        ("%x", "x"),
        ("[batch", "[batch +"),
        ("f32", "f31"),
    ],
)
def test_other_text_is_refused(before, after):
    text = str(trace(np.tanh, TensorSpec(("batch", 3), np.float32)))
    assert GRAMMAR.accepts(text)
    assert not GRAMMAR.accepts(text.replace(before, after))
