"""A program that catches a refusal and goes on is told that its way out is baked in."""

from __future__ import annotations

import numpy as np
import pytest

import capture
from capture.tracing import SwallowedRefusalWarning


def scaled(x):
    try:
        size = float(x.max())
    except TypeError:
        size = 1.0
    return x / size


def test_a_caught_refusal_warns_with_its_line():
    with pytest.warns(
        SwallowedRefusalWarning, match=r"float\(\) of a captured f64\[\]"
    ) as caught:
        capture.trace(scaled, np.array([1.0, 2.0]))
    assert "size = float(x.max())" in str(caught[0].message)


def test_other_programs_do_not_warn():
    graph = capture.trace(lambda x: x / x.max(), np.array([1.0, 2.0]))
    np.testing.assert_array_equal(graph(np.array([1.0, 4.0])), [0.25, 1])
