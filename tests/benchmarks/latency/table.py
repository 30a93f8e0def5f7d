"""The Markdown section of `docs/benchmarks.md`, one function: ``section``."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from tests.benchmarks.latency import ours, peers
from tests.benchmarks.latency.notes import Notes
from tests.benchmarks.latency.registry import WORKLOADS
from tests.benchmarks.latency.timing import measure

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tests.benchmarks.latency.timing import Latency
    from tests.benchmarks.latency.workload import Workload

MAKERS = (ours.OURS, *peers.PEERS)
COLUMNS = (ours.OURS, ours.LOOSE, *peers.PEERS)
ROUNDS = 100

INTRODUCTION = """\
## Latency in ONNX Runtime

Each program is captured from plain NumPy and exported with the default options; the hand-written
model is what an ONNX expert would write; a peer's model comes from what its user would write.
All give NumPy's numbers (checked first). One thread, all of the runtime's own fusions, models
timed in turn in one process: {rounds} samples of 2 ms each. The first table has the least time
over that of the hand-written model (bar 1.1); the second also the median, and the nodes in the
file and after the runtime's fusions.

By default a NaN has the effect that it has in NumPy. ONNX's `ArgMax`, `MaxPool` and `TopK` overlook
it, in the hand-written models and the peers' too; that is what the last three programs pay for.
`optimize=2` uses them, and folds a scaler into the weights that follow.
"""


def peer_models(folder: Path, interpreter: str, workloads: Sequence[Workload]) -> Notes:
    """Have the peers write their models, in the interpreter that has them."""
    slugs = [workload.slug for workload in workloads]
    command = [interpreter, "-m", "tests.benchmarks.latency.peers", str(folder), *slugs]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} failed:\n{done.stderr}")
    return Notes.load(folder)


def section(
    interpreter: str = sys.executable,
    *,
    only: Sequence[str] = (),
    rounds: int = ROUNDS,
    keep: Path | None = None,
) -> list[str]:
    """Measure, and return the lines of the section.

    Args:
        interpreter: A Python that has the peers; what it lacks is listed as missing.
        only: Parts of names of workloads, all of them if empty.
        rounds: Samples per model.
        keep: Where to leave the models.
    """
    chosen = [
        one for one in WORKLOADS if not only or any(part in one.slug.lower() for part in only)
    ]
    with tempfile.TemporaryDirectory() as temporary:
        notes = peer_models(keep or Path(temporary), interpreter, chosen)
        found, reasons = {}, {}
        for workload in chosen:
            found[workload], reasons[workload] = one_workload(workload, notes, rounds)
    versions = ", ".join(f"{name} {version}" for name, version in notes.versions.items())
    return [
        *INTRODUCTION.format(rounds=rounds).splitlines(),
        "",
        *heading("workload", *COLUMNS),
        *(ratios(workload, latencies) for workload, latencies in found.items()),
        "",
        *missing(reasons),
        "",
        *heading("workload", "model", "nodes", "nodes run", "least", "median", "ratio"),
        *(row for workload, latencies in found.items() for row in rows(workload, latencies)),
        "",
        "Making the model, from the program to its bytes:",
        "",
        *heading("workload", *MAKERS),
        *(making(workload, notes) for workload in chosen),
        "",
        f"Peers: {versions or 'none installed'}. Load average: {os.getloadavg()[0]:.1f}.",
    ]


def put(page: str, lines: Sequence[str]) -> str:
    """Return a Markdown page with the section in place of the one of the same heading."""
    section_text = "\n".join(lines).strip() + "\n"
    parts = [part.strip() + "\n" for part in re.split(r"(?m)^(?=## )", page)]
    starts = [part.splitlines()[0] for part in parts]
    at = starts.index(lines[0]) if lines[0] in starts else len(parts)
    return "\n".join([*parts[:at], section_text, *parts[at + 1 :]])


def heading(*columns: str) -> list[str]:
    """Return the first two lines of a table."""
    return [f"| {' | '.join(columns)} |", f"|{'---|' * len(columns)}"]


def one_workload(
    workload: Workload, notes: Notes, rounds: int
) -> tuple[dict[str, Latency], dict[str, str]]:
    """Return the latencies of one workload's models and why others have none."""
    ours.write(workload, notes)
    variants = (ours.HAND_WRITTEN, *ours.LEVELS, *workload.peers)
    paths = {variant: notes.path(workload, variant) for variant in variants}
    there = {variant: path for variant, path in paths.items() if path.exists()}
    found, refused = measure(workload, there, rounds)
    why = {variant: notes.why_missing(workload, variant) for variant in variants}
    failed = {variant: reason for variant, reason in why.items() if reason}
    return found, {**workload.missing, **failed, **refused}


def missing(reasons: dict[Workload, dict[str, str]]) -> Iterable[str]:
    """Yield a line for each way in which a model is missing."""
    grouped: dict[tuple[str, str], list[str]] = {}
    for workload, why in reasons.items():
        for pair in why.items():
            grouped.setdefault(pair, []).append(workload.name)
    for (variant, why), names in grouped.items():
        yield f"- {variant}: {why} ({', '.join(names)})"


def ratios(workload: Workload, latencies: dict[str, Latency]) -> str:
    """Return the row of the first table."""
    floor = latencies[ours.HAND_WRITTEN].least
    cells = (
        f"{latencies[name].least / floor:.2f}" if name in latencies else "–"
        for name in COLUMNS
    )
    return f"| {workload.name} | {' | '.join(cells)} |"


def rows(workload: Workload, latencies: dict[str, Latency]) -> Iterable[str]:
    """Yield the rows of the second table."""
    floor = latencies[ours.HAND_WRITTEN].least
    for variant, one in latencies.items():
        yield (
            f"| {workload.name} | {variant} | {one.nodes} | {one.running} | "
            f"{one.least * 1e6:.1f} µs | {one.median * 1e6:.1f} µs | {one.least / floor:.2f} |"
        )


def making(workload: Workload, notes: Notes) -> str:
    """Return the row of the third table."""
    spent = (notes.spent(workload, name) for name in MAKERS)
    cells = ("–" if one is None else f"{one * 1e3:.0f} ms" for one in spent)
    return f"| {workload.name} | {' | '.join(cells)} |"
