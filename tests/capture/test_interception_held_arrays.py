"""Arrays that programs hold: looked up, written to, and restored."""

import dataclasses
import functools
import io
import types

import numpy as np
import pytest

import capture
from capture import CaptureDevice, TensorSpec, capture_scope, trace
from capture.errors import ConcreteValueError, LostWriteError
from tests.capture.interception_kit import run

TABLE = np.arange(12.0).reshape(4, 3)
X = TensorSpec((3,), np.float32)
INDEX = TensorSpec((2,), np.int64)
EMPTY_LIKE = {"make": np.zeros, "join": np.concatenate, "table": np.arange(5.0)}
VECTOR = np.array([3, 1, 2])


class Holder:
    scale = np.array([1.0, 10.0, 100.0, 1000.0])
    make = np.zeros
    root = np.sqrt

    def __init__(self):
        self.table = np.arange(8.0).reshape(4, 2)
        self.parts = [np.arange(4.0), {"w": np.arange(4) * 2.0}]
        self.pair = (np.arange(4.0) ** 2, "text")

    def __call__(self, i):
        made = self.make(2)
        made[...] = self.root(self.table[i][:, 0])
        return (
            made + self.parts[0][i] + self.parts[1]["w"][i] + self.pair[0][i] + self.scale[i]
        )


class Slotted:
    __slots__ = ("table",)

    def __init__(self):
        self.table = np.arange(8.0)


@dataclasses.dataclass(frozen=True)
class Frozen:
    table: np.ndarray

    def look(self, i):
        return self.table[i]


HOLDER, SLOTTED, FROZEN = Holder(), Slotted(), Frozen(np.arange(4.0) * 3)


def closure():
    table, other = np.arange(5.0), {"k": [np.arange(5.0) * 2]}

    def inner(i, more=np.arange(5.0) * 3, *, last=np.arange(5.0) * 4):  # noqa: B008
        return table[i] + other["k"][0][i] + more[i] + last[i]

    return inner


def generator_of(rows):
    yield from rows


def look_up(table, i):
    return table[i]


@pytest.mark.parametrize(
    "program",
    [
        HOLDER,
        Holder().__call__,
        closure(),
        functools.partial(look_up, np.arange(5.0)),
        functools.partial(closure(), last=np.arange(5.0)),
        lambda i: SLOTTED.table[i],
        lambda i: FROZEN.look(i),
        lambda i: TABLE[i] + VECTOR[i][:, None],
        lambda i: TABLE.T.dot(np.eye(4)[i].T),
        lambda i: EMPTY_LIKE["join"]([EMPTY_LIKE["make"](2), EMPTY_LIKE["table"][i]]),
        lambda i: np.array(list(generator_of(TABLE[i]))),
    ],
)
def test_held_arrays_and_functions(program):
    i = np.array([2, 1])
    want = program(i)
    held = {k: id(v) for k, v in vars(HOLDER).items()}
    np.testing.assert_array_equal(
        run(program, i, specs=(TensorSpec((2,), np.int64, "i"),)), want
    )
    assert {k: id(v) for k, v in vars(HOLDER).items()} == held
    assert type(Holder.scale) is np.ndarray
    assert Holder.make is np.zeros
    assert type(SLOTTED.table) is type(FROZEN.table) is np.ndarray


def test_arguments_that_hold_arrays():
    weights = {"emb": np.arange(8.0).reshape(4, 2), "layers": [Holder()]}
    packed = types.SimpleNamespace(table=np.arange(4.0))

    def program(i, holder, packed):
        return holder.table[i] + packed.table[i][:, None]

    graph = trace(program, INDEX, weights["layers"][0], packed)
    i = np.array([3, 0])
    np.testing.assert_array_equal(graph(i), program(i, weights["layers"][0], packed))
    assert type(packed.table) is np.ndarray


def test_a_scope_reaches_what_its_caller_holds():
    holder = Holder()
    with capture_scope(CaptureDevice()) as scope:
        i = scope.input("i", (2,), np.int64)
        scope.output("y", holder(i))
    want = holder(np.array([1, 3]))
    np.testing.assert_array_equal(scope.graph(np.array([1, 3])), want)
    assert type(holder.table) is np.ndarray


def test_changes_made_to_holders_inside_stay():
    holder = Holder()
    mine = [np.arange(3.0)]

    def program(x):
        mine.insert(0, "first")
        holder.extra = 5
        del holder.pair
        holder.table = "new"
        return x * mine[1][x.astype(int)]

    trace(program, X)
    assert mine[0] == "first"
    assert type(mine[1]) is np.ndarray
    assert (holder.extra, holder.table) == (5, "new")
    assert not hasattr(holder, "pair")


class Cache:
    """Keeps what it has seen in an array of its own."""

    def __init__(self):
        self.rows = np.zeros((4, 3), np.float32)
        self.total = np.zeros(3, np.float32)

    def step(self, x, at):
        self.rows[at] = x
        self.rows[at + 1 :] += 1
        self.total += x
        return self.rows[: at + 2] * self.total


def test_state_kept_in_objects_enters_the_graph():
    cache = Cache()
    graph = trace(lambda x: cache.step(x, 1), X)
    assert not cache.rows.any()
    assert not cache.total.any()
    x = np.array([1, 2, 3], np.float32)
    np.testing.assert_array_equal(graph(x), Cache().step(x, 1))
    np.testing.assert_array_equal(cache.step(x, 1), graph(x))


def test_state_that_others_see_is_refused():
    cache = Cache()
    seen = cache.rows

    with pytest.raises(LostWriteError, match="copy it inside the scope"):
        trace(lambda x: cache.step(x, 1), X)
    assert seen is cache.rows
    view = Cache()
    first = view.rows[0]
    with pytest.raises(LostWriteError):
        trace(lambda x: view.step(x, 1), X)
    assert not first.any()


def test_state_through_a_local_name_is_refused():
    cache = Cache()

    def program(x):
        rows = cache.rows
        rows[0] = x
        return cache.rows

    with pytest.raises(LostWriteError):
        trace(program, X)


def test_state_of_an_inner_scope_does_not_leak_into_the_outer_one():
    cache = Cache()
    with capture_scope(CaptureDevice()) as outer:
        graph = trace(lambda x: cache.step(x, 0), X)
        y = outer.input("y", (3,))
        outer.output("z", cache.step(y, 0))
    x = np.array([1, 2, 3], np.float32)
    want = Cache().step(x, 0)
    np.testing.assert_array_equal(graph(x), want)
    np.testing.assert_array_equal(outer.graph(x), want)


def test_augmented_assignment_to_a_local_array():
    def program(x, start):
        start += x
        return start

    start = np.ones(3)
    with capture_scope(CaptureDevice()) as scope:
        x = scope.input("x", (3,))
        total = np.frombuffer(b"\0" * 24)
        total = total + x
        scope.output("y", total)
    with capture_scope(CaptureDevice(), intercept=False) as scope:
        x = scope.input("x", (3,))
        alone = np.ones(3)
        alone += x
        assert alone.dtype == np.float64
        narrow = np.ones(3, np.float16)
        narrow += x
        assert narrow.dtype == np.float16
        scope.output("y", alone)
        scope.output("z", narrow)
        with pytest.raises(LostWriteError, match="others may read"):
            program(x, start)  # the caller still has it
        whole = np.ones((2, 3))
        row = whole[0]
        with pytest.raises(LostWriteError):
            row += x
        for line in whole:
            with pytest.raises(LostWriteError):
                line *= x
        with pytest.raises(LostWriteError):
            whole[0] += x
        with pytest.raises(LostWriteError):
            np.add(whole, x, out=whole)
        counts = np.ones(3, np.int64)
        with pytest.raises(TypeError):
            counts += x
        small = np.ones(3)
        with pytest.raises(ValueError, match="broadcast"):
            small += np.ones((2, 3)) * x
        assert (whole == 1).all()
    np.testing.assert_array_equal(scope.graph(np.zeros(3, np.float32))[0], [1, 1, 1])


def test_augmented_assignment_to_a_local_of_the_scopes_caller():
    total = np.ones(3)
    with capture_scope(CaptureDevice()) as scope:
        x = scope.input("x", (3,))
        total += x
        scope.output("y", total)
    np.testing.assert_array_equal(scope.graph(np.zeros(3, np.float32)), np.ones(3))


def test_locals_of_the_scopes_caller_stay():
    kept = np.ones(3)
    everything = locals()
    with capture_scope(CaptureDevice()) as scope:
        scope.output("y", scope.input("x", (3,)) * everything["kept"])
    assert everything["kept"] is kept


def test_a_constant_met_before_may_still_be_rebound():
    with capture_scope(CaptureDevice(), intercept=False) as scope:
        x = scope.input("x", (3,))
        acc = np.ones(3, np.float32)
        y = acc * x
        acc += x
        scope.output("y", y + acc)
    np.testing.assert_array_equal(scope.graph(np.full(3, 2, np.float32)), [5, 5, 5])


def test_module_arrays_written_to():
    def program(x):
        TABLE[0] = x
        return TABLE * 1

    with pytest.raises(LostWriteError):
        trace(program, X)  # the picture of this test's fixtures holds it too
    assert TABLE[0, 1] == 1.0


def test_what_cannot_be_lifted_says_what_to_write():
    file = io.BytesIO()
    np.save(file, np.arange(3.0))

    def program(i):
        file.seek(0)
        table = np.load(file)
        return table[i]

    with pytest.raises(ConcreteValueError, match=r"capture\.constant"):
        trace(program, INDEX)

    def fixed(i):
        file.seek(0)
        return capture.constant(np.load(file))[i]

    np.testing.assert_array_equal(trace(fixed, INDEX)(np.array([1, 0])), [1.0, 0.0])


def test_plain_arrays_written_element_by_element():
    def program(x):
        made = np.ndarray(3)  # a type, so never intercepted
        made[0] = x[0]
        return made

    with pytest.raises(LostWriteError, match=r"capture\.constant"):
        trace(program, X)


def test_the_users_own_arrays_are_not_copied_by_coercion():
    def program(x):
        same = np.asarray(TABLE)
        same[0] = x
        return TABLE * 1

    with pytest.raises(LostWriteError):
        trace(program, X)
