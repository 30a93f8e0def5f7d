"""What branches and loops cannot do, read out loud."""

from __future__ import annotations

import numpy as np
import pytest

import capture
from capture import CaptureDevice, TensorSpec, capture_scope, cond, control_flow, fori_loop
from capture.errors import (
    AliasingError,
    BranchError,
    CarryError,
    ConcreteValueError,
    ControlFlowError,
    LeakedTensorError,
    UndefinedVariableError,
)
from tests.capture.telling import HERE, told

VECTOR = TensorSpec((3,), np.float64)


def message(error, function, *specs):
    with pytest.raises(error) as caught:
        capture.trace(function, *(specs or (VECTOR,)))
    return told(caught)


def test_branches_of_different_dtypes():
    def program(x):
        return cond(x[0] > 0, lambda: x, lambda: x.astype(np.float32))

    assert message(BranchError, program) == (
        "cond: the result has the dtype float64 if true and float32 if false\n"
        f"{HERE}\n  ways out: convert one of them, .astype('float64')"
    )


def test_branches_of_different_structures():
    def program(x):
        return cond(x[0] > 0, lambda: (x, x), lambda: {"a": x})

    assert message(BranchError, program) == (
        "cond: the branches return different structures: (f64[3], f64[3]) and dict(f64[3])\n"
        f"{HERE}\n  ways out: return the same tuple, dict or dataclass from both"
    )


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.int64, np.uint64, np.float32, bool])
def test_a_sum_of_rows_that_starts_from_a_python_number(dtype):
    """The first value takes the dtype that the rows decide, as it does in NumPy."""

    @control_flow
    def program(x):
        total = 0
        for row in x:
            total = total + row[0]
        return total

    rows = np.arange(12).reshape(4, 3).astype(dtype)
    got = capture.trace(program, TensorSpec(("n", 3), dtype))(rows)
    want = np.asarray(program.__wrapped__(rows))
    assert (got.dtype, got[()]) == (want.dtype, want[()])


def test_a_first_value_beyond_the_dtype_that_it_meets():
    @control_flow
    def program(x):
        total = 300
        for row in x:
            total = total + row[0]
        return total

    with pytest.raises(OverflowError, match=r"^Python integer 300 out of bounds for uint8"):
        capture.trace(program, TensorSpec(("n", 3), np.uint8))


def test_a_carry_that_changes_its_dtype():
    def program(x):
        return fori_loop(0, 3, lambda i, v: (v[0] + 1, v[1] * 1.5), (x, np.int64(3)))

    assert message(CarryError, program) == (
        "fori_loop: carry 1 enters the body as i64[] and leaves it as f64[]\n"
        f"{HERE}\n  ways out: make them agree, for example .astype('int64') in the body, or a "
        "first value of dtype float64"
    )


def test_a_carry_that_starts_as_none():
    @control_flow
    def program(x):
        best = None
        for value in x:
            best = value if best is None else best
        return best

    told_ = message(CarryError, program, TensorSpec(("n",), np.float64))
    assert told_.startswith("for: variable 'best' changes from None to f64[]")
    assert "give it a first value of the same dtype" in told_


def test_results_of_changing_size_cannot_be_stacked():
    def program(x):
        return capture.map(lambda row: x[x > row], x)

    assert "have a size that may differ from step to step" in message(CarryError, program)


def test_a_tensor_that_leaves_a_branch():
    kept = []

    def program(x):
        cond(x[0] > 0, lambda: kept.append(x * 2), lambda: None)
        return kept[0] + 1

    told_ = message(LeakedTensorError, program)
    assert told_.startswith("a tensor made inside the true branch of cond is used outside it")
    assert "return kept[0] + 1" in told_
    assert "let the function return it" in told_


def test_a_tensor_that_leaves_a_loop():
    kept = []

    def program(x):
        fori_loop(0, 3, lambda i, v: (kept.append(v), v)[1], x)
        return kept[0]

    assert "inside the body of fori_loop is used outside" in message(
        LeakedTensorError, program
    )


def test_asking_for_a_number_inside_a_body():
    def program(x):
        return fori_loop(0, 3, lambda i, v: [v, v, v][i], x)

    told_ = message(ConcreteValueError, program)
    assert "it differs between runs of the body of fori_loop" in told_


def test_an_exception_inside_a_body_leaves_the_scope_usable():
    with capture_scope(CaptureDevice()) as scope:
        x = scope.input("x", (3,), np.float64)
        buffer = np.zeros(3)

        def body(i, v):
            buffer[0] = v[0]
            raise ZeroDivisionError

        for loop in (
            lambda: fori_loop(0, 3, body, x),
            lambda: cond(x[0] > 0, body, body, 0, x),
        ):
            with pytest.raises(ZeroDivisionError):
                loop()
        scope.output("y", buffer + x)
    assert scope.graph(np.ones(3)).tolist() == [1, 1, 1]


def test_two_carries_that_become_one_array():
    @control_flow
    def program(x):
        u, v = x.copy(), x.copy()
        for _ in range(len(x)):
            u[0] = 1
            u = v
            v += 1
        return u, v

    told_ = message(AliasingError, program, TensorSpec(("n",), np.float64))
    assert "variable 'u' and variable 'v' are one array on some trips" in told_


def test_the_branch_error_uses_the_words_of_the_user():
    def pick(x):
        total = x.sum()
        if total > 0:  # noqa: SIM108 - as users write it
            y = x * 2
        else:
            y = -x
        return y

    assert message(ConcreteValueError, pick) == (
        "bool() of a captured bool[]: its concrete value is not known during capture, it depends "
        f"on the input 'x'\n{HERE}\n"
        "  ways out: y = np.where(total > 0, x * 2, -x), which computes both\n"
        "            y = capture.cond(total > 0, lambda: x * 2, lambda: -x), which runs one\n"
        "            @capture.control_flow on pick, which turns its own branches and loops"
    )


def test_the_branch_error_of_a_return_and_of_a_loop():
    def absolute(x):
        if x.sum() < 0:
            return -x
        return x

    def halve(x):
        while x.max() > 1:
            x = x / 2
        return x

    assert "return np.where(x.sum() < 0, -x, …)" in message(ConcreteValueError, absolute)
    told_ = message(ConcreteValueError, halve)
    assert "x = capture.while_loop(lambda s: …, body, x), where body gives the next x" in told_


def test_a_variable_that_one_branch_defines():
    @control_flow
    def program(x):
        if x[0] > 0:
            y = x
        return y + 1

    told_ = message(UndefinedVariableError, program)
    assert told_.startswith("variable 'y': it is set only if the condition is true\n")
    assert "if x[0] > 0:" in told_
    assert "set it before the if, or in both branches" in told_


def test_a_variable_that_a_loop_may_not_define():
    @control_flow
    def program(x):
        for row in x:
            last = row
        return last

    told_ = message(UndefinedVariableError, program, TensorSpec(("n", 2), np.float64))
    assert told_.startswith("variable 'last': it is set only inside a loop")
    from ir import Dim

    rows = TensorSpec((Dim("n", min=1), 2), np.float64)
    graph = capture.trace(program, rows)
    assert graph(np.arange(6.0).reshape(3, 2)).tolist() == [4, 5]


def test_a_list_that_grows_in_a_loop():
    @control_flow
    def program(x):
        rows = []
        for row in x:
            rows.append(row * 2)  # noqa: PERF401 - as users write it
        return np.stack(rows)

    told_ = message(ControlFlowError, program, TensorSpec(("n", 2), np.float64))
    assert "the body of this for changes rows, which is a list made outside it" in told_
    assert HERE in told_


def test_an_attribute_set_in_a_branch():
    class Counter:
        count = 0

        @control_flow
        def run(self, x):
            if x[0] > 0:
                self.count = self.count + 1
            return x

    told_ = message(ControlFlowError, Counter().run)
    assert "a branch of this if changes self, which is a Counter made outside it" in told_


def test_raising_in_a_branch():
    @control_flow
    def program(x):
        if x[0] < 0:
            raise ValueError("negative")
        return x

    told_ = message(ControlFlowError, program)
    assert told_.startswith("raise ValueError: inside the true branch of if")
    assert "a graph cannot raise" in told_


def test_returning_on_one_way_only():
    @control_flow
    def program(x):
        if x[0] < 0:
            return x
        return None

    assert "another returns nothing" in message(BranchError, program)


def test_a_branch_inside_try_and_a_generator_stay_python():
    @control_flow
    def inside_try(x):
        while x[0] > 0:
            try:
                return x
            finally:
                pass
        return x

    told_ = message(ControlFlowError, inside_try)
    assert told_.startswith("this statement cannot become part of a graph")
    assert HERE in told_

    @control_flow
    def generator(x):
        if x[0] > 0:
            yield x

    with pytest.raises(ControlFlowError, match="it yields"):
        capture.trace(lambda x: next(iter(generator(x))), VECTOR)


def test_functions_without_source_or_under_our_own_decorators():
    namespace = {}
    exec("def unseen(x):\n    return x", namespace)
    with pytest.raises(ControlFlowError, match="its source is not available"):
        control_flow(namespace["unseen"])
    with pytest.raises(ControlFlowError, match="closest to the function"):
        control_flow(capture.function(lambda x: x))
    with pytest.raises(TypeError, match="takes a function, got int"):
        control_flow(3)
