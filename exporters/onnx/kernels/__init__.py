"""Which (operator, element type, opset) ONNX Runtime's CPU provider runs, by release."""

from exporters.onnx.kernels.faults import FAULTS, Fault, has_fault
from exporters.onnx.kernels.oldest import MINIMAL_RUNTIME, oldest_runtime
from exporters.onnx.kernels.table import KernelTable, kernel_table, kernel_versions

__all__ = [
    "FAULTS",
    "MINIMAL_RUNTIME",
    "Fault",
    "KernelTable",
    "has_fault",
    "kernel_table",
    "kernel_versions",
    "oldest_runtime",
]
