"""Ops of third parties: declared from one function, recorded and evaluated like ours."""

from __future__ import annotations

import dataclasses
import inspect
import re
import typing
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from capture.symbolic import SymbolicInt
from ir.dims import Dim
from ir.errors import EvaluationError
from ir.ops import Op, ParameterizedOp, register
from ir.types import TensorType, supported_dtype, type_of

if TYPE_CHECKING:
    from collections.abc import Callable

    Evaluate: TypeAlias = Callable[..., Any]
    Infer: TypeAlias = Callable[..., TensorType | tuple[TensorType, ...]]

_NAME = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)+", re.ASCII)
_ATOMS = (bool, int, float, str, np.dtype, int | Dim)


class CustomOp:
    """A function that records its op on captured arrays and evaluates it on others.

    Attributes:
        name: The op's name.
        op: What ``exporters.lowers`` takes: the op itself, or its class if it has parameters.
    """

    def __init__(self, name: str, evaluate: Evaluate, infer: Infer | None, pure: bool) -> None:
        if not _NAME.fullmatch(name):
            raise ValueError(
                f"{name!r} is no name for a custom op: it needs a prefix of its own, as in "
                "'mypackage.softplus'"
            )
        self.name = name
        self.__doc__ = evaluate.__doc__
        self.__wrapped__ = evaluate
        self._parameters = _parameters(name, evaluate)
        rules = _Rules(name, evaluate, infer)
        self.op: Op | type[ParameterizedOp] = register(
            _op_class(name, self._parameters, rules, pure)
            if self._parameters
            else _Row(name, rules, pure)
        )

    def __call__(self, *operands: Any, **parameters: Any) -> Any:
        """Apply the op; operands must have exactly the dtypes it takes."""
        if isinstance(self.op, Op):
            if parameters:
                raise TypeError(f"{self.name}: takes no parameters, got {sorted(parameters)}")
            return self.op(*operands)
        values = {}
        for key, parameter in self._parameters.items():
            if key not in parameters and parameter.default is parameter.empty:
                raise TypeError(f"{self.name}: parameter {key!r} is missing")
            given = parameters.pop(key, parameter.default)
            values[key] = _converted(self.name, key, given, parameter.annotation)
        if parameters:
            raise TypeError(
                f"{self.name}: parameters are {list(self._parameters)}, got {sorted(parameters)}"
            )
        return self.op(**values)(*operands)

    def __repr__(self) -> str:
        return f"<custom op {self.name}>"


def custom_op(
    name: str, *, infer: Infer | None = None, pure: bool = True
) -> Callable[[Evaluate], CustomOp]:
    """Declare an op from the NumPy function that evaluates it.

    Positional parameters of the function are operands; keyword-only ones are parameters of the op,
    annotated with ``bool``, ``int``, ``float``, ``str``, ``np.dtype``, ``int | Dim`` or a tuple of
    one of them, and kept by every format::

        @capture.custom_op("mypackage.soft_clip")
        def soft_clip(x, *, limit: float):
            return limit * np.tanh(x / limit)

    An exporter needs a rule for it, see ``exporters.lowers``.

    Args:
        name: The op's name, with a prefix that no other package uses.
        infer: Gives the result type, or a tuple of them, for the operand types and parameters; it
            raises ``ir.errors.ShapeError`` or ``DTypeError`` for operands it does not take. The
            result has the type of the first operand when left out.
        pure: Whether equal operands give equal results.

    Returns:
        A decorator that makes a :class:`CustomOp`.

    Raises:
        ValueError: The name has no prefix or is taken.
        TypeError: A parameter has no such annotation.
    """
    return lambda evaluate: CustomOp(name, evaluate, infer, pure)


class _Rules:
    """Inference and evaluation, with results made uniform and held to each other."""

    def __init__(self, name: str, evaluate: Evaluate, infer: Infer | None) -> None:
        self._name = name
        self._evaluate = evaluate
        self._infer = infer

    def infer(
        self, operands: tuple[TensorType, ...], parameters: dict[str, Any]
    ) -> tuple[TensorType, ...]:
        if self._infer is None:
            return (operands[0],)
        found = self._infer(*operands, **parameters)
        return (found,) if isinstance(found, TensorType) else tuple(found)

    def evaluate(
        self, operands: tuple[Any, ...], parameters: dict[str, Any]
    ) -> tuple[np.ndarray[Any, Any], ...]:
        arrays = [np.asarray(operand) for operand in operands]
        found = self._evaluate(*arrays, **parameters)
        results = tuple(map(np.asarray, found if isinstance(found, tuple) else (found,)))
        promised = self.infer(tuple(map(type_of, arrays)), parameters)
        given = tuple(map(type_of, results))
        matches = len(given) == len(promised) and all(
            g.dtype == p.dtype
            and (g.shape == p.shape or (g.rank == p.rank and not p.is_static))
            for g, p in zip(given, promised, strict=True)
        )
        if not matches:
            listed = [", ".join(map(str, types)) for types in (given, promised)]
            raise EvaluationError(
                f"{self._name}: evaluates to {listed[0]}, inferred {listed[1]}"
            )
        return results


class _Row(Op):
    """A custom op without parameters."""

    def __init__(self, name: str, rules: _Rules, pure: bool) -> None:
        self.name = name
        self.pure = pure
        self._rules = rules

    def infer(self, *operands: TensorType) -> tuple[TensorType, ...]:
        return self._rules.infer(operands, {})

    def evaluate(self, *operands: Any) -> tuple[np.ndarray[Any, Any], ...]:
        return self._rules.evaluate(operands, {})


def _op_class(
    name: str, parameters: dict[str, inspect.Parameter], rules: _Rules, pure: bool
) -> type[ParameterizedOp]:
    """Return the class of a custom op with parameters."""

    def infer(self: ParameterizedOp, *operands: TensorType) -> tuple[TensorType, ...]:
        return rules.infer(operands, self.parameters)

    def evaluate(self: ParameterizedOp, *operands: Any) -> tuple[np.ndarray[Any, Any], ...]:
        return rules.evaluate(operands, self.parameters)

    return dataclasses.make_dataclass(
        name.rpartition(".")[2],
        [(key, parameter.annotation) for key, parameter in parameters.items()],
        bases=(ParameterizedOp,),
        namespace={"name": name, "pure": pure, "infer": infer, "evaluate": evaluate},
        frozen=True,
        eq=False,
        repr=False,
    )


def _parameters(name: str, evaluate: Evaluate) -> dict[str, inspect.Parameter]:
    """Return the keyword-only parameters, their annotations as types."""
    signature = inspect.signature(evaluate)
    keyword_only = {
        key: parameter
        for key, parameter in signature.parameters.items()
        if parameter.kind is parameter.KEYWORD_ONLY
    }
    if not keyword_only:
        return {}
    hints = typing.get_type_hints(evaluate, localns={"Dim": Dim, "np": np})
    for key, parameter in keyword_only.items():
        wanted = hints.get(key)
        if not _is_parameter_type(wanted):
            raise TypeError(
                f"{name}: parameter {key!r} must be annotated with bool, int, float, str, "
                f"np.dtype, int | Dim or a tuple[…, ...] of one of them, not {wanted}"
            )
        keyword_only[key] = parameter.replace(annotation=wanted)
    return keyword_only


def _is_parameter_type(wanted: Any) -> bool:
    item = _item_type(wanted)
    if item is not None:
        return _is_parameter_type(item)
    return wanted in _ATOMS or typing.get_origin(wanted) is np.dtype


def _item_type(wanted: Any) -> Any:
    """Return what a ``tuple[item, ...]`` holds."""
    arguments = typing.get_args(wanted)
    is_tuple = typing.get_origin(wanted) is tuple and arguments[1:] == (...,)
    return arguments[0] if is_tuple else None


def _converted(name: str, key: str, given: Any, wanted: Any) -> Any:
    """Return a parameter as exactly the declared type, so that every format gives it back."""
    item = _item_type(wanted)
    if item is not None and isinstance(given, list | tuple):
        return tuple(_converted(name, key, value, item) for value in given)
    if wanted == (int | Dim) and isinstance(given, SymbolicInt | Dim):
        return given.dim if isinstance(given, SymbolicInt) else given
    if wanted is np.dtype or typing.get_origin(wanted) is np.dtype:
        return supported_dtype(given)
    if wanted is float and isinstance(given, float | int | np.floating | np.integer):
        return float(given)
    if wanted in (int, int | Dim) and isinstance(given, int | np.integer):
        return int(given)
    if wanted in (bool, str) and isinstance(given, wanted):
        return given
    raise TypeError(f"{name}: parameter {key!r} must be {wanted}, got {type(given).__name__}")
