"""The scope: one recording session on one device, from first input to finished graph."""

from __future__ import annotations

import inspect
import sys
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from capture.active import innermost
from capture.boundaries import Boundaries
from capture.client import CaptureClient
from capture.device import require_capture_device
from capture.errors import AlreadyActiveError, CaptureError, ScopeError, UndeclaredInputError
from capture.finish_warnings import LostStateWarning as LostStateWarning
from capture.finish_warnings import UnusedInputWarning as UnusedInputWarning
from capture.finish_warnings import warn_of_lost_state, warn_of_unused_inputs
from capture.inputs import input_type, register_symbols
from capture.interception import Interception, intercepting
from capture.lifting import check_leaks, leak_error
from capture.location import here
from capture.recorder import Recorder
from capture.symbolic import SymbolicInt
from capture.syntax.calls import turning_calls
from capture.tensor import Tensor
from capture.views import Owned
from ir.builder import collector_paused
from ir.dims import Dim
from ir.errors import UndefinedValueError
from ir.exporter import ExportError
from ir.graph import DOC
from ir.metadata import unwritable
from ir.passes import simplify

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from types import FrameType

    from capture.device import CaptureDevice
    from ir.exporter import Exporter
    from ir.graph import Graph

_LOCK = threading.Lock()


class CaptureScope:
    """A recording session, made by :func:`capture_scope`.

    Args:
        device: The device to record on.
        name: The graph's name.
        metadata: Free text by key, kept on the graph and in exported files.
    """

    def __init__(
        self,
        device: CaptureDevice,
        name: str = "graph",
        metadata: dict[str, str] | None = None,
    ) -> None:
        self._recorder = Recorder(device)
        self._boundaries = Boundaries(self._recorder)
        self._graph: Graph | None = None
        self._name = name
        self._metadata = dict(metadata or {})
        problem = unwritable(self._metadata)
        if problem is not None:
            raise CaptureError(
                f"capture_scope: metadata {problem}{here()}\n  ways out: str(value), or json.dumps"
            )
        self.client = CaptureClient(self._recorder)

    @property
    def device(self) -> CaptureDevice:
        """The device recorded on."""
        return self._recorder.device

    @property
    def is_closed(self) -> bool:
        """Whether the scope records no more."""
        return bool(self._recorder.closed)

    @property
    def graph(self) -> Graph:
        """The finished graph.

        Raises:
            ScopeError: The scope is still open, or it failed.
        """
        if self._graph is None:
            if self._recorder.closed:
                raise ScopeError(
                    f"graph: the scope {self._recorder.closed}, it has no graph{here()}\n  ways "
                    "out: capture again once the body runs to its end"
                )
            raise ScopeError(
                f"graph: the scope is still open{here()}\n  ways out: leave the with block, call "
                "complete(), or take a snapshot()"
            )
        return self._graph

    def input(
        self,
        name: str,
        shape: Sequence[Any] = (),
        dtype: Any = None,
        *,
        doc: str | None = None,
    ) -> Tensor:
        """Declare a run-time input.

        Args:
            name: Its name in the graph and in exported files.
            shape: Sizes: numbers, symbol names (``"batch"``, ``"2*n"``), :class:`ir.Dim` objects,
                or ``None`` for a fresh symbol.
            dtype: Its dtype; the device's default float when left out.
            doc: What it is, for people who get the exported file.

        Raises:
            ScopeError: The scope is closed.
            DuplicateBoundaryError: The name is declared already.
            UnsupportedDTypeError: The dtype is refused.
        """
        self._recorder.require_open("input")
        type_ = input_type(self._recorder, name, shape, dtype)
        tensor = self._placeholder(name, type_)
        self._boundaries.add_input(name, tensor)
        self._document(name, doc)
        return tensor

    def _document(self, name: str, doc: str | None) -> None:
        if doc is not None:
            self._metadata[f"{DOC}{name}"] = doc

    def _placeholder(self, name: str | None, type_: Any) -> Tensor:
        index = self._recorder.new_input(name, type_)
        return Tensor(self._recorder, index, type_, None if type_.shape else Owned())

    def constant(
        self, array: Any, name: str | None = None, *, copy: bool | None = None
    ) -> Tensor:
        """Register an array (or scalar) as an initialised tensor.

        Args:
            array: Anything :func:`numpy.asarray` takes, of a supported dtype.
            name: A hint for printers and exporters.
            copy: ``True`` takes a private copy; otherwise large arrays are shared and read-only
                until the scope closes.

        Raises:
            ScopeError: The scope is closed.
            UnsupportedDTypeError: The dtype is refused.
        """
        self._recorder.require_open("constant")
        return self.client.register_constant(array, name, copy=copy)

    def output(self, name: str, tensor: Any, *, doc: str | None = None) -> None:
        """Declare an output; in-place writes until the scope completes count.

        Args:
            name: Its name in the graph and in exported files.
            tensor: What it gives.
            doc: What it is, for people who get the exported file.

        Raises:
            ScopeError: The scope is closed.
            DuplicateBoundaryError: The name is declared already.
            UnknownTensorError: The tensor belongs to another scope.
        """
        self._recorder.require_open("output")
        self._boundaries.add_output(name, tensor)
        self._document(name, doc)

    def complete(self, inputs: Any = None, outputs: Any = None) -> Graph:
        """Declare further boundaries, close the scope and return its graph.

        Args:
            inputs: Tensors (or a mapping from names) that enter; initialised ones keep their data
                as the input's default.
            outputs: Tensors (or a mapping from names) that leave.

        Raises:
            BoundaryError: A declaration does not fit; the subclass says how. The scope stays open.
        """
        self._recorder.require_open("complete")
        boundaries = self._boundaries.copy()
        boundaries.extend(inputs, outputs)
        graph = self._finish(boundaries)
        self._boundaries = boundaries
        self._graph = graph
        self.device._last_graph = graph
        written = self._recorder.constants.written_after_reading()
        self._close("is complete")
        warn_of_unused_inputs(graph)
        warn_of_lost_state(graph, written)
        return graph

    def snapshot(self, inputs: Any = None, outputs: Any = None) -> Graph:
        """Return a pruned, finished graph from the open scope, without side effects.

        Args:
            inputs: Tensors that enter, beside the declared ones.
            outputs: Tensors that leave; the declared ones when left out.

        Raises:
            ScopeError: The scope is closed.
            BoundaryError: A declaration does not fit.
        """
        self._recorder.require_open("snapshot")
        return self._finish(self._extended_boundaries(inputs, outputs))

    def dim(self, name: str, *, min: int = 0, max: int | None = None) -> SymbolicInt:
        """Return a size that only bindings define, for graphs to be replayed.

        Args:
            name: The symbol; ``"r.start"`` and ``"r.size"`` are bound by a range ``r``.
            min: The least value it takes.
            max: The greatest.

        Raises:
            ScopeError: The scope is closed.
            DimError: The symbol is known with other bounds.
        """
        self._recorder.require_open("dim")
        dim = Dim(name, min=min, max=max)
        register_symbols(self._recorder, "dim", dim)
        return SymbolicInt(dim, self._recorder)

    def relative_graph(self, inputs: Any = None, outputs: Any = None) -> Graph:
        """Return a snapshot whose sizes may be left to the bindings of a replay.

        Args:
            inputs: Tensors that enter, beside the declared ones.
            outputs: Tensors that leave; the declared ones when left out.

        Raises:
            ScopeError: The scope is closed.
            BoundaryError: A declaration does not fit.
        """
        self._recorder.require_open("relative_graph")
        return self._finish(self._extended_boundaries(inputs, outputs), nested=True)

    def _extended_boundaries(self, inputs: Any, outputs: Any) -> Boundaries:
        """Return the declared boundaries with more inputs, and other outputs where given."""
        boundaries = self._boundaries.copy()
        if outputs is not None:
            boundaries.outputs.clear()
        boundaries.extend(inputs, outputs)
        return boundaries

    def _finish(self, boundaries: Boundaries, *, nested: bool = False) -> Graph:
        inputs, outputs = boundaries.resolve()
        builder = self._recorder.builder
        check_leaks(self._recorder, [index for _, index in outputs])
        try:
            with collector_paused():
                return simplify(
                    builder.finish(
                        inputs,
                        outputs,
                        name=self._name,
                        metadata=self._metadata,
                        nested=nested,
                    )
                )
        except UndefinedValueError as error:
            label = self._recorder.placeholders.get(error.index)
            if label is not None:
                raise leak_error(label, "", "") from None
            name = builder.names.get(error.index)
            shown = repr(name) if name else f"of type {builder.types[error.index]}"
            raise UndeclaredInputError(
                f"graph: an output depends on the empty handle {shown}, which is not declared as "
                f"an input{here()}\n  ways out: declare it, complete(inputs=[handle]); or give it "
                "a value with client.register_alias"
            ) from None

    def _close(self, reason: str) -> None:
        self._recorder.close(reason)
        if self.device._scope is self:
            self.device._scope = None

    def __repr__(self) -> str:
        state = self._recorder.closed or "is open"
        return (
            f"<CaptureScope on {self.device!r} {state}: {len(self._boundaries.inputs)} inputs, "
            f"{len(self._boundaries.outputs)} outputs, {len(self._recorder.builder.ops)} nodes>"
        )


def constant(array: Any, name: str | None = None) -> Tensor:
    """Register an array with the innermost open scope; see :meth:`CaptureScope.constant`.

    Raises:
        ScopeError: No scope is open in this thread or task.
    """
    active = innermost()
    if active is None:
        raise ScopeError(
            f"constant: no scope is open in this thread or task{here()}\n  ways out: enter "
            "`with capture_scope(device):` first"
        )
    return CaptureClient(active.recorder).register_constant(array, name)


@contextmanager
def capture_scope(
    device: CaptureDevice,
    exporters: Sequence[Exporter] = (),
    *,
    name: str = "graph",
    metadata: dict[str, str] | None = None,
    intercept: Interception | bool = True,
    control_flow: bool = False,
) -> Iterator[CaptureScope]:
    """Record NumPy code on ``device`` instead of running it.

    Args:
        device: A capture device without an active scope.
        exporters: Given the finished graph on a clean exit; each is tried.
        name: The graph's name.
        metadata: Free text by key, kept on the graph and in exported files.
        intercept: Whether user code's array creation, coercion, ``math`` and ``np.random`` are
            seen while the scope is open; an :class:`Interception` chooses modules.
        control_flow: Whether ``if``, ``while`` and ``for`` in user functions called inside become
            part of the graph: functions and methods of the calling module, of the user modules it
            names, and what they call in turn. The block's own statements stay Python.

    Yields:
        The open scope.

    Raises:
        InvalidDeviceError: ``device`` is no capture device.
        AlreadyActiveError: It has an active scope.
        BoundaryError: The declared inputs and outputs do not fit.
        ExceptionGroup: Exporters failed; holds one :class:`ir.exporter.ExportError` each.
    """
    device = require_capture_device("capture_scope", device)
    scope = CaptureScope(device, name, metadata)
    with _LOCK:
        if device._scope is not None:
            raise AlreadyActiveError(
                f"capture_scope: {device!r} has an active scope already{here()}\n  ways out: leave "
                "it or call its complete() first; or use another device"
            )
        device._scope = scope
    try:
        with (
            intercepting(scope._recorder, intercept, _module_of(sys._getframe(2))),
            turning_calls(control_flow),
            _own_errors(),
        ):
            yield scope
        if not scope.is_closed:
            scope.complete()
    finally:
        if not scope.is_closed:
            scope._close("was left by an exception")
    _export(scope.graph, exporters)


def _module_of(frame: FrameType) -> dict[str, Any] | None:
    """Return the namespace of a block at module level, as in scripts and notebooks.

    Asking a function's frame for its variables would leave references to them behind.
    """
    return None if frame.f_code.co_flags & inspect.CO_OPTIMIZED else frame.f_globals


@contextmanager
def _own_errors() -> Iterator[None]:
    """Let our error out where NumPy's C code replaced it: ``a[0] = t`` with a plain array."""
    try:
        yield
    except (TypeError, ValueError) as error:
        cause = error.__cause__
        if isinstance(cause, CaptureError) and not isinstance(error, CaptureError):
            raise cause from None
        raise


def _export(graph: Graph, exporters: Sequence[Exporter]) -> None:
    errors: list[ExportError] = []
    for exporter in exporters:
        try:
            exporter.export(graph)
        except ExportError as error:  # every exporter gets its try; all failures are reported
            errors.append(error)
        except Exception as error:
            failure = ExportError(
                f"{type(exporter).__name__}: {type(error).__name__}: {error}"
            )
            failure.__cause__ = error
            errors.append(failure)
    if errors:
        raise ExceptionGroup(f"{len(errors)} of {len(exporters)} exporters failed", errors)
