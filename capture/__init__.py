"""Write NumPy, ship ONNX: record ordinary NumPy code as a typed graph, without running it."""

import capture.functions as _functions  # registers every NumPy function
from capture import errors, random
from capture.autodiff import backward, detach, from_inner, grad, grad_remove, inner, requires_grad
from capture.client import CaptureClient
from capture.device import CaptureDevice, NumpyDevice
from capture.errors import CaptureError
from capture.inputs import TensorSpec
from capture.interception import Interception
from capture.scope import CaptureScope, capture_scope, constant
from capture.symbolic import SymbolicInt
from capture.tensor import Tensor
from capture.tracing import trace

__all__ = [
    "CaptureClient",
    "CaptureDevice",
    "CaptureError",
    "CaptureScope",
    "Interception",
    "NumpyDevice",
    "SymbolicInt",
    "Tensor",
    "TensorSpec",
    "backward",
    "capture_scope",
    "constant",
    "detach",
    "errors",
    "from_inner",
    "grad",
    "grad_remove",
    "inner",
    "random",
    "requires_grad",
    "trace",
]
