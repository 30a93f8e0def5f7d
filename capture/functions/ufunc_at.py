"""``ufunc.at``: an operation in place at positions that may repeat."""

from __future__ import annotations

from typing import Any

import numpy as np

from capture.access import accumulate_at
from capture.coerce import cast, lift
from capture.errors import LostWriteError, UnsupportedError
from capture.functions.arguments import NO_VALUE
from capture.functions.stand_ins import memory_order
from capture.indexing import NotBasic, parse_basic
from capture.known import UnknownValue
from capture.location import here
from capture.promotion import loop_dtypes
from capture.tensor import Tensor
from capture.ufuncs import METHOD_HANDLERS
from ir.types import BOOL, FLOATING

_COMBINE = {
    np.add: "add",
    np.subtract: "add",
    np.multiply: "multiply",
    np.maximum: "maximum",
    np.minimum: "minimum",
}
"""Ufuncs whose repetition is a combine mode of the IR's scatter (subtract adds the negative)."""

_COMBINE_BOOLS = {
    np.add: "maximum",
    np.multiply: "minimum",
    np.maximum: "maximum",
    np.minimum: "minimum",
    np.logical_or: "maximum",
    np.logical_and: "minimum",
    np.bitwise_or: "maximum",
    np.bitwise_and: "minimum",
}
"""The same for bools, as 0 and 1."""

_UINT8 = np.dtype(np.uint8)
