"""Storage and views: the same decisions as NumPy between view and copy."""

import itertools
import warnings

import numpy as np
import pytest

from capture import CaptureDevice, capture_scope, trace
from capture.errors import ReadOnlyError
from capture.scope import UnusedInputWarning
from tests.capture.telling import HERE, told

VIEWS = {
    "slice": lambda x: x[1:3],
    "int": lambda x: x[1],
    "steps": lambda x: x[::2, ::-1],
    "newaxis": lambda x: x[:, None],
    "ellipsis": lambda x: x[...],
    "0-d": lambda x: x[0, 0, ...],
    "transpose": lambda x: x.T,
    "mT": lambda x: x.mT,
    "swapaxes": lambda x: x.swapaxes(0, 1),
    "moveaxis": lambda x: np.moveaxis(x, 0, 1),
    "reshape": lambda x: x.reshape(2, 8),
    "ravel": lambda x: x.ravel(),
    "expand_dims": lambda x: np.expand_dims(x, 0),
    "squeeze": lambda x: np.squeeze(x[:, None]),
    "reshape of rows": lambda x: x[1:3].reshape(-1),
    "reshape of columns": lambda x: x[:, 1:2].reshape(4),
    "F reshape of transposed": lambda x: x.T.reshape(-1, order="F"),
    "A reshape of transposed": lambda x: x.T.reshape(-1, order="A"),
    "A ravel of transposed": lambda x: x.T.ravel("A"),
    "astype without copy": lambda x: x.astype(x.dtype, copy=False),
    "broadcast_arrays": lambda x: np.broadcast_arrays(x, x)[0],
}
COPIES = {
    "copy": lambda x: x.copy(),
    "np.copy": np.copy,
    "arithmetic": lambda x: x * 1,
    "positive": lambda x: +x,
    "astype": lambda x: x.astype(x.dtype),
    "flatten": lambda x: x.flatten(),
    "reshape of transposed": lambda x: x.T.reshape(-1),
    "ravel of transposed": lambda x: x.T.ravel(),
    "ravel of a column": lambda x: x[:, 1].ravel(),
    "ravel of every other": lambda x: x[::2].ravel(),
    "F ravel": lambda x: x.ravel("F"),
    "reshape with copy": lambda x: x.reshape(16, copy=True),
    "concatenate of one": lambda x: np.concatenate([x]),
    "where": lambda x: np.where(x > -1, x, 0),
    "clip": lambda x: np.clip(x, -9, 99),
    "zeros_like": lambda x: np.zeros_like(x),
    "sum keepdims": lambda x: x.sum(axis=0, keepdims=True),
}


def both(program, array=None):
    """Run a program on an ndarray and captured; return the two results."""
    array = np.arange(16.0).reshape(4, 4) if array is None else array
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnusedInputWarning)
        graph = trace(program, array)
    want = program(array.copy())
    return graph(array), want


@pytest.mark.parametrize("name", VIEWS)
def test_a_view_writes_to_its_base(name):
    def program(x):
        base = x * 1
        VIEWS[name](base)[...] = -1
        return base

    got, want = both(program)
    assert (want == -1).any()
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("name", VIEWS)
def test_a_view_sees_writes_to_its_base(name):
    def program(x):
        base = x * 1
        view = VIEWS[name](base)
        base[...] = base * 2 + 1
        return view

    got, want = both(program)
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("name", COPIES)
def test_a_copy_is_apart(name):
    def program(x):
        base = x * 1
        COPIES[name](base)[...] = -1
        return base

    got, want = both(program)
    np.testing.assert_array_equal(want, np.arange(16.0).reshape(4, 4))
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("name", [*VIEWS, *COPIES])
def test_base_is_known(name):
    make = (VIEWS | COPIES)[name]
    with capture_scope(CaptureDevice()) as scope:
        base = scope.input("x", (4, 4)) * 1
        made = make(base)
        assert (made is base or made.base is base) == (name in VIEWS)


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
@pytest.mark.parametrize("shape", [(24,), (6, 4), (2, 12), (4, 3, 2), (2, 2, 3, 2), (1, 24)])
def test_every_reshape_of_every_transposition_decides_as_numpy(order, shape):
    array = np.arange(24.0).reshape(2, 3, 4)
    viewed = np.shares_memory(array, array.transpose(order).reshape(shape))
    with capture_scope(CaptureDevice()) as scope:
        x = scope.input("x", (2, 3, 4), np.float64) * 1
        assert (x.transpose(order).reshape(shape).base is x) == viewed


def test_reshape_without_a_copy_is_refused_where_numpy_would_copy():
    with capture_scope(CaptureDevice()) as scope:
        x = scope.input("x", (2, 3))
        assert x.reshape(6, copy=False).base is x
        with pytest.raises(
            ValueError, match=r"^Unable to avoid creating a copy while reshaping\."
        ):
            x.T.reshape(6, copy=False)


# --- scalars and 0-d ----------------------------------------------------------------------


def test_an_element_is_a_scalar_that_rebinds():
    def program(x):
        y = x * 1
        s = y[0, 0]
        s += 100
        return y, s

    (y, s), (want_y, want_s) = both(program)
    np.testing.assert_array_equal(y, want_y)
    assert s == want_s == 100


def test_a_reduction_is_a_scalar_that_rebinds():
    def program(x):
        total = x.sum()
        first = total
        total += 1
        return first, total

    (first, total), want = both(program)
    assert (first, total) == want == (120, 121)


def test_a_zero_dimensional_view_mutates():
    def program(x):
        y = x * 1
        z = y[0, 0, ...]
        z += 100
        return y

    got, want = both(program)
    np.testing.assert_array_equal(got, want)
    assert got[0, 0] == 100


@pytest.mark.parametrize(
    "make",
    [
        lambda s: s[...],
        lambda s: s[None],
        lambda s: s.reshape(1),
        lambda s: np.expand_dims(s, 0),
    ],
)
def test_arrays_made_of_a_scalar_leave_it(make):
    def program(x):
        s = x.sum()
        made = make(s)
        made[...] = -1
        return s, made

    (s, made), (want_s, want_made) = both(program)
    assert s == want_s == 120
    np.testing.assert_array_equal(made, want_made, strict=True)


def test_a_scalar_reshaped_to_no_axes_stays_a_scalar():
    with capture_scope(CaptureDevice()) as scope:
        s = scope.input("x", (2,)).sum()
        assert s.reshape(()).is_scalar
        assert s[()].is_scalar
        assert not s[...].is_scalar


def test_where_of_scalars_is_an_array_as_in_numpy():
    with capture_scope(CaptureDevice()) as scope:
        s = scope.input("x", (2,)).sum()
        assert not np.where(s > 0, s, 0).is_scalar


# --- memory order -------------------------------------------------------------------------

LAYOUTS = {
    "unary": lambda x: np.exp(x.T),
    "scalar operand": lambda x: x.T * 2,
    "same layout": lambda x: x.T + x.T,
    "mixed layout": lambda x: x.T + x,
    "broadcast row": lambda x: x.T + x[0],
    "astype": lambda x: x.T.astype(np.float32),
    "copy C": lambda x: x.T.copy(),
    "copy K": lambda x: np.copy(x.T),
    "where": lambda x: np.where(x.T > 3, x.T, 0),
    "zeros_like": lambda x: np.zeros_like(x.T),
    "concatenate": lambda x: np.concatenate([x.T, x.T]),
    "concatenate mixed": lambda x: np.concatenate([x.T, x], axis=1),
    "concatenate rows": lambda x: np.concatenate([x.T, x[:1]]),
    "stack": lambda x: np.stack([x.T, x.T], axis=-1).reshape(4, 8),
    "reversed": lambda x: x[::-1] * 2,
    "steps": lambda x: x[::2] * 2,
    "comparison": lambda x: (x.T > 3).astype(np.float64),
    "maximum": lambda x: np.maximum(x.T, 0),
    "power": lambda x: x.T**2,
    "negative": lambda x: -x.T,
    "in a chain": lambda x: np.exp(x.T * 2 + 1) - 1,
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_fresh_results_follow_numpys_memory_order(name):
    """Whether ``reshape(-1)`` is a view tells the layout without strides."""

    def program(x):
        y = LAYOUTS[name](x)
        y.reshape(-1)[0] = 9
        y.T.reshape(-1)[1] = 8
        return y

    got, want = both(program)
    np.testing.assert_allclose(got, want, rtol=1e-6)


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("axes", list(itertools.permutations(range(3))))
def test_joins_follow_numpys_memory_order(axes, axis):
    def program(x):
        y = np.concatenate([x.transpose(axes)] * 2, axis=axis)
        y.reshape(-1)[0] = 9
        y.reshape(y.shape[0], -1)[0, 1] = 8
        y.reshape(-1, y.shape[2])[1, 0] = 7
        return y

    got, want = both(program, np.arange(24.0).reshape(2, 3, 4))
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("axes", list(itertools.permutations(range(3))))
def test_results_of_three_axes_follow_numpys_memory_order(axes):
    def program(x):
        y = x.transpose(axes) * 2
        y.reshape(y.shape[0], -1)[0, 1] = 9
        y.reshape(-1, y.shape[2])[1, 0] = 8
        return y

    got, want = both(program, np.arange(24.0).reshape(2, 3, 4))
    np.testing.assert_array_equal(got, want)


# --- writes -------------------------------------------------------------------------------

WRITES = {
    "overlap forward": lambda y: y.__setitem__(slice(1, None), y[:-1]),
    "overlap backward": lambda y: y.__setitem__(slice(None, -1), y[1:]),
    "reverse onto itself": lambda y: y.__setitem__(slice(None), y[::-1]),
    "transpose onto itself": lambda y: y.__setitem__(..., y.T),
    "augmented window": lambda y: y[1:].__iadd__(y[:-1]),
    "augmented transpose": lambda y: y.__iadd__(y.T),
    "out overlapping": lambda y: np.add(y[1:], y[:-1], out=y[1:]),
    "out transposed": lambda y: np.multiply(y, 2, out=y.T),
    "row into column": lambda y: y.__setitem__((slice(None), 0), y[1]),
    "through two views": lambda y: y.T[1:].reshape(3, 2, 2)[0].__setitem__(..., -5),
    "through reversed": lambda y: y[::-1, ::-1].__setitem__(0, 7),
    "scalar into all": lambda y: y.fill(3),
    "cast on write": lambda y: y.__setitem__(0, np.array([1, 2, 3, 4], np.int8)),
    "broadcast on write": lambda y: y.__setitem__(slice(1, 3), y[0]),
    "leading ones": lambda y: y.__setitem__(0, y[None, None, 1]),
}


@pytest.mark.parametrize("name", WRITES)
def test_writes_are_numpys(name):
    def program(x):
        y = x * 1
        alias = y[1:, ::2]
        WRITES[name](y)
        return y, alias, y.T

    for got, want in zip(*both(program), strict=True):
        np.testing.assert_array_equal(got, want)


def test_inputs_are_never_written_by_the_graph():
    def program(x):
        x[0] = -1
        return x

    graph = trace(program, np.zeros(3))
    array = np.ones(3)
    np.testing.assert_array_equal(graph(array), [-1, 1, 1])
    np.testing.assert_array_equal(array, [1, 1, 1])


def test_aliases_of_an_in_place_operator_see_it():
    def program(x):
        y = x * 1
        alias = y
        view = y[0]
        y += 1
        y *= y
        return y, alias, view

    for got, want in zip(*both(program), strict=True):
        np.testing.assert_array_equal(got, want)


def test_a_broadcast_view_is_read_only():
    with capture_scope(CaptureDevice()) as scope:
        x = scope.input("x", (3,))
        wide = np.broadcast_to(x, (2, 3))
        for use in (
            lambda: wide.__setitem__(0, 1),
            lambda: wide.__iadd__(1),
            lambda: wide[0].__setitem__(0, 1),
            lambda: wide.__setitem__((), wide[()]),
            lambda: np.add(wide, 1, out=wide),
        ):
            with pytest.raises(ReadOnlyError) as caught:
                use()
            assert told(caught).startswith("assignment destination is read-only: f32[")
            assert HERE in told(caught)
            assert told(caught).endswith("\n  ways out: write into a .copy()")


def test_a_value_that_does_not_fit_names_both_shapes():
    other = np.ones(7)
    with capture_scope(CaptureDevice()) as scope:
        x = scope.input("x", (3, 4)) * 1
        with pytest.raises(ValueError, match="could not broadcast") as caught:
            x[0] = other
        with pytest.raises(ValueError, match="sequence") as element:
            x[0, 0] = other
    assert told(caught) == (
        "setitem: could not broadcast input array from shape (7,) into shape (4,)\n" + HERE
    )
    assert told(element) == "setitem: setting an array element with a sequence\n" + HERE
