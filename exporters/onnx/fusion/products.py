"""Matrix products with what stands around them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from exporters.onnx.fusion.native import Native, native
from exporters.onnx.fusion.patterns import Constant, Pattern, Result, keeps_digits
from exporters.onnx.fusion.rules import EXACT, Site, Stage, fuses
from ir.ops import elementwise as ew
from ir.ops.linear_algebra import matmul
from ir.ops.shaping import Transpose
from ir.types import TensorType

if TYPE_CHECKING:
    from exporters.onnx.primitives import Attribute
    from ir.graph import Node, Value
    from ir.ops.base import Array


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


def _is_plain(node: Node) -> bool:
    """Whether a ``Gemm`` takes its first operand as it is."""
    return not node.op.parameters["transA"]


A, B, X = Pattern("a"), Pattern("b"), Pattern("x")


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


# --- scales and shifts folded into weights ------------------------------------------------

_ROW = Constant("row")
_WEIGHTS = (Constant("weights"), Constant("bias"))


def _columns(site: Site) -> Array | None:
    """Return one number per column of the operand, if the constant is that or one number."""
    if not _is_matrix(site["x"]):
        return None
    row, width = site.array("row"), site["x"].type.shape[1]
    if row.ndim > 2 or row.size not in (1, width) or row.shape[:-1] not in ((), (1,)):
        return None
    wide = row.astype(np.float64).reshape(-1)
    return np.broadcast_to(wide, (int(site.array("weights").shape[_inner(site)]),))


def _inner(site: Site) -> int:
    """Return the axis of the weights that is summed over."""
    return int(site.root.op.parameters["transB"])


@fuses(
    Result(Gemm, Result(ew.subtract, X, _ROW, name="moved"), *_WEIGHTS, test=_is_plain),
    Result(Gemm, Result(ew.add, X, _ROW, name="added"), *_WEIGHTS, test=_is_plain),
    level=2,
    stage=Stage.FINISH,
    dtypes=EXACT,
)
def shifted_operand(site: Site) -> Value | None:
    """A shift before ``Gemm`` goes into its bias; digits are lost where both are large."""
    columns = _columns(site)
    if columns is None:
        return None
    weights = site.array("weights").astype(np.float64)
    moved = columns @ (weights.T if _inner(site) else weights)
    bias = site.array("bias").astype(np.float64)
    bias = bias + moved if "added" in site else bias - moved
    if not keeps_digits(bias, site.type.dtype):
        return None
    constant = site.constant(bias.astype(site.type.dtype), "bias")
    return site.apply(site.root.op, site["x"], site["weights"], constant)


@fuses(
    Result(Gemm, Result(ew.multiply, X, _ROW), *_WEIGHTS, test=_is_plain),
    Result(Gemm, Result(ew.divide, X, _ROW, name="divided"), *_WEIGHTS, test=_is_plain),
    level=2,
    stage=Stage.FINISH,
    dtypes=EXACT,
)
def scaled_operand(site: Site) -> Value | None:
    """A scale before ``Gemm`` goes into its weights."""
    columns = _columns(site)
    if columns is None or not np.isfinite(columns).all() or not columns.all():
        return None
    scale = 1 / columns if "divided" in site else columns
    wide = scale if _inner(site) else scale[:, None]
    weights = site.array("weights").astype(np.float64) * wide
    if not keeps_digits(weights, site.type.dtype):
        return None
    constant = site.constant(weights.astype(site.type.dtype), "weights")
    return site.apply(site.root.op, site["x"], constant, site["bias"])
