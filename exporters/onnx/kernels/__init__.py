"""Which (operator, element type, opset) ONNX Runtime's CPU provider runs, by release."""

from exporters.onnx.kernels.oldest import MINIMAL_RUNTIME, oldest_runtime
from exporters.onnx.kernels.table import KernelTable, kernel_table, kernel_versions

__all__ = [
    "MINIMAL_RUNTIME",
    "KernelTable",
    "kernel_table",
    "kernel_versions",
    "oldest_runtime",
]
