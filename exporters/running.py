"""Running an exported model in ONNX Runtime, for every dtype of the IR.

Raises:
    MissingExtraError: ONNX Runtime is not installed.
"""

from __future__ import annotations

import ctypes
import os
from typing import TYPE_CHECKING, Any

import numpy as np
import onnx

from ir.errors import MissingExtraError
from ir.types import BFLOAT16

try:
    import onnxruntime
except ModuleNotFoundError:
    raise MissingExtraError(
        "running a model, also to verify one, needs ONNX Runtime, which is not installed\n"
        "  ways out: pip install 'graph-capture[runtime]'; capturing and exporting do not need it"
    ) from None

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Array = np.ndarray[Any, Any]

_SILENT = 4


class ModelSession:
    """One model loaded in ONNX Runtime on the CPU.

    Args:
        model: A model, its serialized bytes or the path of its file.
        optimize: Whether the runtime may rewrite the graph.
        weights: Arrays for initializers that ``model`` only refers to as external data.
    """

    name = "ONNX Runtime"

    def __init__(
        self,
        model: onnx.ModelProto | bytes | str | os.PathLike[str],
        *,
        optimize: bool = True,
        weights: Mapping[str, Array] | None = None,
    ) -> None:
        options = onnxruntime.SessionOptions()
        options.log_severity_level = _SILENT
        levels = onnxruntime.GraphOptimizationLevel
        options.graph_optimization_level = (
            levels.ORT_ENABLE_ALL if optimize else levels.ORT_DISABLE_ALL
        )
        if weights:
            self._weights = [_to_ort(array) for array in weights.values()]
            options.add_external_initializers(list(weights), self._weights)
        source = model.SerializeToString() if isinstance(model, onnx.ModelProto) else model
        if not isinstance(source, bytes):
            source = os.fspath(source)
        self._session = onnxruntime.InferenceSession(
            source, options, providers=["CPUExecutionProvider"]
        )

    @property
    def input_names(self) -> list[str]:
        """Names of the inputs that must be given."""
        return [value.name for value in self._session.get_inputs()]

    @property
    def default_names(self) -> list[str]:
        """Names of the inputs that have a default."""
        return [value.name for value in self._session.get_overridable_initializers()]

    @property
    def output_names(self) -> list[str]:
        """Names of the outputs."""
        return [value.name for value in self._session.get_outputs()]

    def run(
        self, arrays: Mapping[str, Array], outputs: Sequence[str] | None = None
    ) -> list[Array]:
        """Return the outputs for input arrays by name."""
        feeds = {name: _to_ort(np.asarray(array)) for name, array in arrays.items()}
        names = list(outputs) if outputs is not None else None
        results = self._session.run_with_ort_values(names, feeds)
        lent = {feed.data_ptr() for feed in feeds.values()}  # an input that is an output, too
        return [
            _from_ort(value).copy() if value.data_ptr() in lent else _from_ort(value)
            for value in results
        ]


class Evaluation:
    """One model in the reference evaluator of onnx.

    Args:
        model: A model, its serialized bytes or the path of its file.
        weights: Arrays for initializers that ``model`` only refers to as external data.
    """

    name = "the ONNX reference evaluator"

    def __init__(
        self,
        model: onnx.ModelProto | bytes | str | os.PathLike[str],
        weights: Mapping[str, Array],
    ) -> None:
        from onnx import numpy_helper, reference

        if isinstance(model, bytes):
            model = onnx.load_from_string(model)
        elif not isinstance(model, onnx.ModelProto):
            model = onnx.load(os.fspath(model))
        if weights:
            whole = onnx.ModelProto()
            whole.CopyFrom(model)
            for tensor in whole.graph.initializer:
                if tensor.name in weights:
                    tensor.CopyFrom(numpy_helper.from_array(weights[tensor.name], tensor.name))
            model = whole
        self._evaluator = reference.ReferenceEvaluator(model)

    def run(self, arrays: Mapping[str, Array]) -> list[Array]:
        """Return the outputs for input arrays by name."""
        with np.errstate(all="ignore"):
            return [np.asarray(array) for array in self._evaluator.run(None, dict(arrays))]


def run_model(
    model: onnx.ModelProto | bytes | str | os.PathLike[str],
    arrays: Mapping[str, Array],
    *,
    optimize: bool = True,
) -> list[Array]:
    """Run a model once in ONNX Runtime.

    Args:
        model: A model, its serialized bytes or the path of its file.
        arrays: Input arrays by name; bfloat16 as ``ml_dtypes.bfloat16``.
        optimize: Whether the runtime may rewrite the graph.

    Returns:
        One array per output.
    """
    return ModelSession(model, optimize=optimize).run(arrays)


def _to_ort(array: Array) -> onnxruntime.OrtValue:
    array = np.asarray(array, order="C")
    if array.dtype == BFLOAT16:
        return onnxruntime.OrtValue.ortvalue_from_numpy_with_onnx_type(
            array.view(np.uint16), onnx.TensorProto.BFLOAT16
        )
    return onnxruntime.OrtValue.ortvalue_from_numpy(array)


def _from_ort(value: onnxruntime.OrtValue) -> Array:
    if value.element_type() != onnx.TensorProto.BFLOAT16:
        return np.asarray(value.numpy())
    shape = tuple(value.shape())  # the binding knows no bfloat16 arrays: copy the bits
    size = int(np.prod(shape, dtype=np.int64))
    bits = (ctypes.c_uint16 * size).from_address(value.data_ptr()) if size else ()
    result: Array = np.array(bits, np.uint16).view(BFLOAT16).reshape(shape)
    return result
