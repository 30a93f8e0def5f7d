"""What platforms without POSIX see: every module imports, files are written, paths are portable."""

from __future__ import annotations

import ntpath
import os
import subprocess
import sys
import tomllib
import types
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from ir import locations

PROGRAM = """
import os, sys
for name in ("fcntl", "grp", "pwd", "resource", "termios", "tty"):
    sys.modules[name] = None
for name in ("copy_file_range", "fchmod", "fork", "geteuid", "getuid", "pathconf", "sendfile",
             "O_DIRECTORY", "O_NOFOLLOW", "O_TMPFILE"):
    if hasattr(os, name):
        delattr(os, name)

import importlib, pkgutil
import numpy as np
import capture, exporters, ir

for package in (capture, exporters, ir):
    for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        if not module.name.endswith(("__main__", "kernels.generate")):
            importlib.import_module(module.name)

graph = capture.trace(lambda x: x @ np.ones((64, 64)), np.ones((2, 64)))
for _ in range(2):  # the second export replaces the files of the first
    exporters.OnnxExporter("model.onnx", external_data=True).export(graph)
    exporters.JsonExporter("model.json").export(graph)
"""


def test_everything_works_without_posix(tmp_path):
    where = {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        cwd=tmp_path,
        env=where,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    names = sorted(path.name for path in tmp_path.iterdir())
    assert [name.split(".")[-1] for name in names] == ["json", "safetensors", "onnx", "data"]


@pytest.mark.parametrize(
    ("file", "portable"),
    [
        (r"C:\work\project\package\module.py", "package/module.py"),
        (r"C:\py\Lib\site-packages\library\part.py", "library/part.py"),
        (r"D:\elsewhere\module.py", "module.py"),
        ("<stdin>", "<stdin>"),
    ],
)
def test_windows_paths_are_written_as_everywhere(monkeypatch, file, portable):
    windows = types.SimpleNamespace(path=ntpath, sep="\\")
    monkeypatch.setattr(locations, "os", windows)
    monkeypatch.setattr(sys, "path", [r"C:\work\project", r"C:\py\Lib\site-packages"])
    assert locations.portable_path(file) == portable


def test_what_is_pinned_is_what_is_asked_for():
    root = Path(__file__).parent.parent
    lines = (root / "constraints.txt").read_text().split()
    pins = {
        canonicalize_name(name): version
        for name, _, version in (s.partition("==") for s in lines)
    }
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"].values()
    asked = [
        Requirement(text) for texts in (project["dependencies"], *extras) for text in texts
    ]
    for requirement in asked:
        name = canonicalize_name(requirement.name)
        if name != "graph-capture":
            assert requirement.specifier.contains(pins[name]), requirement
