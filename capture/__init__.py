"""Write NumPy, ship ONNX: record ordinary NumPy code as a typed graph, without running it."""

import capture.functions as _functions  # noqa: F401  registers every NumPy function
from capture import errors, random
from capture.autodiff import (
    backward,
    detach,
    from_inner,
    grad,
    grad_remove,
    inner,
    requires_grad,
)
from capture.client import CaptureClient
from capture.coverage import supported
from capture.custom_ops import CustomOp, custom_op
from capture.device import CaptureDevice, NumpyDevice
from capture.errors import CaptureError
from capture.explaining import explain
from capture.extending import dispatched, implements
from capture.flow import cond, fori_loop, scan, switch, while_loop
from capture.flow import map as map  # not in __all__: a star import must not hide the builtin
from capture.graph_functions import function
from capture.inputs import TensorSpec
from capture.interception import Interception
from capture.name_scopes import name_scope
from capture.replay import GraphBindings
from capture.scope import CaptureScope, capture_scope, constant
from capture.symbolic import SymbolicInt
from capture.syntax import control_flow
from capture.tensor import Tensor
from capture.tracing import trace

__all__ = [
    "CaptureClient",
    "CaptureDevice",
    "CaptureError",
    "CaptureScope",
    "CustomOp",
    "GraphBindings",
    "Interception",
    "NumpyDevice",
    "SymbolicInt",
    "Tensor",
    "TensorSpec",
    "backward",
    "capture_scope",
    "cond",
    "constant",
    "control_flow",
    "custom_op",
    "detach",
    "dispatched",
    "errors",
    "explain",
    "fori_loop",
    "from_inner",
    "function",
    "grad",
    "grad_remove",
    "implements",
    "inner",
    "name_scope",
    "random",
    "requires_grad",
    "scan",
    "supported",
    "switch",
    "trace",
    "while_loop",
]
