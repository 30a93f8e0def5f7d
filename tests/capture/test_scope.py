"""The scope: it always closes, and nothing of it outlives it; a scope needs no name."""

import numpy as np
import pytest

import ir
from capture import CaptureDevice, capture_scope
from capture.errors import CaptureError, ScopeError
from tests.capture.telling import HERE, told


def after_completion():
    return (
        f"the scope is complete, and its tensors and handles ended with it\n{HERE}\n  ways out: "
        "do this before the scope closes; in a later scope, declare the array again with "
        "scope.input or scope.constant"
    )


def test_a_scope_closes_when_the_body_raises():
    device = CaptureDevice()
    with pytest.raises(ZeroDivisionError), capture_scope(device) as scope:  # noqa: PT012
        x = scope.input("x", (2,))
        _ = 1 / 0
    assert scope.is_closed
    with pytest.raises(ScopeError) as caught:
        x + 1
    assert told(caught).startswith("add: the scope was left by an exception, and its tensors")


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, GeneratorExit, SystemExit])
def test_a_scope_closes_on_every_exception(error):
    device = CaptureDevice()
    with pytest.raises(error), capture_scope(device):
        raise error
    with capture_scope(device):
        pass


def test_a_failed_scope_has_no_graph():
    with pytest.raises(ZeroDivisionError), capture_scope(CaptureDevice()) as scope:
        _ = 1 / 0
    with pytest.raises(ScopeError) as caught:
        _ = scope.graph
    assert told(caught) == (
        f"graph: the scope was left by an exception, it has no graph\n{HERE}\n"
        "  ways out: capture again once the body runs to its end"
    )


def test_later_scopes_on_the_device_work_after_a_failure():
    device = CaptureDevice()
    with pytest.raises(ZeroDivisionError), capture_scope(device) as scope:  # noqa: PT012
        scope.output("y", scope.input("x", (2,)) / 3)
        _ = 1 / 0
    with capture_scope(device) as scope:
        scope.output("y", scope.input("x", (2,)) + 1)
    np.testing.assert_array_equal(scope.graph(np.float32([1, 2])), np.float32([2, 3]))


def test_a_scope_closes_when_its_declarations_do_not_fit():
    device = CaptureDevice()
    with pytest.raises(CaptureError), capture_scope(device) as scope:
        scope.output("y", scope.client.create_empty_handle((2,)) + 1)
    assert scope.is_closed
    with capture_scope(device):
        pass


def test_an_empty_scope_is_legal():
    with capture_scope(CaptureDevice()) as scope:
        pass
    assert scope.graph.nodes == ()
    assert scope.graph() is None


@pytest.mark.parametrize(
    "use",
    [
        lambda device: device.input("x"),
        lambda device: device.constant([1.0]),
        lambda device: device.output("y", 1.0),
    ],
    ids=["input", "constant", "output"],
)
def test_operations_without_an_active_scope_are_refused(use):
    device = CaptureDevice()
    with pytest.raises(ScopeError) as caught:
        use(device)
    assert told(caught) == (
        f"<CaptureDevice {device.to_id()} (idle)> has no active scope\n{HERE}\n"
        "  ways out: enter `with capture_scope(device):` first"
    )


USES = {
    "add": lambda x: x + 1,
    "subtract": lambda x: 1 - x,
    "multiply": lambda x: x * x,
    "negative": lambda x: -x,
    "sin": np.sin,
    "sum": np.sum,
    "max": lambda x: x.max(),
    "reshape": lambda x: x.reshape(-1),
    "transpose": lambda x: x.T,
    "getitem": lambda x: x[0],
    "setitem": lambda x: x.__setitem__(0, 1),
    "matmul": lambda x: x @ x,
    "where": lambda x: np.where(True, x, 0),
    "concatenate": lambda x: np.concatenate([x, x]),
    "astype": lambda x: x.astype(int),
    "copy": lambda x: x.copy(),
}


@pytest.mark.parametrize("name", USES)
def test_tensors_that_outlive_their_scope_are_refused(name):
    with capture_scope(CaptureDevice()) as scope:
        x = scope.input("x", (2, 2))
        _ = x + x, x * x, x + 1  # the fast paths know these operands
    with pytest.raises(ScopeError) as caught:
        USES[name](x)
    assert told(caught) == f"{name}: {after_completion()}"


def test_in_place_operators_are_refused_after_the_scope():
    with capture_scope(CaptureDevice()) as scope:
        x = scope.input("x", (2, 2))
        x += x
        y = x
    with pytest.raises(ScopeError) as caught:
        y += x
    assert told(caught) == f"add: {after_completion()}"


def test_constants_that_outlive_their_scope_are_refused():
    with capture_scope(CaptureDevice()) as scope:
        weights = scope.constant([1.0, 2.0])
    with pytest.raises(ScopeError) as caught:
        weights * 2
    assert told(caught) == f"multiply: {after_completion()}"


def test_handles_that_outlive_their_scope_are_refused():
    with capture_scope(CaptureDevice()) as scope:
        handle = scope.client.create_empty_handle((2,))
    with pytest.raises(ScopeError) as caught:
        handle + 1
    assert told(caught) == f"add: {after_completion()}"


@pytest.mark.parametrize(
    ("name", "use"),
    [
        ("input", lambda scope, x: scope.input("z")),
        ("constant", lambda scope, x: scope.constant(1.0)),
        ("output", lambda scope, x: scope.output("z", x)),
        ("complete", lambda scope, x: scope.complete()),
        ("snapshot", lambda scope, x: scope.snapshot()),
        ("register_constant", lambda scope, x: scope.client.register_constant(1.0)),
        ("create_empty_handle", lambda scope, x: scope.client.create_empty_handle()),
        ("register_alias", lambda scope, x: scope.client.register_alias(x, x)),
        ("tanh", lambda scope, x: scope.client.record(ir.ops.OPS["tanh"], [x])),
    ],
)
def test_everything_after_complete_is_refused(name, use):
    with capture_scope(CaptureDevice()) as scope:
        x = scope.input("x", (2,))
        scope.complete(outputs=[x + 1])
        with pytest.raises(ScopeError) as caught:
            use(scope, x)
    assert told(caught) == f"{name}: {after_completion()}"


@pytest.mark.parametrize(
    "use",
    [
        lambda new, old: new + old,
        lambda new, old: old + new,
        lambda new, old: new.__iadd__(old),
        lambda new, old: np.add(old, new),
        lambda new, old: np.where(new > 0, new, old),
        lambda new, old: np.concatenate([new, old]),
        lambda new, old: new.__setitem__(0, old),
        lambda new, old: np.add(new, 1, out=old),
        lambda new, old: new @ old,
        lambda new, old: np.clip(new, old, 3),
    ],
    ids=[
        "add",
        "radd",
        "iadd",
        "np.add",
        "where",
        "concatenate",
        "setitem",
        "out",
        "matmul",
        "clip",
    ],
)
def test_old_tensors_are_never_recorded_into_a_newer_scope(use):
    device = CaptureDevice()
    with capture_scope(device) as scope:
        old = scope.input("old", (2,))
        _ = old + old
    with capture_scope(device) as scope:
        new = scope.input("new", (2,))
        _ = new + new
        with pytest.raises(ScopeError, match="the scope is complete"):
            use(new, old)
        with pytest.raises(ScopeError, match="the scope is complete"):
            scope.client.record(ir.ops.OPS["add"], [new, old])
        scope.output("y", new)
    ir.check(scope.graph)


def test_tensors_of_two_open_scopes_do_not_mix():
    outer_device, inner_device = CaptureDevice(), CaptureDevice()
    with capture_scope(outer_device) as outer, capture_scope(inner_device) as inner:
        x, y = outer.input("x", (2,)), inner.input("y", (2,))
        _ = x + x, y + y
        with pytest.raises(ScopeError) as caught:
            x + y
    assert told(caught) == (
        f"add: <Tensor 'y' f32[2]> belongs to another scope, on <CaptureDevice "
        f"{inner_device.to_id()} (recording)> instead of <CaptureDevice {outer_device.to_id()} "
        f"(recording)>\n{HERE}\n  ways out: x.to_device(device) moves initialised tensors; "
        "everything else must be recorded in one scope"
    )


def test_a_scope_needs_no_name():
    device = CaptureDevice()
    with capture_scope(device):
        x = device.input("x", (2,), np.float64)
        device.output("y", x + device.constant([10.0, 20.0]))
    np.testing.assert_array_equal(device.graph(np.array([1.0, 2.0])), [11.0, 22.0])


def test_the_device_gives_its_last_finished_graph():
    device = CaptureDevice()
    with capture_scope(device) as first:
        device.output("y", device.input("x") + 1)
    assert device.graph is first.graph
    with capture_scope(device) as second:
        assert device.graph is first.graph
        device.output("y", device.input("x") * 2)
    assert device.graph is second.graph
    with pytest.raises(ZeroDivisionError), capture_scope(device):
        _ = 1 / 0
    assert device.graph is second.graph


def test_a_device_without_a_finished_graph_says_so():
    device = CaptureDevice()
    with pytest.raises(ScopeError) as caught:
        _ = device.graph
    assert told(caught) == (
        f"graph: <CaptureDevice {device.to_id()} (idle)> has no finished graph yet\n{HERE}\n"
        "  ways out: leave its scope or call complete() first; snapshot() reads an open scope"
    )


def test_the_method_is_the_same_context_manager():
    device = CaptureDevice()
    seen = []

    class Keeper:
        def export(self, graph):
            seen.append(graph)

    with device.capture_scope(
        exporters=[Keeper()], name="named", metadata={"a": "b"}
    ) as scope:
        scope.output("y", scope.input("x") + 1)
    assert seen == [scope.graph]
    assert (scope.graph.name, scope.graph.metadata) == ("named", {"a": "b"})


def test_repr_tells_the_state():
    with capture_scope(device := CaptureDevice()) as scope:
        scope.output("y", scope.input("x") + 1)
        assert repr(scope) == (
            f"<CaptureScope on <CaptureDevice {device.to_id()} (recording)> is open: 1 inputs, "
            "1 outputs, 1 nodes>"
        )
    assert "is complete" in repr(scope)
