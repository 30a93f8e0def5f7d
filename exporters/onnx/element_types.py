"""ONNX element type numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx.helper

from ir.types import DTYPE_NAMES

ELEMENT_TYPES: dict[np.dtype[Any], int] = {
    dtype: int(onnx.helper.np_dtype_to_tensor_dtype(dtype)) for dtype in DTYPE_NAMES
}
"""The number of every dtype of the IR."""
