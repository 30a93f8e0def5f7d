"""Read the generated tables of which kernels a released ONNX Runtime has.

A kernel that runs need not give NumPy's values: of an integer ReduceSum, some releases
round or saturate the total. Which kernels to trust is the lowerings' affair.

Neither onnx nor onnxruntime is imported: a model can be written for a runtime that is
not installed where it is written.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import metadata, resources
from typing import Final, TypedDict

from exporters.onnx.kernels.probes import DTYPES, DType

PREFIX: Final = "onnxruntime-"
DISTRIBUTIONS: Final = ("onnxruntime", "onnxruntime-gpu")
"""Distributions that install the runtime; each also brings the CPU provider."""

BY_NAME: Final = {dtype.name: dtype for dtype in DTYPES}


class TableDocument(TypedDict):
    """The JSON of a table: for each operator, element types by the opsets that run them.

    Opsets are ranges (``"17-19 22"``), element types NumPy names (``"float32 int64"``).
    """

    runtime: str
    opsets: tuple[int, int]
    operators: dict[str, dict[str, str]]


@dataclass(frozen=True, slots=True)
class KernelTable:
    """What the CPU provider of one ONNX Runtime release can run.

    Attributes:
        runtime: the release, as ``"onnxruntime 1.32.0"``.
        oldest_opset: the oldest opset probed.
        newest_opset: the newest opset the release loads.
        operators: for each probed operator, its element types, each with the set of
            opsets that run it, as the bits of an integer.
    """

    runtime: str
    oldest_opset: int
    newest_opset: int
    operators: Mapping[str, Mapping[DType, int]]

    @property
    def version(self) -> str:
        """The release alone, as ``"1.32.0"``."""
        return self.runtime.removeprefix(PREFIX.replace("-", " "))

    def supports(self, op_type: str, dtype: DType, opset: int) -> bool:
        """Whether the release runs an operator on an element type, at an opset.

        Args:
            op_type: an ONNX operator, or a variant of one, as ``"Mod:fmod"``,
                ``"Pad:reflect"``, ``"ScatterND:add"`` or ``"Pow:int64"`` (a Pow with
                that exponent); the bare operator has every attribute at its default.
            dtype: the type of the operator's data, or of its result where only that
                varies (EyeLike, ConstantOfShape).
            opset: the opset of the model; False for one the release does not load.

        Raises:
            KeyError: the operator was never probed, so the table cannot tell.
        """
        try:
            opsets = self.operators[op_type]
        except KeyError:
            raise KeyError(f"{op_type}: not in the kernel table of {self.runtime}") from None
        return bool(opsets.get(dtype, 0) >> opset & 1)

    def supports_cast(self, source: DType, target: DType, opset: int) -> bool:
        """Whether the release runs a Cast between two element types, at an opset."""
        key = f"Cast:{source.name}"
        return key in self.operators and self.supports(key, target, opset)


@functools.cache
def kernel_versions() -> tuple[str, ...]:
    """The runtime versions that have a table, oldest first."""
    names = (entry.name for entry in resources.files(__package__).iterdir())
    found = (
        name.removeprefix(PREFIX).removesuffix(".json")
        for name in names
        if name.startswith(PREFIX) and name.endswith(".json")
    )
    return tuple(sorted(found, key=release))


@functools.cache
def kernel_table(version: str | None = None) -> KernelTable:
    """The table of a runtime version, or of the newest one before it that has a table.

    Args:
        version: the runtime's version. By default the installed runtime's, then never
            failing: with none installed the newest table answers, and for one older than
            every table the oldest does.

    Raises:
        LookupError: ``version`` is older than every table.
    """
    versions = kernel_versions()
    wanted = version or _installed_version() or versions[-1]
    older = [known for known in versions if release(known) <= release(wanted)]
    if not older and version is not None:
        raise LookupError(
            f"no kernel table for onnxruntime {version}: the oldest is for {versions[0]}"
        )
    return _read(older[-1] if older else versions[0])


@functools.cache
def _read(version: str) -> KernelTable:
    resource = resources.files(__package__) / f"{PREFIX}{version}.json"
    document: TableDocument = json.loads(resource.read_text(encoding="utf-8"))
    oldest, newest = document["opsets"]
    operators = {key: _opsets_by_dtype(row) for key, row in document["operators"].items()}
    return KernelTable(document["runtime"], oldest, newest, operators)


def _opsets_by_dtype(row: Mapping[str, str]) -> dict[DType, int]:
    return {
        BY_NAME[name]: sum(1 << opset for opset in _opsets(ranges))
        for ranges, names in row.items()
        for name in names.split()
    }


def _opsets(ranges: str) -> list[int]:
    """Read back ``"17-19 22"`` as 17, 18, 19, 22."""
    found: list[int] = []
    for text in ranges.split():
        first, _, last = text.partition("-")
        found.extend(range(int(first), int(last or first) + 1))
    return found


def _installed_version() -> str | None:
    for distribution in DISTRIBUTIONS:
        try:
            return metadata.version(distribution)
        except metadata.PackageNotFoundError:
            continue
    return None


def release(version: str) -> tuple[int, ...]:
    """The numbers of a version, to compare; a suffix such as ``.dev2`` does not count."""
    numbers: list[int] = []
    for part in version.split("+")[0].split("."):
        if not part.isdigit():
            break
        numbers.append(int(part))
    return tuple(numbers)
