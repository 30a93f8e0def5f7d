"""Running a model op in ONNX Runtime; a session is made once per model and weights."""

from __future__ import annotations

import threading
import zlib
from collections import OrderedDict
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
import onnx

from exporters.onnx.models.signature import parsed
from ir.errors import EvaluationError

if TYPE_CHECKING:
    from exporters.onnx.models.op import OnnxModel
    from exporters.running import ModelSession

    Array = np.ndarray[Any, Any]

_MOST = 8
"""Sessions kept; one holds a copy of its weights."""


Identity: TypeAlias = tuple[int, int]
"""Which array, and what is in it where that may change."""


class _Entry(NamedTuple):
    weights: tuple[Array, ...]
    session: ModelSession


_SESSIONS: OrderedDict[tuple[bytes, tuple[Identity, ...]], _Entry] = OrderedDict()
_LOCK = threading.Lock()


def run_session(op: OnnxModel, operands: tuple[Array, ...]) -> tuple[Array, ...]:
    """Return the results of a model for its operands, weights last.

    Raises:
        EvaluationError: ONNX Runtime is missing, or does not load or run the model.
    """
    inputs = operands[: len(operands) - op.weights]
    weights = operands[len(operands) - op.weights :]
    names = [value.name for value in parsed(op.model).graph.input]
    session = _session(op, weights, names[len(inputs) :])
    try:
        return tuple(session.run(dict(zip(names, inputs, strict=False))))
    except Exception as error:  # the runtime's own classes have no common base
        raise EvaluationError(f"{op.title}: ONNX Runtime: {error}") from error


def _session(op: OnnxModel, weights: tuple[Array, ...], names: list[str]) -> ModelSession:
    key = (op.model, tuple(map(_identity, weights)))
    with _LOCK:
        entry = _SESSIONS.get(key)
        if entry is None:
            session = _load(op, dict(zip(names, weights, strict=True)))
            entry = _SESSIONS[key] = _Entry(weights, session)
            while len(_SESSIONS) > _MOST:
                _SESSIONS.popitem(last=False)
        _SESSIONS.move_to_end(key)
    return entry.session


def _identity(array: Array) -> Identity:
    """Tell weights apart; sessions keep theirs alive, so that ids are not used again."""
    if not array.flags.writeable:
        return id(array), 0
    return id(array), zlib.crc32(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)


def _load(op: OnnxModel, weights: dict[str, Array]) -> ModelSession:
    try:
        from exporters.running import ModelSession
    except ImportError as error:
        raise EvaluationError(
            f"{op.title}: running a model needs ONNX Runtime, which is not installed\n"
            "  ways out: pip install graph-capture[runtime]; capturing and exporting do not need it"
        ) from error
    model = onnx.ModelProto()
    model.CopyFrom(parsed(op.model))
    kept = [value for value in model.graph.input if value.name not in weights]
    for value in model.graph.input:
        if value.name in weights:
            tensor = model.graph.initializer.add(name=value.name)
            tensor.data_type = value.type.tensor_type.elem_type
            tensor.dims.extend(weights[value.name].shape)
            tensor.data_location = onnx.TensorProto.EXTERNAL
            tensor.external_data.add(key="location", value="weights")
    del model.graph.input[:]
    model.graph.input.extend(kept)
    try:
        return ModelSession(model, weights=weights)
    except Exception as error:
        raise EvaluationError(f"{op.title}: ONNX Runtime does not load it: {error}") from error
