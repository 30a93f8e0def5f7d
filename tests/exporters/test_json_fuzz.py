"""Mutated files: each is refused with a JsonFormatError or is a graph that round-trips."""

from __future__ import annotations

import copy
import json
import random
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exporters.json import JsonExporter, JsonFormatError, from_json, load_json, to_json
from ir.check import check
from ir.dims import Dim
from ir.graph import Graph
from ir.ops import reduction, shaping
from tests.exporters.test_json_samples import ALL_SAMPLES, graph_of, rich_graph, tensor

N = Dim("n", min=2, max=64)
SOURCES = [
    to_json(rich_graph()),
    *(to_json(graph_of(*sample)) for sample in ALL_SAMPLES[:40]),
    to_json(graph_of(shaping.Reshape((N // 2 + N - N // 2, 4)), (tensor("f32", N, 4),))),
    to_json(graph_of(reduction.Sum((0,)), (tensor("f32", N, 4),))),
]
DOCUMENTS = [json.loads(source) for source in SOURCES]
SCALARS: list[Any] = [
    None, True, False, 0, 1, -1, 3, 2**31, 2**63, 10**30, 0.5, -0.0, "", "n", "x", "nan",
    "n*n", "max(n, 2)", "-n", "1//n", "f32[]", "f32[n]", "bool[2]", "i64[0,-1]", "AAAA", "..",
    [], {}, [0], [[]], {"x-a": 1}, "add", "reshape", "shape", "axes",
]  # fmt: skip
PIECES = [
    "[",
    "]",
    "{",
    "}",
    ",",
    ":",
    '"',
    "0",
    "1e999",
    "NaN",
    "null",
    "\\ud800",
    "n",
    "\n",
    "é",
]


def outcome(document: str | bytes) -> Graph | JsonFormatError:
    try:
        return from_json(document)
    except JsonFormatError as error:
        return error


def check_outcome(document: str | bytes) -> bool:
    """Return whether the document was accepted."""
    found = outcome(document)
    if isinstance(found, JsonFormatError):
        assert len(str(found).encode()) < 3000
        return False
    check(found)
    text = to_json(found)
    assert from_json(text) == found
    assert to_json(from_json(text)) == text
    return True


def parts(plain: Any) -> list[tuple[Any, Any]]:
    """Every (container, key) of a document."""
    found, stack = [], [plain]
    while stack:
        part = stack.pop()
        if isinstance(part, dict):
            pairs: list[tuple[Any, Any]] = list(part.items())
        elif isinstance(part, list):
            pairs = list(enumerate(part))
        else:
            continue
        found += [(part, key) for key, _ in pairs]
        stack += [child for _, child in pairs]
    return found


def mutated_tree(rng: random.Random) -> str:
    document = copy.deepcopy(rng.choice(DOCUMENTS))
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        places = parts(document)
        container, key = rng.choice(places)
        kind = rng.randrange(6)
        if kind == 0:
            del container[key]
        elif kind == 1:
            container[key] = copy.deepcopy(rng.choice(SCALARS))
        elif kind == 2:  # a part from elsewhere in the document
            other, name = rng.choice(places)
            container[key] = copy.deepcopy(other[name])
        elif kind == 3 and isinstance(container, list):
            container.insert(rng.randrange(len(container) + 1), copy.deepcopy(container[key]))
        elif kind == 4 and isinstance(container, list):
            rng.shuffle(container)
        elif isinstance(container[key], int):
            container[key] += rng.choice((-1, 1))
        elif isinstance(container[key], str) and container[key]:
            at = rng.randrange(len(container[key]))
            text = container[key]
            container[key] = text[:at] + rng.choice("n0*/(,-x[") + text[at + 1 :]
    return json.dumps(document)


def mutated_text(rng: random.Random) -> str:
    text = rng.choice(SOURCES)
    for _ in range(rng.choice((1, 1, 2, 4))):
        start = rng.randrange(len(text))
        stop = min(len(text), start + rng.choice((0, 1, 1, 2, 10, 200)))
        text = text[:start] + rng.choice(["", *PIECES, text[start:stop] * 2]) + text[stop:]
    return text


def mutated_bytes(rng: random.Random) -> bytes:
    data = bytearray(rng.choice(SOURCES).encode())
    for _ in range(rng.choice((1, 2, 8))):
        data[rng.randrange(len(data))] = rng.randrange(256)
    return bytes(data)


def run(seed: int) -> bool:
    rng = random.Random(seed)
    mutate = rng.choice((mutated_tree, mutated_tree, mutated_text, mutated_bytes))
    return check_outcome(mutate(rng))


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.integers(0, 2**32))
def test_a_mutated_file_is_refused_or_is_a_graph(seed: int) -> None:
    run(seed)


def test_the_mutations_reach_both_outcomes() -> None:
    accepted = sum(run(seed) for seed in range(200))
    assert 10 < accepted < 190


@settings(max_examples=200, deadline=None, derandomize=True)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
        lambda part: st.lists(part) | st.dictionaries(st.text(max_size=8), part),
    )
)
def test_any_other_json_is_refused(plain: Any) -> None:
    assert not check_outcome(json.dumps(plain))


@pytest.mark.slow
def test_very_many_mutated_files() -> None:
    for seed in range(100_000):
        run(seed + 10**6)


@pytest.mark.parametrize("seeds", [30, pytest.param(3000, marks=pytest.mark.slow)])
def test_a_mutated_sidecar_is_refused_or_changes_only_data(tmp_path: Path, seeds: int) -> None:
    graph = rich_graph(a=np.arange(100.0), b=np.ones(500, bool), c=np.ones((9, 9), np.int8))
    path = tmp_path / "model.json"
    exporter = JsonExporter(path, inline_limit=50)
    exporter.export(graph)
    sidecar = exporter.written[1]
    whole = sidecar.read_bytes()
    for seed in range(seeds):
        rng = random.Random(seed)
        data = bytearray(whole)
        for _ in range(rng.choice((1, 2, 5))):
            data[rng.randrange(rng.choice((8, 300, len(data))))] = rng.choice(
                (0, 1, 34, 57, 255)
            )
        sidecar.write_bytes(data[: rng.choice((len(data), rng.randrange(len(data))))])
        with suppress(JsonFormatError):
            assert load_json(path) == graph
        with suppress(JsonFormatError):
            check(load_json(path, memory_map=True))
