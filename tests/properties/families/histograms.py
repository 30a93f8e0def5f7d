"""Histograms, counts, bins."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from tests.properties.calls import Call, Operand
from tests.properties.drawing import NUMPY_DTYPES, filled, operands, options

REFUSED = (r"bins='stone'",)

TAME = ("tame", "ties")
COUNTED = tuple(d for d in NUMPY_DTYPES if d.kind in "iub")
RANGES = st.sampled_from([None, (0, 3), (-2, 2.5), (1, 1)])
EDGES = st.sampled_from([[0, 1, 2], [-1.0, 0.5, 0.75, 4.0], [2]])
RULES = st.sampled_from(["auto", "fd", "doane", "scott", "stone", "rice", "sturges", "sqrt"])


@st.composite
def histograms(draw: Any) -> Call:
    x = draw(operands(kinds=TAME))
    bins = draw(st.integers(1, 5) | EDGES)
    kwargs = draw(options(range=RANGES, density=st.booleans()))
    if draw(st.booleans()):
        kwargs["weights"] = draw(operands(st.just(x.value.shape), kinds=TAME))
    return Call(np.histogram, (x, bins), kwargs, slack=8)


@st.composite
def bin_edges(draw: Any) -> Call:
    x = draw(operands(kinds=TAME))
    bins = draw(st.integers(1, 5) | EDGES | RULES)
    return Call(np.histogram_bin_edges, (x, bins), draw(options(range=RANGES)), slack=8)


@st.composite
def tables(draw: Any) -> Call:
    count = draw(st.integers(0, 5))
    x, y = (draw(operands(st.just((count,)), kinds=TAME)) for _ in range(2))
    bins = draw(st.integers(1, 3) | st.tuples(st.integers(1, 3), st.integers(1, 3)))
    kwargs = draw(options(density=st.booleans(), range=st.just([(0, 3), (-2, 2)])))
    if draw(st.booleans()):
        kwargs["weights"] = draw(operands(st.just((count,)), kinds=TAME))
    return Call(np.histogram2d, (x, y, bins), kwargs, slack=8)


@st.composite
def counts(draw: Any) -> Call:
    sizes = st.tuples(st.integers(0, 6))
    x = draw(operands(sizes, COUNTED, ("ties",)))
    kwargs = draw(options(minlength=st.integers(0, 6)))
    if draw(st.booleans()):
        kwargs["weights"] = Operand(filled(x.value.shape, np.float32, "tame", 1))
    return Call(np.bincount, (x,), kwargs, slack=8)


CALLS = st.one_of(histograms(), bin_edges(), tables(), counts())
