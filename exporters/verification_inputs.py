"""Made-up inputs for a model: arrays that fit its dtypes, shapes and symbols."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import onnx.helper

from exporters.errors import VerificationError
from exporters.verification_sizes import fitting_sizes, not_empty
from ir.dims import DimSyntaxError, Symbol, evaluate, parse_dim, symbols_of
from ir.graph import Graph

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import onnx

    from ir.dims import DimLike

    Array = np.ndarray[Any, Any]

_SIZES = (3, 2, 4, 5)


Ranges: TypeAlias = "Mapping[str, tuple[float, float]]"
"""The least and the largest value to make up, by input."""


def model_samples(
    model: onnx.ModelProto, reference: object, seed: int, ranges: Ranges | None = None
) -> Iterator[dict[str, Array]]:
    """Yield input arrays by name, with ever smaller integers: some graphs index by them.

    Args:
        model: Whose inputs to make up.
        reference: A graph whose symbols say which sizes they take, or anything else.
        seed: For the random numbers.
        ranges: Between which values, for inputs that take others than the usual ones.

    Raises:
        VerificationError: A range is of no input.
    """
    defaults = {tensor.name for tensor in model.graph.initializer}
    inputs = [value for value in model.graph.input if value.name not in defaults]
    ranges = _known_ranges(ranges or {}, [value.name for value in inputs])
    symbols = _symbols(reference)
    sizes = _sizes(inputs, symbols)
    if isinstance(reference, Graph):
        sizes = fitting_sizes(sizes, symbols, reference.constraints, not_empty(reference))
    for magnitude in (10, 2, 1):
        rng = np.random.default_rng(seed)
        yield {
            value.name: _array(
                value.type.tensor_type, sizes, symbols, ranges.get(value.name, magnitude), rng
            )
            for value in inputs
        }


def _known_ranges(ranges: Ranges, names: list[str]) -> Ranges:
    for name, (low, high) in ranges.items():
        if name not in names:
            raise VerificationError(
                f"ranges: no input is called {name!r}; there are {', '.join(names) or 'none'}"
            )
        if not low <= high:
            raise VerificationError(f"ranges: {name!r}: {low} is above {high}")
    return ranges


def _symbols(reference: object) -> dict[str, Symbol]:
    if not isinstance(reference, Graph):
        return {}
    shapes = [value.type.shape for value in reference.inputs]
    return {symbol.name: symbol for shape in shapes for symbol in symbols_of(shape)}


def _dim(proto: onnx.TensorShapeProto.Dimension, symbols: dict[str, Symbol]) -> DimLike:
    if proto.HasField("dim_value"):
        return int(proto.dim_value)
    try:
        return parse_dim(proto.dim_param, symbols or None)
    except DimSyntaxError:  # a name that another tool wrote
        return _SIZES[0]


def _sizes(inputs: list[onnx.ValueInfoProto], symbols: dict[str, Symbol]) -> dict[str, int]:
    """Give every symbol a size of its own within its bounds."""
    sizes: dict[str, int] = {}
    for value in inputs:
        for axis in value.type.tensor_type.shape.dim:
            for symbol in symbols_of(_dim(axis, symbols)):
                wanted = max(_SIZES[len(sizes) % len(_SIZES)], symbol.min)
                most = wanted if symbol.max is None else min(wanted, symbol.max)
                sizes.setdefault(symbol.name, most)
    return sizes


def _array(
    tensor: onnx.TypeProto.Tensor,
    sizes: dict[str, int],
    symbols: dict[str, Symbol],
    limits: int | tuple[float, float],
    rng: np.random.Generator,
) -> Array:
    """Return random numbers: within limits, or integers below one and floats around 0."""
    shape = tuple(evaluate(_dim(axis, symbols), sizes) for axis in tensor.shape.dim)
    dtype = onnx.helper.tensor_dtype_to_np_dtype(tensor.elem_type)
    if dtype.kind == "b":
        return rng.integers(0, 2, shape).astype(dtype)
    if dtype.kind in "iu":
        low, high = limits if isinstance(limits, tuple) else (0, limits - 1)
        wide = np.uint64 if high > np.iinfo(np.int64).max else np.int64
        drawn: Array = rng.integers(int(low), int(high), shape, dtype=wide, endpoint=True)
        return drawn.astype(dtype)
    low, high = limits if isinstance(limits, tuple) else (-2, 2)
    return rng.uniform(low, high, shape).astype(dtype)
