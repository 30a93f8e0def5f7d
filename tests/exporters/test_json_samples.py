"""Graphs for the JSON tests: every op, every dtype, and one with a bit of everything."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from exporters.json import from_json, to_json
from ir.builder import GraphBuilder
from ir.dims import Dim, dim_max
from ir.errors import IRError
from ir.graph import Graph
from ir.ops import (
    OPS,
    Elementwise,
    Op,
    elementwise,
    indexing,
    linear_algebra,
    nested,
    random,
    reduction,
    requirements,
    shaping,
    special,
)
from ir.types import DTYPES_BY_NAME, TensorType

N = Dim("n", min=2, max=64)
COUNT = Dim("count")


def tensor(dtype: str, *shape: int | Dim) -> TensorType:
    return TensorType(DTYPES_BY_NAME[dtype], shape)


X = tensor("f32", N, 4)
INDICES = tensor("i64", 3)
F32 = DTYPES_BY_NAME["f32"]


def body_graph() -> Graph:
    """A nested graph with a symbol of its own and one from around it."""
    builder = GraphBuilder()
    x = builder.add_value(X, "x")
    truth = builder.append(elementwise.Cast(DTYPES_BY_NAME["bool"]), (x,))
    found = builder.append(indexing.NonZero(Dim("local0")), (truth,))
    size = builder.append(shaping.Iota(Dim("outer")), ())
    outputs = [("x", x), ("found", found), ("size", size)]
    return builder.finish([("x_in", x)], outputs, name="body", nested=True)


def step_graph() -> Graph:
    """A loop body: goes on while its trip number is true, carries and collects its operand."""
    builder = GraphBuilder()
    trip = builder.add_value(tensor("i64"), "trip")
    x = builder.add_value(X, "x")
    going = builder.append(elementwise.Cast(DTYPES_BY_NAME["bool"]), (trip,))
    following = builder.append(elementwise.add, (x, x))
    outputs = [("going", going), ("next", following), ("row", x)]
    return builder.finish([("trip", trip), ("x", x)], outputs, name="step", nested=True)


BODY, STEP = body_graph(), step_graph()
GIVEN = (X, tensor("i64", COUNT, 2), tensor("i64", 4 * N))

SAMPLES: list[tuple[Op, tuple[TensorType, ...]]] = [
    (elementwise.where, (tensor("bool", N, 4), X, X)),
    (linear_algebra.matmul, (X, tensor("f32", 4, 3))),
    (special.erf, (X,)),
    (special.erfc, (X,)),
    *((elementwise.Cast(dtype), (X,)) for dtype in DTYPES_BY_NAME.values()),
    *(
        (cls((0,), keepdims), (X,))
        for cls in (reduction.Sum, reduction.Prod, reduction.Max, reduction.Min)
        for keepdims in (False, True)
    ),
    (reduction.Sum(()), (X,)),
    (reduction.All((0, 1)), (tensor("bool", 2, 3),)),
    (reduction.Any_((1,)), (tensor("bool", 2, 3),)),
    (reduction.ArgMax(1, True), (X,)),
    (reduction.ArgMin(0), (X,)),
    *(
        (cls(1), (X,))
        for cls in (reduction.CumSum, reduction.CumProd, reduction.CumMax, reduction.CumMin)
    ),
    (requirements.RequireShape((4 * (N // 4), 4)), (X,)),
    (shaping.Reshape((4 * N,)), (X,)),
    (shaping.Reshape((2, 2, N)), (X,)),
    (shaping.Transpose((1, 0)), (X,)),
    (shaping.BroadcastTo((5, N, 4)), (X,)),
    (shaping.Concatenate(0), (X, tensor("f32", N // 2, 4))),
    (shaping.Slice((1, 0), (N - 1, 2), (1, -2)), (X,)),
    (shaping.UpdateSlice((N - 1, 0), (1, 1)), (X, tensor("f32", 1, 2))),
    (shaping.Pad((0, 1), (dim_max(N, 3) % 7, 0)), (X, tensor("f32"))),
    (shaping.Iota(3 * N + 1), ()),
    (shaping.Iota(7), ()),
    (shaping.DimValue(N), ()),
    (indexing.Take(0), (X, INDICES)),
    (indexing.TakeAlongAxis(1), (X, tensor("i64", N, 2))),
    (indexing.GatherND(), (X, tensor("i64", 5, 2))),
    *(
        (indexing.ScatterND(combine), (X, tensor("i64", 5, 2), tensor("f32", 5)))
        for combine in ("set", "add", "multiply", "maximum", "minimum")
    ),
    (indexing.CountUp(COUNT), (tensor("i64"),)),
    (indexing.NonZero(COUNT), (tensor("bool", N, 4),)),
    (indexing.Sort(1), (X,)),
    (nested.Call(BODY, GIVEN, (4 * N,), (COUNT,)), (X,)),
    (nested.If(BODY, BODY, GIVEN, (7,), (4 * N,), (COUNT,)), (tensor("bool"), X)),
    (nested.Loop(STEP, 1, (X, tensor("f32", 3, N, 4))), (tensor("i64"), tensor("bool"), X)),
    (random.RandomUniform((N, 2), F32, -1.5, float("inf")), ()),
    (random.RandomNormal((N, 2), F32, 0.0, 2.0), ()),
    (random.RandomIntegers((3, N), -2, 5), ()),
    (random.Bernoulli(), (X,)),
    (indexing.ArgSort(0), (X,)),
]


def elementwise_sample(op: Elementwise) -> tuple[Op, tuple[TensorType, ...]]:
    for dtype in ("f32", "i64", "bool", "f64"):
        types = (tensor(dtype, N, 4),) * op.ufunc.nin
        try:
            op.infer(*types)
        except (IRError, TypeError):
            continue
        return op, types
    raise AssertionError(f"{op.name} takes no usual dtype")


OWN_OPS = {  # another test may register ops of its own
    name: op
    for name, op in OPS.items()
    if (op if isinstance(op, type) else type(op)).__module__.startswith("ir.")
}
ROWS = [op for op in OWN_OPS.values() if isinstance(op, Elementwise)]
ALL_SAMPLES = [*SAMPLES, *map(elementwise_sample, ROWS)]


def graph_of(op: Op, types: tuple[TensorType, ...]) -> Graph:
    """One node, with an axis that defines the symbol whatever the operands are."""
    builder = GraphBuilder()
    inputs = [("size", builder.add_value(tensor("bool", N)))]
    inputs += [(f"x{i}", builder.add_value(t)) for i, t in enumerate(types)]
    first = builder.append(op, tuple(index for _, index in inputs[1:]))
    results = range(first, len(builder.types))
    return builder.finish(inputs, [(f"y{index}", index) for index in results])


def special(dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """The values of a dtype that a careless format loses."""
    if dtype == np.bool_:
        return np.array([True, False])
    if dtype.kind in "iu":
        whole = np.iinfo(dtype)
        return np.array([whole.min, 0, 1, whole.max], dtype)
    numbers = [0.1, -0.0, 0.0, np.inf, -np.inf, np.nan, 1 / 3]
    if dtype == ml_dtypes.bfloat16:
        return np.array([*numbers, 1e-40, 3e38], dtype)
    limits = np.finfo(dtype)
    tiny = np.array([limits.smallest_subnormal, limits.max], dtype)
    return np.concatenate([np.array(numbers, dtype), tiny])


def rich_graph(**large: np.ndarray[Any, Any]) -> Graph:
    """Symbols, defaults, several results, names, locations, scopes, metadata, every dtype."""
    builder = GraphBuilder()
    code = rich_graph.__code__
    x = builder.add_value(X, "x")
    flag = builder.add_value(tensor("bool", N), "flag")
    default = builder.add_value(tensor("f32", 2), "scale", np.array([1, np.nan], np.float32))
    outputs = []
    for name, dtype in DTYPES_BY_NAME.items():
        outputs.append(
            (f"c_{name}", builder.add_value(tensor(name), name, np.ones((), dtype)))
        )
        data = special(dtype)
        index = builder.add_value(TensorType(dtype, data.shape), None, data)
        outputs.append((f"s_{name}", index))
    for name, data in large.items():
        index = builder.add_value(TensorType(data.dtype, data.shape), name, data)
        outputs.append((name, index))
    builder.scopes.append((len(builder.ops), "block/0 ü"))
    pair = builder.append(OPS["divmod"], (x, x), code, 10)  # type: ignore[arg-type]
    builder.names[pair + 1] = "rest ☃ \ud800"
    found = builder.append(indexing.NonZero(COUNT), (flag,), code, 40)
    builder.names[found] = "found"
    builder.scopes.append((len(builder.ops), ""))
    total = builder.append(reduction.Sum((0,), True), (pair,), code, 60)
    outputs += [("quotient", pair), ("rest", pair + 1), ("found", found), ("total", total)]
    return builder.finish(
        [("x", x), ("flag", flag), ("scale", default)],
        outputs,
        name='rich "graph"\n',
        metadata={"author": "zoë", "empty": "", "x-note": "kept"},
    )


def test_every_op_has_a_sample() -> None:
    assert {op.name for op, _ in ALL_SAMPLES} == set(OWN_OPS)


@pytest.mark.parametrize(("op", "types"), ALL_SAMPLES, ids=lambda part: str(part))
def test_every_op_comes_back(op: Op, types: tuple[TensorType, ...]) -> None:
    graph = graph_of(op, types)
    text = to_json(graph)
    read = from_json(text)
    assert read == graph
    assert read.nodes[0].op == op
    assert to_json(read) == text
