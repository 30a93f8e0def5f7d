"""Kernels that run and give values other than NumPy's, by the last release that does.

The generated tables say what runs; this one, measured by running every sample of the tests
in every tabled release, says what not to trust. Lowerings write something else for opsets
that a release with the fault loads; a file with the kernel in it all the same (as a fused
form, or for the target ``standard``) needs a later release.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from exporters.onnx.kernels.table import KernelTable, release

if TYPE_CHECKING:
    from exporters.onnx.kernels.probes import DType


class Fault(NamedTuple):
    """What one kernel does wrong.

    Attributes:
        keys: Operators, or variants of them. A variant that no table has, such as
            ``"TopK:no rows"``, is a case that lowerings guard against; the operator itself
            stays in use.
        dtypes: Names of the element types.
        until: The last tabled release with the fault.
        effect: What it does.
    """

    keys: tuple[str, ...]
    dtypes: tuple[str, ...]
    until: str
    effect: str


FAULTS: Final = (
    Fault(
        ("Max", "Min", "Clip", "ReduceMax", "ReduceMin", "Sign"),
        ("int64",),
        "1.31.1",
        "numbers whose upper 32 bits are equal are compared by the lower ones as int32: "
        "max(3e9, 1) is 1, sign(3e9) is -1",
    ),
    Fault(
        ("Mod:fmod",),
        ("int64", "uint64"),
        "1.31.1",
        "goes through double: beyond 2**53 it is of other numbers",
    ),
    Fault(
        ("LayerNormalization",),
        ("float16", "float32", "float64"),
        "1.26.0",
        "the variance is the mean of squares minus the square of the mean: few exact digits, "
        "or none, where the mean is large; NaN where squares overflow",
    ),
    Fault(("Erf:NaN",), ("float32",), "1.26.0", "1 for NaN"),
    Fault(
        ("TopK:no rows",),
        ("int8", "int16", "int32", "int64", "uint8", "float32", "float64"),
        "1.28.0",
        "divides by zero where another axis is empty, which ends the process",
    ),
    Fault(
        ("MaxPool:padded",),
        ("int8", "uint8", "float32", "float64"),
        "1.31.1",
        "the optimiser makes a Pad of zeros before it one of the lowest number",
    ),
)

_UNTIL: Final = {
    (key, np.dtype(name)): release(fault.until)
    for fault in FAULTS
    for key in fault.keys
    for name in fault.dtypes
}


def has_fault(table: KernelTable, key: str, dtype: DType) -> bool:
    """Whether a kernel, or a case of it, gives other values than NumPy in a release."""
    until = _UNTIL.get((key, dtype))
    return until is not None and release(table.version) <= until
