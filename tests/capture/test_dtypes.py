# ruff: noqa: E501 - messages are asserted whole
"""Dtypes: what is usable, what is refused by name, and quantized ones."""

import ml_dtypes
import numpy as np
import pytest

import ir
from capture import CaptureDevice, capture_scope
from capture.client import USABLE
from ir.errors import UnsupportedDTypeError
from tests.capture.telling import HERE, told

USABLE_DTYPES = [
    np.bool_,
    np.int8,
    np.int16,
    np.int32,
    np.int64,
    np.uint8,
    np.uint16,
    np.uint32,
    np.uint64,
    np.float16,
    ml_dtypes.bfloat16,
    np.float32,
    np.float64,
]
NARROW = [
    name
    for name in dir(ml_dtypes)
    if name.startswith(("int2", "int4", "uint2", "uint4", "float8_", "float4_", "float6_"))
]
QUANTIZED = ["qint8", "quint8", "qint4", "quint4", "qint32"]


def test_ml_dtypes_still_has_narrow_dtypes():
    assert {"int4", "uint4", "float8_e5m2"} <= set(NARROW)


@pytest.mark.parametrize("dtype", USABLE_DTYPES, ids=lambda d: np.dtype(d).name)
def test_numbers_report_storage_and_arithmetic(dtype):
    with capture_scope(CaptureDevice()) as scope:
        assert scope.client.dtype_usage(dtype) == USABLE == {"storage", "arithmetic"}
        scope.output("y", scope.input("x", (2,), dtype))
    assert scope.graph.inputs[0].type.dtype == dtype


@pytest.mark.parametrize("name", NARROW)
def test_narrow_dtypes_are_of_no_use(name):
    with capture_scope(CaptureDevice()) as scope:
        assert scope.client.dtype_usage(getattr(ml_dtypes, name)) == frozenset()


@pytest.mark.parametrize("name", NARROW)
def test_registering_a_narrow_dtype_is_refused(name):
    array = np.zeros(2, getattr(ml_dtypes, name))
    with (
        capture_scope(CaptureDevice()) as scope,
        pytest.raises(UnsupportedDTypeError) as caught,
    ):
        scope.client.register_constant(array)
    assert told(caught) == (
        f"dtype {name} is not supported: quantized and sub-byte dtypes are not captured"
    )


@pytest.mark.parametrize("kind", QUANTIZED)
def test_quantized_dtypes_are_of_no_use(kind):
    with capture_scope(CaptureDevice()) as scope:
        assert scope.client.dtype_usage(ir.QuantizedDType(kind, "per_channel")) == frozenset()


@pytest.mark.parametrize("kind", QUANTIZED)
def test_registering_a_quantized_dtype_is_refused(kind):
    with capture_scope(CaptureDevice()) as scope:
        dtype = ir.QuantizedDType(kind, "per_channel")
        wanted = f"dtype {kind}(per_channel) is quantized: quantized dtypes are not captured"
        for use in (
            lambda: scope.client.register_constant(dtype),
            lambda: scope.input("x", (2,), dtype),
            lambda: scope.client.create_empty_handle((2,), dtype),
        ):
            with pytest.raises(UnsupportedDTypeError) as caught:
                use()
            assert told(caught) == wanted


REFUSED = {
    "object": (
        np.array([None]),
        "dtype object is not supported: Python objects have no place in a graph of numbers",
    ),
    "text": (
        np.array(["ab"]),
        "dtype <U2 is not supported: text has no place in a graph of numbers",
    ),
    "bytes": (
        np.array([b"ab"]),
        "dtype |S2 is not supported: text has no place in a graph of numbers",
    ),
    "structured": (
        np.zeros(2, [("a", "f4")]),
        "dtype [('a', '<f4')] is not supported: structured records are not captured; pass the fields as separate arrays",
    ),
    "datetime": (
        np.zeros(2, "M8[D]"),
        "dtype datetime64[D] is not supported: dates have no place in a graph of numbers; pass them as int64",
    ),
    "timedelta": (
        np.zeros(2, "m8[s]"),
        "dtype timedelta64[s] is not supported: time spans have no place in a graph of numbers; pass them as int64",
    ),
    "complex": (
        np.zeros(2, "c16"),
        "dtype complex128 is not supported: complex numbers are not captured; pass real and imaginary parts",
    ),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_other_dtypes_are_refused_by_name(kind):
    array, message = REFUSED[kind]
    with (
        capture_scope(CaptureDevice()) as scope,
        pytest.raises(UnsupportedDTypeError) as caught,
    ):
        scope.constant(array)
    assert told(caught) == message


@pytest.mark.parametrize("kind", REFUSED)
def test_other_dtypes_are_of_no_use(kind):
    with capture_scope(CaptureDevice()) as scope:
        assert scope.client.dtype_usage(REFUSED[kind][0].dtype) == frozenset()


def test_meeting_a_refused_dtype_names_operation_operands_and_line():
    other = np.array([None, 1])
    with capture_scope(CaptureDevice()) as scope:
        x = scope.input("x", (2,))
        with pytest.raises(UnsupportedDTypeError) as caught:
            x + other
    assert told(caught) == (
        "dtype object is not supported: Python objects have no place in a graph of numbers\n"
        f"  add: operands f32[2], ndarray object[2]\n{HERE}"
    )


def test_big_endian_arrays_become_native():
    array = np.arange(3, dtype=">f4")
    with capture_scope(CaptureDevice()) as scope:
        scope.output("y", scope.input("x", (3,)) + array)
    assert scope.graph.constants[0].data.dtype == np.dtype("=f4")
    np.testing.assert_array_equal(scope.graph(np.zeros(3, np.float32)), [0, 1, 2])


def test_bfloat16_promotes_as_numpy_says():
    array = np.zeros(2, ml_dtypes.bfloat16)
    with capture_scope(CaptureDevice()) as scope:
        x = scope.input("x", (2,), ml_dtypes.bfloat16)
        assert (x + x).dtype == (array + array).dtype
        assert (x + 1.5).dtype == (array + 1.5).dtype == np.float32
        assert (x + np.float16(1)).dtype == (array + np.float16(1)).dtype


@pytest.mark.parametrize("kind", [np.ma.MaskedArray, np.matrix], ids=lambda k: k.__name__)
def test_subclasses_that_mean_more_are_refused(kind):
    array = np.array([[1.0, 2.0]]).view(kind)
    with (
        capture_scope(CaptureDevice()) as scope,
        pytest.raises(UnsupportedDTypeError) as caught,
    ):
        scope.constant(array)
    assert told(caught) == f"{kind.__name__} is not captured; pass np.asarray(...) of it"
