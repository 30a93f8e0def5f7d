"""The parameter codec: plain data and back, for every op."""

import math

import numpy as np
import pytest

from ir import Dim
from ir.dims import symbols_of
from ir.errors import InvalidGraphError
from ir.ops import OPS
from ir.ops.elementwise import Cast
from ir.ops.indexing import NonZero, ScatterND
from ir.ops.shaping import Iota, Reshape, Slice
from ir.parameters import decode_op, encode, field_types, parameter_text

N = Dim("n", min=2)
EXAMPLES = [
    OPS["add"],
    Cast(dtype=np.dtype(np.uint16)),
    Reshape(shape=(2, 3 * N, 0)),
    Slice(starts=(0, N - 1), sizes=(N, 1), steps=(1, -2)),
    OPS["sum"](axes=(0, 2), keepdims=True),
    OPS["argmax"](axis=1, keepdims=False),
    ScatterND(combine="maximum"),
    NonZero(count=N),
    Iota(size=N // 2 + 1),
]


@pytest.mark.parametrize("op", EXAMPLES, ids=str)
def test_encoding_and_decoding_give_the_same_op(op):
    plain = {name: encode(value) for name, value in op.parameters.items()}
    symbols = {symbol.name: symbol for symbol in symbols_of(N)}
    again = decode_op(op.name, plain, symbols)
    assert again == op
    assert str(again) == str(op)


def test_decoding_gives_symbols_their_bounds_back():
    op = decode_op("iota", {"size": "n"}, {"n": symbols_of(N)[0]})
    assert op.symbols[0].min == 2


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan])
def test_special_floats_are_text(value):
    assert encode(value) == str(value)


def test_text_of_parameters():
    values = [True, (1, 2), np.dtype(np.float16), "add", N + 1, 3, (True, ("a",))]
    assert [parameter_text(v) for v in values] == [
        "true",
        "[1, 2]",
        "f16",
        '"add"',
        "n + 1",
        "3",
        '[true, ["a"]]',
    ]


@pytest.mark.parametrize(
    ("name", "parameters", "message"),
    [
        ("nope", {}, "op 'nope' is unknown"),
        ("add", {"axis": 1}, "add: takes no parameters, got ['axis']"),
        ("sum", {"axes": [0]}, "sum: parameters are ['axes', 'keepdims'], got ['axes']"),
        ("sum", {"axes": [0], "keepdims": 1}, "sum: 1 is no bool"),
        ("sum", {"axes": ["0"], "keepdims": True}, "sum: '0' is no int"),
        ("sum", {"axes": [True], "keepdims": True}, "sum: True is no int"),
        ("scatter_nd", {"combine": 3}, "scatter_nd: 3 is no str"),
    ],
)
def test_wrong_parameters_are_refused(name, parameters, message):
    with pytest.raises(InvalidGraphError) as caught:
        decode_op(name, parameters)
    assert str(caught.value) == message


def test_a_parameter_that_cannot_be_written_is_refused():
    with pytest.raises(InvalidGraphError) as caught:
        encode({})
    assert str(caught.value) == "parameter of type dict cannot be written"


def test_every_parameterised_op_declares_its_field_types():
    classes = [entry for entry in OPS.values() if isinstance(entry, type)]
    assert classes
    for cls in classes:
        assert set(field_types(cls)) == set(cls.__dataclass_fields__)


def test_bytes_print_with_what_tells_them_apart():
    assert parameter_text(b"abc") == "<3 bytes 352441c2>"
    assert encode(b"abc") == {"base64": "YWJj"}
