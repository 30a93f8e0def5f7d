"""The capture client: what a backend is asked to do, recorded instead of done."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from capture.coerce import lift
from capture.concrete import concrete_array
from capture.constants import plain_array
from capture.device import SEED_MESSAGE, SEED_WAYS_OUT
from capture.errors import ScopeError, SeedError
from capture.inputs import input_type
from capture.layouts import layout_of
from capture.location import here
from capture.replay import GraphBindings, GraphCache
from capture.tensor import Tensor
from capture.views import Owned
from ir.errors import UnsupportedDTypeError
from ir.types import QuantizedDType, supported_dtype, type_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from capture.device import CaptureDevice
    from capture.recorder import Recorder
    from ir.graph import Graph
    from ir.ops import Op

USABLE = frozenset(("storage", "arithmetic"))


class CaptureClient:
    """The funnel of one scope. It records and never executes; lifetimes leave no trace.

    Args:
        recorder: The scope's columns.
    """

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._graphs = GraphCache(recorder)

    @property
    def device(self) -> CaptureDevice:
        """The device recorded on."""
        return self._recorder.device

    def record(self, op: Op, inputs: Sequence[Any], consumes: Sequence[int] = ()) -> Any:
        """Record one op on tensors of exactly its dtypes.

        Args:
            op: An op of the IR.
            inputs: Tensors of this scope (arrays become constants).
            consumes: Positions of inputs that the op uses up in place; they can be no outputs.

        Returns:
            The result tensor, or a tuple of them.

        Raises:
            ScopeError: The scope is closed, or a tensor belongs to another scope.
            IRError: The op does not take these operands.
        """
        self._recorder.require_open(op.name)
        tensors = [lift(self._recorder, value) for value in inputs]
        result = self._recorder.apply(op, *tensors)
        for position in consumes:
            self._recorder.consumed[tensors[position]._value] = f"{op.name}{here()}"
        return result

    def register_constant(
        self, array: Any, name: str | None = None, *, copy: bool | None = None
    ) -> Tensor:
        """Return an initialised tensor: its data stays on the graph and can be read.

        Raises:
            ScopeError: The scope is closed.
            UnsupportedDTypeError: The dtype is quantized or otherwise refused.
        """
        self._recorder.require_open("register_constant")
        if isinstance(array, QuantizedDType):
            supported_dtype(array)
        if type(array) is Tensor:
            return lift(self._recorder, array)
        data = plain_array(array if isinstance(array, np.ndarray) else np.asarray(array))
        if data.ndim == 0:
            # a name of its own must not rename the shared scalar
            data = data.copy()
            index = self._recorder.builder.add_value(type_of(data), name, data)
        else:
            index = self._recorder.constants.array(data, name, copy=copy)
        type_ = self._recorder.builder.types[index]
        return Tensor(self._recorder, index, type_, layout_of(data))

    def read(self, tensor: Tensor) -> np.ndarray[Any, Any]:
        """Return the data of a tensor that depends on no input.

        Raises:
            ConcreteValueError: It depends on one.
        """
        self._recorder.require_own("read", tensor)
        return np.array(concrete_array(tensor, "read()", ""))

    def create_empty_handle(
        self, shape: Sequence[Any] = (), dtype: Any = None, name: str | None = None
    ) -> Tensor:
        """Return a tensor without a value: to be declared an input or given an alias.

        Args:
            shape: Sizes as in ``scope.input``.
            dtype: The dtype; the device's default float when left out.
            name: A hint.
        """
        self._recorder.require_open("create_empty_handle")
        type_ = input_type(self._recorder, name or "handle", shape, dtype)
        index = self._recorder.builder.add_value(type_, name)
        return Tensor(self._recorder, index, type_, None if type_.shape else Owned())

    def register_alias(self, alias: Tensor, source: Tensor) -> None:
        """Make an empty handle stand for another tensor.

        A self-alias is ignored; an alias of a computed tensor resolves to it; an alias of an
        initialised tensor shares its value and its boundary.

        Raises:
            ScopeError: Another scope's tensor, different types, or a handle that is in use.
        """
        recorder = self._recorder
        recorder.require_open("register_alias")
        for tensor in (alias, source):
            recorder.require_own("register_alias", tensor)
        if alias is source or alias._value == source._value:
            return
        builder, index = recorder.builder, alias._value
        if alias._type != source._type:
            raise ScopeError(
                f"register_alias: types differ: {alias._type} and {source._type}{here()}\n  ways "
                "out: make the handle with the shape and dtype of its source"
            )
        empty = builder.producers[index] < 0 and index not in builder.data
        declared = index in recorder.inputs
        if declared or not empty or any(index in operands for operands in builder.operands):
            raise ScopeError(
                f"register_alias: {alias!r} is an input, has a value or is in use already"
                f"{here()}\n  ways out: alias a fresh handle from create_empty_handle() before "
                "its first use"
            )
        shared = source if source.is_scalar else source[...]
        alias._value = shared._value
        alias._state = shared._state

    def register_and_execute_graph(
        self, graph_id: int, relative_graph: Graph, bindings: GraphBindings
    ) -> dict[str, Tensor]:
        """Keep a relative graph for this scope and record it once.

        Args:
            graph_id: A number of the caller's; registering the same graph again is allowed.
            relative_graph: A finished graph, for example from ``scope.relative_graph``.
            bindings: What stands for its inputs and symbols.

        Returns:
            The outputs by name.

        Raises:
            ScopeError: The scope is closed.
            BindingError: The id belongs to another graph, or the bindings do not fit.
        """
        self._recorder.require_open("register_and_execute_graph")
        self._graphs.register(graph_id, relative_graph)
        return self._graphs.execute(graph_id, bindings)

    def execute_graph(self, graph_id: int, bindings: GraphBindings) -> dict[str, Tensor]:
        """Record a registered graph again, with new bindings and fresh ids.

        Raises:
            ScopeError: The scope is closed; registrations die with it.
            BindingError: The id is unknown, or the bindings do not fit.
        """
        self._recorder.require_open("execute_graph")
        return self._graphs.execute(graph_id, bindings)

    def drop(self, tensor: Tensor) -> None:
        """Note that the caller released a tensor; it can no longer be an output."""
        self._recorder.require_own("drop", tensor)
        self._recorder.dropped[tensor._read()] = here()

    def dtype_usage(self, dtype: Any) -> frozenset[str]:
        """Return what a dtype can be used for: ``{"storage", "arithmetic"}``, or nothing."""
        try:
            supported_dtype(dtype)
        except (UnsupportedDTypeError, TypeError):
            return frozenset()
        return USABLE

    def seed(self, seed: int) -> NoReturn:
        """Refuse: a graph has no generator state.

        Raises:
            SeedError: Always.
        """
        raise SeedError(f"{SEED_MESSAGE}{here()}{SEED_WAYS_OUT}")

    def sync(self) -> None:
        """Do nothing: there is no work in flight."""

    def flush(self) -> None:
        """Do nothing: there is no queue."""

    def __repr__(self) -> str:
        return f"<CaptureClient of {self.device!r}>"
