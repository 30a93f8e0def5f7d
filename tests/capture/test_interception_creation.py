"""Creation, coercion, lists, iterators and libraries inside a scope."""

import functools
import math

import numpy as np
import pytest

from capture import CaptureDevice, TensorSpec, capture_scope, trace
from capture.errors import CaptureError, ConcreteValueError, UnsupportedError
from tests.capture.interception_kit import run

TABLE = np.arange(12.0).reshape(4, 3)
INDEX = TensorSpec((2,), np.int64)


@pytest.mark.parametrize(
    "program",
    [
        lambda x: np.array([[x[0], -x[1], 0.0], [0.0, 1.0, 2.0]]),
        lambda x: np.array([x, [1, 2, 3]], dtype=np.float16),
        lambda x: np.asarray((x[0], 1, True)),
        lambda x: np.array([[1, 2], [x[0], x[1]]]).dtype.itemsize * x,
        lambda x: np.r_[x, 0, x[0]],
        lambda x: np.c_[x, x],
        lambda x: np.full((2, 3), x),
        lambda x: np.full(2, x[0]),
        lambda x: np.max([x[0], x[1]]) + np.sum([x, x], axis=0),
        lambda x: np.maximum.reduce([x, -x, x * 2]),
        lambda x: np.logical_and.reduce([x > 0, x < 2]),
        lambda x: np.add([x[0], x[1]], 1),
        lambda x: np.sqrt([x[0], x[1]]),
        lambda x: np.hypot(*x[:2]),
        lambda x: max(x) + min(x[0], 0.5) + max([x[1], x[2]], default=0),
        lambda x: sum(x) + sum(v * v for v in x),
        lambda x: math.hypot(x[0], x[1]) + math.atan2(x[1], x[0]) + math.floor(x[2]),
        lambda x: np.array([math.exp(v) for v in x]),
        lambda x: [*map(abs, x), *reversed(x)][0] + divmod(x[0], 2)[1] + pow(x[1], 2),
        lambda x: np.array(list(zip(x, x[::-1], strict=True))),
        lambda x: np.fromfunction(lambda i, j: i * x[0] + j, (2, 3)),
        lambda x: np.vectorize(lambda a, b: a * 0.1 + b)(x, 1),
        lambda x: np.vectorize(lambda a: (a, a + 1), otypes=[np.float32, "f8"])(x),
        lambda x: np.add.outer(x, x) + np.subtract.outer([1, 2, 3], x),
        lambda x: sum(i[0] * v for i, v in np.ndenumerate(x)),
        lambda x: np.zeros_like(x) + np.ones(x.shape, x.dtype) + np.empty(3, x.dtype) * 0 + x,
        lambda x: np.array(x, ndmin=3),
        lambda x: np.array(collections_of(x)),
        lambda x: np.eye(3)[np.argmax(x)],
        lambda x: np.linspace(0, 1, 4)[:3] * x,
        lambda x: np.lib.stride_tricks.as_strided(x, (2, 2), (4, 4)),
        lambda x: functools.reduce(np.add, [x, x, x]),
        lambda x: np.where([True, False, True], x, TABLE[0]),
        lambda x: {np.add: 1, np.sqrt: 2}[np.sqrt] * x,
        lambda x: x if isinstance(np.add, np.ufunc) and isinstance(x, np.ndarray) else None,
    ],
)
def test_creation_and_coercion(program):
    x = np.array([0.25, 1.5, 2.75], np.float32)
    want, got = program(x), run(program, x)
    if not isinstance(want, tuple):
        want, got = (want,), (got,)
    for w, g in zip(want, got, strict=True):
        assert (np.asarray(g).dtype, np.shape(g)) == (np.asarray(w).dtype, np.shape(w))
        np.testing.assert_allclose(g, w, rtol=1e-6)


class Pair(list):
    pass


def collections_of(x):
    return Pair([x[0], x[2]])


def test_wide_integers_keep_their_value():
    def program(x):
        return np.array([x[0], 1], dtype=np.uint64)

    x = np.array([2**63 + 1], np.uint64)
    np.testing.assert_array_equal(run(program, x), program(x))


def iterate_total(x):
    s = 0
    for value in np.nditer(x):
        s = s + value * 2
    return s


def iterate_twice(x):
    out = x.copy()
    with np.nditer(out, op_flags=["readwrite"]) as it:
        for value in it:
            value[...] = 2 * value
    return out


def iterate_indexed(x):
    out = np.zeros((2, 3))
    it = np.nditer(x, flags=["multi_index", "c_index"], op_flags=["readwrite"])
    while not it.finished:
        out[it.multi_index] = x[it.multi_index] * it.index
        it.iternext()
    return out


def iterate_transposed(x):
    return np.array([v * 1 for v in np.nditer(x.T)]), np.array(
        [v * 1 for v in np.nditer(x.T, order="C")]
    )


def iterate_pairs(x):
    out = np.zeros((2, 3))
    for a, b, c in np.nditer([x, x[:1], out], op_flags=[["readonly"]] * 2 + [["readwrite"]]):
        c[...] = a - b
    return out


def iterate_read_only(x):
    for value in np.nditer(x):
        value[...] = 0


def test_iterators():
    x = np.arange(6.0).reshape(2, 3)
    programs = iterate_total, iterate_twice, iterate_indexed, iterate_transposed, iterate_pairs
    for program in programs:
        for got, want in zip(
            np.atleast_1d(run(program, x)), np.atleast_1d(program(x)), strict=True
        ):
            np.testing.assert_array_equal(got, want)
    with pytest.raises(ValueError, match="read-only"):
        trace(iterate_read_only, x)
    with pytest.raises(UnsupportedError, match="nditer"):
        trace(iterate_total, TensorSpec(("n", 3), np.float64))
    with pytest.raises(UnsupportedError, match="external_loop"):
        trace(lambda x: list(np.nditer(x, flags=["external_loop"])), x)


def test_symbolic_sizes_in_vectorize_are_refused():
    with pytest.raises(UnsupportedError, match="vectorize"):
        trace(lambda x: np.vectorize(lambda a: a + 1)(x), TensorSpec(("n",), np.float64))


def test_arrays_as_truth_values_and_keys_are_refused():
    x = TensorSpec((3,), np.float32)
    for program in (
        lambda x: max(x, x * 2),
        lambda x: max([x, x], key=lambda v: v[0]),
        lambda x: sorted(x),
        lambda x: float(x[0]),
        lambda x: np.float64(x[0]),
        lambda x: math.gcd(x[0], 2),
        lambda x: range(x[0]),
        lambda x: [1, 2, 3][x.argmax()],
        lambda x: np.copyto(np.zeros(3, "i1").data, x),
    ):
        with pytest.raises((CaptureError, TypeError, ValueError)):
            trace(program, x)


def test_subclasses_of_ndarray():
    with capture_scope(CaptureDevice()):

        class Tagged(np.ndarray):
            def __new__(cls, data, tag):
                made = np.ndarray.__new__(cls, (3,))
                made[:] = data
                made.tag = tag
                return made

        tagged = Tagged([1, 2, 3], "a")
        assert type(tagged) is Tagged
        assert (tagged * 2).sum() == 12
        assert isinstance(tagged, np.ndarray)
        assert np.asarray(tagged) is not None


def test_subclasses_made_by_view():
    class Tagged(np.ndarray):
        def __new__(cls, data):
            return np.asarray(data, float).view(cls)

    with capture_scope(CaptureDevice()) as scope:
        tagged = Tagged([1, 2, 3])
        assert type(tagged) is Tagged
        assert tagged.sum() == 6
        assert not tagged.flags.writeable
        with pytest.raises(ConcreteValueError):
            Tagged(scope.input("x", (3,)))


def test_libraries_inside_a_scope():
    scipy_signal = pytest.importorskip("scipy.signal")
    linear_model = pytest.importorskip("sklearn.linear_model")
    rng = np.random.default_rng(0)
    model = linear_model.LinearRegression()
    with capture_scope(CaptureDevice()) as scope:
        x = scope.input("x", (5, 3))
        b, a = scipy_signal.butter(2, 0.2)
        assert type(b) is np.ndarray
        drawn = rng.normal(size=(8, 3))
        assert type(drawn) is np.ndarray
        model.fit(drawn, drawn @ [1.0, 2.0, 3.0])
        np.testing.assert_allclose(model.coef_, [1, 2, 3], rtol=1e-6)
        known = np.linspace(0, 1, 5)  # tracked, but its value is known
        np.testing.assert_allclose(scipy_signal.lfilter(b, a, known)[:1], [0.0])
        assert model.predict(TABLE).shape == (4,)
        with pytest.raises(ConcreteValueError):
            scipy_signal.lfilter(b, a, x)
        scope.output("y", x @ model.coef_.astype(np.float32))


def test_known_values_answer_python():
    with capture_scope(CaptureDevice()):
        a = np.arange(3)
        assert [int(v) for v in a] == [0, 1, 2]
        assert list(range(a[2])) == [0, 1]
        assert f"{np.ones(2).sum():.1f}" == "2.0"
        assert bool((a == [0, 1, 2]).all())
        assert np.array(["text"]).dtype.kind == "U"
        assert np.array([1j]).dtype.kind == "c"
        assert np.array([None, 1]).dtype == object
        assert np.zeros(2, object).dtype == object
        np.testing.assert_array_equal(a, [0, 1, 2])
