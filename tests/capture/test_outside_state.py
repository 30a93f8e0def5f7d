"""State kept in arrays outside the scope: shared ones cannot be written, others are warned of."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from capture import TensorSpec, trace
from capture.scope import LostStateWarning

LARGE = np.zeros(20_000)
SMALL = np.zeros(3)
HELD = SimpleNamespace(large=np.zeros(20_000), small=np.zeros(3))
SPEC, LARGE_SPEC = TensorSpec((3,), np.float64), TensorSpec((20_000,), np.float64)


def write_module(x):
    y = x + LARGE
    LARGE[0] = 5
    return y


def write_attribute(x):
    y = x + HELD.large
    HELD.large[0] = 5
    return y


def write_row(x):
    y = LARGE.reshape(100, 200)[0] + x[:200]
    LARGE[0] = 5
    return y


def write_turned(x):
    y = x.reshape(200, 100) + LARGE.reshape(100, 200).T
    LARGE[0] = 5
    return y


def add_in_place(x):
    global LARGE
    y = x + LARGE
    LARGE += 1
    return y


@pytest.mark.parametrize(
    "program", [write_module, write_attribute, write_turned, add_in_place]
)
def test_an_array_that_the_graph_shares_cannot_be_written_to(program):
    with pytest.raises(ValueError, match="read-only"):
        trace(program, LARGE_SPEC)
    for array in (LARGE, HELD.large):
        assert array.flags.writeable
        assert not array.any()


def test_the_refusal_says_what_to_do():
    with pytest.raises(ValueError, match="read-only") as caught:
        trace(write_module, LARGE_SPEC)
    (note,) = caught.value.__notes__
    assert note.startswith(f"  at {__file__}:")
    assert "ways out: a graph shares large arrays until its scope closes" in note


def test_a_part_that_was_copied_stays_as_it_was_read():
    with pytest.warns(LostStateWarning):
        graph = trace(write_row, LARGE_SPEC)
    assert not graph(np.zeros(20_000)).any()
    LARGE[0] = 0


def test_two_views_of_one_array_are_given_back():
    whole = np.zeros(40_000)
    first, second = whole[:20_000], whole[20_000:]
    graph = trace(lambda x: x + first + second, LARGE_SPEC)
    assert len(graph.nodes) == 2
    for array in (first, second, whole):
        assert array.flags.writeable


def count_module(x):
    global SMALL
    y = x + SMALL
    SMALL += 1
    return y


def count_attribute(x):
    y = x + HELD.small
    HELD.small[0] += 1
    return y


@pytest.mark.parametrize(
    ("program", "name"), [(count_module, "SMALL"), (count_attribute, "small")]
)
def test_state_that_is_read_before_it_is_written_is_warned_of(program, name):
    SMALL[:] = HELD.small[:] = 0
    with pytest.warns(LostStateWarning, match=f"constant .*{name} is an array from outside"):
        graph = trace(program, SPEC)
    assert not graph(np.zeros(3)).any()


def test_a_buffer_that_is_filled_before_it_is_read_is_not():
    def program(x):
        for step in range(3):
            HELD.small[:] = step
            x = x * 2 + HELD.small
        return x

    graph = trace(program, SPEC)
    np.testing.assert_array_equal(graph(np.zeros(3)), np.full(3, 4.0))


def test_a_local_array_is_nobodys_state():
    def program(x):
        window = np.hanning(3)
        y = x * window
        window[0] = 9
        return y

    trace(program, SPEC)


class Average:
    def __init__(self):
        self.mean = np.zeros(3)

    def __call__(self, x):
        self.mean = 0.9 * self.mean + 0.1 * x
        return x - self.mean


def test_an_attribute_that_is_bound_to_a_captured_value_is_warned_of():
    with pytest.warns(
        LostStateWarning, match="^mean held an array and was bound to a captured"
    ):
        graph = trace(Average(), SPEC)
    np.testing.assert_allclose(graph(np.ones(3)), np.full(3, 0.9))


def test_an_attribute_that_is_set_before_it_is_read_is_warned_of_no_less():
    holder = SimpleNamespace(last=np.zeros(3))

    def program(x):
        holder.last = x * 2
        return holder.last + 1

    with pytest.warns(LostStateWarning, match="^last held an array"):
        trace(program, SPEC)


def test_what_a_block_at_module_level_binds_is_its_result():
    code = (
        "import numpy as np\n"
        "from capture import CaptureDevice, capture_scope\n"
        "x = np.ones(3)\n"
        "with capture_scope(CaptureDevice()) as scope:\n"
        "    x = scope.input('x', (3,))\n"
        "    scope.output('y', x + 1)\n"
    )
    exec(compile(code, "notebook.py", "exec"), {"__name__": "notebook"})
