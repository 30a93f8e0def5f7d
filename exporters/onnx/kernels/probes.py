"""The one-node models that ask a runtime which kernels it has: one probe per operator.

A probe fixes everything but one element type, its *main* type, which the generator
varies. A key is an ONNX operator, or operator and variant (``"ScatterND:add"``) where
an attribute or a second element type decides which kernel runs; the bare operator is
then the variant of the attribute's default.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, TypeAlias

import ml_dtypes
import numpy as np
from numpy.typing import ArrayLike, NDArray

DType: TypeAlias = np.dtype[np.generic]


class Main(enum.Enum):
    """An attribute value that stands for the main type."""

    DTYPE = "the type's number"
    TENSOR = "a tensor of the type, holding a single 1"


Attribute: TypeAlias = int | str | list[int] | Main


@dataclass(frozen=True, slots=True)
class Operand:
    """A constant operand; ``dtype`` is None where it takes the main type."""

    values: NDArray[np.generic]
    dtype: DType | None = None


@dataclass(frozen=True, slots=True)
class Probe:
    """A node to try.

    Attributes:
        op_type: the ONNX operator.
        operands: constant operands by position, None where one is left out.
        attributes: the node's attributes.
        outputs: how many results to ask for.
        since: the opset that defines this variant. Attribute values are no part of an
            operator's schema, so a runtime may take a value where ONNX has none yet.
    """

    op_type: str
    operands: tuple[Operand | None, ...]
    attributes: dict[str, Attribute]
    outputs: int
    since: int


OLDEST_OPSET: Final = 17
"""The first opset probed: the oldest that the exporter writes."""

DTYPES: Final[tuple[DType, ...]] = tuple(
    np.dtype(scalar)
    for scalar in (
        *(np.bool_, np.int8, np.int16, np.int32, np.int64),
        *(np.uint8, np.uint16, np.uint32, np.uint64),
        *(np.float16, ml_dtypes.bfloat16, np.float32, np.float64),
    )
)
"""The element types probed, each as the main type of every probe."""

UNARY: Final = """
    Abs Acos Acosh Asin Asinh Atan Atanh BitwiseNot Ceil Celu Cos Cosh Elu Erf Exp Floor
    Gelu HardSigmoid HardSwish Identity IsInf IsNaN LeakyRelu Log Mish Neg Not Reciprocal
    Relu Round Selu Shrink Sigmoid Sign Sin Sinh Softplus Softsign Sqrt Swish Tan Tanh
    ThresholdedRelu
    ArgMax ArgMin ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean
    ReduceMin ReduceProd ReduceSum ReduceSumSquare
    Bernoulli Det Flatten Hardmax LogSoftmax NonZero RandomNormalLike RandomUniformLike
    Shape Size Softmax Transpose Trilu
"""
BINARY: Final = """
    Add And BitwiseAnd BitwiseOr BitwiseXor Div Equal Greater GreaterOrEqual Less
    LessOrEqual Max Mean Min Mod Mul Or PRelu Pow Sub Sum Xor MatMul MatMulInteger
"""


def main(*shape: int) -> Operand:
    """An operand of the main type, all ones: in every domain, never dividing by zero."""
    return Operand(np.ones(shape))


def const(values: ArrayLike, dtype: str = "int64") -> Operand:
    """An operand whose element type does not vary."""
    array = np.asarray(values, dtype)
    return Operand(array, array.dtype)


def probe(
    op_type: str,
    *operands: Operand | None,
    outputs: int = 1,
    since: int = OLDEST_OPSET,
    **attributes: Attribute,
) -> Probe:
    """Build a probe; the other keyword arguments are the node's attributes."""
    return Probe(op_type, operands, attributes, outputs, since)


def probes() -> dict[str, Probe]:
    """Every probe by its key, sorted."""
    found: dict[str, Probe] = {}
    for family in (_elementwise, _converting, _shaping, _indexing, _contracting, _creating):
        found.update(family())
    return dict(sorted(found.items()))


def _elementwise() -> Iterator[tuple[str, Probe]]:
    for op_type in UNARY.split():
        yield op_type, probe(op_type, main(2, 2))
    for op_type in BINARY.split():
        yield op_type, probe(op_type, main(2, 2), main(2, 2))
    yield "Gelu:tanh", probe("Gelu", main(2), approximate="tanh")
    yield "Mod:fmod", probe("Mod", main(2), main(2), fmod=1)
    yield "Where", probe("Where", const([True, False], "bool"), main(2), main(2))
    yield "Clip", probe("Clip", main(2), main(), main())
    for direction in ("LEFT", "RIGHT"):
        key = f"BitShift:{direction.lower()}"
        yield key, probe("BitShift", main(2), main(2), direction=direction)
    for op_type in ("CumSum", "CumProd"):
        yield op_type, probe(op_type, main(2), const(0))


def _converting() -> Iterator[tuple[str, Probe]]:
    """Pairs of types: the key names the one that is not the main type."""
    for dtype in DTYPES:
        other = Operand(np.ones(2), dtype)
        yield f"Cast:{dtype.name}", probe("Cast", other, to=Main.DTYPE)
        yield f"BitCast:{dtype.name}", probe("BitCast", other, to=Main.DTYPE)
        yield f"Pow:{dtype.name}", probe("Pow", main(2), other)


def _shaping() -> Iterator[tuple[str, Probe]]:
    yield "Reshape", probe("Reshape", main(2), const([2, 1]))
    yield "Expand", probe("Expand", main(2), const([3, 2]))
    yield "Squeeze", probe("Squeeze", main(1, 2), const([0]))
    yield "Unsqueeze", probe("Unsqueeze", main(2), const([0]))
    yield "Concat", probe("Concat", main(2), main(1), axis=0)
    yield "Split", probe("Split", main(3), const([1, 2]), outputs=2)
    yield "Tile", probe("Tile", main(2), const([2]))
    slices = (const([value]) for value in (2, -4, 0, -1))
    yield "Slice", probe("Slice", main(3), *slices)
    pads = const([1, 1])
    yield "Pad", probe("Pad", main(3), pads, main())
    for mode, since in (("reflect", 17), ("edge", 17), ("wrap", 19)):
        yield f"Pad:{mode}", probe("Pad", main(3), pads, since=since, mode=mode)
    yield "DepthToSpace", probe("DepthToSpace", main(1, 4, 1, 1), blocksize=2)
    yield "SpaceToDepth", probe("SpaceToDepth", main(1, 1, 2, 2), blocksize=2)
    lengths = const([2, 1])
    yield "ReverseSequence", probe("ReverseSequence", main(2, 2), lengths)
    sizes = const([1, 1, 4, 4])
    resized = (main(1, 1, 2, 2), None, None, sizes)
    yield "Resize", probe("Resize", *resized)
    for mode in ("linear", "cubic"):
        yield f"Resize:{mode}", probe("Resize", *resized, mode=mode)


def _indexing() -> Iterator[tuple[str, Probe]]:
    yield "Gather", probe("Gather", main(2, 2), const([1, 0]))
    yield "GatherElements", probe("GatherElements", main(2, 2), const([[1, 0]]))
    yield "GatherND", probe("GatherND", main(2, 2), const([[1, 0]]))
    scatters = (
        ("ScatterND", (main(2), const([[0]]), main(1))),
        ("ScatterElements", (main(2), const([0]), main(1))),
    )
    for op_type, operands in scatters:
        yield op_type, probe(op_type, *operands)
        for reduction, since in (("add", 17), ("mul", 17), ("max", 18), ("min", 18)):
            combine = probe(op_type, *operands, since=since, reduction=reduction)
            yield f"{op_type}:{reduction}", combine
    keep = const([True, False], "bool")
    yield "Compress", probe("Compress", main(2), keep, axis=0)
    yield "OneHot", probe("OneHot", const([0, 1]), const(2), main(2))
    yield "TopK", probe("TopK", main(3), const([2]), outputs=2)
    yield "Unique", probe("Unique", main(3), outputs=4)


def _contracting() -> Iterator[tuple[str, Probe]]:
    image, weights = main(1, 1, 4, 4), main(1, 1, 2, 2)
    yield "Gemm", probe("Gemm", main(2, 2), main(2, 2), main(2))
    yield "Einsum", probe("Einsum", main(2, 2), main(2, 2), equation="ij,jk->ik")
    yield "Einsum:diagonal", probe("Einsum", main(2, 2), equation="ii->i")
    yield "Einsum:transpose", probe("Einsum", main(2, 2), equation="ij->ji")
    for op_type in ("Conv", "ConvInteger", "ConvTranspose"):
        yield op_type, probe(op_type, image, weights)
    for op_type in ("AveragePool", "LpPool", "MaxPool"):
        yield op_type, probe(op_type, image, kernel_shape=[2, 2])
    for op_type in ("GlobalAveragePool", "GlobalLpPool", "GlobalMaxPool"):
        yield op_type, probe(op_type, image)
    scale = main(2)
    yield "LayerNormalization", probe("LayerNormalization", main(2, 2), scale, scale)
    yield "RMSNormalization", probe("RMSNormalization", main(2, 2), scale)
    heads = (main(1, 1, 2, 2) for _ in range(4))
    yield "Attention", probe("Attention", *heads)
    yield "LpNormalization", probe("LpNormalization", main(2, 2))
    yield "InstanceNormalization", probe("InstanceNormalization", image, main(1), main(1))
    batch = (main(1) for _ in range(4))
    yield "BatchNormalization", probe("BatchNormalization", image, *batch)
    group = probe("GroupNormalization", image, main(1), main(1), num_groups=1)
    yield "GroupNormalization", group
    yield "DFT", probe("DFT", main(1, 4, 1))


def _creating() -> Iterator[tuple[str, Probe]]:
    span = (Operand(np.asarray(value)) for value in (0, 3, 1))
    yield "Range", probe("Range", *span)
    yield "EyeLike", probe("EyeLike", const([[1, 2]]), dtype=Main.DTYPE)
    yield "Constant", probe("Constant", value=Main.TENSOR)
    yield "ConstantOfShape", probe("ConstantOfShape", const([2]), value=Main.TENSOR)
    for op_type in ("RandomNormal", "RandomUniform"):
        yield op_type, probe(op_type, shape=[2], dtype=Main.DTYPE)
