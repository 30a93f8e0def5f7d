"""Samples for the ONNX exporter: an op, operand arrays full of edge values, a tolerance."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np

from ir.dims import Dim
from ir.errors import IRError
from ir.ops import Elementwise, Op, special
from ir.ops import elementwise as ew
from ir.ops import indexing as idx
from ir.ops import reduction as red
from ir.ops import shaping as shp
from ir.ops.linear_algebra import matmul
from ir.ops.requirements import RequireShape
from ir.types import BFLOAT16, DTYPE_NAMES, FLOATING, INTEGER, TensorType, type_of

Array = np.ndarray[Any, Any]
F32 = np.dtype(np.float32)
F64 = np.dtype(np.float64)
I64 = np.dtype(np.int64)
EPSILON = {
    np.dtype(np.float16): 2.0**-11,
    np.dtype(ml_dtypes.bfloat16): 2.0**-8,
    F32: 2.0**-24,
    F64: 2.0**-53,
}


@dataclass(frozen=True, eq=False)
class Sample:
    """One node to export.

    Attributes:
        op: The op.
        arrays: Its operands.
        ulps: How many units in the last place floats may differ, relative to NumPy.
        absolute: How far they may differ near zero, in multiples of the dtype's epsilon.
        constants: Positions of operands that are constants of the graph.
        zero_signs: Whether signs of zeros must agree.
    """

    op: Op
    arrays: tuple[Array, ...]
    ulps: float = 0.0
    absolute: float = 0.0
    constants: tuple[int, ...] = ()
    zero_signs: bool = True

    def __str__(self) -> str:
        types = "-".join(
            f"{DTYPE_NAMES[a.dtype]}{list(a.shape)}".replace(" ", "") for a in self.arrays
        )
        const = "".join(f"-c{c}" for c in self.constants)
        return f"{self.op}-{types}{const}".replace(" ", "")


def floats(dtype: np.dtype[Any]) -> Array:
    """Return special values and a spread of ordinary ones."""
    info = ml_dtypes.finfo(dtype)
    special = [
        0.0,
        -0.0,
        np.inf,
        -np.inf,
        np.nan,
        1.0,
        -1.0,
        0.5,
        -0.5,
        1.5,
        2.5,
        -2.5,
        3.0,
        8.0,
    ]
    limits = [info.max, -info.max, info.tiny, -info.tiny, info.smallest_subnormal]
    spread = [1e-4, -1e-4, 1e-2, 0.1, -0.3, 0.999, -0.999, 1.001, 2.0, 7.3, -11.7, 25.0, 100.0]
    return np.array([*special, *map(float, limits), *spread], np.float64).astype(dtype)


def integers(dtype: np.dtype[Any]) -> Array:
    """Return the limits, small numbers and some in between."""
    info = np.iinfo(dtype)
    numbers = [0, 1, 2, 3, 5, 7, 10, 63, 100, info.max, info.max - 1, info.max // 3, info.min]
    if info.min:
        numbers += [-1, -2, -3, -7, -100, info.min + 1, info.min // 5]
    return np.array(numbers, dtype)


def edge_values(dtype: np.dtype[Any]) -> Array:
    """Return the values that have bitten someone, of any dtype."""
    if dtype == np.bool_:
        return np.array([False, True])
    return integers(dtype) if dtype in INTEGER else floats(dtype)


def loops(op: Elementwise) -> Iterator[tuple[np.dtype[Any], ...]]:
    """Yield the operand dtypes that an op takes exactly."""
    for dtypes in itertools.product(DTYPE_NAMES, repeat=op.ufunc.nin):
        if len(set(dtypes)) > 1 and set(dtypes) != {I64, np.dtype(np.uint64)}:
            continue
        try:
            op.infer(*(TensorType(dtype, ()) for dtype in dtypes))
        except (IRError, TypeError):
            continue
        yield dtypes


ULPS: dict[str, float] = {
    **dict.fromkeys(("sqrt", "reciprocal"), 2),
    **dict.fromkeys(("exp", "exp2", "sin", "cos"), 4),
    **dict.fromkeys(("deg2rad", "rad2deg", "degrees", "radians"), 4),
    **dict.fromkeys(("log", "cbrt", "hypot"), 6),
    **dict.fromkeys(("log2", "log10", "tan", "arctan", "cosh", "power", "float_power"), 8),
    **dict.fromkeys(("expm1", "log1p", "logaddexp", "logaddexp2", "sinh"), 12),
    **dict.fromkeys(("arcsin", "arccos", "arcsinh", "arccosh", "arctanh"), 12),
    "arctan2": 16,
    "tanh": 40,
}
"""What the runtime's and our own formulas may lose; every other ufunc is exact."""

ABSOLUTE: dict[str, float] = {"sin": 8, "cos": 8, "logaddexp": 4, "logaddexp2": 4}
IGNORES_ZERO_SIGN = {"maximum", "minimum", "fmax", "fmin"}


def operands(op: Elementwise, dtypes: tuple[np.dtype[Any], ...]) -> tuple[Array, ...]:
    """Return edge values, every pair of them for two operands."""
    arrays = [edge_values(dtype) for dtype in dtypes]
    if op.name == "power" and dtypes[1] in INTEGER:
        arrays[1] = np.abs(arrays[1][arrays[1] != np.iinfo(dtypes[1]).min])
    if len(arrays) == 2:
        return arrays[0][:, None], arrays[1][None, :]
    return tuple(arrays)


def elementwise_samples() -> Iterator[Sample]:
    """One sample per ufunc and loop."""
    for op in vars(ew).values():
        if not isinstance(op, Elementwise):
            continue
        for dtypes in loops(op):
            yield Sample(
                op,
                operands(op, dtypes),
                ULPS.get(op.name, 0),
                ABSOLUTE.get(op.name, 0),
                zero_signs=op.name not in IGNORES_ZERO_SIGN,
            )


def cast_samples() -> Iterator[Sample]:
    """One sample per pair of dtypes, without what C leaves undefined."""
    for source, target in itertools.product(DTYPE_NAMES, repeat=2):
        array = edge_values(source)
        if source == F64 and target in FLOATING:
            near = 2.0 ** np.arange(-26, 17)
            array = np.concatenate(
                [array, near, near * (1 + 2.0**-11 + 2.0**-40), -near * 1.7]
            )
        if source in FLOATING and target in INTEGER:
            info = np.iinfo(target)
            inside = np.isfinite(array) & (array > info.min / 2) & (array < info.max / 2)
            array = array[inside & ((array > -1) | (info.min < 0))]
        yield Sample(ew.Cast(target), (array,))


def numbers(dtype: np.dtype[Any], *shape: int, seed: int = 0, edges: bool = True) -> Array:
    """Return reproducible numbers of a shape, edge values among them where asked."""
    rng = np.random.default_rng(seed)
    if edges:
        return rng.choice(edge_values(dtype), shape)
    if dtype in INTEGER or dtype == np.bool_:
        return rng.integers(0, 2 if dtype == np.bool_ else 100, shape).astype(dtype)
    return rng.uniform(-2, 2, shape).astype(dtype)


def where_samples() -> Iterator[Sample]:
    """Every dtype, operands known and unknown."""
    for dtype in DTYPE_NAMES:
        condition = np.array([[True], [False]])
        values = edge_values(dtype)
        for constants in ((), (1,), (2,), (0,)):
            yield Sample(
                ew.where, (condition, values, values[::-1].copy()), constants=constants
            )
        one = np.ones((), dtype)
        yield Sample(ew.where, (condition, values, one), constants=(2,))
        yield Sample(ew.where, (condition, one, values), constants=(1,))


REDUCED: list[tuple[tuple[int, ...], tuple[int, ...]]] = [
    ((3, 4), (0,)), ((3, 4), (1,)), ((3, 4), (0, 1)), ((2, 3, 4), (0, 2)), ((5,), (0,)),
    ((3, 4), ()), ((), ()), ((0, 3), (1,)), ((7, 2), (0,)),
]  # fmt: skip


def reduction_samples() -> Iterator[Sample]:
    """Every fold over axes, with and without them kept, of nothing where it has an answer."""
    for cls in (red.Sum, red.Prod, red.Max, red.Min, red.All, red.Any_):
        for dtype, (shape, axes) in itertools.product(DTYPE_NAMES, REDUCED):
            for keepdims in (False, True):
                shapes = [shape]
                if cls.has_identity and axes:
                    shapes.append(tuple(0 if a in axes else d for a, d in enumerate(shape)))
                for each in shapes:
                    op = cls(axes, keepdims)
                    exact = cls not in (red.Sum, red.Prod)
                    array = numbers(dtype, *each, edges=exact or dtype not in FLOATING)
                    try:
                        op.infer(type_of(array))
                    except (IRError, TypeError):
                        continue
                    ulps = 0 if exact else 16
                    yield Sample(op, (array,), ulps, ulps, zero_signs=False)


def arg_reduction_samples() -> Iterator[Sample]:
    """First of ties, first NaN."""
    for cls, dtype in itertools.product((red.ArgMax, red.ArgMin), DTYPE_NAMES):
        for axis, keepdims in ((0, False), (1, True)):
            yield Sample(cls(axis, keepdims), (numbers(dtype, 5, 6),))
        yield Sample(cls(1, False), (numbers(dtype, 0, 6),))
        yield Sample(cls(0, False), (np.zeros(4, dtype),))


def running_samples() -> Iterator[Sample]:
    """Running folds; long, short and empty axes."""
    for cls, dtype in itertools.product(
        (red.CumSum, red.CumProd, red.CumMax, red.CumMin), DTYPE_NAMES
    ):
        exact = cls in (red.CumMax, red.CumMin)
        for shape, axis in (
            ((4, 5), 0),
            ((4, 5), 1),
            ((0, 3), 0),
            ((3, 0), 0),
            ((1,), 0),
            ((40,), 0),
        ):
            op = cls(axis)
            array = numbers(dtype, *shape, edges=exact or dtype not in FLOATING)
            try:
                op.infer(type_of(array))
            except IRError:
                continue
            yield Sample(
                op, (array,), 0 if exact else 64, 0 if exact else 64, zero_signs=False
            )


def shaping_samples() -> Iterator[Sample]:
    """Ops that move elements, every dtype."""
    for dtype in DTYPE_NAMES:
        x = numbers(dtype, 4, 6)
        empty = numbers(dtype, 0, 6)
        yield Sample(shp.Reshape((3, 8)), (x,))
        yield Sample(shp.Reshape((6, 0)), (empty,))
        yield Sample(shp.Reshape(()), (numbers(dtype, 1, 1),))
        yield Sample(shp.Transpose((1, 0)), (x,))
        yield Sample(shp.Transpose((1, 0)), (empty,))
        yield Sample(shp.Transpose((0, 1)), (x,))
        yield Sample(shp.BroadcastTo((5, 4, 6)), (x,))
        yield Sample(shp.BroadcastTo((0, 3)), (numbers(dtype),))
        yield Sample(shp.Concatenate(0), (x, empty, x))
        yield Sample(shp.Concatenate(1), (x,))
        yield Sample(shp.Pad((1, 0), (2, 3)), (x, numbers(dtype)))
        yield Sample(shp.Pad((0, 0), (0, 0)), (x, numbers(dtype)))
        yield Sample(shp.Pad((1, 0), (2, 3)), (empty, numbers(dtype)))
        yield Sample(shp.Pad((), ()), (numbers(dtype), numbers(dtype)))
        for starts, sizes, steps in WINDOWS:
            yield Sample(shp.Slice(starts, sizes, steps), (x,))
            window = numbers(dtype, *sizes, seed=1)
            yield Sample(shp.UpdateSlice(starts, steps), (x, window))
        yield Sample(shp.UpdateSlice((), ()), (numbers(dtype), numbers(dtype, seed=3)))
        yield Sample(RequireShape((4, 6)), (x,))
    yield Sample(shp.Iota(5), ())
    yield Sample(shp.Iota(0), ())
    yield Sample(shp.DimValue(7), ())


WINDOWS: list[tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]] = [
    ((0, 0), (4, 6), (1, 1)), ((1, 0), (2, 6), (1, 1)), ((0, 2), (4, 4), (1, 1)),
    ((1, 2), (2, 3), (1, 1)), ((3, 5), (4, 6), (-1, -1)), ((0, 1), (2, 3), (2, 2)),
    ((3, 0), (2, 6), (-2, 1)), ((1, 0), (0, 6), (1, 1)), ((2, 5), (1, 2), (1, -3)),
    ((0, 0), (0, 0), (1, -1)),
]  # fmt: skip


def indexing_samples() -> Iterator[Sample]:
    """Positions negative, repeated, none at all."""
    line = np.array([2, -1, 0, 0], np.int64)
    grid = np.array([[0, 1], [-1, -2], [0, 1]], np.int64)
    none = np.zeros((0, 2), np.int64)
    for dtype in DTYPE_NAMES:
        x = numbers(dtype, 3, 4)
        yield Sample(idx.Take(1), (x, line))
        yield Sample(idx.Take(0), (x, np.array(-1, np.int64)))
        yield Sample(idx.Take(0), (x, none))
        yield Sample(idx.TakeAlongAxis(1), (x, np.array([[0, -1, 2, 2, 1]] * 3, np.int64)))
        yield Sample(idx.TakeAlongAxis(0), (x, np.array([[0], [-1]], np.int64)))
        yield Sample(
            idx.TakeAlongAxis(0), (x[:, :1].copy(), np.array([[0, 1], [2, 2]], np.int64))
        )
        for indices in (grid, grid[:, :1].copy(), grid[None], none, grid[0]):
            yield Sample(idx.GatherND(), (x, indices))
            window = (*indices.shape[:-1], *x.shape[indices.shape[-1] :])
            for combine in ("set", "add", "multiply", "maximum", "minimum"):
                if dtype == np.bool_ and combine != "set":
                    continue
                edges = dtype not in FLOATING or combine in ("set", "maximum", "minimum")
                data = numbers(dtype, 3, 4, edges=edges)
                updates = numbers(dtype, *window, seed=2, edges=edges)
                yield Sample(
                    idx.ScatterND(combine), (data, indices, updates), 8, 8, zero_signs=edges
                )
    for count in (0, 5, -3):
        yield Sample(idx.CountUp(Dim("made")), (np.array(count, np.int64),))
    for shape in ((3, 4), (0, 3), (5,), ()):
        for seed in (0, 1):
            yield Sample(
                idx.NonZero(Dim("found")), (numbers(np.dtype(np.bool_), *shape, seed=seed),)
            )


def sorting_samples() -> Iterator[Sample]:
    """Ties, NaN, infinities, nothing."""
    for cls, dtype in itertools.product((idx.Sort, idx.ArgSort), DTYPE_NAMES):
        for shape, axis in (((9, 30), 1), ((9, 3), 0), ((0, 3), 0), ((3, 0), 0), ((1,), 0)):
            array = numbers(dtype, *shape)
            if dtype == BFLOAT16:  # NumPy itself does not sort a bfloat16 NaN last
                array[np.isnan(array)] = 1.0
            yield Sample(cls(axis), (array,))


def matmul_samples() -> Iterator[Sample]:
    """Plain, stacked, broadcast and empty products."""
    shapes: list[tuple[tuple[int, ...], tuple[int, ...]]] = [
        ((3, 4), (4, 5)), ((2, 3, 4), (4, 5)), ((2, 1, 3, 4), (5, 4, 2)),
        ((3, 0), (0, 2)), ((0, 4), (4, 5)), ((0, 3, 4), (4, 5)),
    ]  # fmt: skip
    for dtype, (left, right) in itertools.product(DTYPE_NAMES, shapes):
        edges = dtype not in FLOATING
        a, b = numbers(dtype, *left, edges=edges), numbers(dtype, *right, seed=1, edges=edges)
        yield Sample(matmul, (a, b), 16, 16)


def special_samples() -> Iterator[Sample]:
    """From the tails to zero, where relative accuracy is lost most easily."""
    points = np.concatenate([np.linspace(-7, 7, 113), [1e-8, -0.0, 15.0, 26.0, -40.0]])
    points = np.concatenate([points, [np.nan, np.inf, -np.inf]])
    for op, dtype in itertools.product((special.erf, special.erfc), FLOATING):
        # the runtime's own erf of float32 is only this accurate
        ulps = 16 if op is special.erf and dtype != F64 else 8
        yield Sample(op, (points.astype(dtype),), ulps, 1)


FAMILIES = {
    "elementwise": elementwise_samples,
    "cast": cast_samples,
    "where": where_samples,
    "reduction": reduction_samples,
    "arg_reduction": arg_reduction_samples,
    "running": running_samples,
    "shaping": shaping_samples,
    "indexing": indexing_samples,
    "sorting": sorting_samples,
    "matmul": matmul_samples,
    "special": special_samples,
}
"""Sample generators by family."""
