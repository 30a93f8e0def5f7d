"""What a model takes and gives: declared types held to the types of actual operands."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import onnx

from exporters.errors import ModelError
from exporters.onnx.models.inference import inferred
from exporters.onnx.models.tensors import DTYPES
from ir.dims import prove_eq
from ir.errors import DTypeError, ShapeError
from ir.types import DTYPE_NAMES, TensorType

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np

    from ir.dims import DimLike, Shape

_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
_NAMED_BY_A_TOOL = re.compile(r"unk_|dynamic|DynamicDimension|p2o", re.IGNORECASE)


class Unknown(NamedTuple):
    """A size that only a run tells.

    Attributes:
        label: Sizes of one label are the same.
        stem: What a symbol for it may be called.
    """

    label: str
    stem: str


class Result(NamedTuple):
    """What is known of one result before the model runs.

    Attributes:
        name: The output's name.
        dtype: Its dtype.
        shape: Its sizes as far as inference proves them.
        claims: The sizes that the file declares; those of ``shape`` where these are proven.
    """

    name: str
    dtype: np.dtype[Any]
    shape: OpenShape
    claims: OpenShape


OpenShape: TypeAlias = "tuple[DimLike | Unknown, ...]"


class Match(NamedTuple):
    """A model's signature for operands of given types.

    Attributes:
        operands: The sizes that each operand must turn out to have.
        results: What is known of each result.
    """

    operands: tuple[Shape, ...]
    results: tuple[Result, ...]


@lru_cache(maxsize=32)
def parsed(model: bytes) -> onnx.ModelProto:
    """Return the model of some bytes, which nobody may change.

    Raises:
        ModelError: They are no ONNX model.
    """
    try:
        proto = onnx.load_from_string(model)
    except Exception as error:  # protobuf's own, whose module has no types
        raise ModelError(f"no ONNX model: {error}") from None
    if not proto.HasField("graph"):
        raise ModelError("no ONNX model: it has no graph")
    return proto


@lru_cache(maxsize=1024)
def match(model: bytes, title: str, operands: tuple[TensorType, ...]) -> Match:
    """Return what a model asks of operands and gives for them.

    Args:
        model: A model whose inputs are its operands, in order.
        title: How messages call it.
        operands: Types of the operands.

    Raises:
        DTypeError: An operand has another dtype than the model declares.
        ShapeError: An operand has another rank, or a size that cannot be the declared one.
        ModelError: The model is malformed, or the rank of a result is not known.
    """
    proto = parsed(model)
    sizes: dict[str, DimLike] = {}
    inputs = proto.graph.input
    if len(inputs) != len(operands):
        raise ShapeError(f"{title}: takes {len(inputs)} operands, got {len(operands)}")
    shapes = tuple(
        _required(title, value, given, sizes)
        for value, given in zip(inputs, operands, strict=True)
    )
    return Match(shapes, _results(proto, title, shapes, sizes))


def declared_text(value: onnx.ValueInfoProto) -> str:
    """Return a declared type as the IR spells types; ``?`` for a size of no name."""
    tensor = value.type.tensor_type
    dtype = DTYPES.get(tensor.elem_type)
    name = "?" if dtype is None else DTYPE_NAMES[dtype]
    if not tensor.HasField("shape"):
        return f"{name}[...]"
    return f"{name}[{','.join(_dim_text(dim) for dim in tensor.shape.dim)}]"


def _dim_text(dim: onnx.TensorShapeProto.Dimension) -> str:
    return str(dim.dim_value) if _is_number(dim) else dim.dim_param or "?"


def _is_number(dim: onnx.TensorShapeProto.Dimension) -> bool:
    """Whether a size is a number; some tools write -1 for one they do not know."""
    return bool(dim.HasField("dim_value") and dim.dim_value >= 0)


def _required(
    title: str, value: onnx.ValueInfoProto, given: TensorType, sizes: dict[str, DimLike]
) -> Shape:
    """Return the sizes that an operand must have, noting those of named axes."""
    tensor = value.type.tensor_type
    dtype = DTYPES[tensor.elem_type]
    wanted = declared_text(value)
    if given.dtype != dtype:
        raise DTypeError(
            f"{title}: input {value.name!r} takes {wanted}, got {given}\n"
            f"  ways out: {value.name if value.name.isidentifier() else 'x'}"
            f".astype(np.{dtype.name})"
        )
    if not tensor.HasField("shape"):
        return given.shape
    if len(tensor.shape.dim) != given.rank:
        raise ShapeError(
            f"{title}: input {value.name!r} takes {wanted}, of rank {len(tensor.shape.dim)}, "
            f"got {given}, of rank {given.rank}\n  ways out: {_reshaping(tensor, given)}"
        )
    shape = []
    for axis, (dim, size) in enumerate(zip(tensor.shape.dim, given.shape, strict=True)):
        if _is_number(dim):
            needed: DimLike = dim.dim_value
        elif dim.dim_param:
            needed = sizes.setdefault(dim.dim_param, size)
        else:
            needed = size
        if prove_eq(size, needed) is False:
            named = "" if _is_number(dim) else f" ({dim.dim_param} is {needed})"
            raise ShapeError(
                f"{title}: input {value.name!r} takes {wanted}{named}, got {given}: axis {axis} "
                f"is {size}, expected {needed}"
            )
        shape.append(needed)
    return tuple(shape)


def _reshaping(tensor: onnx.TypeProto.Tensor, given: TensorType) -> str:
    if len(tensor.shape.dim) == given.rank + 1:
        return "x[np.newaxis] adds a first axis of size 1"
    return "reshape it first"


# --- results ------------------------------------------------------------------------------


def _results(
    proto: onnx.ModelProto, title: str, shapes: tuple[Shape, ...], sizes: Mapping[str, DimLike]
) -> tuple[Result, ...]:
    tokens: dict[DimLike, str] = {}
    found_types = inferred(proto, shapes, tokens).graph.output
    known = {token: dim for dim, token in tokens.items()}
    results = []
    for value, found in zip(proto.graph.output, found_types, strict=True):
        tensor, given = value.type.tensor_type, found.type.tensor_type
        elem_type = given.elem_type or tensor.elem_type
        if elem_type not in DTYPES:
            raise ModelError(f"{title}: the dtype of output {value.name!r} is not known")
        if not given.HasField("shape") and not tensor.HasField("shape"):
            raise ModelError(
                f"{title}: the rank of output {value.name!r} is neither declared nor inferred\n"
                f"  ways out: say it, load_onnx(…, shapes={{{value.name!r}: (None, 4)}})"
            )
        claims = _claimed(value, sizes)
        shape: OpenShape = tuple(_nameless(value.name, k) for k in range(len(claims)))
        if given.HasField("shape"):
            shape = _proven(value.name, given, known)
        if len(claims) != len(shape):
            claims = shape
        claims = tuple(
            claim if isinstance(size, Unknown) else size
            for size, claim in zip(shape, claims, strict=True)
        )
        results.append(Result(value.name, DTYPES[elem_type], shape, claims))
    return tuple(results)


def _proven(
    name: str, tensor: onnx.TypeProto.Tensor, known: Mapping[str, DimLike]
) -> OpenShape:
    sizes: list[DimLike | Unknown] = []
    for axis, dim in enumerate(tensor.shape.dim):
        if dim.HasField("dim_value"):
            sizes.append(dim.dim_value)
        elif dim.dim_param in known:
            sizes.append(known[dim.dim_param])
        else:
            sizes.append(_nameless(name, axis))
    return tuple(sizes)


def _claimed(value: onnx.ValueInfoProto, sizes: Mapping[str, DimLike]) -> OpenShape:
    """Return the declared sizes: numbers, those of named axes of inputs, or labels."""
    claims: list[DimLike | Unknown] = []
    for axis, dim in enumerate(value.type.tensor_type.shape.dim):
        if _is_number(dim):
            claims.append(dim.dim_value)
        elif dim.dim_param in sizes:
            claims.append(sizes[dim.dim_param])
        elif dim.dim_param:
            stem = _stem(value.name, axis, dim.dim_param)
            claims.append(Unknown(f"declared {dim.dim_param}", stem))
        else:
            claims.append(_nameless(value.name, axis))
    return tuple(claims)


def _nameless(name: str, axis: int) -> Unknown:
    return Unknown(f"axis {axis} of {name}", _stem(name, axis, ""))


def _stem(name: str, axis: int, param: str) -> str:
    """Return what to call a size: the file's own word for it, or the output and the axis."""
    if _IDENTIFIER.fullmatch(param) and not _NAMED_BY_A_TOOL.match(param):
        return f"{param}_"
    words = re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_")
    return f"{words if words[:1].isalpha() else 'result'}_{axis}_"
