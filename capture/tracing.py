"""Capturing a whole function."""

from __future__ import annotations

import inspect
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from capture.coerce import holds_tensor
from capture.device import CaptureDevice
from capture.errors import UnsupportedError
from capture.inputs import TensorSpec
from capture.interception import Interception, lift_function
from capture.pytrees import child_names, children, flatten
from capture.scope import CaptureScope, capture_scope
from capture.syntax.calls import turned_deeply
from capture.tensor import Tensor
from capture.views import Owned

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ir.exporter import Exporter
    from ir.graph import Graph


def trace(
    function: Callable[..., Any],
    *args: Any,
    dynamic: Any = None,
    name: str | None = None,
    exporters: Sequence[Exporter] = (),
    device: CaptureDevice | None = None,
    intercept: Interception | bool = True,
    control_flow: bool = False,
    **kwargs: Any,
) -> Graph:
    """Capture a function and return its graph.

    Arrays, NumPy scalars and :class:`TensorSpec` arguments (also inside lists, tuples, dicts and
    dataclasses) become inputs named after the parameters; every other argument is passed as it
    is. Results become outputs: ``output``, ``output_0`` … for a tuple, the keys of a dict; of a
    function that returns nothing, the arguments it wrote to (``x_out``).

    Args:
        function: NumPy code.
        *args: Its arguments: specs, or examples of the right shape and dtype.
        dynamic: Axes of example arrays that stay open, by parameter name or position, for
            example ``{"x": {0: "batch"}}``; ``"all"`` opens every axis.
        name: The graph's name; the function's when left out.
        exporters: Given the finished graph.
        device: Where to record; a new device when left out.
        intercept: Whether, and in which modules, creation and ``np.random`` are intercepted.
        control_flow: Whether ``if``, ``while`` and ``for`` of the function, and of the user
            functions that it calls, become part of the graph; see :func:`capture.control_flow`.
        **kwargs: Keyword arguments of the function, treated as ``args``.

    Raises:
        CaptureError: The function cannot be captured; the error says where and why.
    """
    bound = inspect.signature(function).bind(*args, **kwargs)
    own_name: str = getattr(function, "__name__", "graph")
    graph_name = name or own_name
    if not graph_name.isidentifier():
        graph_name = "graph"
    recorded = capture_scope(
        device or CaptureDevice(), exporters, name=graph_name, intercept=intercept
    )
    with recorded as scope:
        axes = _axes_by_parameter(dynamic, list(bound.arguments))
        variadic = {
            p.name for p in bound.signature.parameters.values() if p.kind is p.VAR_KEYWORD
        }
        entered: list[tuple[str, Tensor, int]] = []
        for parameter, value in list(bound.arguments.items()):
            prefix = "" if parameter in variadic else parameter
            bound.arguments[parameter] = _enter(scope, prefix, value, axes.get(parameter))
        for leaf in flatten(list(bound.arguments.values()))[0]:
            if type(leaf) is Tensor:
                names = scope._recorder.builder.names
                entered.append((names[leaf._value], leaf, leaf._value))
        if intercept is not False:
            lift_function(function, *args, *kwargs.values())
        called = turned_deeply(function) if control_flow else function
        result = called(*bound.args, **bound.kwargs)
        _warn_swallowed(scope)
        if result is None:
            result = _mutated(entered)
            if not result:
                raise UnsupportedError(
                    f"trace: {graph_name} returned None and wrote to none of its arguments; return "
                    "the arrays it computes"
                )
        for output_name, value in _results(result):
            boundaries = scope._boundaries
            while output_name in boundaries.inputs or output_name in boundaries.outputs:
                output_name += "_out"
            scope.output(output_name, value)
    return scope.graph


class SwallowedRefusalWarning(UserWarning):
    """The traced function caught a refusal; what it did then is baked into the graph."""


def _warn_swallowed(scope: CaptureScope) -> None:
    for refusal in scope._recorder.unanswered[:1]:
        warnings.warn(
            "trace: the function caught a refusal and went on; what it did then is the same on "
            f"every run of the graph: {refusal}",
            SwallowedRefusalWarning,
            stacklevel=3,
        )


def _axes_by_parameter(dynamic: Any, parameters: list[str]) -> dict[str, Any]:
    if dynamic is None:
        return {}
    if dynamic == "all":
        return dict.fromkeys(parameters, "all")
    axes: dict[str, Any] = {}
    for key, value in dynamic.items():
        name = parameters[key] if isinstance(key, int) else key
        if name not in parameters:
            raise ValueError(f"trace: dynamic names {key!r}; the parameters are {parameters}")
        axes[name] = value
    return axes


def _enter(scope: CaptureScope, name: str, value: Any, axes: Any) -> Any:
    """Return the argument with every array in it replaced by an input tensor."""
    if type(value) is TensorSpec:
        return scope.input(value.name or name, value.shape, value.dtype)
    if isinstance(value, np.ndarray | np.generic):
        tensor = scope.input(name, _open_axes(name, value, axes), value.dtype)
        if isinstance(value, np.generic):
            tensor._state = None
        elif not value.ndim:
            tensor._state = Owned()
        return tensor
    split = children(value)
    if split is None:
        return value
    items, rebuild = split
    separator = "_" if name else ""
    return rebuild(
        [
            _enter(scope, f"{name}{separator}{part}", item, axes)
            for part, item in zip(child_names(value), items, strict=True)
        ]
    )


def _open_axes(name: str, value: Any, axes: Any) -> tuple[Any, ...]:
    shape: list[Any] = list(np.shape(value))
    if axes == "all":
        return tuple(f"{name}_{axis}" for axis in range(len(shape)))
    for axis, symbol in (axes or {}).items():
        if not -len(shape) <= axis < len(shape):
            raise ValueError(f"trace: dynamic axis {axis} is out of bounds for {name!r}")
        shape[axis] = symbol
    return tuple(shape)


def _results(result: Any, name: str = "output") -> Iterator[tuple[str, Any]]:
    """Yield a name for each output in what the function returned, looking into containers."""
    split = None if type(result) is list and not holds_tensor(result) else children(result)
    if split is None:
        yield name, result
        return
    top = name == "output"
    for part, item in zip(child_names(result), split[0], strict=True):
        own_name = top and not part.isdigit()
        yield from _results(item, part if own_name else f"{name}_{part}")


def _mutated(inputs: list[tuple[str, Tensor, int]]) -> dict[str, Tensor]:
    """Return the inputs that the function wrote to, for a function that returns nothing."""
    return {f"{name}_out": tensor for name, tensor, value in inputs if tensor._read() != value}
