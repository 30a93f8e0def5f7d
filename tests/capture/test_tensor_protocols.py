"""Python's protocols on tensors: each works as on ndarray, or explains itself."""

import copy
import functools
import operator
import pickle

import numpy as np
import pytest

from capture import CaptureDevice, Tensor, capture_scope
from capture.errors import (
    ConcreteValueError,
    UnsupportedAttributeError,
    UnsupportedError,
)
from tests.capture.telling import HERE, told

NUMBER = (
    "\n  ways out: keep it an array (arithmetic and indexing need no float() or int()); pass the "
    "number in as an argument; np.where or capture.cond where it decides something"
)
COUNT = (
    f"{NUMBER}; @capture.control_flow or capture.fori_loop where it counts the turns of a loop"
)
BRANCH = (
    "\n  ways out: np.where(condition, a, b) for a choice of values; capture.cond or "
    "capture.while_loop for control flow; @capture.control_flow on the function, which turns its "
    "own branches and loops; a symbolic dimension for a size"
)
ARRAY = (
    "\n  ways out: NumPy functions and operators take captured values directly; "
    "value.astype(np.float32) for np.float32(value); an array made outside the scope that is "
    "written to must enter it first: capture.constant(array)"
)


@pytest.fixture
def scope():
    with capture_scope(CaptureDevice(), intercept=False) as opened:
        yield opened


@pytest.fixture
def x(scope):
    return scope.input("x", (3, 4))


def unknown(question, type_, ways_out):
    return (
        f"{question} of a captured {type_}: its concrete value is not known during capture, it "
        f"depends on the input 'x'\n{HERE}{ways_out}"
    )


def refusal(use):
    with pytest.raises(ConcreteValueError) as caught:
        use()
    return told(caught)


# --- sizes and iteration ------------------------------------------------------------------


def test_len(x):
    assert len(x) == 3
    assert len(x[0]) == 4


def test_len_of_no_axes_is_numpys_error(x):
    with pytest.raises(TypeError, match=r"^len\(\) of unsized object$"):
        len(x[0, 0])


def test_len_of_a_symbolic_axis(scope):
    x = scope.input("x", ("n", 4))
    assert refusal(lambda: len(x)) == (
        f"len() of a captured f32[n,4]: the size n is known only when the graph runs\n{HERE}\n  "
        "ways out: x.shape[0] gives a symbolic size that works in shapes, in arithmetic and in "
        "capture.fori_loop; operate on the whole axis instead of looping over rows; "
        "@capture.control_flow on the function, which turns its own loops"
    )


def test_iteration_unpacking_and_enumeration(x):
    rows = list(x)
    assert [str(row._type) for row in rows] == ["f32[4]"] * 3
    first, *rest = x
    assert (first.shape, len(rest)) == ((4,), 2)
    assert [number for number, _ in enumerate(x)] == [0, 1, 2]
    assert [len(pair) for pair in zip(x, x, strict=True)] == [2, 2, 2]


def test_rows_of_an_iteration_are_views(scope):
    y = scope.input("x", (3,), np.float32).reshape(3, 1) * 1
    for number, row in enumerate(y):
        row[...] = number
    results = scope.snapshot(outputs=[y])(np.float32([7, 8, 9]))
    np.testing.assert_array_equal(results, [[0], [1], [2]])


def test_iteration_over_no_axes_is_numpys_error(x):
    with pytest.raises(TypeError, match="^iteration over a 0-d array$"):  # noqa: RUF043
        iter(x[0, 0])


# --- numbers ------------------------------------------------------------------------------


@pytest.mark.parametrize("convert", [int, float, complex])
def test_numbers_of_unknown_values(x, convert):
    s = x[0, 0]
    name = convert.__name__
    ways_out = COUNT if convert is int else NUMBER
    assert refusal(lambda: convert(s)) == unknown(f"{name}()", "f32[]", ways_out)


def test_index_of_an_unknown_value(x):
    s = x[0, 0].astype(int)
    assert refusal(lambda: range(s)) == unknown("index()", "i64[]", COUNT)
    assert refusal(lambda: [1, 2, 3][s]) == unknown("index()", "i64[]", COUNT)
    assert refusal(lambda: operator.index(s)) == unknown("index()", "i64[]", COUNT)


def test_index_of_a_float_is_numpys_error(x):
    with pytest.raises(TypeError, match="^only integer scalar arrays can be converted"):  # noqa: RUF043
        operator.index(x[0, 0])


def test_bool_of_an_unknown_value(x):
    assert refusal(lambda: bool(x[0, 0] > 0)) == unknown("bool()", "bool[]", BRANCH)
    assert refusal(lambda: not x.any()) == unknown("bool()", "bool[]", BRANCH)
    assert refusal(lambda: x.any() and x.all()) == unknown("bool()", "bool[]", BRANCH)


def test_a_chained_comparison_explains_itself(x):
    s = x[0, 0]
    assert refusal(lambda: 0 < s < 1) == unknown("bool()", "bool[]", BRANCH)


def test_a_while_loop_explains_itself(x):
    def loop():
        s = x.sum()
        while s > 1:
            s = s / 2

    with pytest.raises(ConcreteValueError) as caught:
        loop()
    ways_out = (
        "\n  ways out: s = capture.while_loop(lambda s: …, body, s), where body gives the next s "
        "and the condition is s > 1"
        "\n            np.where(s > 1, …, s) in a for loop over a fixed number of steps"
        "\n            @capture.control_flow on loop, which turns its own branches and loops"
    )
    assert told(caught) == unknown("bool()", "bool[]", ways_out)


def test_python_max_and_sorted_explain_themselves(x):
    values = [x[0, 0], x[0, 1]]
    assert refusal(lambda: sorted(values)) == unknown("bool()", "bool[]", BRANCH)
    assert refusal(lambda: max(values)) == unknown("bool()", "bool[]", BRANCH)


def test_python_sum_records(scope, x):
    y = sum(x)
    np.testing.assert_array_equal(
        scope.snapshot(outputs=[y])(np.ones((3, 4), np.float32)), [3, 3, 3, 3]
    )


def test_numbers_of_known_values(scope):
    known = scope.constant(np.float32([1.5, 2.5]))
    total = known.sum()
    assert (int(total), float(total), complex(total), bool(total)) == (4, 4.0, 4 + 0j, True)
    assert operator.index(scope.constant(np.int64(3))) == 3
    assert list(range(scope.constant(np.int64(3)) + 1)) == [0, 1, 2, 3]
    assert round(total / 3, 2).item() == pytest.approx(1.33)
    assert (known.tolist(), known[0].item()) == ([1.5, 2.5], 1.5)


def test_item_and_tolist_of_unknown_values(x):
    assert refusal(lambda: x.tolist()) == unknown("tolist()", "f32[3,4]", NUMBER)
    assert refusal(lambda: x[0, 0].item()) == unknown("item()", "f32[]", NUMBER)
    assert refusal(lambda: x.tobytes()) == unknown("tobytes()", "f32[3,4]", ARRAY)


def test_abs_divmod_round_and_operators_record(scope, x):
    quotient, rest = divmod(x, 2)
    results = [abs(-x), quotient, rest, round(x[0, 0] * 1.26, 1), +x, -x, 2 - x, 2**x]
    values = np.full((3, 4), 3.0, np.float32)
    want = [
        values,
        values // 2,
        values % 2,
        np.float32(3.8),
        values,
        -values,
        2 - values,
        2**values,
    ]
    outputs = {f"o{i}": r for i, r in enumerate(results)}
    for got, wanted in zip(scope.snapshot(outputs=outputs)(values), want, strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-6)


# --- text ---------------------------------------------------------------------------------


def test_repr_and_str(scope, x):
    assert repr(x) == str(x) == f"{x}" == "<Tensor 'x' f32[3,4]>"
    assert repr(x + 1) == "<Tensor f32[3,4]>"
    assert repr(x[0, 0] > 1) == "<Tensor bool[]>"


def test_format_with_a_spec(scope, x):
    assert refusal(lambda: f"{x[0, 0]:.2f}") == unknown("format(…, '.2f')", "f32[]", NUMBER)
    known = scope.constant(np.float32([1.25, 2]))
    assert f"{known[0]:.3f}" == "1.250"


# --- copies, pickles, hashes --------------------------------------------------------------


@pytest.mark.parametrize("copier", [copy.copy, copy.deepcopy, lambda x: x.copy(), np.copy])
def test_copies_have_their_own_storage(scope, copier):
    y = scope.input("x", (2,)) * 1
    other = copier(y)
    other[0] = 9
    a, b = scope.snapshot(outputs=[y, other])(np.float32([1, 2]))
    assert (a.tolist(), b.tolist()) == ([1, 2], [9, 2])


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_pickling_is_refused(x, protocol):
    with pytest.raises(UnsupportedError) as caught:
        pickle.dumps(x, protocol)
    assert told(caught) == (
        f"pickle: a tensor lives in its scope only\n{HERE}\n  ways out: pickle arrays before "
        "capture; save the finished graph with JsonExporter"
    )


def test_tensors_are_unhashable_like_arrays(x):
    for use in (lambda: hash(x), lambda: {x}, lambda: {x: 1}):
        with pytest.raises(TypeError, match="unhashable type"):
            use()


def test_contains(scope, x):
    assert refusal(lambda: 3 in x) == unknown("bool()", "bool[]", BRANCH)
    known = scope.constant(np.float32([1, 2]))
    assert 2 in known
    assert 3 not in known


def test_membership_in_a_list_compares_identity_first(x):
    assert x in [x]


# --- conversion ---------------------------------------------------------------------------


def test_conversion_of_an_unknown_value(x):
    for use in (lambda: np.asarray(x), lambda: np.array(x), lambda: np.array([1, 2])[x]):
        with pytest.raises(ConcreteValueError) as caught:
            use()
        assert told(caught) == unknown("conversion to ndarray", "f32[3,4]", ARRAY)


def test_no_object_array_is_ever_made(x):
    plain = [1, 2]
    for use in (
        lambda: np.array([x, x]),
        lambda: np.array([x[0, 0], 1.0]),
        lambda: np.array((plain, x[0]), object),
    ):
        with pytest.raises(ConcreteValueError):
            use()


def test_conversion_of_a_known_value(scope):
    known = scope.constant(np.float32([1, 2]))
    array = np.asarray(known)
    assert (type(array), array.dtype, array.tolist()) == (np.ndarray, np.float32, [1, 2])
    assert np.asarray(known, np.int64).dtype == np.int64
    array[0] = 9
    assert known.tolist() == [1, 2]


def test_conversion_without_a_copy_is_impossible(scope):
    known = scope.constant(np.float32([1, 2]))
    with pytest.raises(ValueError, match="Unable to avoid copy"):
        np.asarray(known, copy=False)


# --- identity -----------------------------------------------------------------------------


def test_arrays_are_ndarrays_to_isinstance(x):
    assert isinstance(x, np.ndarray)
    assert isinstance(x[0], np.ndarray)
    assert isinstance(x[0, 0, ...], np.ndarray)
    assert type(x) is Tensor
    assert x.__class__ is np.ndarray


def test_scalars_are_scalars_to_isinstance(x):
    s = x[0, 0]
    assert isinstance(s, np.float32)
    assert isinstance(s, np.floating)
    assert isinstance(s, np.generic)
    assert not isinstance(s, np.ndarray)
    assert isinstance(x.sum(dtype=np.float64), float)  # np.float64 is one
    assert isinstance(x.argmax(), np.integer)
    assert isinstance((x > 0).all(), np.bool_)


def test_tensors_say_what_they_are_once_the_scope_is_closed():
    with capture_scope(CaptureDevice()) as scope:
        x = scope.input("x", (2,))
        assert isinstance(x, np.ndarray)
    assert not isinstance(x, np.ndarray)
    assert x.__class__ is Tensor


def test_match_statements_see_arrays_and_scalars(x):
    def kind(value):
        match value:
            case np.floating():
                return "float"
            case np.ndarray(ndim=2):
                return "matrix"
            case np.ndarray():
                return "array"
        return "other"

    assert [kind(x), kind(x[0]), kind(x[0, 0])] == ["matrix", "array", "float"]


def test_singledispatch_sees_arrays_and_scalars(x):
    @functools.singledispatch
    def kind(value):
        return "other"

    kind.register(np.ndarray, lambda value: "array")
    kind.register(np.floating, lambda value: "float")
    assert [kind(x), kind(x[0, 0])] == ["array", "float"]


def test_attributes(x):
    assert (x.shape, x.ndim, x.size, x.itemsize, x.nbytes) == ((3, 4), 2, 12, 4, 48)
    assert (x.dtype, x.real is x, x.T.shape, x.mT.shape) == (np.float32, True, (4, 3), (4, 3))
    y = x[1:]
    assert (x.base, y.base is x) == (None, True)


def test_an_ndarray_attribute_without_a_captured_form_is_named(x):
    with pytest.raises(UnsupportedAttributeError) as caught:
        _ = x.strides
    text = told(caught)
    assert text.startswith(f"ndarray.strides: has no captured form yet\n{HERE}\n")
    assert text.endswith(
        "\n  ways out: compute it outside the scope and pass the result in, or write it with "
        "supported functions"
    )
    assert not hasattr(x, "strides")


def test_any_other_attribute_is_pythons_error(x):
    with pytest.raises(AttributeError, match="^'Tensor' object has no attribute 'foo'$"):  # noqa: RUF043
        _ = x.foo


def test_assigning_to_a_scalar_is_numpys_error(x):
    with pytest.raises(
        TypeError, match=r"^'numpy\.float32' object does not support item assignment$"
    ):
        x[0, 0][()] = 1


def test_a_numpy_function_without_a_captured_form_is_named(x):
    with pytest.raises(UnsupportedError) as caught:
        np.linalg.eig(x)
    text = told(caught)
    assert text.startswith("np.linalg.eig: has no captured form yet")
    assert HERE in text


def test_equality_with_none_and_text_is_refused_by_name(x):
    with pytest.raises(TypeError) as caught:
        x + None
    assert told(caught) == (
        "cannot capture an object of type NoneType as an array\n"
        f"  add: operands f32[3,4], None\n{HERE}"
    )


def test_an_operand_that_defers_answers_itself(x):
    own = type("Own", (), {"__array_ufunc__": None, "__radd__": lambda self, other: "mine"})
    assert x + own() == "mine"
