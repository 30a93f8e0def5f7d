"""Writes of captured values into plain ndarrays: refused, with the ndarray unchanged."""

import numpy as np
import pytest

from capture import CaptureDevice, capture_scope
from capture.errors import LostWriteError
from tests.capture.telling import HERE, told

# a is a plain f32[3,4], x a captured f32[3,4], s a captured scalar, i captured integers
OUT = {
    "np.add": lambda a, x, s: np.add(a, x, out=a),
    "np.add in a tuple": lambda a, x, s: np.add(a, x, out=(a,)),
    "np.add positional": lambda a, x, s: np.add(a, x, a),
    "np.exp": lambda a, x, s: np.exp(x, out=a),
    "np.add with where": lambda a, x, s: np.add(a, x, out=a, where=a == 0),
    "np.sum": lambda a, x, s: np.sum(x, out=a[0, 0, ...]),
    "np.sum over an axis": lambda a, x, s: np.sum(x, axis=0, out=a[0]),
    "x.sum": lambda a, x, s: x.sum(axis=0, out=a[0]),
    "np.mean": lambda a, x, s: np.mean(x, axis=0, out=a[0]),
    "np.max": lambda a, x, s: np.max(x, axis=0, out=a[0]),
    "np.any": lambda a, x, s: np.any(x > 0, axis=0, out=np.zeros(4, bool)),
    "np.argmax": lambda a, x, s: np.argmax(x, axis=0, out=np.zeros(4, np.int64)),
    "np.clip": lambda a, x, s: np.clip(x, 0, 1, out=a),
    "np.round": lambda a, x, s: np.round(x, out=a),
    "np.matmul": lambda a, x, s: np.matmul(x, x.T, out=a[:, :3]),
    "np.dot": lambda a, x, s: np.dot(x, x.T, out=a[:, :3]),
    "np.concatenate": lambda a, x, s: np.concatenate([x, x[:0]], out=a),
    "np.stack": lambda a, x, s: np.stack([x[0], x[1], x[2]], out=a),
}
DESTINATIONS = {
    "copyto": lambda a, x, s: np.copyto(a, x),
    "place": lambda a, x, s: np.place(a, a == 0, x),
    "put": lambda a, x, s: np.put(a, [0], x[0, 0]),
    "putmask": lambda a, x, s: np.putmask(a, a == 0, x),
    "put_along_axis": lambda a, x, s: np.put_along_axis(a, np.zeros((3, 1), int), x[:, :1], 1),
}


def lost(operation, shown):
    return (
        f"{operation}: the result is to be written into a plain ndarray {shown}, which cannot "
        f"record it, and which others may read\n{HERE}\n  ways out: x = x + y instead of x += y or "
        "out=x; or make the array inside the scope, with capture.constant(array) or x.copy()"
    )


def outside():
    return np.zeros((3, 4), np.float32)


def attempt(use):
    """Run a write in a scope; return the error and the ndarray."""
    a = outside()
    with capture_scope(CaptureDevice(), intercept=False) as scope:
        x = scope.input("x", (3, 4)) * 1
        with pytest.raises(LostWriteError) as caught:
            use(a, x, x[0, 0])
    np.testing.assert_array_equal(a, outside())
    return caught


@pytest.mark.parametrize("name", OUT)
def test_out_is_refused(name):
    operation = name.split()[0].removeprefix("np.").removeprefix("x.")
    if operation in ("add", "exp", "matmul"):
        columns = 3 if operation == "matmul" else 4
        assert told(attempt(OUT[name])) == lost(operation, f"float32[3, {columns}]")
        return
    assert told(attempt(OUT[name])) == (
        f"{operation}: out= is a plain ndarray, which cannot record the write\n{HERE}\n  ways "
        "out: leave out= away, or make it with capture.constant(array)"
    )


@pytest.mark.parametrize("name", DESTINATIONS)
def test_a_plain_destination_is_refused(name):
    assert told(attempt(DESTINATIONS[name])) == (
        f"{name}: the destination is a plain ndarray, which cannot record the write\n{HERE}\n  "
        "ways out: let it enter the scope before it is written to: array = capture.constant(array)"
    )


def test_full_like_of_an_ndarray_with_a_captured_value_is_refused():
    caught = attempt(lambda a, x, s: np.full_like(a, s))
    assert told(caught).startswith("copyto: the destination is a plain ndarray")
    assert HERE in told(caught)


@pytest.mark.parametrize("ufunc", [np.add, np.subtract, np.multiply, np.maximum])
def test_ufunc_at_is_refused(ufunc):
    a = outside()
    with capture_scope(CaptureDevice(), intercept=False) as scope:
        x = scope.input("x", (4,))
        with pytest.raises(TypeError) as caught:
            ufunc.at(a, 0, x)
    assert ufunc.__name__ in told(caught)
    assert HERE in told(caught)
    np.testing.assert_array_equal(a, outside())


def refused_assignment(write, shown, message=None):
    a = outside()
    with capture_scope(CaptureDevice(), intercept=False) as scope:
        x = scope.input("x", (3, 4)) * 1
        with pytest.raises(LostWriteError) as caught:
            write(a, x)
    np.testing.assert_array_equal(a, outside())
    assert told(caught) == message or told(caught) == (
        f"setitem: a plain ndarray cannot be written to with a captured {shown} as value or index, "
        f"it would not record the write\n{HERE}\n  ways out: let the array enter the scope before "
        "it is written to: array = capture.constant(array)"
    )


def test_assigning_a_row_is_refused():
    def write(a, x):
        a[0] = x[0]

    refused_assignment(write, "f32[4]")


def test_assigning_a_slice_is_refused():
    def write(a, x):
        a[1:] = x[1:]

    refused_assignment(write, "f32[2,4]")


def test_assigning_everything_is_refused():
    def write(a, x):
        a[...] = x

    refused_assignment(write, "f32[3,4]")


def test_assigning_by_a_mask_is_refused():
    def write(a, x):
        a[a == 0] = x[0, 0]

    refused_assignment(write, "f32[]")


def test_assigning_at_a_captured_index_is_refused():
    def write(a, x):
        a[x.argmax()] = 1

    refused_assignment(write, "i64[]")


def test_augmenting_a_row_is_refused():
    def write(a, x):
        a[0] += x[0]

    refused_assignment(write, "f32[4]", lost("add", "float32[4]"))


def test_assigning_in_a_loop_is_refused():
    def write(a, x):
        for number, row in enumerate(x):
            a[number] = row * 2

    refused_assignment(write, "f32[4]")


def test_assigning_one_element_is_refused_and_numpys_error_names_the_cause():
    a = outside()
    with capture_scope(CaptureDevice(), intercept=False) as scope:
        x = scope.input("x", (3, 4))
        with pytest.raises(ValueError, match="setting an array element") as caught:
            a[0, 0] = x[0, 0]
    np.testing.assert_array_equal(a, outside())
    cause = caught.value.__cause__
    assert type(cause) is LostWriteError
    assert str(cause).startswith(
        "setitem: a plain ndarray cannot be written to with a captured f32[]"
    )


@pytest.mark.parametrize("method", ["fill", "put", "itemset"])
def test_writing_methods_are_refused(method):
    a = outside()
    arguments = {"fill": (), "put": ([0],), "itemset": (0,)}[method]
    with capture_scope(CaptureDevice(), intercept=False) as scope:
        s = scope.input("x", (3, 4))[0, 0]
        with pytest.raises((TypeError, ValueError, AttributeError)):
            getattr(a, method)(*arguments, s)
    np.testing.assert_array_equal(a, outside())


def test_const_plus_equals_rebinds():
    const = np.array([1, 2], np.float32)
    with capture_scope(CaptureDevice(), intercept=False) as scope:
        const += scope.input("x", (2,))
        scope.output("y", const)
    np.testing.assert_array_equal(scope.graph(np.float32([10, 20])), [11, 22])


@pytest.mark.parametrize("share", [lambda c: c, lambda c: c[1:], lambda c: [c]])
def test_const_plus_equals_is_refused_where_others_would_miss_it(share):
    const = np.array([1, 2], np.float32)
    other = share(const)
    with capture_scope(CaptureDevice(), intercept=False) as scope:
        x = scope.input("x", (2,))
        with pytest.raises(LostWriteError) as caught:
            const += x
    assert told(caught) == lost("add", "float32[2]")
    np.testing.assert_array_equal(const, [1, 2])
    assert other is not None


@pytest.mark.parametrize("sign", ["+=", "-=", "*=", "/=", "**=", "//=", "%="])
def test_every_augmented_assignment_of_a_constant_rebinds(sign):
    value = np.float64([[2, 2], [1, 1]])
    want = {"c": np.array([[1.0, 2], [3, 4]]), "v": value}
    exec(f"c {sign} v", want)
    names = {"c": np.array([[1.0, 2], [3, 4]])}
    with capture_scope(CaptureDevice(), intercept=False) as scope:
        names["v"] = scope.input("x", (2, 2), np.float64)
        exec(f"c {sign} v", names)
        scope.output("y", names["c"])
    np.testing.assert_array_equal(scope.graph(value), want["c"])


def test_the_way_out_works():
    a = outside()
    with capture_scope(CaptureDevice(), intercept=False) as scope:
        x = scope.input("x", (3, 4))
        made = scope.constant(a)
        made[0] = x[0]
        np.add(made, x, out=made)
        np.copyto(made[2], x[0])
        scope.output("y", made)
    np.testing.assert_array_equal(a, outside())
    values = np.arange(12, dtype=np.float32).reshape(3, 4)
    want = outside()
    want[0] = values[0]
    want += values
    want[2] = values[0]
    np.testing.assert_array_equal(scope.graph(values), want)


def test_known_values_may_be_written_into_plain_arrays():
    a = outside()
    with capture_scope(CaptureDevice(), intercept=False) as scope:
        a[0] = scope.constant(np.float32([1, 2, 3, 4])) * 2
    np.testing.assert_array_equal(a[0], [2, 4, 6, 8])
