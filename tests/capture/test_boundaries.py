# ruff: noqa: E501 - messages are asserted whole
"""Boundaries: one error type per mistake, naming the tensor."""

import numpy as np
import pytest

import ir
from capture import CaptureDevice, capture_scope, trace
from capture.errors import (
    BoundaryError,
    CaptureError,
    ConsumedOutputError,
    DroppedOutputError,
    DuplicateBoundaryError,
    InvalidInputError,
    UndeclaredInputError,
    UnknownTensorError,
)
from exporters import ExportError, to_onnx
from ir.ops import OPS
from tests.capture.telling import HERE, this_line, told


def test_declared_one_by_one():
    with capture_scope(CaptureDevice()) as scope:
        x = scope.input("x", (2,))
        scope.output("double", x * 2)
        scope.output("half", x / 2)
    assert [v.name for v in scope.graph.inputs] == ["x"]
    assert scope.graph.output_names == ("double", "half")


def test_declared_all_at_once():
    with capture_scope(CaptureDevice()) as scope:
        x = scope.client.create_empty_handle((2,), name="x")
        graph = scope.complete(inputs=[x], outputs={"double": x * 2})
    assert graph is scope.graph
    assert [v.name for v in graph.inputs] == ["x"]
    assert graph.output_names == ("double",)


def test_complete_closes_the_scope_immediately():
    device = CaptureDevice()
    with capture_scope(device) as scope:
        x = scope.input("x", (2,))
        scope.complete(outputs=[x + 1])
        assert scope.is_closed
        assert scope.graph.output_names == ("output_0",)
        with capture_scope(device):
            pass


def test_an_unknown_tensor():
    with capture_scope(CaptureDevice()) as other:
        foreign = other.input("x", (2,))
    with capture_scope(CaptureDevice()) as scope:
        with pytest.raises(UnknownTensorError) as caught:
            scope.output("y", foreign)
        with pytest.raises(UnknownTensorError) as number:
            scope.complete(inputs={"n": 3})
    way = "  ways out: declare tensors that this scope made (scope.input, scope.constant, and results)"
    assert told(caught) == (
        "output 'y': <Tensor 'x' f32[2], scope closed> is no tensor of this scope"
        f"\n{HERE}\n{way}"
    )
    assert told(number) == f"input 'n': int is no tensor of this scope\n{HERE}\n{way}"


@pytest.mark.parametrize("first", ["input", "output"])
@pytest.mark.parametrize("second", ["input", "output"])
def test_a_duplicate_name(first, second):
    with capture_scope(CaptureDevice()) as scope:
        x = scope.input("x", (2,))

        def declare(kind):
            return scope.input("same") if kind == "input" else scope.output("same", x * 2)

        declared = declare(first)
        with pytest.raises(DuplicateBoundaryError) as caught:
            declare(second)
        x = x if declared is None else x + declared
        scope.complete(outputs=[x + 1])
    article = "an input" if first == "input" else "an output"
    assert told(caught) == (
        f"{second} 'same': {article} of that name is declared already\n{HERE}\n"
        "  ways out: give each input and output a name of its own"
    )


def test_a_duplicate_input():
    with capture_scope(CaptureDevice()) as scope:
        x = scope.input("x", (2,))
        with pytest.raises(DuplicateBoundaryError) as caught:
            scope.complete(inputs={"again": x}, outputs=[x])
    assert told(caught) == (
        "input 'again': <Tensor 'x' f32[2]> is declared as an input already\n"
        f"{HERE}\n  ways out: declare each tensor once"
    )


def test_a_duplicate_output():
    with capture_scope(CaptureDevice()) as scope:
        y = scope.input("x", (2,)) + 1
        with pytest.raises(DuplicateBoundaryError) as caught:
            scope.complete(outputs=[y, y])
    assert told(caught) == (
        "output 'output_1': <Tensor f32[2]> is declared as an output already\n"
        f"{HERE}\n  ways out: declare each tensor once; a second name needs tensor.copy()"
    )


def test_an_undeclared_input():
    with capture_scope(CaptureDevice()) as scope:
        handle = scope.client.create_empty_handle((2,), name="state")
        y = handle + 1
        with pytest.raises(UndeclaredInputError) as caught:
            scope.complete(outputs=[y])
        scope.complete(inputs=[handle], outputs=[y])
    assert told(caught) == (
        "graph: an output depends on the empty handle 'state', which is not declared as an "
        f"input\n{HERE}\n  ways out: declare it, complete(inputs=[handle]); or give it a value "
        "with client.register_alias"
    )


def test_an_undeclared_handle_without_a_name():
    with capture_scope(CaptureDevice()) as scope:
        handle = scope.client.create_empty_handle((2,))
        with pytest.raises(
            UndeclaredInputError, match=r"the empty handle of type f32\[2\], which"
        ):
            scope.complete(outputs=[handle])


def test_an_unused_handle_needs_no_declaration():
    with capture_scope(CaptureDevice()) as scope:
        _ = scope.client.create_empty_handle((2,)) + 1
        scope.output("y", scope.input("x", (2,)) + 1)
    assert len(scope.graph.inputs) == 1


def test_an_input_produced_inside():
    with capture_scope(CaptureDevice()) as scope:
        x = scope.input("x", (2,))
        y = x + 1
        with pytest.raises(InvalidInputError) as caught:
            scope.complete(inputs={"y": y}, outputs=[y * 2])
        scope.complete(outputs=[y])
    assert told(caught) == (
        "input 'y': <Tensor f32[2]> is produced inside the scope, so it cannot enter it\n"
        f"{HERE}\n  ways out: declare what it is computed from; scope.input makes a new input"
    )


def test_an_input_that_python_has_read():
    with capture_scope(CaptureDevice()) as scope:
        rate = scope.constant(np.float32(0.5))
        scale = 2 if float(rate * 2) > 0 else 3
        where = this_line(-1)
        with pytest.raises(InvalidInputError) as caught:
            scope.complete(inputs={"rate": rate}, outputs=[rate * scale])
    assert told(caught) == (
        "input 'rate': Python has read this value, or one computed from it; what it decided there "
        f"would be baked in\n{where}\n  ways out: leave it a constant; or keep Python from reading "
        "it (np.where instead of if)"
    )


def test_an_output_consumed_in_place():
    with capture_scope(CaptureDevice()) as scope:
        y = scope.input("x", (2,)) * 2
        scope.client.record(OPS["exp"], [y], consumes=(0,))
        where = this_line(-1)
        with pytest.raises(ConsumedOutputError) as caught:
            scope.complete(outputs={"y": y})
    assert told(caught) == (
        f"output 'y': <Tensor f32[2]> was consumed in place by exp\n{where}\n"
        "  ways out: output a copy made before, or the result of the consuming op"
    )


def test_the_result_of_a_consuming_op_may_leave():
    with capture_scope(CaptureDevice()) as scope:
        y = scope.input("x", (2,)) * 2
        z = scope.client.record(OPS["negative"], [y], consumes=(0,))
        scope.complete(outputs={"z": z})
    np.testing.assert_array_equal(scope.graph(np.float32([1, 2])), [-2, -4])


def test_an_output_that_does_not_survive():
    with capture_scope(CaptureDevice()) as scope:
        y = scope.input("x", (2,)) * 2
        scope.client.drop(y)
        where = this_line(-1)
        with pytest.raises(DroppedOutputError) as caught:
            scope.complete(outputs={"y": y})
    assert told(caught) == (
        f"output 'y': <Tensor f32[2]> was released inside the scope\n{where}\n"
        "  ways out: keep outputs alive until the scope completes"
    )


def test_each_mistake_has_an_error_type_of_its_own():
    leaves = {
        UnknownTensorError,
        DuplicateBoundaryError,
        UndeclaredInputError,
        InvalidInputError,
        ConsumedOutputError,
        DroppedOutputError,
    }
    assert len(leaves) == 6
    assert all(leaf.__mro__[1] is BoundaryError for leaf in leaves)


@pytest.mark.parametrize("name", ["", None, 3])
def test_a_name_is_a_non_empty_string(name):
    with capture_scope(CaptureDevice()) as scope:
        x = scope.input("x", (2,))
        with pytest.raises(BoundaryError) as caught:
            scope.output(name, x)
    assert told(caught) == (
        f"output: the name must be a non-empty string, got {name!r}\n{HERE}\n"
        '  ways out: scope.output("name", ...)'
    )


def test_the_scope_stays_open_when_declarations_do_not_fit():
    with capture_scope(CaptureDevice()) as scope:
        y = scope.input("x", (2,)) + 1
        with pytest.raises(BoundaryError):
            scope.complete(outputs={"x": y})
        assert not scope.is_closed
        scope.complete(outputs={"y": y})
    assert scope.graph.output_names == ("y",)


def test_an_input_returned_directly_is_a_valid_output():
    with capture_scope(CaptureDevice()) as scope:
        x = scope.input("x", (2,))
        scope.complete(outputs=[x])
    ir.check(scope.graph)
    np.testing.assert_array_equal(scope.graph(np.float32([1, 2])), [1, 2])


def test_a_constant_is_a_valid_output():
    with capture_scope(CaptureDevice()) as scope:
        scope.output("y", np.float32([1, 2]))
    np.testing.assert_array_equal(scope.graph(), [1, 2])


def test_writes_after_an_output_is_declared_count():
    with capture_scope(CaptureDevice()) as scope:
        y = scope.input("x", (2,)) * 1
        scope.output("y", y)
        y[0] = 9
    np.testing.assert_array_equal(scope.graph(np.float32([1, 2])), [9, 2])


def test_what_no_file_can_hold_is_refused():
    device = CaptureDevice()
    with (
        pytest.raises(BoundaryError, match="a non-empty string"),
        capture_scope(device) as scope,
    ):
        scope.input("\ud800", (2,), np.float32)
    problem = r"metadata 'k': 5: keys and values are text"
    with pytest.raises(CaptureError, match=problem), capture_scope(device, metadata={"k": 5}):
        pass
    with capture_scope(device) as scope:
        scope.output("y", scope.input("x", (2,), np.float32) + 1)
    with pytest.raises(ExportError, match=f"{problem}; write str"):
        to_onnx(scope.graph, metadata={"k": 5})


def test_outputs_of_arguments_written_in_place_get_names_of_their_own():
    def program(x, x_out):
        x += 1
        x_out *= 2

    graph = trace(program, np.ones(2), np.ones(2))
    assert graph.output_names == ("x_out_out", "x_out_out_out")
