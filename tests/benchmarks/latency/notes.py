"""Writes models into a folder, and notes how long that took or why it failed."""

from __future__ import annotations

import json
import time
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import onnx

    from tests.benchmarks.latency.workload import Workload

FILE = "notes.json"
RUNS = 2
"""How often a model is made; the first time imports what the tool loads lazily."""


def in_one_line(error: Exception) -> str:
    """Return what the error says first."""
    return f"{type(error).__name__}: {(str(error) or 'no message').splitlines()[0]}"


@dataclass
class Notes:
    """What is known of the models in a folder.

    Attributes:
        folder: Holds a folder for each workload, with a file for each variant.
        versions: Of the peers that are installed.
        absent: Peers that are not.
        failed: By workload and variant, why there is no model.
        seconds: By workload and variant, how long making the model took.
    """

    folder: Path
    versions: dict[str, str] = field(default_factory=dict)
    absent: list[str] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)

    def path(self, workload: Workload, variant: str) -> Path:
        """Return where the model is, if there is one."""
        return self.folder / workload.slug / f"{variant}.onnx"

    def write(
        self, workload: Workload, variant: str, make: Callable[[], onnx.ModelProto]
    ) -> None:
        """Make the model and write it; whatever is raised is a result of the comparison."""
        path, key = self.path(workload, variant), f"{workload.slug}/{variant}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        spent = []
        try:
            for _ in range(RUNS):
                start = time.perf_counter()
                content = make().SerializeToString()
                spent.append(time.perf_counter() - start)
        except Exception as error:
            self.failed[key] = in_one_line(error)
        else:
            path.write_bytes(content)
            self.seconds[key] = min(spent)

    def why_missing(self, workload: Workload, variant: str) -> str | None:
        """Return why there is no model, if there is none."""
        if variant.split(",")[0] in self.absent:
            return "not installed"
        return self.failed.get(f"{workload.slug}/{variant}")

    def spent(self, workload: Workload, variant: str) -> float | None:
        """Return how long making the model took."""
        return self.seconds.get(f"{workload.slug}/{variant}")

    def save(self) -> None:
        """Write the notes beside the models."""
        content = asdict(self)
        del content["folder"]
        (self.folder / FILE).write_text(json.dumps(content), encoding="utf-8")

    @classmethod
    def load(cls, folder: Path) -> Notes:
        """Read what :meth:`save` wrote."""
        return cls(folder, **json.loads((folder / FILE).read_text(encoding="utf-8")))
