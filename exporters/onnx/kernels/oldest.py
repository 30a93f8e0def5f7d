"""The oldest ONNX Runtime that runs a model, from the generated tables alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from exporters.onnx.kernels.faults import has_fault
from exporters.onnx.kernels.table import KernelTable, kernel_table, kernel_versions

if TYPE_CHECKING:
    from collections.abc import Iterable

    from exporters.onnx.kernels.probes import DType

    Kernel: TypeAlias = tuple[str, DType]

MINIMAL_RUNTIME = "graph_capture.minimal_runtime"
"""The key in a model's ``metadata_props``."""


def oldest_runtime(kernels: Iterable[Kernel], opset: int) -> str | None:
    """Return the oldest tabled release that runs a model right, as ``"onnxruntime 1.23.2"``.

    The answer depends on nothing that is installed. A release that loads an opset also reads
    the IR version that came with it; operators that were never probed (``If``, ``Loop``) are
    in every release that loads the opset.

    Args:
        kernels: Every (operator or variant, dtype) in the model.
        opset: Its opset.
    """
    wanted = sorted(set(kernels), key=str)
    for version in kernel_versions():
        table = kernel_table(version)
        if table.newest_opset >= opset and all(_runs(table, *one, opset) for one in wanted):
            return table.runtime
    return None


def _runs(table: KernelTable, key: str, dtype: DType, opset: int) -> bool:
    if has_fault(table, key, dtype):
        return False
    return key not in table.operators or table.supports(key, dtype, opset)
