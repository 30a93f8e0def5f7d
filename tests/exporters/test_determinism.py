"""The same program gives the same bytes: on any hash seed, whatever ran before, from anywhere."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import sys
from pathlib import Path

import numpy as np

import capture
from capture import TensorSpec, name_scope
from exporters import JsonExporter, OnnxExporter

WEIGHTS = np.arange(12_000, dtype=np.float32).reshape(4, 3000)
TABLE = {"b": np.float32([1, 2]), "a": np.float32([3, 4])}


@capture.function
def norm(x):
    return x / np.sqrt((x * x).sum(axis=-1, keepdims=True))


def program(x, i):
    with name_scope("encoder"):
        y = norm(np.tanh(x @ WEIGHTS))
    y = capture.cond(i.sum() > 0, lambda: y + 1, lambda: y * 2)
    y = capture.fori_loop(0, 3, lambda k, y: norm(y) + k, y)
    z = np.median(y, axis=1) + sum(TABLE.values()).sum()
    return {"z": z, "y": y[i], "n": x.shape[0] * np.ones(3, np.float32)}


def other(x):
    with name_scope("other"):
        return norm(np.sort(x)) + x[x > 0].sum()


folder, before = Path(sys.argv[1]), int(sys.argv[2])
for _ in range(before):
    capture.trace(other, TensorSpec(("n", 4), np.float32), name="other")
batch = TensorSpec(("batch", 4), np.float32)
rows = TensorSpec(("rows",), np.int64)
graph = capture.trace(program, batch, rows)
OnnxExporter(folder / "a.onnx", external_data=True).export(graph)
OnnxExporter(folder / "b.onnx", opset=17).export(graph)
JsonExporter(folder / "c.json").export(graph)
"""


def written(home: Path, hash_seed: int, before: int, where: Path) -> dict[str, str]:
    """Run the program kept in ``home`` and return the checksums of what it writes."""
    home.mkdir()
    (home / "program.py").write_text(PROGRAM, encoding="utf-8")
    folder = home / "files"
    folder.mkdir()
    root = str(Path(__file__).parents[2])
    subprocess.run(
        [sys.executable, str(home / "program.py"), str(folder), str(before)],
        cwd=where,
        env={**os.environ, "PYTHONHASHSEED": str(hash_seed), "PYTHONPATH": root},
        check=True,
    )
    paths = sorted(folder.iterdir())
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in paths}


@pytest.mark.parametrize("hash_seed", [1, 2])
def test_the_same_program_gives_the_same_bytes(tmp_path, hash_seed):
    plain = written(tmp_path / "first", 0, 0, tmp_path)
    assert len(plain) == 5
    assert written(tmp_path / "second", hash_seed, hash_seed, tmp_path / "first") == plain
