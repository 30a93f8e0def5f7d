"""``cond``, ``while_loop``, ``fori_loop``, ``scan``, ``map`` and ``switch`` against plain NumPy."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest

import capture
from capture import CaptureDevice, capture_scope, cond, fori_loop, scan, switch, while_loop
from capture.errors import AliasingError
from capture.weak import SymbolicFloat, WeakInt
from tests.control_flow.ways import assert_captures

F32 = np.float32
X = np.arange(4, dtype=F32) - 1
N = {0: {0: "n"}}


def test_a_counter_is_weak_as_a_python_int():
    def program(x):
        return fori_loop(0, x.shape[0], lambda i, total: total + x[i] * i, F32(0))

    assert_captures(program, (X,), (X[:3],), (X[:0],), dynamic=N)


def test_python_numbers_stay_weak():
    def program(x):
        scale, steps = while_loop(
            lambda v: v[0] < x[2], lambda v: (v[0] * 2, v[1] + 1), (0.125, 0)
        )
        return x * scale, x * steps, scale, steps

    assert_captures(program, (X,), (X + 5,))


def test_a_number_that_meets_an_array_becomes_strong():
    def program(x):
        return fori_loop(0, 3, lambda i, total: total + x[i], 0)

    assert_captures(program, (X,))


def test_sizes_as_carries_and_bounds():
    def program(x):
        halved = while_loop(lambda n: n > 3, lambda n: n // 2, x.shape[0])
        return x * halved, fori_loop(1, x.shape[0] - 1, lambda i, v: v + i, 0)

    assert_captures(program, (X,), (np.ones(13, F32),), dynamic=N)


def test_a_carry_written_in_place_is_the_array_that_entered():
    def program(x):
        def body(i, v):
            v[i] = v[i] * 2
            return v

        return fori_loop(0, 3, body, x), x

    assert_captures(program, (X,))


def test_a_carry_written_and_then_replaced():
    """Only the first trip writes into the array that entered."""

    def program(x):
        def body(i, v):
            v[0] = v[0] * 2 + 1
            return v + 1

        return fori_loop(0, 3, body, x), x

    assert_captures(program, (X,))


def test_writes_to_views_of_arrays_around():
    def program(x):
        buffer = np.zeros(4, F32)
        view = buffer[1:]

        def body(i, a):
            view[i] = a
            return a * 2

        last = fori_loop(0, 3, body, x[1] + 3)
        cond(x[0] > 0, lambda: view.__setitem__(0, 9), lambda: None)
        return buffer, view, last

    assert_captures(program, (X,), (X + 5,))


def test_arrays_made_and_written_inside():
    def program(x):
        def body(i, a):
            y = x.copy()
            y[0] = a
            z = np.array([1.0, 2.0], F32)
            z[1] = a
            return y.sum() + z.sum()

        return fori_loop(0, 3, body, F32(1))

    assert_captures(program, (X,))


def test_a_result_may_be_an_array_from_around():
    def program(x):
        y = cond(x[0] > 0, lambda: x, lambda: x * 2)
        y[0] = 7
        x[1] = 9
        z = cond(x[2] > 0, lambda: x[2:], lambda: x[2:] * 2)
        z += 7
        return x, y, z

    assert_captures(program, (X,), (X + 5,), (X - 5,))


def test_no_trip_gives_the_array_that_entered():
    def program(x, n):
        y = fori_loop(0, n, lambda i, v: v * 2, x)
        y += 1
        return x, y

    assert_captures(program, (X, np.int64(2)), (X, np.int64(0)))


def test_a_view_read_for_the_first_time_inside():
    def program(x):
        view = x[1:]
        x[1] = 5
        return cond(x[0] > 0, lambda: view.sum(), lambda: view.sum() * 2), view * 2

    assert_captures(program, (X,), (X + 3,))


def test_growing_carries():
    def program(x, n):
        return fori_loop(0, n, lambda i, v: np.concatenate([v, v[-1:] + 1]), x)

    assert_captures(program, (X, np.int64(3)), (X, np.int64(0)))


def test_sizes_that_depend_on_data():
    def program(x):
        mask = x > 0
        a, b = cond(x.sum() > 0, lambda: (x[mask], x[mask] * 2), lambda: (x, x))
        return a + b, x[mask]

    assert_captures(program, (X,), (X - 9,), (X + 1,))


def test_trees():
    @dataclasses.dataclass
    class State:
        a: Any
        b: Any

    def program(x):
        def body(i, carried):
            state = carried["state"]
            return {
                "state": State(state.a + 1, state.b * 2),
                "more": (carried["more"][0] + 1,),
            }

        end = fori_loop(0, 3, body, {"state": State(x, x), "more": (0,)})
        return end["state"].a, end["state"].b, end["more"][0]

    assert_captures(program, (X,))


def test_nesting():
    def program(x):
        def body(i, v):
            return cond(
                v[i] > 0,
                lambda: fori_loop(0, i, lambda j, w: w + x[j], v),
                lambda: cond(i > 1, lambda: v * 2, lambda: v - 1),
            )

        return fori_loop(0, 4, body, x)

    assert_captures(program, (X,), (X + 3,), (-X,))


def test_functions_in_loops_and_loops_in_functions():
    @capture.function
    def inner(a, b):
        return fori_loop(0, 2, lambda i, v: v + b, a)

    def program(x):
        return fori_loop(0, 3, lambda i, v: inner(v, x) * F32(0.5), x)

    assert_captures(program, (X,))


def test_large_constants_enter_as_operands():
    weights = np.arange(400, dtype=F32).reshape(20, 20) / 400

    def program(x):
        return fori_loop(0, 3, lambda i, v: np.tanh(v @ weights), x)

    assert_captures(program, (np.ones(20, F32),), rtol=1e-5)


def test_known_values_inside_a_body_are_known():
    def program(x):
        def body(i, v):
            count = np.array(0)
            while count < 3:
                count = count + 1
                v = v + 1
            return v

        return fori_loop(0, x.shape[0], body, x)

    assert_captures(program, (X,), (X[:2],), dynamic=N)


def test_random_values_inside_are_drawn_on_every_trip():
    def program(x):
        def step(carry, row):
            return carry, capture.random.uniform(size=(3,), dtype=F32) + row * 0

        return scan(step, 0, x)[1]

    rows = capture.trace(program, np.zeros((4, 1), F32))(np.zeros((4, 1), F32))
    assert len(np.unique(rows)) > 6


def test_scan_elements_are_views_and_no_step_is_fine():
    def program(x):
        def step(total, row):
            row[0] = total
            return total + 1, row.sum()

        return *scan(step, F32(0), x), x

    rows = np.ones((3, 2), F32)
    open_rows = {0: {0: "n"}}
    assert_captures(program, (rows,), (rows[:1],), dynamic=open_rows)
    graph = capture.trace(lambda x: capture.map(lambda r: r * 2, x), rows, dynamic=open_rows)
    assert graph(rows[:0]).shape == (0, 2)


@pytest.mark.parametrize("index", [-1, 0, 1, 2, 7])
def test_switch_clamps(index):
    def program(x, k):
        return switch(k, [lambda: x, lambda: x * 2, lambda: x - 1])

    assert_captures(program, (X, np.int64(index)))


def test_results_are_scalars_or_arrays_as_in_numpy():
    with capture_scope(CaptureDevice()) as scope:
        x = scope.input("x", (4,), F32)
        scalar = cond(x[0] > 0, lambda: x[1], lambda: x[2])
        array = cond(x[0] > 0, lambda: np.array(x[1]), lambda: np.array(x[2]))
        count = fori_loop(0, x[0].astype(int), lambda i, n: n + 1, 0)
        scale = cond(x[0] > 0, lambda: 1.0, lambda: 2.0)
        assert scalar.is_scalar
        assert not array.is_scalar
        assert type(count) is WeakInt
        assert type(scale) is SymbolicFloat
        assert (x * scale).dtype == F32


def test_plain_numpy_runs_as_it_is():
    assert cond(True, lambda a: a + 1, lambda a: a, 1) == 2
    assert fori_loop(0, 3, lambda i, v: v + i, 0) == 3
    assert while_loop(lambda v: v < 9, lambda v: v * 2, 1) == 16
    total, rows = scan(lambda c, r: (c + r, r * 2), 0, np.arange(3))
    assert (total, rows.tolist()) == (3, [0, 2, 4])
    assert capture.map(lambda r: r + 1, np.arange(2)).tolist() == [1, 2]
    assert switch(5, [lambda: 1, lambda: 2]) == 2


def _parts(x):
    y = cond(x[0] > 0, lambda: x[:2], lambda: x[2:])
    y += 5
    return x


def _parts_of_what_is_written(x):
    y = cond(x[0] > 0, lambda: x[:2], lambda: x[2:])
    x += 5
    return y


def _exchanged(x):
    z = x * -1
    a, b = cond(x[0] > 0, lambda: (z, x), lambda: (x, z))
    a[0] = 99
    return a, b


@pytest.mark.parametrize("program", [_parts, _parts_of_what_is_written, _exchanged])
def test_memory_shared_in_more_ways_than_a_write_can_follow_is_refused(program):
    with pytest.raises(AliasingError, match="several arrays may share memory"):
        capture.trace(program, X)


def test_one_of_two_arrays_may_be_written():
    def program(x):
        z = x + 9
        y = cond(x[0] > 0, lambda: x, lambda: z)
        x[1] = 7
        z[2] = 8
        y[0] = 99
        return x, z, y

    assert_captures(program, (X,), (X + 5,), (X - 5,))
