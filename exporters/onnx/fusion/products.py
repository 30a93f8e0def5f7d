"""Matrix products with what stands around them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from exporters.onnx.fusion.native import Native, native
from exporters.onnx.fusion.patterns import Pattern, Result
from exporters.onnx.fusion.rules import Site, Stage, fuses
from exporters.onnx.legality import FLOAT32, FLOAT64
from ir.ops import elementwise as ew
from ir.ops.linear_algebra import matmul
from ir.ops.shaping import Transpose
from ir.types import TensorType

if TYPE_CHECKING:
    from exporters.onnx.primitives import Attribute
    from ir.graph import Value
    from ir.ops.base import Array

EXACT = frozenset((FLOAT32, FLOAT64))


@native("Gemm")
class Gemm(Native):
    """``a @ b`` of matrices, either one transposed first; plus operand 2 if given."""

    unsigned_zero = True
    transA: int
    transB: int

    def infer(self, *operands: TensorType) -> tuple[TensorType, ...]:
        a, b = operands[:2]
        return (TensorType(a.dtype, (a.shape[self.transA], b.shape[1 - self.transB])),)

    def attributes(self) -> dict[str, Attribute]:
        """Return what differs from the default."""
        given = {"transA": self.transA, "transB": self.transB}
        return {name: value for name, value in given.items() if value}

    def evaluate(self, *operands: Array) -> tuple[Array, ...]:
        a, b, *bias = operands
        result = (a.T if self.transA else a) @ (b.T if self.transB else b)
        return (np.asarray(result + bias[0] if bias else result, a.dtype),)


def _is_matrix(value: Value) -> bool:
    return value.type.rank == 2


def _turned(value: Value) -> tuple[Value, int]:
    """Return a matrix without its transposition, and 1 if there was one."""
    node = value.producer
    if node is not None and isinstance(node.op, Transpose):
        return node.inputs[0], 1
    return value, 0


A, B = Pattern("a"), Pattern("b")


@fuses(
    Result(ew.add, Result(matmul, A, B, name="product"), Pattern("bias")),
    stage=Stage.FINISH,
    dtypes=EXACT,
    kernels=("Gemm",),
)
def gemm(site: Site) -> Value | None:
    """A product of matrices plus a vector is ``Gemm``, transpositions included."""
    bias = site["bias"].type
    if not _is_matrix(site["a"]) or not _is_matrix(site["b"]):
        return None
    if site["product"].type != site.type or not _broadcasts(bias, site.type):
        return None
    (a, turned_a), (b, turned_b) = _turned(site["a"]), _turned(site["b"])
    return site.apply(Gemm(turned_a, turned_b), a, b, site["bias"])


def _broadcasts(bias: TensorType, result: TensorType) -> bool:
    """Whether ``Gemm`` repeats the bias as NumPy does; sizes have to be known to fit."""
    pairs = zip(reversed(bias.shape), reversed(result.shape), strict=False)
    return bias.rank <= 2 and all(given in (1, wanted) for given, wanted in pairs)


@fuses(
    Result(matmul, Result(Transpose, A), B),
    Result(matmul, A, Result(Transpose, B)),
    stage=Stage.FINISH,
    dtypes=EXACT,
    kernels=("Gemm",),
    shared=True,
)
def transposed_product(site: Site) -> Value | None:
    """A product with a transposed matrix is ``Gemm``."""
    left, right = site.root.inputs
    if not _is_matrix(left) or not _is_matrix(right):
        return None
    (a, turned_a), (b, turned_b) = _turned(left), _turned(right)
    return site.apply(Gemm(turned_a, turned_b), a, b)
