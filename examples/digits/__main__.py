"""Train, capture, export, run in ONNX Runtime, compare: ``python -m examples.digits``."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import onnx
import onnxruntime
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from capture import CaptureDevice, capture_scope
from exporters import JsonExporter, OnnxExporter, load_json

from .classifier import Classifier, train
from .comparison import TOLERANCE, Comparison, compare
from .data import Scans, load_scans
from .picture import contact_sheet

if TYPE_CHECKING:
    from ir import Graph
    from ir.exporter import Exporter

    from .comparison import Predict

EPOCHS = 120
console = Console(highlight=False)


def main(arguments: list[str] | None = None) -> int:
    """Run the demo; return 1 if NumPy and ONNX Runtime disagree anywhere, else 0."""
    parser = argparse.ArgumentParser(prog="python -m examples.digits", description=__doc__)
    parser.add_argument("--out", type=Path, default="build/demo", help="folder to write to")
    folder: Path = parser.parse_args(arguments).out
    folder.mkdir(parents=True, exist_ok=True)

    learned, held_out = load_scans()
    classifier = fit(learned, held_out)
    graph = capture(classifier, folder)
    return report(classifier, graph, held_out, folder)


def fit(learned: Scans, held_out: Scans) -> Classifier:
    """Train the classifier with NumPy, showing progress."""
    heading("1", f"Train in NumPy on {len(learned.pixels):,} scans")
    with Progress(console=console, transient=True) as progress:
        task = progress.add_task("epochs", total=EPOCHS)
        for epoch in train(learned, epochs=EPOCHS):
            progress.update(task, advance=1, description=f"epochs, loss {epoch.loss:.4f}")
    _, labels = epoch.classifier.predict(held_out.pixels)
    right = float((labels == held_out.labels).mean())
    console.print(f"loss {epoch.loss:.4f}; reads {right:.1%} of {len(labels)} held-out scans")
    return epoch.classifier


def capture(classifier: Classifier, folder: Path) -> Graph:
    """Capture ``classifier.predict`` for any number of scans; write both files."""
    heading("2", "Capture with a symbolic batch axis, export to ONNX and JSON")
    start = time.perf_counter()
    device = CaptureDevice()
    onnx_file, json_file = folder / "model.onnx", folder / "model.json"
    exporters: list[Exporter] = [OnnxExporter(onnx_file), JsonExporter(json_file)]
    with capture_scope(device, exporters=exporters) as scope:
        scans: Any = scope.input("scans", shape=("batch", 64), dtype=np.float32)
        probabilities, labels = classifier.predict(scans)
        scope.output("probabilities", probabilities)
        scope.output("labels", labels)
    milliseconds = (time.perf_counter() - start) * 1000
    print(scope.graph, end="\n\n")
    print(scope.graph.stats(), end="\n\n")
    console.print(f"captured and exported in {milliseconds:.0f} ms")
    return scope.graph


def report(classifier: Classifier, graph: Graph, held_out: Scans, folder: Path) -> int:
    """Run the exported files on every held-out scan and show how they compare with NumPy."""
    rows = len(held_out.pixels)
    heading("3", f"Run {rows} held-out scans in ONNX Runtime, compare with NumPy")
    predict = onnx_predict(folder / "model.onnx")
    with Progress(console=console, transient=True) as progress:
        comparisons = [
            compare(classifier.predict, predict, held_out.pixels, batch)
            for batch in progress.track((1, 7, rows), description="batch sizes")
        ]
    console.print(comparison_table(comparisons))
    console.print(file_table(graph, folder))

    same_graph = load_json(folder / "model.json") == graph
    contact_sheet(folder / "digits.png", held_out, *predict(held_out.pixels))
    console.print(f"model.json loads as the same graph: {'yes' if same_graph else 'no'}")
    console.print(f"picture of scans with predicted labels: {folder / 'digits.png'}\n")
    if same_graph and all(comparison.agrees for comparison in comparisons):
        console.print(f"[green]NumPy and ONNX Runtime agree[/] (within {TOLERANCE:g}).")
        return 0
    console.print(f"[red]NumPy and ONNX Runtime DISAGREE[/] (beyond {TOLERANCE:g}).")
    return 1


def onnx_predict(path: Path) -> Predict:
    """Return the model in the file as a function like ``Classifier.predict``."""
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])

    def predict(scans: Any) -> Any:
        return tuple(session.run(["probabilities", "labels"], {"scans": scans}))

    return predict


def comparison_table(comparisons: list[Comparison]) -> Table:
    """One row per batch size."""
    table = Table(title="ONNX Runtime against NumPy", title_justify="left")
    for column in (
        "batch",
        "rows",
        "max abs",
        "max rel",
        "labels equal",
        "NumPy ms",
        "ORT ms",
    ):
        table.add_column(column, justify="right")
    for comparison in comparisons:
        everything = comparison.batch == comparison.rows
        table.add_row(
            "all" if everything else str(comparison.batch),
            str(comparison.rows),
            f"{comparison.absolute:.1e}",
            f"{comparison.relative:.1e}",
            f"{comparison.labels_equal}/{comparison.rows}",
            f"{comparison.numpy_ms:.1f}",
            f"{comparison.runtime_ms:.1f}",
            style="" if comparison.agrees else "red",
        )
    return table


def file_table(graph: Graph, folder: Path) -> Table:
    """What was written."""
    table = Table(title="Exported files", title_justify="left")
    for column in ("file", "nodes", "bytes"):
        table.add_column(column, justify="left" if column == "file" else "right")
    model = onnx.load(folder / "model.onnx", load_external_data=False)
    nodes = {"model.onnx": len(model.graph.node), "model.json": len(graph.nodes)}
    for path in sorted(folder.glob("model*"), reverse=True):
        size = f"{path.stat().st_size:,}"
        table.add_row(str(path), str(nodes.get(path.name, "")), size)
    return table


def heading(number: str, text: str) -> None:
    """Print the title of a step."""
    console.print()
    console.rule(f"[bold]{number}  {text}", align="left")


if __name__ == "__main__":
    sys.exit(main())
