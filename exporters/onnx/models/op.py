"""An ONNX model as one op: its weights are operands, the rest of it is a parameter."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from exporters.errors import ModelError
from exporters.onnx.models.graphs import all_nodes
from exporters.onnx.models.signature import Match, Unknown, match, parsed
from exporters.onnx.models.work import arithmetic
from ir.dims import Dim, prove_eq
from ir.errors import EvaluationError, ShapeError
from ir.ops import ParameterizedOp, parameterized
from ir.ops.base import Application
from ir.types import TensorType, type_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from exporters.onnx.models.signature import OpenShape
    from ir.dims import DimLike, Shape
    from ir.ops.base import Array

_UNPRINTABLE = re.compile(r"[\s,:=()%]+")
"""What the text of graphs has no place for in names."""

_RANDOM = frozenset(
    (
        "Bernoulli",
        "Multinomial",
        "RandomNormal",
        "RandomNormalLike",
        "RandomUniform",
        "RandomUniformLike",
    )
)


@parameterized
class OnnxModel(ParameterizedOp):
    """Run an ONNX model; operands are its inputs, then its weights.

    The bytes are a whole model but for the large tensors, which are inputs of it. Made by
    :func:`exporters.load_onnx`.

    Attributes:
        title: What the model is called.
        model: The model in ONNX's own format.
        weights: How many of the last operands are weights.
        results: Result types, in the dimensions of the graph around.
        fresh: Symbols among ``results`` for sizes that only a run tells.
    """

    name = "onnx.model"
    title: str
    model: bytes
    weights: int = 0
    results: tuple[TensorType, ...] = ()
    fresh: tuple[int | Dim, ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        try:
            pure = _is_pure(self.model)
        except ModelError as error:
            raise ShapeError(f"{self.title}: {error}") from None
        object.__setattr__(self, "pure", pure)
        object.__setattr__(self, "defines_symbols", bool(self.fresh))

    def infer(self, *operands: TensorType) -> tuple[TensorType, ...]:
        found = self._match(operands)
        for given, wanted in zip(operands, found.operands, strict=True):
            if given.shape != wanted and not all(map(prove_eq, given.shape, wanted)):
                raise ShapeError(f"{self.title}: {given} is not known to be of sizes {wanted}")
        given_types = [(result.dtype, result.shape) for result in found.results]
        if len(given_types) != len(self.results) or not all(
            _agree(type_, *known)
            for type_, known in zip(self.results, given_types, strict=True)
        ):
            listed = ", ".join(map(str, self.results))
            raise ShapeError(f"{self.title}: the model does not give {listed}")
        return self.results

    def evaluate(self, *operands: Array) -> tuple[Array, ...]:
        from exporters.onnx.models.sessions import run_session

        results = run_session(self, operands)
        for array, declared in zip(results, self.results, strict=False):
            given = type_of(array)
            if not _agree(given, declared.dtype, declared.shape):
                raise EvaluationError(f"{self.title}: gave {given}, expected {declared}")
        return results

    def flops(self, operands: tuple[TensorType, ...]) -> DimLike | None:
        return arithmetic(self.model, tuple(operand.shape for operand in operands))

    def applied_to(
        self, operands: tuple[TensorType, ...], fresh: Callable[[str], Dim]
    ) -> Application:
        found = self._match(operands)
        made: dict[str, Dim] = {}
        symbols: list[Dim] = []
        types: list[TensorType] = []
        relied: list[Shape] = []
        for result in found.results:
            sizes: list[DimLike] = []
            claims: list[DimLike] = []
            for size, claim in zip(result.shape, result.claims, strict=True):
                if isinstance(size, Unknown):
                    size = fresh((claim if isinstance(claim, Unknown) else size).stem)
                    symbols.append(size)
                sizes.append(size)
                if isinstance(claim, Unknown):
                    assert isinstance(size, Dim)
                    claim = made.setdefault(claim.label, size)
                claims.append(claim)
            types.append(TensorType(result.dtype, tuple(sizes)))
            relied.append(tuple(claims))
        op = OnnxModel(self.title, self.model, self.weights, tuple(types), tuple(symbols))
        inputs = parsed(self.model).graph.input
        names = tuple(_UNPRINTABLE.sub("_", value.name) for value in inputs)
        return Application(op, found.operands, tuple(relied), names)

    def _match(self, operands: tuple[TensorType, ...]) -> Match:
        try:
            return match(self.model, self.title, operands)
        except ModelError as error:
            raise ShapeError(str(error)) from None


@lru_cache(maxsize=32)
def _is_pure(model: bytes) -> bool:
    return all(node.op_type not in _RANDOM for node in all_nodes(parsed(model).graph))


def _agree(given: TensorType, dtype: object, sizes: OpenShape) -> bool:
    """Whether a type can be of a dtype and sizes, as far as these are known."""
    return (
        given.dtype == dtype
        and given.rank == len(sizes)
        and all(
            isinstance(size, Unknown) or prove_eq(dim, size) is not False
            for dim, size in zip(given.shape, sizes, strict=True)
        )
    )
