"""Choices and loops that are decided when the graph runs.

Each operator runs as plain Python when nothing captured takes part, so the same code works
uncaptured. Otherwise its functions are recorded once as nested graphs. Operands and results may be
nested lists, tuples, dicts and dataclasses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from capture.branches import branch
from capture.carries import Carries
from capture.coerce import find_recorder, lift
from capture.known import UnknownValue
from capture.location import here
from capture.loops import run_loop
from capture.pytrees import flatten
from capture.symbolic import SYMBOLIC_NUMBERS, SymbolicInt, dim_of
from capture.tensor import Tensor
from capture.weak import WEAK_NUMBERS, WeakInt
from ir.dims import Dim, prove_eq
from ir.ops import interned
from ir.ops.shaping import DimValue
from ir.types import BOOL, INT64

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from capture.recorder import Recorder

_FOREVER = np.iinfo(np.int64).max


def is_open(value: Any) -> bool:
    """Whether a value is captured and not known during capture."""
    if type(value) is SymbolicInt:
        return prove_eq(value.dim, 0) is None
    if type(value) in WEAK_NUMBERS:
        value = value.value
    if type(value) is not Tensor:
        return False
    try:
        value._recorder.known.read(value._read())
    except UnknownValue:
        return True
    return False


def as_condition(operation: str, value: Any) -> Tensor:
    """Return a captured truth value as bool[].

    Raises:
        ValueError: It has more than one element.
    """
    if type(value) in SYMBOLIC_NUMBERS:
        value = value.tensor()
    if type(value.size) is not int or value.size != 1:
        raise ValueError(
            f"{operation}: the truth value of an array with more than one element is ambiguous, "
            f"got {value._type}; use .any() or .all(){here(2)}"
        )
    truth: Tensor = value if value.dtype == BOOL else value != 0
    return truth if not truth.ndim else truth.reshape(())


def cond(
    pred: Any,
    true_fn: Callable[..., Any],
    false_fn: Callable[..., Any],
    *operands: Any,
) -> Any:
    """Call one of two functions, chosen when the graph runs.

    Args:
        pred: A truth value.
        true_fn: Called with the operands when it holds.
        false_fn: Called with the operands otherwise; its results must agree with ``true_fn``'s
            in structure, dtype and number of axes.
        *operands: Anything; functions may also use names around them.

    Returns:
        What the chosen function returns.

    Raises:
        BranchError: The results of the two functions do not agree.
    """
    if not is_open(pred):
        return true_fn(*operands) if pred else false_fn(*operands)
    condition = as_condition("cond", pred)
    return branch(condition, lambda: true_fn(*operands), lambda: false_fn(*operands))


def switch(index: Any, branches: Sequence[Callable[..., Any]], *operands: Any) -> Any:
    """Call one of several functions by number, clamped to the valid ones.

    Args:
        index: An integer.
        branches: Functions whose results agree as for :func:`cond`.
        *operands: Anything.

    Raises:
        ValueError: There are no branches.
        BranchError: The results do not agree.
    """
    if not branches:
        raise ValueError("switch: needs at least one branch")
    if not is_open(index):
        return branches[min(max(int(index), 0), len(branches) - 1)](*operands)
    first, *rest = branches
    if not rest:
        return first(*operands)
    return cond(index <= 0, first, lambda *args: switch(index - 1, rest, *args), *operands)


def while_loop(cond: Callable[[Any], Any], body: Callable[[Any], Any], init: Any) -> Any:
    """Repeat ``value = body(value)`` while ``cond(value)`` holds.

    Args:
        cond: A truth value of the carried value.
        body: The next carried value: same structure, dtypes and number of axes.
        init: The first carried value.

    Returns:
        The last carried value.

    Raises:
        CarryError: The body changes a carry's dtype or rank; shows both.
    """
    value = _carried_sizes(init)
    first = cond(value)
    if not is_open(first):
        while not is_open(first):
            if not first:
                return value
            if find_recorder(flatten(value)[0], first) is not None:
                break
            value = body(value)
            first = cond(value)
    recorder = find_recorder(flatten(value)[0], first)
    if recorder is None:
        return value
    carries = Carries(recorder, "while_loop", value)
    start = lift(recorder, first) if type(first) is not Tensor else first

    def step(trip: Tensor, current: Any) -> tuple[Any, Any, Any]:
        following = body(current)
        return cond(following), following, ()

    limit = lift(recorder, np.int64(_FOREVER))
    result, _ = run_loop(carries, limit, as_condition("while_loop", start), step)
    return result


def _carried_sizes(init: Any) -> Any:
    """Return a first value whose symbolic sizes are numbers that may change from trip to trip."""
    leaves, rebuild = flatten(init)
    if not any(type(leaf) is SymbolicInt for leaf in leaves):
        return init
    return rebuild([WeakInt(v.tensor()) if type(v) is SymbolicInt else v for v in leaves])


def fori_loop(
    lower: Any, upper: Any, body: Callable[[Any, Any], Any], init: Any, *, unroll: bool = False
) -> Any:
    """Repeat ``value = body(i, value)`` for ``i`` from ``lower`` up to ``upper``.

    Args:
        lower: First number; may be captured or symbolic.
        upper: One past the last; may be captured or symbolic.
        body: The next carried value: same structure, dtypes and number of axes.
        init: The first carried value.
        unroll: Record the body once per number instead; the bounds must be known.

    Raises:
        CarryError: The body changes a carry's dtype or rank; shows both.
    """
    recorder = find_recorder(lower, upper, flatten(init)[0])
    if recorder is None or unroll:
        value = init
        for number in range(int(lower), int(upper)):
            value = body(number, value)
        return value
    lower = WeakInt(_integer(recorder, lower)) if type(lower) is Tensor else lower
    low, high = _integer(recorder, lower), _integer(recorder, upper)
    carries = Carries(recorder, "fori_loop", init)
    going = lift(recorder, np.bool_(True))

    def step(trip: Tensor, current: Any) -> tuple[Any, Any, Any]:
        number = WeakInt(trip)
        from_zero = type(lower) is int and lower == 0
        return going, body(number if from_zero else number + lower, current), ()

    limit = np.maximum(high - low, 0)
    result, _ = run_loop(carries, limit, going, step)
    return result


def _integer(recorder: Recorder, value: Any) -> Tensor:
    tensor = lift(recorder, value)
    return tensor if tensor.dtype == INT64 else tensor.astype(INT64)


def scan(
    f: Callable[[Any, Any], tuple[Any, Any]], init: Any, xs: Any, length: Any = None
) -> tuple[Any, Any]:
    """Carry a value along the first axis of arrays, collecting one result per element.

    Args:
        f: Takes the carried value and an element of ``xs``; returns the next carried value and a
            result.
        init: The first carried value.
        xs: Arrays (nested) with a common first axis; ``None`` with ``length``.
        length: The number of steps when ``xs`` is ``None``.

    Returns:
        The last carried value, and the results stacked along a new first axis.

    Raises:
        CarryError: ``f`` changes a carry's dtype or rank; shows both.
        ValueError: ``xs`` and ``length`` are both missing, or first axes differ.
    """
    leaves, rebuild = flatten(xs)
    recorder = find_recorder(leaves, flatten(init)[0], length)
    if recorder is None:
        return _scan_eagerly(f, init, leaves, rebuild, length)
    arrays = [] if xs is None else [lift(recorder, leaf) for leaf in leaves]
    size = _scan_length(arrays, length)
    carries = Carries(recorder, "scan", init)
    going = lift(recorder, np.bool_(True))

    def step(trip: Tensor, current: Any) -> tuple[Any, Any, Any]:
        elements = [array[trip] for array in arrays]
        following, result = f(current, rebuild(elements) if arrays else None)
        return going, following, result

    if isinstance(size, Dim):
        limit = recorder.apply(interned(DimValue, size))
    else:
        limit = lift(recorder, np.int64(size))
    return run_loop(carries, limit, going, step, size)


def _scan_length(arrays: list[Tensor], length: Any) -> int | Dim:
    sizes = [array._type.shape[0] for array in arrays]
    if length is not None:
        sizes.append(dim_of(length))
    if not sizes:
        raise ValueError("scan: needs arrays to scan, or length=")
    if any(size != sizes[0] for size in sizes):
        raise ValueError(f"scan: first axes differ: {', '.join(map(str, sizes))}{here(2)}")
    return sizes[0]


def _scan_eagerly(
    f: Callable[[Any, Any], tuple[Any, Any]],
    init: Any,
    leaves: list[Any],
    rebuild: Callable[[Sequence[Any]], Any],
    length: Any,
) -> tuple[Any, Any]:
    given = leaves[0] is not None
    steps = len(leaves[0]) if given else int(length)
    value, rows = init, []
    make: Callable[[Sequence[Any]], Any] = tuple
    for number in range(steps):
        value, row = f(value, rebuild([leaf[number] for leaf in leaves]) if given else None)
        items, make = flatten(row)
        rows.append(items)
    if not rows:
        raise ValueError("scan: zero steps leave the results without a shape outside a scope")
    return value, make([np.stack(column) for column in zip(*rows, strict=True)])


def map(f: Callable[[Any], Any], xs: Any) -> Any:
    """Apply a function to each element along the first axis of arrays and stack the results.

    Args:
        f: Takes an element of ``xs``.
        xs: Arrays (nested) with a common first axis.
    """
    return scan(lambda carry, x: (carry, f(x)), (), xs)[1]
