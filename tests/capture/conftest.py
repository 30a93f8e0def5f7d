"""A folder with a program for the tests of the command line."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from capture.cli import main

SOURCE = """\
import numpy as np

W = np.arange(12, dtype=np.float32).reshape(4, 3) / 10


def predict(x):
    z = x @ W
    return np.exp(z - z.max(axis=1, keepdims=True))


def branch(x):
    if x.sum() > 0:
        return x
    return -x


def broken(x):
    return x + missing_name


def nothing(x):
    x + 1


def scaled(x, k=2, *, mode="up"):
    print("printed by the program")
    return {"file": x * k if mode == "up" else x / k}


def unused(x, y):
    return x + 1


def half(x):
    return x[: x.shape[0] // 2]


def twice(x):
    return x + x


def no_outputs(x):
    return {}


def interrupted(x):
    raise KeyboardInterrupt


def enlarged(x):
    return x @ LARGE


LARGE = np.ones((4, 200), np.float32)
"""
X = "x:float32[batch,4]"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a program, made the current one; the module is new in every test."""
    (tmp_path / "program.py").write_text(SOURCE, encoding="utf-8")
    (tmp_path / "faulty.py").write_text("import no_such_package\n", encoding="utf-8")
    (tmp_path / "unclosed.py").write_text("def f(x:\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    for name in ("program", "faulty", "unclosed"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    return tmp_path


@pytest.fixture
def model(folder: Path) -> None:
    """The program ``predict`` as ``model.onnx`` and ``model.json``."""
    assert main(["-q", "export", "program:predict", "--input", X,
                 "-o", "model.onnx", "--json", "model.json"]) == 0  # fmt: skip
