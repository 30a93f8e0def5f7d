"""Memory order, ``flat`` and ``shape``: who sees a write."""

import numpy as np
import pytest

from capture import TensorSpec, trace
from capture.errors import CaptureError
from tests.capture.interception_kit import run

TABLE = np.arange(12.0).reshape(4, 3)
X = TensorSpec((3,), np.float32)


LAYOUTS = (
    lambda x: np.zeros((2, 3), order="F"),
    lambda x: np.full((2, 3), 2.0, order="F"),
    lambda x: np.full((2, 3), np.arange(3.0), order="F"),
    lambda x: np.eye(2, 3, order="F"),
    lambda x: np.array([[1.0, 2, 3], [4, 5, 6]], order="F"),
    lambda x: np.array([[x[0], 2, 3], [4, 5, 6]], order="F"),
    lambda x: np.array(x.reshape(3, 2).T),
    lambda x: np.array(x.reshape(3, 2).T, order="C"),
    lambda x: np.array(x.reshape(3, 2).T, order="A"),
    lambda x: np.asarray(x.reshape(3, 2).T),
    lambda x: np.asarray(x.reshape(3, 2).T, order="C"),
    lambda x: np.asarray(x.reshape(2, 3), order="F"),
    lambda x: np.ascontiguousarray(x.reshape(3, 2).T),
    lambda x: np.asfortranarray(x.reshape(2, 3)),
    lambda x: np.asfortranarray(x.reshape(3, 2).T),
    lambda x: x.reshape(2, 3).copy("F"),
    lambda x: x.reshape(3, 2).T.copy(),
    lambda x: np.copy(x.reshape(3, 2).T),
    lambda x: x.reshape(3, 2).T.astype(np.float32),
    lambda x: TABLE[:3, :2].T.copy("K") * 1.0,
    lambda x: np.asfortranarray(TABLE[:2]) * x[0],
    lambda x: TABLE[:3, :2].T * x[0],
    lambda x: np.zeros_like(x.reshape(3, 2).T),
)


@pytest.mark.parametrize("make", LAYOUTS)
def test_layouts_decide_between_view_and_copy(make):
    def program(x):
        x = x.copy()
        made = make(x)
        flat = made.reshape(-1)
        back = made.T.reshape(-1)
        flat[1] = 50
        back[2] = 70
        return made * 1, flat * 1, back * 1, x

    x = np.arange(1.0, 7.0)
    for got, want in zip(run(program, x), program(x), strict=True):
        assert got.dtype == want.dtype
        np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize(
    "program",
    [
        lambda x: sum(x.flat),
        lambda x: x.flat[3],
        lambda x: x.flat[[0, 4]],
        lambda x: x.T.flat[1:4],
        lambda x: np.array([v * 2 for v in x.T.flat]),
        lambda x: written(x, 2, 9.0),
        lambda x: written(x, slice(None, None, 4), [7, 8]),
        lambda x: written(x, slice(None), [1, 2]) * x,
        lambda x: written(x, [1, 1, 3], x[0]),
        lambda x: written(x.T, slice(1, 3), 5),
        lambda x: written(x, x.ravel() > 3, -1),
        lambda x: reshaped_in_place(x, (3, 2)),
        lambda x: reshaped_in_place(x, -1),
    ],
)
def test_flat_and_shape(program):
    x = np.arange(1.0, 7.0).reshape(2, 3)
    want = program(x.copy())
    got = run(program, x)
    assert (np.shape(got), np.asarray(got).dtype) == (np.shape(want), np.asarray(want).dtype)
    np.testing.assert_array_equal(got, want)


def written(x, key, value):
    y = x.copy("K")
    y.flat[key] = value
    z = y * 2
    z.flat = y
    return z + y


def reshaped_in_place(x, shape):
    y = x * 2
    y.shape = shape
    y[0] = 5
    z = x.T.copy()
    z.shape = (2, 3)
    return y.sum(axis=0) + z.sum()


def test_shape_with_views_is_refused():
    def program(x):
        y = x * 2
        first = y[:1]
        y.shape = (3, 1)
        return first

    with pytest.raises(CaptureError, match="reshape"):
        trace(program, X)
