"""Randomness: refused where it would be baked in silently, with the ways out."""

import numpy as np
import pytest

from capture import CaptureDevice, NumpyDevice, capture_scope
from capture.errors import RandomnessError, SeedError
from tests.capture.telling import HERE, told

SEED = (
    f"seeding is not supported during graph capture\n{HERE}\n  ways out: seed before the scope; "
    "pass drawn arrays in, they become constants; or record a random op with "
    "capture.random.uniform, normal or bernoulli"
)
WAYS_OUT = (
    "  ways out: seed before the scope; pass drawn arrays in (they become constants; a Generator "
    "made before the scope may draw them); or record a random op with capture.random.uniform, "
    "normal or bernoulli"
)


def test_client_seed_is_refused():
    with capture_scope(CaptureDevice()) as scope, pytest.raises(SeedError) as caught:
        scope.client.seed(42)
    assert told(caught) == SEED


def test_device_seed_is_refused():
    with pytest.raises(SeedError) as caught:
        CaptureDevice().seed(42)
    assert told(caught) == SEED


def test_np_random_seed_is_refused():
    with capture_scope(CaptureDevice()), pytest.raises(RandomnessError) as caught:
        np.random.seed(1)
    assert told(caught) == (
        "np.random.seed: seeding inside a capture scope is refused, the numbers would be baked "
        f"into the graph silently\n{HERE}\n{WAYS_OUT}"
    )


DRAWS = {
    "rand": (2,),
    "randn": (2,),
    "randint": (3,),
    "random": (),
    "random_sample": (),
    "uniform": (),
    "normal": (),
    "choice": (3,),
    "permutation": (3,),
    "standard_normal": (),
    "beta": (1, 1),
    "binomial": (3, 0.5),
    "exponential": (),
    "poisson": (),
    "bytes": (2,),
    "default_rng": (),
    "RandomState": (),
}


@pytest.mark.parametrize("name", DRAWS)
def test_drawing_is_refused(name):
    with capture_scope(CaptureDevice()), pytest.raises(RandomnessError) as caught:
        getattr(np.random, name)(*DRAWS[name])
    assert told(caught) == (
        f"np.random.{name}: drawing random numbers inside a capture scope is refused, the numbers "
        f"would be baked into the graph silently\n{HERE}\n{WAYS_OUT}"
    )


def test_shuffle_is_refused_and_leaves_the_array():
    array = np.arange(9)
    with capture_scope(CaptureDevice()), pytest.raises(RandomnessError):
        np.random.shuffle(array)
    np.testing.assert_array_equal(array, np.arange(9))


def test_a_refused_seed_leaves_the_global_state():
    np.random.seed(3)
    want = np.random.rand()
    np.random.seed(3)
    with capture_scope(CaptureDevice()), pytest.raises(RandomnessError):
        np.random.seed(4)
    assert np.random.rand() == want


def test_way_out_seed_before_the_scope():
    np.random.seed(5)
    drawn = np.random.rand(2)
    with capture_scope(CaptureDevice()) as scope:
        scope.output("y", scope.input("x", (2,), np.float64) + drawn)
    np.testing.assert_array_equal(scope.graph.constants[0].data, drawn)


def test_way_out_a_generator_made_before_the_scope():
    generator = np.random.default_rng(5)
    with capture_scope(CaptureDevice()) as scope:
        scope.output("y", scope.input("x", (2,), np.float64) + generator.normal(size=2))
    want = np.random.default_rng(5).normal(size=2)
    np.testing.assert_array_equal(scope.graph.constants[0].data, want)


def test_each_draw_of_a_generator_is_its_own_constant():
    generator = np.random.default_rng(5)
    with capture_scope(CaptureDevice()) as scope:
        x = scope.input("x", (2,), np.float64)
        for _ in range(3):
            x = x + generator.normal(size=2)
        scope.output("y", x)
    assert len(scope.graph.constants) == 3


def test_numpy_device_seeds_and_draws():
    device = NumpyDevice()
    device.seed(42)
    first = device.generator.normal(size=3)
    device.seed(42)
    np.testing.assert_array_equal(device.generator.normal(size=3), first)
    np.testing.assert_array_equal(NumpyDevice(42).generator.normal(size=3), first)


def test_numpy_device_draws_inside_a_scope_are_constants():
    device = NumpyDevice(42)
    with capture_scope(CaptureDevice()) as scope:
        drawn = device.generator.normal(size=2)
        scope.output("y", scope.input("x", (2,), np.float64) * drawn)
    np.testing.assert_array_equal(scope.graph.constants[0].data, drawn)
