"""Devices: the label of where arrays live."""

from __future__ import annotations

import itertools
import threading
import weakref
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from capture.errors import InvalidDeviceError, ScopeError, SeedError
from capture.location import here

if TYPE_CHECKING:
    from collections.abc import Sequence
    from contextlib import AbstractContextManager

    from capture.scope import CaptureScope
    from capture.tensor import Tensor
    from ir import Graph
    from ir.exporter import Exporter

_IDS = itertools.count()
_LOCK = threading.Lock()
_DEVICES: weakref.WeakValueDictionary[int, CaptureDevice] = weakref.WeakValueDictionary()

SEED_MESSAGE = "seeding is not supported during graph capture"
SEED_WAYS_OUT = (
    "\n  ways out: seed before the scope; pass drawn arrays in, they become constants; or record "
    "a random op with capture.random.uniform, normal or bernoulli"
)


class CaptureDevice:
    """A reusable, hashable device whose arrays are recorded instead of computed.

    Every device has an id that is never reused. One scope at a time may be active on it.

    Args:
        float_dtype: Default floating dtype of arrays created on the device.
        int_dtype: Default integer dtype.
    """

    __slots__ = (
        "__weakref__",
        "_id",
        "_last_graph",
        "_scope",
        "bool_dtype",
        "float_dtype",
        "int_dtype",
    )

    def __init__(self, *, float_dtype: Any = np.float32, int_dtype: Any = np.int64) -> None:
        with _LOCK:
            self._id = next(_IDS)
            _DEVICES[self._id] = self
        self.float_dtype = np.dtype(float_dtype)
        self.int_dtype = np.dtype(int_dtype)
        self.bool_dtype = np.dtype(np.bool_)
        self._scope: CaptureScope | None = None
        self._last_graph: Graph | None = None

    def to_id(self) -> int:
        """Return the device's id, unique in the process and never reused."""
        return self._id

    @staticmethod
    def from_id(device_id: int) -> CaptureDevice:
        """Return the living device with this id.

        Raises:
            InvalidDeviceError: No living device has it.
        """
        device = _DEVICES.get(device_id)
        if device is None:
            raise InvalidDeviceError(
                f"from_id: no living capture device has the id {device_id}{here()}\n  ways out: "
                "keep the device alive as long as its id is used"
            )
        return device

    @property
    def active_scope(self) -> CaptureScope:
        """The scope that is open on this device.

        Raises:
            ScopeError: None is.
        """
        scope = self._scope
        if scope is None or scope.is_closed:
            raise ScopeError(
                f"{self!r} has no active scope{here()}\n  ways out: enter "
                "`with capture_scope(device):` first"
            )
        return scope

    @property
    def graph(self) -> Graph:
        """The last finished graph.

        Raises:
            ScopeError: No scope on this device has finished yet.
        """
        if self._last_graph is None:
            raise ScopeError(
                f"graph: {self!r} has no finished graph yet{here()}\n  ways out: leave its scope "
                "or call complete() first; snapshot() reads an open scope"
            )
        return self._last_graph

    def capture_scope(
        self, exporters: Sequence[Exporter] = (), **options: Any
    ) -> AbstractContextManager[CaptureScope]:
        """Same as :func:`capture.capture_scope` on this device."""
        from capture.scope import capture_scope

        return capture_scope(self, exporters, **options)

    def input(self, name: str, shape: Sequence[Any] = (), dtype: Any = None) -> Tensor:
        """Declare an input of the active scope; see ``CaptureScope.input``."""
        return self.active_scope.input(name, shape, dtype)

    def constant(self, array: Any, name: str | None = None) -> Tensor:
        """Register an array with the active scope; see ``CaptureScope.constant``."""
        return self.active_scope.constant(array, name)

    def output(self, name: str, tensor: Any) -> None:
        """Declare an output of the active scope; see ``CaptureScope.output``."""
        self.active_scope.output(name, tensor)

    def seed(self, seed: int) -> NoReturn:
        """Refuse: a graph has no generator state.

        Raises:
            SeedError: Always.
        """
        raise SeedError(f"{SEED_MESSAGE}{here()}{SEED_WAYS_OUT}")

    def __repr__(self) -> str:
        state = "recording" if self._scope is not None else "idle"
        return f"<CaptureDevice {self._id} ({state})>"


class NumpyDevice:
    """The eager device: arrays are plain NumPy and draws come from its own generator.

    Args:
        seed: Seed of the generator; random when left out.
    """

    __slots__ = ("_generator",)

    def __init__(self, seed: int | None = None) -> None:
        self._generator = np.random.Generator(np.random.PCG64(seed))

    def seed(self, seed: int) -> None:
        """Restart the device's generator from ``seed``."""
        self._generator = np.random.Generator(np.random.PCG64(seed))

    @property
    def generator(self) -> np.random.Generator:
        """The generator that eager draws on this device use."""
        return self._generator

    def __repr__(self) -> str:
        return "<NumpyDevice>"


def require_capture_device(operation: str, device: object) -> CaptureDevice:
    """Return ``device`` when it is a capture device; ``operation`` asks for one.

    Raises:
        InvalidDeviceError: It is something else.
    """
    if isinstance(device, CaptureDevice):
        return device
    raise InvalidDeviceError(
        f"{operation}: {device!r} is no capture device{here(2)}\n  ways out: make one with "
        "CaptureDevice()"
    )
