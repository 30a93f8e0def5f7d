"""Constants and known values: registered once, kept with their data, read when Python asks."""

import numpy as np
import pytest

from capture import CaptureDevice, capture_scope, constant
from capture.constants import COPY_LIMIT
from capture.errors import ConcreteValueError, DeviceMoveError, InvalidDeviceError, ScopeError
from tests.capture.telling import HERE, told

BRANCH = (
    "\n  ways out: np.where(condition, a, b) for a choice of values; capture.cond or "
    "capture.while_loop for control flow; @capture.control_flow on the function, which turns its "
    "own branches and loops; a symbolic dimension for a size"
)


def test_an_ndarray_that_meets_a_tensor_is_registered_once():
    weights = np.float32([1, 2])
    with capture_scope(CaptureDevice()) as scope:
        x = scope.input("x", (2,))
        scope.output("y", (x + weights) * weights - weights)
    assert len(scope.graph.constants) == 1


def test_its_data_is_kept_on_the_graph():
    weights = np.float32([1, 2])
    with capture_scope(CaptureDevice()) as scope:
        scope.output("y", scope.input("x", (2,)) + weights)
    (kept,) = scope.graph.constants
    assert kept.data.dtype == np.float32
    np.testing.assert_array_equal(kept.data, [1, 2])


def test_a_transposed_view_shares_its_base_data():
    weights = np.arange(6, dtype=np.float32).reshape(2, 3)
    with capture_scope(CaptureDevice()) as scope:
        x = scope.input("x", (2, 3))
        before = len(scope._recorder.builder.data)
        y = (x + weights) @ weights.T @ (weights + 1).dot(weights.T)
        scope.output("y", y)
        shared = [a for a in scope._recorder.builder.data.values() if a.shape == (2, 3)]
        assert before == 0
        assert sum(np.array_equal(a, weights) for a in shared) == 1


def test_a_refilled_buffer_is_a_new_constant_each_time():
    buffer = np.zeros(3, np.float32)
    with capture_scope(CaptureDevice()) as scope:
        x = scope.input("x", (3,))
        for number in range(3):
            buffer[:] = number
            x = x + buffer
        scope.output("y", x)
    np.testing.assert_array_equal(scope.graph(np.zeros(3, np.float32)), [3, 3, 3])


def test_a_small_array_may_change_after_the_scope():
    weights = np.float32([1, 2])
    with capture_scope(CaptureDevice()) as scope:
        scope.output("y", scope.input("x", (2,)) + weights)
    weights[:] = 99
    np.testing.assert_array_equal(scope.graph(np.float32([0, 0])), [1, 2])


def test_a_large_array_is_shared_and_read_only_while_the_scope_is_open():
    weights = np.ones(COPY_LIMIT // 4 + 1, np.float32)
    with capture_scope(CaptureDevice()) as scope:
        scope.output("y", scope.input("x", weights.shape) + weights)
        with pytest.raises(ValueError, match="assignment destination is read-only"):
            weights[0] = 5
    assert scope.graph.constants[0].data is weights
    weights[0] = 5  # writeable again


def test_a_large_array_is_writeable_again_after_an_exception():
    weights = np.ones(COPY_LIMIT, np.float32)
    view = weights[1:]
    with pytest.raises(ZeroDivisionError), capture_scope(CaptureDevice()) as scope:  # noqa: PT012
        _ = scope.input("x", view.shape) + view
        assert not view.flags.writeable
        assert not weights.flags.writeable
        _ = 1 / 0
    view[0] = weights[0] = 5


def test_a_large_array_can_be_copied_instead():
    weights = np.ones(COPY_LIMIT, np.float32)
    with capture_scope(CaptureDevice()) as scope:
        kept = scope.constant(weights, copy=True)
        weights[0] = 5
        scope.output("y", kept)
    assert scope.graph.constants[0].data[0] == 1


def test_a_read_only_array_stays_read_only():
    weights = np.ones(COPY_LIMIT, np.float32)
    weights.flags.writeable = False
    with capture_scope(CaptureDevice()) as scope:
        scope.output("y", scope.input("x", weights.shape) + weights)
    assert not weights.flags.writeable


def test_python_scalars_are_constants_once():
    with capture_scope(CaptureDevice()) as scope:
        x = scope.input("x", (2,))
        scope.output("y", (x + 2.5) * 2.5 - 2.5)
    assert [value.data[()] for value in scope.graph.constants] == [2.5]


def test_zero_and_minus_zero_are_two_constants():
    with capture_scope(CaptureDevice()) as scope:
        x = scope.input("x", (1,), np.float64)
        for _ in range(2):
            scope.output(f"plus{_}", x * 0.0)
            scope.output(f"minus{_}", x * -0.0)
    results = scope.graph(np.array([1.0]))
    assert [bool(np.signbit(r[0])) for r in results] == [False, True, False, True]


def test_an_initialised_tensor_can_be_read():
    with capture_scope(CaptureDevice()) as scope:
        weights = scope.constant(np.float32([1, 2]))
        assert weights.tolist() == [1, 2]
        assert float(weights[1]) == 2
        assert np.asarray(weights).dtype == np.float32
        assert [int(w) for w in weights] == [1, 2]


def test_a_value_that_depends_on_no_input_is_known():
    with capture_scope(CaptureDevice()) as scope:
        weights = scope.constant(np.float32([1, 2]))
        total = (weights * 3).sum()
        branch = "big" if total > 5 else "small"
        assert (float(total), branch) == (9, "big")


def test_known_values_are_written_to_like_others():
    with capture_scope(CaptureDevice()) as scope:
        weights = scope.constant(np.float32([1, 2]))
        weights[0] = 7
        assert weights.tolist() == [7, 2]


def test_reading_records_nothing():
    with capture_scope(CaptureDevice()) as scope:
        weights = scope.constant(np.float32([1, 2]))
        scope.output("y", scope.input("x", (2,)) + weights)
        before = scope.snapshot()
        assert weights.tolist() == [1, 2]
        assert scope.snapshot() == before


def test_reading_a_value_that_depends_on_an_input_names_the_op_and_the_line():
    with capture_scope(CaptureDevice()) as scope:
        x = scope.input("x", (2,))
        with pytest.raises(ConcreteValueError) as caught:  # noqa: PT012
            if (x > 0).all():
                pass
    assert told(caught) == (
        "bool() of a captured bool[]: its concrete value is not known during capture, it depends "
        f"on the input 'x'\n{HERE}\n"
        "  ways out: np.where((x > 0).all(), …, …), which computes both\n"
        "            capture.cond((x > 0).all(), lambda: …, lambda: …), which runs one\n"
        "            @capture.control_flow on test_reading_a_value_that_depends_on_an_input_names_"
        "the_op_and_the_line, which turns its own branches and loops"
    )


def test_an_empty_handle_has_no_value_to_read():
    with capture_scope(CaptureDevice()) as scope:
        handle = scope.client.create_empty_handle((2,), name="state")
        with pytest.raises(ConcreteValueError, match="it depends on the input 'state'"):
            handle.tolist()


def test_initialised_tensors_may_be_declared_inputs_and_keep_their_default():
    with capture_scope(CaptureDevice()) as scope:
        weights = scope.constant(np.float32([1, 2]), "weights")
        x = scope.input("x", (2,))
        scope.complete(inputs=[weights], outputs={"y": x * weights})
    graph = scope.graph
    assert [value.name for value in graph.inputs] == ["x", "weights"]
    np.testing.assert_array_equal(graph(np.float32([3, 4])), [3, 8])
    np.testing.assert_array_equal(
        graph(np.float32([3, 4]), weights=np.float32([0, 1])), [0, 4]
    )


def test_initialised_tensors_may_be_read_after_their_scope():
    with capture_scope(CaptureDevice()) as scope:
        weights = scope.constant(np.float32([1, 2]))
        scope.output("y", scope.input("x", (2,)) + weights)
    np.testing.assert_array_equal(scope.client.read(weights), [1, 2])
    np.testing.assert_array_equal(np.asarray(weights), [1, 2])


def test_a_view_that_missed_a_write_cannot_be_read_after_the_scope():
    with capture_scope(CaptureDevice()) as scope:
        weights = scope.constant(np.float32([1, 2]))
        window = weights[:1]
        weights[...] = 5
    with pytest.raises(ScopeError, match=r"^tolist\(\): the scope is complete"):
        window.tolist()
    assert weights.tolist() == [5, 5]


def test_initialised_tensors_may_move_to_another_capture_device():
    source, target = CaptureDevice(), CaptureDevice()
    with capture_scope(source) as scope:
        weights = scope.constant(np.float32([1, 2]), "weights")
    with capture_scope(target) as scope:
        moved = weights.to_device(target)
        assert (weights.device, moved.device) == (source, target)
        scope.output("y", scope.input("x", (2,)) + moved)
    assert [value.name for value in scope.graph.constants] == ["weights"]
    np.testing.assert_array_equal(scope.graph(np.float32([1, 1])), [2, 3])


def test_initialised_tensors_may_move_between_open_scopes():
    source, target = CaptureDevice(), CaptureDevice()
    with capture_scope(source) as outer, capture_scope(target) as inner:
        moved = outer.constant(np.float32([1, 2])).to_device(target)
        inner.output("y", inner.input("x", (2,)) * moved)
    np.testing.assert_array_equal(inner.graph(np.float32([1, 1])), [1, 2])


def test_moving_to_the_same_device_is_the_tensor_itself():
    device = CaptureDevice()
    with capture_scope(device) as scope:
        x = scope.input("x", (2,))
        assert x.to_device(device) is x


@pytest.mark.parametrize(("kind", "what"), [("computed", "computed"), ("input", "an input")])
def test_other_tensors_may_not_move(kind, what):
    with capture_scope(CaptureDevice()) as scope:
        x = scope.input("x", (2,))
        tensor = x * 2 if kind == "computed" else x
        with pytest.raises(DeviceMoveError) as caught:
            tensor.to_device(CaptureDevice())
        shown = repr(tensor)
    assert told(caught) == (
        f"cannot move a tensor from a capture device: {shown} is {what}, only initialised tensors "
        f"move\n{HERE}\n  ways out: output it from its own graph and feed the result to the other"
    )


def test_a_tensor_moves_to_capture_devices_only():
    with capture_scope(CaptureDevice()) as scope:
        weights = scope.constant(np.float32([1, 2]))
        with pytest.raises(InvalidDeviceError) as caught:
            weights.to_device("cpu")
    assert told(caught) == (
        f"to_device: 'cpu' is no capture device\n{HERE}\n  ways out: make one with CaptureDevice()"
    )


def test_capture_constant_registers_with_the_innermost_scope():
    table = np.float32([1, 2])
    with capture_scope(CaptureDevice()), capture_scope(CaptureDevice()) as inner:
        made = constant(table, "table")
        made[0] = 5
        inner.output("y", made + inner.input("x", (2,)))
    np.testing.assert_array_equal(inner.graph(np.float32([0, 0])), [5, 2])
    np.testing.assert_array_equal(table, [1, 2])


def test_capture_constant_needs_a_scope():
    with pytest.raises(ScopeError) as caught:
        constant([1.0])
    assert told(caught) == (
        f"constant: no scope is open in this thread or task\n{HERE}\n  ways out: enter `with "
        "capture_scope(device):` first"
    )
