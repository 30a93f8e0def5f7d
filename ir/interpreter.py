"""The reference interpreter: runs a graph with NumPy, one node after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ir.dims import Dim, evaluate
from ir.errors import EvaluationError
from ir.progress import counted
from ir.size_checks import check_constraints
from ir.symbols import match_shape
from ir.types import type_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ir.dims import Symbol
    from ir.graph import Graph, Node, Value
    from ir.ops.base import Array


def bind_arguments(
    graph: Graph, arrays: tuple[Any, ...], named: Mapping[str, Any]
) -> dict[str, Array]:
    """Return input arrays by name; Python scalars and lists take the input's dtype.

    Raises:
        EvaluationError: An input is missing, given twice, or unknown.
    """
    names = [str(value.name) for value in graph.inputs]
    if len(arrays) > len(names):
        raise EvaluationError(f"{graph.name}: takes {len(names)} inputs, got {len(arrays)}")
    given = dict(zip(names, arrays, strict=False))
    for name, array in named.items():
        if name not in names:
            raise EvaluationError(f"{graph.name}: no input {name!r}; inputs are {names}")
        if name in given:
            raise EvaluationError(f"{graph.name}: input {name!r} was given twice")
        given[name] = array
    result: dict[str, Array] = {}
    for value in graph.inputs:
        name = str(value.name)
        array = given.get(name, value.data)
        if array is None:
            raise EvaluationError(
                f"{graph.name}: input {name!r} of type {value.type} is missing"
            )
        if not isinstance(array, np.ndarray | np.generic):
            array = np.asarray(array, value.type.dtype)
        result[name] = np.asarray(array)
    return result


def run(
    graph: Graph,
    arrays: Mapping[str, Array],
    observe: Callable[[Node, tuple[Array, ...]], None] | None = None,
    sizes: Mapping[Symbol, int] | None = None,
) -> tuple[Array, ...]:
    """Evaluate the graph's outputs.

    Args:
        graph: What to run.
        arrays: One array per input name.
        observe: Called with every node and its results, in order.
        sizes: Numbers of the symbols that a nested graph takes from around it.

    Raises:
        EvaluationError: An input has the wrong dtype or shape, or a node fails.
    """
    bindings: dict[Symbol, int] = dict(sizes or {})
    env: dict[Value, Array] = {}
    for value in graph.inputs:
        array = arrays[str(value.name)]
        if array.dtype != value.type.dtype:
            raise EvaluationError(
                f"input {value.name!r}: expected {value.type}, got {type_of(array)}"
            )
        match_shape(f"input {value.name!r}", value.type.shape, array.shape, bindings)
        env[value] = array
    numbers = {symbol.name: size for symbol, size in bindings.items()}
    for value in graph.inputs:
        _check_derived(value, env[value], numbers)
    if numbers:
        check_constraints(graph, numbers)
    for value in graph.constants:
        assert value.data is not None
        env[value] = value.data
    with np.errstate(all="ignore"):
        for node in counted("running nodes", graph.nodes, every=1):
            results = _apply(node, [env[value] for value in node.inputs], numbers)
            env.update(zip(node.outputs, results, strict=True))
            if node.op.defines_symbols:
                for value, result in zip(node.outputs, results, strict=True):
                    match_shape(node.op.name, value.type.shape, result.shape, bindings)
                numbers = {symbol.name: size for symbol, size in bindings.items()}
            if observe is not None:
                observe(node, results)
    return tuple(_owned(env[value]) for value in graph.outputs)


def _owned(array: Array) -> Array:
    """Results never alias inputs, constants or read-only views."""
    return np.array(array, copy=True)


def _check_derived(value: Value, array: Array, numbers: Mapping[str, int]) -> None:
    for axis, dim in enumerate(value.type.shape):
        if isinstance(dim, Dim) and evaluate(dim, numbers) != array.shape[axis]:
            raise EvaluationError(
                f"input {value.name!r}: axis {axis} is {array.shape[axis]}, "
                f"expected {dim} = {evaluate(dim, numbers)}"
            )


def _apply(node: Node, operands: list[Array], numbers: Mapping[str, int]) -> tuple[Array, ...]:
    op = node.op
    if op.symbols:
        op = op.bind(numbers)
    try:
        return op.evaluate(*operands)
    except EvaluationError:
        raise
    except Exception as error:
        at = f"\n  at {node.location}" if node.location else ""
        types = ", ".join(str(type_of(array)) for array in operands)
        raise EvaluationError(f"{op.name}: {error}: operands {types}{at}") from error
