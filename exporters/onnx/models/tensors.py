"""Tensors of a model as arrays, without a copy where the bytes lie as they are needed."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import onnx
from onnx import numpy_helper

from exporters.errors import ModelError
from exporters.onnx.element_types import ELEMENT_TYPES

if TYPE_CHECKING:
    Array = np.ndarray[Any, Any]

DTYPES = {number: dtype for dtype, number in ELEMENT_TYPES.items()}
"""The dtype of every element type that values may have."""


def array_of(tensor: onnx.TensorProto, folder: Path | None) -> Array:
    """Return a tensor of a supported dtype as a read-only array.

    Args:
        tensor: The tensor.
        folder: Where external data is; its bytes are mapped, not read.

    Raises:
        ModelError: The bytes are missing or not as many as the shape needs.
    """
    dtype = DTYPES[tensor.data_type]
    shape = tuple(tensor.dims)
    if is_external(tensor):
        return _mapped(tensor, dtype, shape, folder)
    if not tensor.HasField("raw_data"):
        array = np.array(numpy_helper.to_array(tensor), dtype)
    else:
        array = np.frombuffer(tensor.raw_data, dtype)
    if array.size != _elements(shape):
        raise ModelError(
            f"tensor {tensor.name!r} of shape {shape} holds {array.size} elements"
        )
    array = array.reshape(shape)
    array.flags.writeable = False
    return array


def is_external(tensor: onnx.TensorProto) -> bool:
    """Whether the bytes of a tensor are in another file."""
    return bool(tensor.data_location == onnx.TensorProto.EXTERNAL)


def byte_size(tensor: onnx.TensorProto) -> int:
    """Return how many bytes a tensor of a supported dtype takes."""
    return _elements(tuple(tensor.dims)) * DTYPES[tensor.data_type].itemsize


def dense(sparse: onnx.SparseTensorProto) -> onnx.TensorProto:
    """Return a sparse tensor as an ordinary one of the same name."""
    shape = tuple(sparse.dims)
    values = numpy_helper.to_array(sparse.values)
    indices = numpy_helper.to_array(sparse.indices)
    full = np.zeros(shape, values.dtype)
    if indices.ndim == 1:
        full.reshape(-1)[indices] = values
    else:
        full[tuple(indices.T)] = values
    return numpy_helper.from_array(full, sparse.values.name)


def with_data(tensor: onnx.TensorProto, folder: Path | None) -> onnx.TensorProto:
    """Return a tensor, of any dtype, with its bytes inside."""
    if not is_external(tensor):
        return tensor
    path, offset, length = _place(tensor, folder)
    whole = onnx.TensorProto()
    whole.CopyFrom(tensor)
    del whole.external_data[:]
    whole.ClearField("data_location")
    with path.open("rb") as file:
        file.seek(offset)
        whole.raw_data = file.read() if length is None else file.read(length)
    return whole


def _elements(shape: tuple[int, ...]) -> int:
    count = 1
    for size in shape:
        count *= size
    return count


def _mapped(
    tensor: onnx.TensorProto,
    dtype: np.dtype[Any],
    shape: tuple[int, ...],
    folder: Path | None,
) -> Array:
    path, offset, length = _place(tensor, folder)
    wanted = _elements(shape) * dtype.itemsize
    held = path.stat().st_size - offset
    if (length is not None and length != wanted) or held < wanted:
        raise ModelError(
            f"tensor {tensor.name!r} needs {wanted:,} bytes of {path.name}, "
            f"which has {min(held, length or held):,} for it"
        )
    if wanted == 0:
        return np.empty(shape, dtype)
    return np.memmap(path, dtype, "r", offset, shape)


def _place(tensor: onnx.TensorProto, folder: Path | None) -> tuple[Path, int, int | None]:
    """Return file, offset and length of external data; never outside the model's folder."""
    entries = {entry.key: entry.value for entry in tensor.external_data}
    location = entries.get("location", "")
    if folder is None:
        raise ModelError(
            f"the bytes of {tensor.name!r} are in the file {location!r}, and a model in memory "
            "has no folder\n  ways out: pass the model's path, or load it with its data: "
            "onnx.load(path)"
        )
    root = os.path.realpath(folder)
    path = os.path.realpath(os.path.join(root, location))
    if not location or os.path.commonpath([root, path]) != root:
        raise ModelError(
            f"tensor {tensor.name!r} names {location!r}, which is or leads outside the model's "
            "folder\n  ways out: copy the files themselves, without links, into one folder"
        )
    if not os.path.isfile(path):
        raise ModelError(f"the file {location!r} with the bytes of {tensor.name!r} is missing")
    offset, length = entries.get("offset", "0"), entries.get("length")
    return Path(path), int(offset), None if length is None else int(length)
