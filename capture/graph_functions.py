"""``@capture.function``: a NumPy function that stays one node, and one ONNX function."""

from __future__ import annotations

import functools
import inspect
from typing import TYPE_CHECKING, Any, overload

from capture.coerce import find_recorder, lift
from capture.errors import UnsupportedError
from capture.lifting import lift_out
from capture.location import here
from capture.name_scopes import name_scope
from capture.outer_types import OuterTypes
from capture.pytrees import flatten, is_captured
from capture.regions import Region, record_nested, result_tensor, write_back
from capture.symbolic import SYMBOLIC_NUMBERS
from capture.tensor import Tensor
from capture.views import write
from capture.weak import weak
from ir.ops.nested import Call

if TYPE_CHECKING:
    from collections.abc import Callable

    from capture.recorder import Recorder


@overload
def function(body: Callable[..., Any], /) -> Callable[..., Any]: ...


@overload
def function(
    *, name: str | None = None, inline: bool = False
) -> Callable[[Callable[..., Any]], Callable[..., Any]]: ...


def function(
    body: Callable[..., Any] | None = None, /, *, name: str | None = None, inline: bool = False
) -> Any:
    """Keep a NumPy function together when it is captured.

    Each call becomes one ``call`` node holding the function's graph; equal graphs are shared, and
    ONNX gets a model-local function. Outside a scope the function runs as it is.

    Args:
        body: The function.
        name: Its name in graphs and files; its own when left out.
        inline: Record the body in place instead, in a name scope.
    """
    if body is None:
        return functools.partial(function, name=name, inline=inline)

    @functools.wraps(body)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        recorder = find_recorder(args, kwargs)
        if recorder is None:
            return body(*args, **kwargs)
        if inline:
            with name_scope(label):
                return body(*args, **kwargs)
        recorder.require_open(label)
        return _call(recorder, body, label, args, kwargs)

    label = name or body.__name__
    return wrapper


def _call(
    recorder: Recorder,
    body: Callable[..., Any],
    label: str,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> Any:
    leaves, rebuild = flatten((args, kwargs))
    names = _leaf_names(body, args, kwargs)
    given = {at: leaf for at, leaf in enumerate(leaves) if type(leaf) is Tensor}
    with Region(recorder, f"the function {label}") as region:
        inside = list(leaves)
        for at, tensor in given.items():
            recorder.require_own(label, tensor)
            inside[at] = region.placeholder(tensor._type, tensor.is_scalar)
        entered = {at: inside[at]._value for at in given}
        inner_args, inner_kwargs = rebuild(inside)
        result = body(*inner_args, **inner_kwargs)
        outputs, restore = flatten(result)
        captured = {at: leaf for at, leaf in enumerate(outputs) if is_captured(leaf)}
        tensors = {at: lift(recorder, leaf) for at, leaf in captured.items()}
        mutated = [at for at in given if inside[at]._read() != entered[at]]
        values = [t._read() for t in tensors.values()]
        values += [inside[at]._read() for at in mutated]
    owners = [owner for owner, _ in region.left.values()]
    values += [value for _, value in region.left.values()]
    if not values:
        raise UnsupportedError(f"{label}: the function returned nothing captured{here()}")
    inputs = [(names[at], entered[at]) for at in given]
    lifted = lift_out(region, inputs, values, label)
    outer = OuterTypes(recorder, region.start)
    types = tuple(outer.join(recorder.builder.types[value]) for value in values)
    op = Call(lifted.graph, types, lifted.dims, outer.fresh)
    operands = (*(tensor._read() for tensor in given.values()), *lifted.captures)
    results = record_nested(recorder, op, operands)
    for at, value in zip(mutated, results[len(tensors) :], strict=False):
        write(given[at], value)
    write_back(owners, results[len(tensors) + len(mutated) :])
    final = list(outputs)
    for (at, tensor), value in zip(tensors.items(), results, strict=False):
        same = [k for k in given if inside[k] is tensor]
        made = result_tensor(recorder, value, tensor)
        final[at] = given[same[0]] if same else weak(made) if _is_weak(outputs[at]) else made
    return restore(final)


def _is_weak(leaf: Any) -> bool:
    return type(leaf) in SYMBOLIC_NUMBERS


def _leaf_names(
    body: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> list[str]:
    """Return a unique name per leaf, after the parameters."""
    try:
        parameters = list(inspect.signature(body).parameters)
    except (TypeError, ValueError):
        parameters = []
    names: list[str] = []
    for position, value in enumerate(args):
        stem = parameters[position] if position < len(parameters) else f"arg{position}"
        names.extend(_numbered(stem, len(flatten(value)[0])))
    for key, value in kwargs.items():
        names.extend(_numbered(key, len(flatten(value)[0])))
    seen: dict[str, int] = {}
    unique = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        unique.append(name if seen[name] == 1 else f"{name}_{seen[name]}")
    return unique


def _numbered(stem: str, count: int) -> list[str]:
    return [stem] if count == 1 else [f"{stem}_{i}" for i in range(count)]
