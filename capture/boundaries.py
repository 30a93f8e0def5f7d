"""Inputs and outputs of a scope: declarations, their checks, and moves between devices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from capture.coerce import lift
from capture.errors import (
    BoundaryError,
    ConsumedOutputError,
    DeviceMoveError,
    DroppedOutputError,
    DuplicateBoundaryError,
    InvalidInputError,
    UnknownTensorError,
)
from capture.location import here, source_line
from capture.tensor import Tensor
from ir.metadata import is_writable

if TYPE_CHECKING:
    from capture.device import CaptureDevice
    from capture.recorder import Recorder


class Boundaries:
    """Ordered, unique declarations of what enters and leaves a graph.

    Attributes:
        inputs: Value index by name.
        outputs: Tensor by name; its value is read when the scope completes, so in-place writes
            after the declaration count.
    """

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self.inputs: dict[str, int] = {}
        self.outputs: dict[str, Tensor] = {}

    def copy(self) -> Boundaries:
        """Return independent declarations, for a snapshot."""
        made = Boundaries(self._recorder)
        made.inputs.update(self.inputs)
        made.outputs.update(self.outputs)
        return made

    def _claim(self, name: str, kind: str) -> None:
        if not name or not is_writable(name):
            raise BoundaryError(
                f"{kind}: the name must be a non-empty string, got {name!r}{here()}\n  ways out: "
                f'scope.{kind}("name", ...)'
            )
        for other, taken in (("input", self.inputs), ("output", self.outputs)):
            if name in taken:
                raise DuplicateBoundaryError(
                    f"{kind} {name!r}: an {other} of that name is declared already{here()}\n  "
                    "ways out: give each input and output a name of its own"
                )

    def _own(self, kind: str, name: str, tensor: Any) -> Tensor:
        if type(tensor) is not Tensor or tensor._recorder is not self._recorder:
            shown = repr(tensor) if type(tensor) is Tensor else type(tensor).__name__
            raise UnknownTensorError(
                f"{kind} {name!r}: {shown} is no tensor of this scope{here()}\n  ways out: "
                "declare tensors that this scope made (scope.input, scope.constant, and results)"
            )
        return tensor

    def add_input(self, name: str, tensor: Any) -> None:
        """Declare a tensor as an input.

        Raises:
            UnknownTensorError: It is not a tensor of this scope.
            DuplicateBoundaryError: The name or the tensor is declared already.
            InvalidInputError: It is computed inside the scope, or Python has read its value.
        """
        tensor = self._own("input", name, tensor)
        self._claim(name, "input")
        recorder, index = self._recorder, tensor._read()
        if index in self.inputs.values():
            raise DuplicateBoundaryError(
                f"input {name!r}: {tensor!r} is declared as an input already{here()}\n  ways "
                "out: declare each tensor once"
            )
        if recorder.builder.producers[index] >= 0:
            raise InvalidInputError(
                f"input {name!r}: {tensor!r} is produced inside the scope, so it cannot enter "
                f"it{here()}\n  ways out: declare what it is computed from; scope.input makes a "
                "new input"
            )
        if index in recorder.known.reads:
            raise InvalidInputError(
                f"input {name!r}: Python has read this value, or one computed from it; what it "
                f"decided there would be baked in\n{source_line(recorder.known.reads[index])}\n  "
                "ways out: leave it a constant; or keep Python from reading it (np.where instead "
                "of if)"
            )
        self.inputs[name] = index

    def add_output(self, name: str, value: Any) -> None:
        """Declare a tensor (or a plain value, which becomes a constant) as an output.

        Raises:
            UnknownTensorError: It belongs to another scope.
            DuplicateBoundaryError: The name is declared already.
        """
        tensor = value if type(value) is Tensor else lift(self._recorder, value)
        self._own("output", name, tensor)
        self._claim(name, "output")
        self.outputs[name] = tensor

    def extend(self, inputs: Any, outputs: Any) -> None:
        """Declare several at once; sequences take their tensors' names, or are numbered."""
        for name, tensor in self._named(inputs, "input"):
            self.add_input(name, tensor)
        for name, tensor in self._named(outputs, "output"):
            if type(tensor) is Tensor and any(
                tensor is kept for kept in self.outputs.values()
            ):
                raise DuplicateBoundaryError(
                    f"output {name!r}: {tensor!r} is declared as an output already{here()}\n  "
                    "ways out: declare each tensor once; a second name needs tensor.copy()"
                )
            self.add_output(name, tensor)

    def _named(self, tensors: Any, kind: str) -> list[tuple[str, Any]]:
        if not tensors:
            return []
        if hasattr(tensors, "items"):
            return list(tensors.items())
        hints = self._recorder.builder.names
        taken = {*self.inputs, *self.outputs}
        named = []
        for number, tensor in enumerate(tensors):
            name = hints.get(getattr(tensor, "_value", -1))
            if name is None or name in taken:
                name = f"{kind}_{number}"
            taken.add(name)
            named.append((name, tensor))
        return named

    def resolve(self) -> tuple[list[tuple[str, int]], list[tuple[str, int]]]:
        """Return inputs and outputs as (name, value index), after the last checks.

        Raises:
            ConsumedOutputError: An output was consumed in place.
            DroppedOutputError: An output was released.
        """
        recorder = self._recorder
        outputs = [(name, tensor._read()) for name, tensor in self.outputs.items()]
        for name, index in outputs:
            if index in recorder.consumed:
                raise ConsumedOutputError(
                    f"output {name!r}: {self.outputs[name]!r} was consumed in place by "
                    f"{recorder.consumed[index]}\n  ways out: output a copy made before, or the "
                    "result of the consuming op"
                )
            if index in recorder.dropped:
                raise DroppedOutputError(
                    f"output {name!r}: {self.outputs[name]!r} was released inside the scope"
                    f"{recorder.dropped[index]}\n  ways out: keep outputs alive until the scope "
                    "completes"
                )
        return list(self.inputs.items()), outputs


def move(tensor: Tensor, device: Any) -> Tensor:
    """Return an initialised tensor in the active scope of another device.

    Raises:
        InvalidDeviceError: ``device`` is no capture device.
        DeviceMoveError: The tensor is computed or an input.
        ScopeError: The device has no active scope.
    """
    from capture.device import require_capture_device

    target: CaptureDevice = require_capture_device("to_device", device)
    recorder = tensor._recorder
    data = recorder.builder.data.get(tensor._value)
    if target is recorder.device and not recorder.closed:
        return tensor
    if data is None:
        what = "computed" if recorder.builder.producers[tensor._value] >= 0 else "an input"
        raise DeviceMoveError(
            f"cannot move a tensor from a capture device: {tensor!r} is {what}, only initialised "
            f"tensors move{here()}\n  ways out: output it from its own graph and feed the result "
            "to the other"
        )
    return target.constant(data, recorder.builder.names.get(tensor._value))
