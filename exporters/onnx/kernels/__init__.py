"""Which (operator, element type, opset) ONNX Runtime's CPU provider runs, by release."""

from exporters.onnx.kernels.table import KernelTable, kernel_table, kernel_versions

__all__ = ["KernelTable", "kernel_table", "kernel_versions"]
