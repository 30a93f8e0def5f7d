"""Ufuncs on captured operands: promotion, casts, ``out=``, ``where=``, ``dtype=``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from capture.coerce import cast, lift, prepare, promotion_key
from capture.destinations import captured_destinations, is_plain_array
from capture.errors import LostWriteError, UnsupportedError
from capture.location import here, user_frame
from capture.promotion import COMPARISONS, check_casting, loop_dtypes
from capture.size_hints import reshape_hint
from capture.symbolic import SYMBOLIC_NUMBERS
from capture.tensor import Tensor
from capture.views import k_order, write
from ir.errors import IRError, ShapeError, UnsupportedDTypeError
from ir.ops import OPS, Elementwise
from ir.ops.elementwise import where as where_op
from ir.ops.shaping import BroadcastTo
from ir.shapes import broadcast
from ir.types import BOOL, INT64

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from capture.recorder import Recorder

ELEMENTWISE: dict[np.ufunc, Elementwise] = {
    op.ufunc: op for op in OPS.values() if isinstance(op, Elementwise)
}
"""The op of every ufunc that has one."""

UFUNC_HANDLERS: dict[np.ufunc, Callable[..., Any]] = {}
"""Ufuncs with a form of their own (matmul, conjugate …), called as the ufunc would be."""

FORMULAS: dict[np.ufunc, Callable[..., Any]] = {}
"""Ufuncs composed of others: called with tensors of a loop's dtypes, they return its results."""

METHOD_HANDLERS: dict[str, Callable[..., Any]] = {}
"""Ufunc methods (``reduce``, ``accumulate``, ``outer`` …), called with the ufunc first."""


def array_ufunc(
    recorder: Recorder,
    ufunc: np.ufunc,
    method: str,
    inputs: Sequence[Any],
    kwargs: dict[str, Any],
) -> Any:
    """Answer NumPy's ``__array_ufunc__`` for any captured operand."""
    if "out" in kwargs:
        kwargs["out"] = captured_destinations(recorder, ufunc.__name__, kwargs["out"])
    if method != "__call__":
        handler = METHOD_HANDLERS.get(method)
        if handler is None:
            raise UnsupportedError(
                f"np.{ufunc.__name__}.{method}: has no captured form yet{here()}\n  ways out: the "
                "NumPy function of the same meaning (np.sum for np.add.reduce)"
            )
        return handler(ufunc, *inputs, **kwargs)
    special = UFUNC_HANDLERS.get(ufunc)
    if special is not None:
        return special(*inputs, **kwargs)
    if ufunc not in ELEMENTWISE and formula_of(ufunc) is None:
        from capture.functions.registry import unsupported
        from capture.functions.scipy_special import ufunc_name

        error = unsupported(ufunc_name(ufunc))
        if recorder.examples is None:
            raise error
        return recorder.examples.call(ufunc, tuple(inputs), kwargs, error)
    return elementwise(recorder, ufunc, inputs, **kwargs)


def formula_of(ufunc: np.ufunc) -> Callable[..., Any] | None:
    """Return how a ufunc is composed of others, NumPy's or SciPy's, if it is."""
    from capture.functions.scipy_special import scipy_formula

    return FORMULAS.get(ufunc) or scipy_formula(ufunc)


def elementwise(
    recorder: Recorder,
    ufunc: np.ufunc,
    inputs: Sequence[Any],
    *,
    out: Any = None,
    where: Any = True,
    dtype: Any = None,
    casting: str = "same_kind",
    **other: Any,
) -> Any:
    """Record a ufunc call with NumPy's promotion and arguments.

    Args:
        recorder: Where to record.
        ufunc: Which function.
        inputs: Operands as the user gave them.
        out: A tensor (or one per output) to write into.
        where: Mask of the elements to compute; needs ``out``.
        dtype: The wanted result dtype.
        casting: NumPy's casting rule.
        **other: ``order``, ``subok`` and ``signature``: only defaults are meaningful here.

    Raises:
        TypeError: NumPy has no such loop.
        ShapeError: The operands do not broadcast.
        LostWriteError: ``out`` is a plain ndarray.
    """
    name = ufunc.__name__
    recorder.require_open(name)
    if other.get("signature") is not None or other.get("sig") is not None:
        raise UnsupportedError(f"{name}: signature= is not captured; use dtype={here()}")
    targets = _targets(name, ufunc, out)
    try:
        operands = [prepare(recorder, value) for value in inputs]
    except UnsupportedDTypeError as error:
        raise _annotated(error, name, inputs) from None
    for operand in operands:
        if type(operand) is Tensor:
            recorder.require_own(name, operand)
    try:
        loop = loop_dtypes(
            ufunc,
            _keys(ufunc, operands),
            None if dtype is None else np.dtype(dtype),
            casting,
        )
    except TypeError as error:
        raise _annotated(error, name, operands) from None
    results = _computed(recorder, ufunc, operands, loop, targets, casting)
    if where is not True:
        results = [
            _masked(name, recorder, where, r, t) for r, t in zip(results, targets, strict=True)
        ]
    results = [_deliver(name, r, t, casting) for r, t in zip(results, targets, strict=True)]
    return results[0] if len(results) == 1 else tuple(results)


def _computed(
    recorder: Recorder,
    ufunc: np.ufunc,
    operands: list[Any],
    loop: tuple[np.dtype[Any], ...],
    targets: list[Tensor | None],
    casting: str,
) -> list[Tensor]:
    """Return the loop's results; destinations are checked, not yet written."""
    try:
        tensors = [
            _in_loop(recorder, value, wanted)
            for value, wanted in zip(operands, loop[: ufunc.nin], strict=True)
        ]
    except OverflowError:
        if ufunc not in COMPARISONS:
            raise
        return [_compare_out_of_range(recorder, ufunc, operands)]
    for target, made in zip(targets, loop[ufunc.nin :], strict=True):
        if target is not None:  # a forbidden cast comes before shapes that disagree
            check_casting(ufunc.__name__, made, target._type.dtype, casting)
    op = ELEMENTWISE.get(ufunc)
    if op is None:
        return _by_formula(ufunc, tensors, loop[ufunc.nin :])
    return _record(recorder, op, tensors, operands)


def _record(
    recorder: Recorder, op: Elementwise, tensors: list[Tensor], given: Sequence[Any]
) -> list[Tensor]:
    builder = recorder.builder
    frame = user_frame(2)
    values = tuple([tensor._read() for tensor in tensors])
    try:
        first = recorder.append(op, values, frame)
    except IRError as error:
        from capture.requiring import agreeing

        agreed = agreeing(tensors) if isinstance(error, ShapeError) else None
        if agreed is None:
            raise _annotated(error, op.name, given) from None
        tensors = agreed
        first = recorder.append(op, tuple([tensor._read() for tensor in tensors]), frame)
    types = [builder.types[first + offset] for offset in range(op.ufunc.nout)]
    layout = k_order(tensors, types[0].shape) if types[0].shape else None
    if len(types) == 1 and layout is None:
        key = (op, *(tensor._type for tensor in tensors))
        recorder.fast.setdefault(key, types[0])
    return [Tensor(recorder, first + i, t, layout) for i, t in enumerate(types)]


def _by_formula(
    ufunc: np.ufunc, tensors: list[Tensor], dtypes: tuple[np.dtype[Any], ...]
) -> list[Tensor]:
    """Return fresh results of a composed ufunc, laid out as NumPy lays out its own."""
    formula = formula_of(ufunc)
    assert formula is not None
    made = formula(*tensors)
    results = []
    for value, dtype in zip(made if type(made) is tuple else (made,), dtypes, strict=True):
        result = cast(value, dtype)
        layout = k_order(tensors, result._type.shape) if result.ndim else None
        results.append(Tensor(result._recorder, result._read(), result._type, layout))
    return results


def _keys(ufunc: np.ufunc, operands: Sequence[Any]) -> tuple[Any, ...]:
    """Return how operands take part in promotion; Python ints alone are compared as int64."""
    keys = tuple(map(promotion_key, operands))
    if ufunc in COMPARISONS and all(key is int for key in keys):
        return (INT64,) * len(keys)
    return keys


def _annotated(error: Exception, name: str, operands: Sequence[Any]) -> Exception:
    """Return the error with operand types and the user's line as notes."""
    notes = getattr(error, "__notes__", [])
    if not any(note.startswith("  at ") for note in notes):
        notes = [here().strip("\n"), *notes]
    listed = ", ".join(operand_text(operand) for operand in operands)
    hint = reshape_hint(operands) if isinstance(error, ShapeError) else ""
    more = [hint] if hint else []
    error.__notes__ = [f"  {name}: operands {listed}", *notes[:1], *more, *notes[1:]]
    return error


def operand_text(operand: Any) -> str:
    """Return an operand as errors show it: its type, or its value when it is a Python number."""
    if type(operand) is Tensor:
        return str(operand._type)
    if isinstance(operand, np.ndarray):
        return f"ndarray {operand.dtype}{list(operand.shape)}"
    return repr(operand)


def _in_loop(recorder: Recorder, value: Any, dtype: np.dtype[Any]) -> Tensor:
    """Return an operand in the loop's dtype."""
    if type(value) is Tensor:
        return cast(value, dtype)
    if type(value) in SYMBOLIC_NUMBERS:
        tensor: Tensor = value.tensor(dtype)
        return tensor
    if type(value) is float and dtype.kind in "iu":  # with casting="unsafe": as C converts
        value = np.asarray(value).astype(dtype)[()]
    index = recorder.constants.scalar(value, dtype)
    return Tensor(recorder, index, recorder.builder.types[index])


def _compare_out_of_range(recorder: Recorder, ufunc: np.ufunc, operands: list[Any]) -> Tensor:
    """Compare integers with a Python int outside their dtype: exact, as NumPy does."""
    position = next(i for i, value in enumerate(operands) if type(value) is int)
    tensor = operands[1 - position]
    edge = -1 if operands[position] < 0 else 1
    arguments = (edge, 0) if position == 0 else (0, edge)
    verdict = bool(ufunc(*arguments))
    constant = lift(recorder, np.bool_(verdict))
    result: Tensor = recorder.apply(BroadcastTo(shape=tensor._type.shape), constant)
    return result


def _targets(name: str, ufunc: np.ufunc, out: Any) -> list[Tensor | None]:
    """Return the destination of each output, refusing plain ndarrays."""
    given = out if isinstance(out, tuple) else (out,) * ufunc.nout
    for target in given:
        if is_plain_array(target):
            raise LostWriteError(
                f"{name}: out= is a plain ndarray, which cannot record the write{here()}\n  ways "
                "out: leave out= away, or make it with capture.constant(array)"
            )
    return list(given)


def _masked(
    name: str, recorder: Recorder, where: Any, result: Tensor, target: Tensor | None
) -> Tensor:
    mask = lift(recorder, where)
    if mask._type.dtype != BOOL:
        raise TypeError(f"{name}: where= must be boolean, got {mask._type}")
    if target is None:
        raise UnsupportedError(
            f"{name}: where= without out= leaves elements uninitialised{here()}\n  ways out: "
            "pass out=, or np.where(mask, result, other)"
        )
    chosen: Tensor = recorder.apply(where_op, mask, cast(result, target._type.dtype), target)
    return chosen


def _deliver(name: str, result: Tensor, target: Tensor | None, casting: str) -> Tensor:
    """Write a result into its destination, if it has one."""
    if target is None:
        return result
    store(name, target, result, casting)
    return target


def store(name: str, target: Tensor, result: Tensor, casting: str = "unsafe") -> None:
    """Write ``result`` into ``target`` with a cast and a broadcast, as ``out=`` does.

    Raises:
        DTypeError: The cast is forbidden by ``casting``.
        ShapeError: ``result`` does not broadcast to exactly the target's shape.
    """
    recorder = target._recorder
    result._recorder.require_own(name, target)
    check_casting(name, result._type.dtype, target._type.dtype, casting)
    value = cast(result, target._type.dtype)
    shape = target._type.shape
    if value._type.shape != shape:
        if broadcast(value._type.shape, shape) != shape:
            raise ShapeError(
                f"{name}: non-broadcastable output operand: {target._type} cannot hold "
                f"{value._type}{here(2)}"
            )
        value = recorder.apply(BroadcastTo(shape=shape), value)
    write(target, value._read())
