"""What ``@capture.control_flow`` turns, and what it leaves as it was."""

from __future__ import annotations

import functools
import inspect

import case_kit
import numpy as np
import pytest
from handout import HANDOUT

import capture
from capture import CaptureDevice, TensorSpec, capture_scope, control_flow, name_scope
from capture.syntax.runtime import UncheckedAssertWarning
from ir.locations import portable_path
from tests import case_adapter
from tests.control_flow.ways import assert_captures

X = np.arange(4.0) - 1
N = {0: {0: "n"}}
OFFSET = np.array([1.0, 2.0, 3.0, 4.0])


def test_early_returns_on_some_ways():
    @control_flow
    def program(x):
        total = x.sum()
        if total > 5:
            if x[0] > 0:
                return x * 3
            y = x + 1
        else:
            y = x - 1
        return y * 2

    assert_captures(program, (X,), (X + 2,), (X + 9,), (np.array([-5.0, 9, 9, 9]),))


def test_while_with_break_continue_and_else():
    @control_flow
    def program(x):
        n, k = 0, 0
        while x.sum() < 1000:
            k += 1
            if k % 2 == 0 and n < 3:
                continue
            n += 1
            x = x * 1.5 + 1
            if x.sum() > 100:
                break
            if n > 20:
                break
        else:
            n = -1
        return x, n, k

    assert_captures(program, (X,), (X + 50,), (X + 2000,))


def test_for_over_ranges_rows_enumerate_zip_and_reversed():
    @control_flow
    def program(x, y):
        total = 0.0
        for i in range(len(x)):
            if x[i] < 0:
                continue
            total = total + x[i] * i
            if total > 50:
                break
        else:
            total = total + 1000
        for i, row in enumerate(x, 1):
            total = total + i * row
        for a, b in zip(x, y, strict=False):
            total = total * 0.5 + a * b
        for row in reversed(y):
            total = total * 0.5 + row
        for i in range(len(y) - 1, -1, -2):
            total = total + i * y[i]
        return total

    open_axes = {0: {0: "n"}, 1: {0: "m"}}
    cases = [(X, X[:2]), (X[:0], X), (np.arange(30.0), X)]
    assert_captures(program, *cases, dynamic=open_axes)


def test_expressions():
    @control_flow
    def program(x):
        top = x.max()
        scale = 1.0 if 0 < top <= 2 else 2.0
        floor = max(1.0, top)
        odd = not (top > 1 or top < -5)
        size = min(len(x), 3) + abs(int(top))
        return x * scale, x / float(floor), odd, size, round(top), bool(top), x * top.item()

    assert_captures(program, (X,), (X + 9,), (X - 20,), (X[:1],), dynamic={0: {0: ir_n()}})


def ir_n():
    from ir import Dim

    return Dim("n", min=1)


def test_operands_that_must_not_be_computed():
    """``x[i]`` past the end fails where ``and`` does not protect it."""

    @control_flow
    def program(x):
        i = 0
        while i < len(x) and x[i] < 5:
            i += 1
        return i

    assert_captures(program, (X,), (X + 3,), (X[:0],), dynamic=N)


def test_symbolic_sizes_decide():
    @control_flow
    def program(x):
        n = len(x)
        if n > 3:
            return x[:3].sum()
        return x.sum() * n

    assert_captures(program, (X,), (X[:2],), (X[:0],), dynamic=N)


def test_writes_in_nested_loops():
    @control_flow
    def program(x, mask):
        out = np.zeros_like(x)
        for i in range(x.shape[0]):
            for j in range(x.shape[1]):
                if mask[i, j]:
                    out[i, j] = x[i, j] * 2
                    out[i] += 1
                else:
                    x[i, j] = -1
        return out, x

    x, mask = np.arange(6.0).reshape(2, 3), np.array([[1, 0, 1], [0, 1, 0]], bool)
    open_axes = {argument: {0: "n", 1: "m"} for argument in (0, 1)}
    assert_captures(program, (x, mask), (x, ~mask), (x[:0], mask[:0]), dynamic=open_axes)


@pytest.mark.parametrize("unroll", [None, True, False, 3])
def test_unroll(unroll):
    @control_flow(unroll=unroll)
    def program(x):
        n = 0
        for i in range(10):
            if x.sum() > 20:
                break
            x = x + i
            n = i
        return x, n

    assert_captures(program, (X,), (X + 50,), (X - 30,))


def test_temporaries_of_different_types_are_no_matter():
    @control_flow
    def program(x):
        if x[0] > 0:
            t = x * 2
            y = t.sum()
        else:
            t = np.ones((2, 2))
            y = t[0, 0] - x[1]
        while y < 3:
            t = (y, 1)
            y = t[0] + t[1]
        return y

    assert_captures(program, (X,), (X + 3,))


def test_methods_closures_defaults_private_names_and_super():
    factor = 3.0

    class Base:
        def scaled(self, x):
            return x * factor

    class Model(Base):
        __offset = 2

        def __init__(self):
            self.weights = np.arange(4.0)

        @control_flow
        def run(self, x, bias=OFFSET, *, sign=-1.0):
            if x[0] > 0:
                return super().scaled(x) * self.weights + self.__offset
            return x * sign + bias

        @staticmethod
        @control_flow
        def half(x):
            return x / 2 if x[0] > 0 else x

    assert_captures(Model().run, (X,), (X + 3,))
    assert_captures(Model.half, (X,), (X + 3,))


def test_nested_functions_lambdas_and_comprehensions():
    @control_flow
    def program(x):
        def clip(v):
            if v > 1:
                return v * 0 + 1
            return v

        pick = lambda a, b: a if a.sum() > b.sum() else b  # noqa: E731
        parts = [clip(v) for v in (x[0], x[1], x[2])]
        return pick(x, np.stack([*parts, parts[0]]))

    assert_captures(program, (X,), (X + 3,))


def test_known_values_stay_python():
    calls = []

    @control_flow
    def program(x, mode="double"):
        if mode == "double" and x.ndim == 1:
            calls.append(mode)
            x = x * 2
        for name in ("a", "b"):
            if name == "b":
                continue
            x = x + 1
        try:
            assert x.shape == (4,)
        except AssertionError:
            return None
        with np.errstate(all="ignore"):
            if x[0] > 0:
                return x
        return -x

    assert_captures(program, (X,), (X + 3,))
    assert "double" in calls


def test_outside_a_scope_it_is_the_function_itself():
    @control_flow
    def program(x):
        """Doc."""
        if x > 0:
            raise ValueError("positive")
        return x

    assert program(-1) == -1
    with pytest.raises(ValueError, match="positive"):
        program(1)
    assert (program.__name__, program.__doc__) == ("program", "Doc.")
    assert list(inspect.signature(program).parameters) == ["x"]


def test_lines_and_functions_of_nodes_are_the_users():
    @control_flow
    def program(x):
        if x[0] > 0:  # noqa: SIM108 - as users write it
            y = np.exp(x)
        else:
            y = np.sin(x)
        return y

    graph = capture.trace(program, TensorSpec((3,), np.float64))
    first = inspect.getsourcelines(program.__wrapped__)[1]
    found = {}
    (node,) = [node for node in graph.nodes if node.op.name == "if"]
    for nested in (node.op.then_graph, node.op.else_graph):
        for inner in nested.nodes:
            found[inner.op.name] = (inner.location.file, inner.location.line - first)
            assert inner.location.function.endswith("program")
    file = portable_path(__file__)
    assert found == {"exp": (file, 3), "sin": (file, 5)}
    assert node.location.line - first == 2


def test_an_assert_on_a_captured_value_says_that_it_is_not_checked():
    @control_flow
    def program(x):
        assert x.sum() > 0, "must be positive"
        return x

    with pytest.warns(UncheckedAssertWarning, match="known only when the graph runs"):
        capture.trace(program, TensorSpec((3,), np.float64))


def helper(x):
    if x.sum() > 0:
        return x * 2
    return x - 1


class Model:
    def go(self, x):
        while x.max() < 10:
            x = helper(x) + 1
        return x

    def __call__(self, x):
        return self.go(x)


def test_trace_turns_what_the_function_calls():
    def program(x):
        return Model().go(x) + helper(x)

    cases = [(X,), (X + 20,)]
    assert_captures(program, *cases, control_flow=True)
    assert_captures(Model(), *cases, control_flow=True)
    assert_captures(lambda x: x * 2 if x[0] > 0 else x, *cases, control_flow=True)


def test_a_scope_turns_the_functions_it_calls():
    before = helper, Model.go
    with capture_scope(CaptureDevice(), control_flow=True) as scope:
        x = scope.input("x", (4,), np.float64)
        scope.output("y", helper(x))
        scope.output("z", Model().go(x))
    assert (helper, Model.go) == before
    for array in (X, X + 20):
        y, z = scope.graph(array)
        np.testing.assert_allclose(y, helper(array))
        np.testing.assert_allclose(z, Model().go(array))


@name_scope("scaled")
@np.errstate(all="ignore")
def scaled(x, factor):
    if x.sum() > 0:
        x = helper(x) * factor
    return x


doubled = functools.partial(scaled, factor=2)


@pytest.mark.parametrize("program", [doubled, lambda x: doubled(x) + 1])
def test_functions_under_context_managers_and_partials_are_turned(program):
    assert_captures(program, (X,), (X + 20,), control_flow=True)
    graph = capture.trace(program, TensorSpec((4,), np.float64), control_flow=True)
    assert {node.scope for node in graph.nodes if node.op.name == "if"} == {"scaled"}


def test_a_scope_turns_functions_under_context_managers():
    with capture_scope(CaptureDevice(), control_flow=True) as scope:
        scope.output("y", scaled(scope.input("x", (4,), np.float64), 3))
    for array in (X, X - 20):
        np.testing.assert_allclose(scope.graph(array), scaled(array, 3))


CASES = {case.id: case for case in HANDOUT}


@pytest.mark.parametrize("name", ["H22", "H23"])
def test_reported_programs_refuse_without_and_work_with_it(name):
    case = CASES[name]
    assert case_kit.check(case, case_adapter) == "refused"
    captured = case_adapter.capture(control_flow(case.fn), case.inputs(0))
    for variant in range(2):
        case_kit.compare(
            case, captured.run(*case.inputs(variant)), case_kit.oracle(case, variant)
        )


def test_a_return_that_nothing_reaches():
    @control_flow
    def program(x):
        total = x.sum()
        steps = 0
        while total > 1 and steps < 9:
            steps += 1
            if total > 100:
                if steps % 2 == 0:
                    continue
                else:  # noqa: RET507 - the return below is unreachable on purpose
                    break
                return x
            total = total / 2
        return total

    assert_captures(program, (X,), (X * 50,))
