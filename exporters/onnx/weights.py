"""Arrays as ONNX tensors: inside the model, or streamed to one external-data file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
from onnx import TensorProto

from exporters.errors import ModelSizeError
from exporters.onnx.element_types import ELEMENT_TYPES
from exporters.summing import SummedFile

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import onnx

    Array = np.ndarray[Any, Any]

INLINE_LIMIT = 2**31 - 1
"""What one protobuf message holds."""

AUTO_LIMIT = 3 * 2**29
"""Weights beyond this many bytes go to an external file by themselves."""

EXTERNAL_THRESHOLD = 1024
"""Smaller tensors stay in the model, where shape inference can read them."""

_PAGE = 4096
_BIG = 1 << 20
_ALIGNMENT = 64
_CHUNK = 1 << 24
_MODEL_RESERVE = 1 << 26
_LOCATION = "location"


def total_bytes(constants: Mapping[str, Array]) -> int:
    """Return the size of all weights."""
    return sum(array.nbytes for array in constants.values())


def add_inline(model: onnx.ModelProto, constants: Mapping[str, Array]) -> None:
    """Write every constant into the model.

    Raises:
        ModelSizeError: They are beyond what one protobuf message holds.
    """
    size = total_bytes(constants)
    if size > INLINE_LIMIT - _MODEL_RESERVE:
        raise ModelSizeError(
            f"the weights take {size:,} bytes, a model file without external data holds less "
            f"than {INLINE_LIMIT:,}\n  hint: OnnxExporter(path, external_data=True)"
        )
    for name, array in constants.items():
        tensor = _header(model, name, array)
        tensor.raw_data = array.tobytes()


def any_external(constants: Mapping[str, Array]) -> bool:
    """Whether a constant is large enough for an external-data file."""
    return any(array.nbytes >= EXTERNAL_THRESHOLD for array in constants.values())


def add_external(
    model: onnx.ModelProto, constants: Mapping[str, Array], file: BinaryIO
) -> str:
    """Write large constants to ``file`` and references to it into the model.

    Arrays are streamed from where they are; big ones start at a page boundary so that a
    runtime can map them. The references name no file until :func:`set_location`.

    Args:
        model: Receives the initializers.
        constants: Arrays by name.
        file: The open data file.

    Returns:
        A checksum of what was written, for the file's name.
    """
    offset = 0
    with SummedFile(file, total_bytes(constants)) as summed:
        for name, array in constants.items():
            tensor = _header(model, name, array)
            if array.nbytes < EXTERNAL_THRESHOLD:
                tensor.raw_data = array.tobytes()
                continue
            alignment = _PAGE if array.nbytes >= _BIG else _ALIGNMENT
            padding = -offset % alignment
            summed.write(memoryview(bytes(padding)))
            offset += padding
            tensor.data_location = TensorProto.EXTERNAL
            entries = ((_LOCATION, ""), ("offset", offset), ("length", array.nbytes))
            for key, value in entries:
                entry = tensor.external_data.add()
                entry.key, entry.value = key, str(value)
            for block in _blocks(array):
                for start in range(0, len(block), _CHUNK):
                    summed.write(block[start : start + _CHUNK])
            offset += array.nbytes
        return summed.checksum


def set_location(model: onnx.ModelProto, location: str) -> None:
    """Let the references name the data file, as the model's folder sees it."""
    for tensor in model.graph.initializer:
        for entry in tensor.external_data:
            if entry.key == _LOCATION:
                entry.value = location


def _header(model: onnx.ModelProto, name: str, array: Array) -> TensorProto:
    tensor: TensorProto = model.graph.initializer.add()
    tensor.name = name
    tensor.data_type = ELEMENT_TYPES[array.dtype]
    tensor.dims.extend(array.shape)
    return tensor


def _blocks(array: Array) -> Iterable[memoryview]:
    """Yield the bytes in C order without a copy of more than one block."""
    if array.flags.c_contiguous:
        yield array.reshape(-1).view(np.uint8).data
        return
    row = max(array.nbytes // max(array.shape[0], 1), 1)
    if row > _CHUNK and array.ndim > 1:
        for part in array:
            yield from _blocks(part)
        return
    step = max(_CHUNK // row, 1)
    for start in range(0, array.shape[0], step):
        block = np.ascontiguousarray(array[start : start + step])
        yield block.reshape(-1).view(np.uint8).data
