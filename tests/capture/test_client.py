"""The client: the one funnel, which records and never executes."""

import numpy as np
import pytest

import ir
from capture import CaptureClient, CaptureDevice, Tensor, capture_scope
from capture.errors import ConcreteValueError, InvalidInputError, ScopeError
from ir.errors import DTypeError
from ir.ops import OPS
from tests.capture.telling import HERE, told


def test_the_scope_has_one_client_that_knows_its_device():
    device = CaptureDevice()
    with capture_scope(device) as scope:
        assert isinstance(scope.client, CaptureClient)
        assert scope.client.device is device


def test_record_records_one_node_and_returns_its_tensor():
    with capture_scope(CaptureDevice()) as scope:
        x = scope.input("x", (2,))
        y = scope.client.record(OPS["tanh"], [x])
        assert type(y) is Tensor
        scope.output("y", y)
    assert [node.op.name for node in scope.graph.nodes] == ["tanh"]


def test_record_returns_a_tuple_for_several_results():
    with capture_scope(CaptureDevice()) as scope:
        x = scope.input("x", (2,))
        quotient, rest = scope.client.record(OPS["divmod"], [x, x])
        scope.complete(outputs={"q": quotient, "r": rest})
    q, r = scope.graph(np.float32([5, 7]))
    np.testing.assert_array_equal(q, [1, 1])
    np.testing.assert_array_equal(r, [0, 0])


def test_record_makes_constants_of_arrays():
    weights = np.float32([2, 3])
    with capture_scope(CaptureDevice()) as scope:
        x = scope.input("x", (2,))
        scope.output("y", scope.client.record(OPS["multiply"], [x, weights]))
    (constant,) = scope.graph.constants
    np.testing.assert_array_equal(constant.data, weights)


def test_record_is_strict():
    with capture_scope(CaptureDevice()) as scope:
        x = scope.input("x", (2,))
        n = scope.input("n", (2,), np.int64)
        with pytest.raises(DTypeError) as caught:
            scope.client.record(OPS["add"], [x, n])
    assert told(caught) == (f"add: no loop takes exactly f32[2] i64[2]; insert casts\n{HERE}")


def test_an_op_called_on_tensors_records_and_on_arrays_evaluates():
    with capture_scope(CaptureDevice()) as scope:
        scope.output("y", OPS["add"](scope.input("x", (2,)), np.float32([1, 2])))
    assert [node.op.name for node in scope.graph.nodes] == ["add"]
    np.testing.assert_array_equal(OPS["add"](np.arange(2), np.arange(2)), [0, 2])


def test_nothing_is_executed_while_recording(monkeypatch):
    called = []
    monkeypatch.setattr(type(OPS["add"]), "evaluate", lambda op, *arrays: called.append(op))
    with capture_scope(CaptureDevice()) as scope:
        x = scope.input("x", (2,))
        y = np.exp(x + 1) / x.sum()
        y[0] = 3
        scope.output("y", y)
    assert called == []


def test_register_constant_and_read():
    with capture_scope(CaptureDevice()) as scope:
        weights = scope.client.register_constant([[1.0, 2.0]], "weights")
        got = scope.client.read(weights)
        got[0] = 9  # a private copy
        np.testing.assert_array_equal(scope.client.read(weights), [[1.0, 2.0]])
        scope.output("y", weights * scope.input("x"))
    assert [value.name for value in scope.graph.constants] == ["weights"]


def test_read_of_what_depends_on_an_input_is_refused():
    with capture_scope(CaptureDevice()) as scope:
        y = scope.input("x", (2,)) * 2
        with pytest.raises(ConcreteValueError) as caught:
            scope.client.read(y)
    assert told(caught) == (
        "read() of a captured f32[2]: its concrete value is not known during capture, it depends "
        f"on the input 'x'\n{HERE}"
    )


def test_an_empty_handle_can_become_an_input():
    with capture_scope(CaptureDevice()) as scope:
        handle = scope.client.create_empty_handle((2,), np.int32, "state")
        scope.complete(inputs=[handle], outputs=[handle + 1])
    assert [(v.name, str(v.type)) for v in scope.graph.inputs] == [("state", "i32[2]")]


def test_handles_take_the_default_dtype_and_symbolic_sizes():
    with capture_scope(CaptureDevice()) as scope:
        handle = scope.client.create_empty_handle(("n", 2))
        assert (handle.dtype, str(handle._type)) == (np.float32, "f32[n,2]")


def test_a_self_alias_is_ignored():
    with capture_scope(CaptureDevice()) as scope:
        x = scope.input("x", (2,))
        scope.client.register_alias(x, x)
        scope.output("y", x + 1)
    np.testing.assert_array_equal(scope.graph(np.float32([1, 2])), [2, 3])


def test_an_alias_of_a_computed_tensor_resolves_to_it():
    with capture_scope(CaptureDevice()) as scope:
        x = scope.input("x", (2,))
        alias = scope.client.create_empty_handle((2,))
        scope.client.register_alias(alias, x * 2)
        scope.output("y", alias + 1)
    assert [node.op.name for node in scope.graph.nodes] == ["multiply", "add"]
    np.testing.assert_array_equal(scope.graph(np.float32([1, 2])), [3, 5])


def test_an_alias_shares_the_storage_of_its_source():
    with capture_scope(CaptureDevice()) as scope:
        source = scope.input("x", (3,)) * 1
        alias = scope.client.create_empty_handle((3,))
        scope.client.register_alias(alias, source)
        source[0] = 7
        alias[1] = 8
        scope.complete(outputs={"alias": alias, "source": source})
    for result in scope.graph(np.float32([1, 2, 3])):
        np.testing.assert_array_equal(result, [7, 8, 3])


def test_an_alias_of_a_computed_tensor_is_no_input():
    with capture_scope(CaptureDevice()) as scope:
        x = scope.input("x", (2,))
        alias = scope.client.create_empty_handle((2,))
        scope.client.register_alias(alias, x * 2)
        with pytest.raises(InvalidInputError):
            scope.complete(inputs={"alias": alias}, outputs=[alias])


def test_an_alias_of_an_initialised_tensor_shares_its_value():
    with capture_scope(CaptureDevice()) as scope:
        weights = scope.constant(np.float32([1, 2]))
        alias = scope.client.create_empty_handle((2,))
        scope.client.register_alias(alias, weights)
        np.testing.assert_array_equal(scope.client.read(alias), [1, 2])


def test_an_alias_of_an_initialised_tensor_shares_its_boundary():
    with capture_scope(CaptureDevice()) as scope:
        weights = scope.constant(np.float32([1, 2]))
        alias = scope.client.create_empty_handle((2,))
        scope.client.register_alias(alias, weights)
        scope.complete(inputs={"w": alias}, outputs={"y": weights + alias})
    np.testing.assert_array_equal(scope.graph(), [2, 4])
    np.testing.assert_array_equal(scope.graph(np.float32([5, 6])), [10, 12])


def test_an_alias_of_another_type_is_refused():
    with capture_scope(CaptureDevice()) as scope:
        alias = scope.client.create_empty_handle((3,))
        source = scope.input("x", (2,)) * 2
        with pytest.raises(ScopeError) as caught:
            scope.client.register_alias(alias, source)
    assert told(caught) == (
        f"register_alias: types differ: f32[3] and f32[2]\n{HERE}\n"
        "  ways out: make the handle with the shape and dtype of its source"
    )


@pytest.mark.parametrize("taken", ["input", "constant", "computed", "used"])
def test_only_a_fresh_handle_can_be_an_alias(taken):
    with capture_scope(CaptureDevice()) as scope:
        source = scope.input("x", (2,)) * 2
        alias = {
            "input": lambda: scope.input("z", (2,)),
            "constant": lambda: scope.constant(np.float32([1, 2])),
            "computed": lambda: source + 1,
            "used": lambda: scope.client.create_empty_handle((2,)),
        }[taken]()
        if taken == "used":
            _ = alias + 1
        shown = repr(alias)
        with pytest.raises(ScopeError) as caught:
            scope.client.register_alias(alias, source)
    assert told(caught) == (
        f"register_alias: {shown} is an input, has a value or is in use already\n{HERE}\n"
        "  ways out: alias a fresh handle from create_empty_handle() before its first use"
    )


def test_dtype_usage_of_a_number():
    with capture_scope(CaptureDevice()) as scope:
        assert scope.client.dtype_usage(np.float32) == {"storage", "arithmetic"}


def test_sync_and_flush_do_nothing():
    with capture_scope(CaptureDevice()) as scope:
        scope.output("y", scope.input("x", (2,)) + 1)
        before = scope.snapshot()
        assert scope.client.sync() is None
        assert scope.client.flush() is None
        assert scope.snapshot() == before


def test_lifetime_events_never_reach_the_graph():
    def capture(with_events):
        with capture_scope(CaptureDevice()) as scope:
            x = scope.input("x", (2,))
            kept = x * 2
            gone = x * 3
            if with_events:
                scope.client.drop(gone)
                del gone
                scope.client.sync()
            scope.output("y", kept)
        return scope.graph

    assert capture(True) == capture(False)


def test_repr():
    device = CaptureDevice()
    with capture_scope(device) as scope:
        assert repr(scope.client) == f"<CaptureClient of {device!r}>"


def test_ir_check_passes_on_what_the_client_records():
    with capture_scope(CaptureDevice()) as scope:
        x = scope.input("x", ("n", 2))
        scope.output("y", scope.client.record(OPS["sum"](axes=(0,)), [x]))
    ir.check(scope.graph)
