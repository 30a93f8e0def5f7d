"""Control flow in functions of syntax that Python 3.12 brought; files, as 3.11 cannot read it."""

from __future__ import annotations

import importlib.util
import sys

import numpy as np
import pytest

import capture

SOURCE = """
import numpy as np
import capture


@capture.control_flow
def generic[T](x: T, kind: type[T] | None = None) -> T:
    if x.sum() > 0:
        y = x * 2 if T.__name__ == "T" else x
    else:
        y = x - 1
    return y


class Model[W]:
    def __init__(self):
        self.weights = np.arange(3.0)

    @capture.control_flow
    def run[X](self, x: X) -> X:
        def step[Y](value: Y) -> Y:
            return value + self.weights

        for scale in [number * 2 for number in (1, 2)]:
            if x.sum() < 10:
                x = step(x) * scale
        return x


@capture.control_flow
def quoted(x):
    try:
        if x.sum() > 0:
            y = x + len(f"{"a" if x.ndim else f"{x.shape}"}")
        else:
            y = x
    except* ValueError:
        y = -x
    return y
"""


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    path = tmp_path_factory.mktemp("newer") / "newer_syntax.py"
    path.write_text(SOURCE)
    spec = importlib.util.spec_from_file_location("newer_syntax", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.skipif(sys.version_info < (3, 12), reason="type parameters came with Python 3.12")
@pytest.mark.parametrize("name", ["generic", "model", "quoted"])
def test_type_parameters_and_nested_quotes(programs, name):
    function = programs.Model().run if name == "model" else getattr(programs, name)
    graph = capture.trace(function, np.ones(3))
    assert "if" in {node.op.name for node in graph.nodes}
    for x in (np.ones(3), -np.ones(3)):
        np.testing.assert_array_equal(graph(x), function(x))
