"""Gradients: refused on every entry point, in one wording."""

import pytest

import capture
from capture import CaptureDevice, capture_scope
from capture.errors import AutodiffError
from tests.capture.telling import HERE, told

ENTRY_POINTS = [
    "backward",
    "grad",
    "grad_remove",
    "inner",
    "from_inner",
    "requires_grad",
    "detach",
]


def refusal(name):
    return (
        f"{name}: capture tensors do not support autodiff\n{HERE}\n  ways out: compute gradients "
        "outside the scope, or write the gradient's own NumPy formula inside it"
    )


@pytest.mark.parametrize("name", ENTRY_POINTS)
def test_methods_are_refused(name):
    with capture_scope(CaptureDevice()) as scope:
        x = scope.input("x", (2,))
        with pytest.raises(AutodiffError) as caught:
            getattr(x, name)
    assert told(caught) == refusal(name)


@pytest.mark.parametrize("name", ENTRY_POINTS)
def test_functions_are_refused(name):
    with capture_scope(CaptureDevice()) as scope:
        x = scope.input("x", (2,))
        with pytest.raises(AutodiffError) as caught:
            getattr(capture, name)(x)
    assert told(caught) == refusal(name)


@pytest.mark.parametrize("name", ENTRY_POINTS)
def test_hasattr_says_no(name):
    with capture_scope(CaptureDevice()) as scope:
        assert not hasattr(scope.input("x", (2,)), name)


def test_the_error_is_an_attribute_error_and_a_capture_error():
    assert issubclass(AutodiffError, AttributeError)
    assert issubclass(AutodiffError, capture.CaptureError)


def test_it_stays_refused_after_the_scope():
    with capture_scope(CaptureDevice()) as scope:
        x = scope.input("x", (2,))
    with pytest.raises(AutodiffError) as caught:
        _ = x.grad
    assert told(caught) == refusal("grad")
