"""Symbolic sizes as Python numbers: arithmetic, decided comparisons, weak promotion."""

import math

import numpy as np
import pytest

import ir
from capture import (
    CaptureDevice,
    SymbolicInt,
    TensorSpec,
    capture_scope,
    control_flow,
    trace,
)
from capture.errors import ConcreteValueError
from ir import Dim
from ir.dims import evaluate, substitute
from tests.capture.telling import HERE, told

SIZE = (
    "\n  ways out: write it without the number (x.mean(0), np.zeros_like(x), x.reshape(n, -1) all "
    "work); or give the axis a fixed size in the input's shape"
)


@pytest.fixture
def scope():
    with capture_scope(CaptureDevice()) as opened:
        yield opened


@pytest.fixture
def x(scope):
    return scope.input("x", (Dim("n", min=1), 4))


@pytest.fixture
def n(x):
    return x.shape[0]


def run(scope, tensor, size):
    graph = scope.snapshot(outputs={"out": tensor})
    ir.check(graph)
    return graph(np.arange(size * 4, dtype=np.float32).reshape(size, 4))


def test_open_axes_are_symbolic_and_fixed_ones_are_ints(x, n):
    assert type(n) is SymbolicInt
    assert type(x.shape[1]) is int
    assert type(x.size) is SymbolicInt


def test_arithmetic_with_ints_stays_symbolic(n):
    shown = [
        n + 1,
        1 + n,
        n - 1,
        3 - n,
        n * 2,
        2 * n,
        n // 2,
        n % 3,
        -n,
        +n,
        7 // n,
        n + n,
        n * n,
    ]
    assert all(type(value) is SymbolicInt for value in shown)
    assert [str(value) for value in shown[:2]] == ["n + 1", "n + 1"]


def test_arithmetic_that_cancels_is_an_int(n):
    assert n - n == 0
    assert type(n - n) is int
    assert (2 * n) // 2 == n
    assert type((n + 3) - n) is int


@pytest.mark.parametrize("size", [1, 2, 5])
def test_arithmetic_gives_the_run_time_number(scope, x, n, size):
    terms = {"a": n // 2 + 1, "b": n % 3, "c": 7 // n, "d": 3 - n, "e": n * n - 1}
    graph = scope.snapshot(outputs={k: v.tensor() for k, v in terms.items()})
    got = graph(np.zeros((size, 4), np.float32))
    assert [int(v) for v in got] == [
        size // 2 + 1,
        size % 3,
        7 // size,
        3 - size,
        size * size - 1,
    ]


def test_comparisons_are_proved_or_disproved(n):
    assert n >= 1
    assert n > 0
    assert n + 1 > n
    assert not n < 1
    assert not n == 0  # noqa: SIM201
    assert n != 0
    assert n == n
    assert 2 * n >= n
    assert bool(n)


@pytest.mark.parametrize(
    ("use", "text"),
    [
        (lambda n: n == 3, "n == 3"),
        (lambda n: n != 3, "n == 3"),
        (lambda n: n < 3, "n < 3"),
        (lambda n: n <= 3, "n <= 3"),
        (lambda n: n > 3, "n > 3"),
        (lambda n: n >= 3, "n >= 3"),
    ],
)
def test_undecided_comparisons_raise(n, use, text):
    with pytest.raises(ConcreteValueError) as caught:
        use(n)
    assert told(caught) == (
        f"comparison: whether {text} is known only when the graph runs\n{HERE}\n  ways out: give "
        'the symbol bounds, as in Dim("n", min=2); or use np.where on captured values'
    )


@pytest.mark.parametrize("control_flow", [False, True])
def test_extremes_of_sizes_stay_sizes(control_flow):
    def program(x):
        n = x.shape[0]
        largest, least = max(n, 4), min([n, 4, 2 * n])
        assert type(largest) is type(least) is SymbolicInt
        assert (str(largest), str(least)) == ("max(n, 4)", "min(n, 4)")
        assert max(n, n + 1) == n + 1
        assert min(n, 0) == 0
        assert type(min(n, 0)) is int
        assert largest >= 4
        assert least <= n
        return np.zeros(largest), x[:least]

    graph = trace(program, TensorSpec(("n",), np.float32), control_flow=control_flow)
    for size in (0, 1, 4, 7):
        made, taken = graph(np.ones(size, np.float32))
        assert (made.shape, taken.shape) == ((max(size, 4),), (min(size, 4),))


def test_extremes_with_a_key_are_pythons():
    def program(x):
        return x * max(x.shape[0], 5, key=str)

    assert trace(program, TensorSpec(("n",), np.float32))(np.ones(2, np.float32))[0] == 2


@pytest.mark.parametrize(
    "use",
    [
        lambda n: n * 2 + 3,
        lambda n: (n * n - n) // 2,
        lambda n: n % 4 + n // 4,
        lambda n: -(-n // 3),
        lambda n: (6 * n + 9) // 3,
        lambda n: (n + 5) % 1,
        lambda n: n - 2 * n,
        lambda n: abs(5 - n),
        lambda n: abs(n + 1),
    ],
)
def test_numbers_and_other_symbols_may_be_put_in(n, use):
    size = use(n)
    dim = size.dim if type(size) is SymbolicInt else size
    for number in (1, 2, 3, 8, 13):
        assert substitute(dim, {"n": number}) == use(number)
        assert evaluate(dim, {"n": number}) == use(number)
    assert evaluate(substitute(dim, {"n": Dim("m", min=1) + 3}), {"m": 4}) == use(7)


def test_bounds_decide(scope):
    size = scope.input("b", (Dim("k", min=3, max=10),)).shape[0]
    assert size >= 3
    assert size <= 10
    assert size != 11
    assert size // 2 >= 1
    assert not size * 2 < 6
    assert max(size, 2) == size
    with pytest.raises(ConcreteValueError):
        bool(size > 5)


def test_comparison_with_other_things_is_pythons(n):
    assert (n == "n") is False
    assert (n == None) is False  # noqa: E711
    assert (n == 2.5) is False
    with pytest.raises(TypeError):
        n < "n"  # noqa: B015


@pytest.mark.parametrize(
    ("use", "question"),
    [
        (int, "index()"),
        (float, "float()"),
        (lambda n: [0] * n, "index()"),
        (lambda n: [1, 2][n], "index()"),
        (math.sqrt, "float()"),
    ],
    ids=["int", "float", "repeat", "list-index", "math"],
)
def test_python_numbers_are_refused(n, use, question):
    with pytest.raises(ConcreteValueError) as caught:
        use(n)
    text = told(caught)
    assert text.startswith(f"{question}: the size n is known only when the graph runs\n")
    assert text.endswith(SIZE)


def test_range_over_a_size_is_refused(n):
    with pytest.raises(ConcreteValueError) as caught:
        for _ in range(n):
            pass
    assert HERE in told(caught)


def test_it_is_a_weak_integer_to_numpy(x, n):
    assert (x / n).dtype == np.float32
    assert (x * n).dtype == np.float32
    assert (n * x).dtype == np.float32
    assert (x.astype(np.int8) + n).dtype == np.int8
    assert (x + (n + 0.5)).dtype == np.float32
    assert (x.astype(np.float16) * (n / 2)).dtype == np.float16


def test_functions_of_it_are_strong_float64(n):
    assert np.sqrt(n).dtype == np.float64


@pytest.mark.parametrize("size", [1, 3])
def test_it_enters_tensor_expressions(scope, x, n, size):
    values = np.arange(size * 4, dtype=np.float32).reshape(size, 4)
    np.testing.assert_allclose(run(scope, x.sum(0) / n, size), values.sum(0) / size)
    np.testing.assert_allclose(run(scope, n - x, size), size - values)
    np.testing.assert_allclose(run(scope, x * (1 / n), size), values * (1 / size), rtol=1e-6)
    np.testing.assert_allclose(run(scope, x + n**2, size), values + size**2)
    np.testing.assert_allclose(run(scope, np.sqrt(n) * x, size), np.sqrt(size) * values)


@pytest.mark.parametrize("size", [1, 4])
def test_it_works_in_shapes_and_slices(scope, x, n, size):
    values = np.arange(size * 4, dtype=np.float32).reshape(size, 4)
    np.testing.assert_array_equal(run(scope, x.reshape(n * 2, 2), size), values.reshape(-1, 2))
    np.testing.assert_array_equal(run(scope, x[: n // 2], size), values[: size // 2])
    np.testing.assert_array_equal(run(scope, x[n - 1], size), values[size - 1])
    wide = np.broadcast_to(x[0], (n, 4))
    np.testing.assert_array_equal(
        run(scope, wide, size), np.broadcast_to(values[0], (size, 4))
    )


def test_equal_sizes_are_equal_and_hash_alike(scope, x, n):
    assert x.T.shape[1] == n
    assert hash(x.T.shape[1]) == hash(n)
    assert len({n, x.T.shape[1]}) == 1


def test_sizes_named_alike_are_one_symbol(scope):
    a, b = scope.input("a", ("m", 2)), scope.input("b", ("m",))
    assert a.shape[0] == b.shape[0]
    assert (a + b[:, None]).shape[0] == a.shape[0]


def test_repr_is_the_expression(n):
    assert repr(n) == "n"
    assert f"{2 * n}" == "2*n"


def test_shapes_print_with_their_symbols(x):
    assert str(x.shape) == "(n, 4)"


@pytest.mark.parametrize("dtype", [np.int64, np.int32, np.float32, np.float64])
def test_sizes_meet_captured_scalars_on_either_side(dtype):
    """A captured scalar says that it is NumPy's, but it is no size."""

    def program(x):
        n, top = x.shape[0], x.max()
        return n - top, top - n, n * top, n / top, n > top, n == top

    x = np.array([1, 2, 7, 3], dtype)
    for got, wanted in zip(
        trace(program, TensorSpec(("n",), dtype))(x), program(x), strict=True
    ):
        assert (got.dtype, got) == (np.asarray(wanted).dtype, wanted)


def test_round_of_a_share_of_a_size_is_an_int():
    graph = trace(lambda x: x[: round(x.shape[0] * 0.5)], TensorSpec(("n",), np.float64))
    for n in (0, 1, 3, 5, 7):
        assert graph(np.ones(n)).shape == (round(n * 0.5),)
    with pytest.raises(ConcreteValueError):
        trace(lambda x: x * round(x.shape[0] / 3, 1), TensorSpec(("n",), np.float64))


def test_sizes_in_text_are_their_names():
    shown = []
    trace(lambda x: shown.append(f"{x.shape[0]:d} {x.shape[0]:>3}") or x, TensorSpec(("n",)))
    assert shown == ["n   n"]


def test_divmod_of_sizes_and_of_captured_python_numbers():
    @control_flow
    def program(x):
        n, k = x.shape[0], int(x.sum())
        return [divmod(n, 2), divmod(17, n), divmod(k, 3), divmod(-7, k), divmod(n, k)]

    graph = trace(program, TensorSpec(("n",), np.float64))
    for x in (np.array([2.5, -9, 1.2]), np.array([4.0])):
        wanted = [number for pair in program(x) for number in pair]
        assert list(map(int, graph(x))) == wanted


def test_int_of_a_share_of_a_size_names_what_stays_captured():
    with pytest.raises(ConcreteValueError) as caught:
        trace(lambda x: x[: int(x.shape[0] * 0.8)], TensorSpec(("n",), np.float32))
    assert str(caught.value).endswith(
        "\n  ways out: round(value) or math.floor(value), which stay captured"
        "\n            whole numbers all the way, as n * 4 // 5"
    )
