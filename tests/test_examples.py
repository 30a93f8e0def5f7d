"""Every example runs, and what the README and the notebook show is what comes out.

``python -m tests.test_examples`` stores fresh outputs in the notebook.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import nbformat
import numpy as np
import pytest
from nbclient import NotebookClient
from PIL import Image

if TYPE_CHECKING:
    from nbformat import NotebookNode

ROOT = Path(__file__).parent.parent
EXAMPLES = ROOT / "examples"
NOTEBOOKS = sorted(EXAMPLES.glob("*.ipynb"))


def run(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run Python in a folder, with the repository importable, as a person would."""
    environment = os.environ | {"PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "error"}
    command = [sys.executable, *arguments]
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


def executed(path: Path) -> NotebookNode:
    """Return the notebook with fresh outputs."""
    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(
        notebook,
        timeout=300,
        kernel_name="python3",
        resources={"metadata": {"path": str(path.parent)}},
        coalesce_streams=True,
    )
    client.execute()
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
    notebook.metadata = {"kernelspec": notebook.metadata["kernelspec"]}
    return notebook


def texts(notebook: NotebookNode) -> dict[str, list[str]]:
    """Return what each code cell shows as text, but for cells tagged ``varies``."""
    return {
        cell.id: [
            output.text if output.output_type == "stream" else output.data["text/plain"]
            for output in cell.outputs
        ]
        for cell in notebook.cells
        if cell.cell_type == "code" and "varies" not in cell.metadata.get("tags", ())
    }


def test_the_demo_agrees_with_numpy_and_leaves_its_files(tmp_path: Path) -> None:
    done = run("-m", "examples.digits", "--out", str(tmp_path), folder=ROOT)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "NumPy and ONNX Runtime agree" in done.stdout
    assert {"model.onnx", "model.json", "digits.png"} <= {
        path.name for path in tmp_path.iterdir()
    }
    with Image.open(tmp_path / "digits.png") as picture:
        assert len(np.unique(np.asarray(picture))) > 10


def test_the_demo_fails_when_the_model_is_another(tmp_path: Path) -> None:
    """One weight off by a little must not go unnoticed."""
    from dataclasses import replace

    from examples.digits import __main__ as demo
    from examples.digits.classifier import train
    from examples.digits.data import load_scans

    learned, held_out = load_scans()
    *_, epoch = train(learned, epochs=3)
    graph = demo.capture(epoch.classifier, tmp_path)
    assert demo.report(epoch.classifier, graph, held_out, tmp_path) == 0
    b2 = epoch.classifier.b2 + np.float32([1e-3] + [0] * 9)
    assert demo.report(replace(epoch.classifier, b2=b2), graph, held_out, tmp_path) == 1


SCRIPTS = sorted(path for path in EXAMPLES.glob("*.py") if path.stem != "quickstart")


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_the_script_runs_and_its_page_shows_what_it_does(path: Path, tmp_path: Path) -> None:
    done = run(str(path), folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "same as NumPy: False" not in done.stdout
    page = ROOT / "docs" / f"{path.stem.replace('_', '-')}.md"
    shown = re.findall(
        r"```(python|text)\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL
    )
    assert ("python", path.read_text(encoding="utf-8")) in shown
    assert ("text", done.stdout) in shown


def test_readme_shows_the_quickstart_and_its_output(tmp_path: Path) -> None:
    source = (EXAMPLES / "quickstart.py").read_text(encoding="utf-8")
    done = run(str(EXAMPLES / "quickstart.py"), folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "model.onnx").exists()
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = re.findall(r"```(python|text)\n(.*?)```", readme, re.DOTALL)
    assert ("python", source) in shown
    assert ("text", done.stdout) in shown


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_shows_what_it_does(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    stored = nbformat.read(path, as_version=4)
    fresh = executed(path)
    assert texts(stored) == texts(fresh)
    for before, after in zip(stored.cells, fresh.cells, strict=True):
        if after.cell_type == "code":
            assert [o.output_type for o in before.outputs] == [
                o.output_type for o in after.outputs
            ]
            assert all(output.output_type != "error" for output in after.outputs)


if __name__ == "__main__":
    for notebook_path in NOTEBOOKS:
        nbformat.write(executed(notebook_path), notebook_path)
