"""The pictures of the documentation, drawn from the examples.

``python -m tests.docs_pictures`` draws them anew.
"""

from __future__ import annotations

import contextlib
import io
import os
import runpy
import tempfile
from pathlib import Path

from ir import Graph

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "docs" / "images"
PICTURES = {"scores.svg": "quickstart.py", "keep_apart.svg": "control_flow.py"}
"""The example whose ``graph`` each file shows."""


def drawn(example: str) -> str:
    """Return the graph of an example as SVG; what the example prints and writes is dropped."""
    path = ROOT / "examples" / example
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
        os.chdir(folder)
        try:
            graph = runpy.run_path(str(path))["graph"]
        finally:
            os.chdir(before)
    assert isinstance(graph, Graph)
    return graph.to_svg()


def main() -> None:
    """Draw every picture."""
    FOLDER.mkdir(exist_ok=True)
    for name, example in PICTURES.items():
        (FOLDER / name).write_text(drawn(example), encoding="utf-8")


if __name__ == "__main__":
    main()
