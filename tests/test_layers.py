"""The arrows between the packages: ``capture → ir ← exporters``, read from every import."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = ("capture", "ir", "exporters")
SOURCES = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
LINES_AT_MOST = 400

COMPOSITION_ROOTS = ("capture/cli.py", "capture/cli_", "capture/__main__.py")
"""The only files of ``capture`` that may know the exporters: they are the command line."""

RUNTIME_USERS = ("exporters/onnx/", "exporters/running.py", "exporters/verification")
"""Where ``onnx`` and ``onnxruntime`` may be imported."""

TARGETS = {"onnx", "onnxruntime"}

IMPORT_NAMES = {"google": "protobuf"}
"""Distributions whose packages are called otherwise."""


class Import(NamedTuple):
    """One imported module: its top package, its line, and whether loading the file runs it."""

    package: str
    line: int
    at_load: bool


def imports(tree: ast.Module) -> list[Import]:
    """Return every import of a module; those inside functions or TYPE_CHECKING run later."""
    found: list[Import] = []

    def is_type_checking(test: ast.expr) -> bool:
        return ast.unparse(test) in {"TYPE_CHECKING", "typing.TYPE_CHECKING"}

    def visit(node: ast.AST, at_load: bool) -> None:
        if isinstance(node, ast.Import):
            found.extend(
                Import(alias.name.split(".")[0], node.lineno, at_load) for alias in node.names
            )
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found.append(Import((node.module or "").split(".")[0], node.lineno, at_load))
        elif isinstance(node, ast.If) and is_type_checking(node.test):
            for child in node.body:
                visit(child, False)
            for child in node.orelse:
                visit(child, at_load)
        else:
            later = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
            for child in ast.iter_child_nodes(node):
                visit(child, at_load and not later)

    visit(tree, True)
    return found


def wrong_arrows(name: str, tree: ast.Module) -> list[str]:
    """Return one line per import that ``name``, a path from the root, must not have."""
    layer = name.split("/")[0]
    forbidden = {"ir": {"capture", "exporters"} | TARGETS, "exporters": {"capture"}}
    banned = forbidden.get(layer, {"exporters"} | TARGETS)
    if name.startswith(COMPOSITION_ROOTS):
        banned = set()
    if layer == "exporters" and not name.startswith(RUNTIME_USERS):
        banned = banned | TARGETS
    slow = {"networkx"} if layer in {"ir", "capture"} else set()
    return [
        f"{name}:{found.line}: imports {found.package}"
        for found in imports(tree)
        if found.package in banned or (found.package in slow and found.at_load)
    ]


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_file_keeps_to_its_layer_and_size(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert wrong_arrows(path.relative_to(ROOT).as_posix(), ast.parse(text)) == []
    assert len(text.splitlines()) <= LINES_AT_MOST


def test_the_command_line_is_imported_by_nothing_else() -> None:
    """Or the packages would know the exporters after all."""
    command = re.compile(r"\bcapture(\.| import )(cli|cli_\w+|__main__)\b")
    wrong = [
        f"{path}:{node.lineno}"
        for path in SOURCES
        if not path.relative_to(ROOT).as_posix().startswith(COMPOSITION_ROOTS)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, (ast.Import, ast.ImportFrom)) and command.search(ast.unparse(node))
    ]
    assert wrong == []


def test_every_package_imported_is_declared() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    tools = {"dev", "docs", "examples"}  # extras that no package of ours imports
    optional = [
        line
        for extra, lines in project["optional-dependencies"].items()
        if extra not in tools
        for line in lines
    ]
    declared = {re.split(r"[^\w-]", line)[0] for line in project["dependencies"] + optional}
    imported = {
        IMPORT_NAMES.get(found.package, found.package)
        for path in SOURCES
        for found in imports(ast.parse(path.read_text(encoding="utf-8")))
    }
    assert imported - set(PACKAGES) - set(sys.stdlib_module_names) == declared


def test_exporting_needs_no_runtime() -> None:
    """ONNX Runtime is an extra: only running and verifying a model may ask for it."""
    program = "import sys; sys.modules['onnxruntime'] = None; import capture, exporters"
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_all_three_packages_are_read() -> None:
    assert {path.relative_to(ROOT).parts[0] for path in SOURCES} == set(PACKAGES)


def test_no_module_is_called_utils() -> None:
    vague = {"utils", "util", "helpers", "helper", "common", "misc"}
    assert [
        str(path) for path in SOURCES if path.stem in vague or path.parent.name in vague
    ] == []


def test_relative_imports_stay_in_their_package() -> None:
    """A parent import could hide an arrow from the test above."""
    climbing = [
        f"{path}:{node.lineno}"
        for path in SOURCES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and node.level > 1
    ]
    assert climbing == []


@pytest.mark.parametrize(
    ("name", "source", "wrong"),
    [
        ("ir/graph.py", "import numpy, ml_dtypes\nfrom ir.types import TensorType", []),
        ("ir/graph.py", "from capture.scope import x", ["ir/graph.py:1: imports capture"]),
        ("ir/graph.py", "def f():\n  import exporters", ["ir/graph.py:2: imports exporters"]),
        ("ir/graph.py", "import onnx.helper as h", ["ir/graph.py:1: imports onnx"]),
        ("ir/graph.py", "import networkx", ["ir/graph.py:1: imports networkx"]),
        ("ir/graph.py", "def f():\n  import networkx", []),
        ("ir/graph.py", "if TYPE_CHECKING:\n  import networkx as nx", []),
        (
            "ir/graph.py",
            "if TYPE_CHECKING:\n  pass\nelse:\n  import networkx",
            ["ir/graph.py:4: imports networkx"],
        ),
        ("capture/scope.py", "from ir import Graph", []),
        (
            "capture/scope.py",
            "from exporters import x",
            ["capture/scope.py:1: imports exporters"],
        ),
        (
            "capture/scope.py",
            "import onnxruntime",
            ["capture/scope.py:1: imports onnxruntime"],
        ),
        ("capture/cli.py", "import exporters, ir", []),
        ("capture/cli_export.py", "def f():\n  import onnx", []),
        ("capture/client.py", "import exporters", ["capture/client.py:1: imports exporters"]),
        ("exporters/json/write.py", "import ir", []),
        (
            "exporters/json/write.py",
            "import onnx",
            ["exporters/json/write.py:1: imports onnx"],
        ),
        ("exporters/onnx/export.py", "import onnx, ir, numpy", []),
        ("exporters/onnx/a.py", "import capture", ["exporters/onnx/a.py:1: imports capture"]),
        ("exporters/verification.py", "def f():\n  import onnxruntime", []),
    ],
)
def test_a_wrong_arrow_is_seen(name: str, source: str, wrong: list[str]) -> None:
    assert wrong_arrows(name, ast.parse(source)) == wrong
