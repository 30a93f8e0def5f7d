"""Views of arrays with symbolic sizes: as NumPy's for every size, or refused on write."""

import numpy as np
import pytest

from capture import CaptureDevice, capture_scope
from capture.errors import AliasingError
from ir import Dim
from tests.capture.telling import HERE, told

VIEWS = {
    "slice": lambda x: x[1:3],
    "steps": lambda x: x[::2, ::-1],
    "transpose": lambda x: x.T,
    "newaxis": lambda x: x[:, None],
    "ellipsis": lambda x: x[...],
    "ravel": lambda x: x.ravel(),
}


def sizes_agree(program, sizes, shape, minimum=0):
    with capture_scope(CaptureDevice()) as scope:
        x = scope.input("x", (Dim("n", min=minimum), *shape), np.float64)
        scope.output("y", program(x))
    for size in sizes:
        array = np.arange(float(size * int(np.prod(shape)))).reshape(size, *shape)
        np.testing.assert_array_equal(scope.graph(array), program(array.copy()))


@pytest.mark.parametrize("name", VIEWS)
def test_views_of_symbolic_arrays_write_to_their_base(name):
    def program(x):
        y = x * 1
        VIEWS[name](y)[...] = -1
        return y

    sizes_agree(program, (0, 1, 2, 5), (4,))


def test_reshape_of_a_contiguous_symbolic_array_is_a_view():
    def program(x):
        y = x * 1
        y.reshape(-1, 2)[:, 0] = -1
        return y

    sizes_agree(program, (0, 1, 3), (4,))


def test_a_symbolic_reshape_of_a_transposed_view_may_be_read():
    def program(x):
        return x.T.reshape(-1) * 2

    sizes_agree(program, (0, 1, 2, 5), (4,))


def test_a_symbolic_reshape_of_a_transposed_view_is_refused_only_on_write():
    with capture_scope(CaptureDevice()) as scope:
        y = scope.input("x", ("n", 4)) * 1
        flat = y.T.reshape(-1)
        total = flat.sum()
        with pytest.raises(AliasingError) as caught:
            flat[0] = 9
        scope.output("total", total)
    assert told(caught) == (
        "reshape: whether this f32[4*n] is a view or a copy depends on a symbolic size, so the "
        f"write is ambiguous\n{HERE}\n  ways out: call .copy() before writing"
    )


def test_reading_an_ambiguous_reshape_after_its_base_was_written_is_refused():
    with capture_scope(CaptureDevice()) as scope:
        y = scope.input("x", ("n", 4)) * 1
        flat = y.T.reshape(-1)
        y[0] = 9
        with pytest.raises(AliasingError) as caught:
            flat.sum()
    assert told(caught) == (
        "reshape: whether this f32[4*n] sees the write to its base depends on a symbolic size "
        f"(view or copy)\n{HERE}\n  ways out: call .copy() before writing"
    )


def test_a_copy_of_an_ambiguous_reshape_may_be_written():
    def program(x):
        flat = x.T.reshape(-1).copy()
        flat[:2] = 9
        return flat

    sizes_agree(program, (1, 2, 5), (4,))


def test_symbols_with_small_bounds_have_shadows():
    def program(x):
        y = x * 1
        y.T[1:].reshape(3, -1)[0] = -1
        return y

    with capture_scope(CaptureDevice()) as scope:
        x = scope.input("x", (Dim("n", min=2, max=3), 4), np.float64)
        y = x * 1
        y.T[1:][0] = -1
        scope.output("y", y)
    array = np.zeros((3, 4))
    array[:, 1] = -1
    np.testing.assert_array_equal(scope.graph(np.zeros((3, 4))), array)
