"""The code in the Markdown pages: run it, compare it, renew it.

A page's Python blocks run one after the other in one namespace, its ``sh`` blocks in between, all
in a folder of their own. A ``text`` block that follows one directly is its output. A block that
begins with ``# name.py`` is that file. ``<!-- run`` hides a block from readers. Before a block,
``<!-- from file.py -->`` means that it is quoted from there, ``<!-- not run: why -->`` leaves it
out, and ``<!-- varies: why -->`` compares its output without numbers.
``python -m tests.doc_pages`` stores fresh outputs.
"""

from __future__ import annotations

import contextlib
import io
import json
import linecache
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
ELSEWHERE = {"errors.md"}
"""Run by ``tests/test_error_docs.py``: every block there raises."""

PAGES = sorted(path for path in (ROOT / "docs").rglob("*.md") if path.name not in ELSEWHERE)
_BLOCK = re.compile(
    r"(?:<!-- (?:(?P<excuse>not run: [^>]+|from (?P<origin>\S+))|(?P<varies>varies: [^>]+))"
    r" -->\n+)?"
    r"(?:<!-- run\n(?P<hidden>.*?)-->\n|```(?P<language>python|sh)\n(?P<code>.*?)```\n)"
    r"(?:\n```text\n(?P<shown>.*?)```\n)?",
    re.DOTALL,
)
_COMMANDS = ("graph-capture ", "python ")


class Block(NamedTuple):
    """A block that runs: its language, its code, and the output shown, if any."""

    language: str
    code: str
    shown: str | None


def blocks(page: str) -> list[Block]:
    """Return the blocks of a page that run."""
    return [
        Block(match["language"] or "python", match["hidden"] or match["code"], match["shown"])
        for match in _BLOCK.finditer(page)
        if not match["excuse"]
    ]


def quotations(page: str) -> list[tuple[str, str]]:
    """Return file and code of the blocks that are quoted from the sources."""
    return [(m["origin"], m["code"]) for m in _BLOCK.finditer(page) if m["origin"]]


def renewed(page: str, outputs: list[str], *, varying: bool = False) -> str:
    """Return the page with the outputs of its blocks put in, those that vary only if asked."""
    fresh = iter(outputs)

    def block(match: re.Match[str]) -> str:
        if match["excuse"]:
            return match[0]
        output = next(fresh)
        if match["shown"] is None:
            return match[0]
        if match["varies"] and not varying and _masked(output) == _masked(match["shown"]):
            return match[0]
        return match[0][: match.start("shown") - match.start()] + f"{output}```\n"

    return _BLOCK.sub(block, page)


def _masked(output: str) -> list[str]:
    """Return the words of an output, numbers as ``#``."""
    return re.sub(r"[\d.,]*\d(?:e[-+]\d+)?", "#", output).split()


def run_page(page: str, stem: str) -> list[str]:
    """Run a page's blocks in the current folder; return what each prints."""
    module = ModuleType(f"page_{stem}")  # a page may be called as a module is
    sys.modules[module.__name__] = module
    sys.path.insert(0, os.getcwd())
    source, outputs = "", []
    for block in blocks(page):
        if block.language == "sh":
            outputs.append(_run_commands(block))
            continue
        named = re.match(r"# (\w+\.py)\n", block.code)
        if named:
            Path(named[1]).write_text(block.code, encoding="utf-8")
            file, start, text = named[1], 0, block.code
        else:
            file, start = f"{stem}.py", source.count("\n")
            source = text = source + block.code
        linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
        written = io.StringIO()
        with contextlib.redirect_stdout(written):
            exec(compile("\n" * start + block.code, file, "exec"), module.__dict__)
        outputs.append(written.getvalue())
    return outputs


def _run_commands(block: Block) -> str:
    """Run the lines that are commands of ours; the others (``make``, ``git``) are only shown.

    Raises:
        AssertionError: A command fails, and the page does not show how.
    """
    printed = ""
    for line in block.code.replace("\\\n", " ").splitlines():
        if line.startswith(_COMMANDS):
            command, _, arguments = line.partition(" ")
            module = " -m capture" if command == "graph-capture" else ""
            done = subprocess.run(
                f"{sys.executable}{module} {arguments}",
                shell=True,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                check=False,
            )
            assert done.returncode == 0 or block.shown, f"{line}: {done.stdout}"
            printed += done.stdout
    return printed


def outputs_of(path: Path) -> list[str]:
    """Return what the blocks of a page print, run in another process and an empty folder.

    Raises:
        AssertionError: A block raises.
    """
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, "-m", "tests.doc_pages", "--run", str(path.resolve())],
            cwd=folder,
            env=os.environ | {"PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "error"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{path.name}: {done.stderr}"
        printed: list[str] = json.loads(done.stdout)
        return [_steady(text, folder) for text in printed]


def _steady(text: str, folder: str) -> str:
    """Return an output without this run's folder and times."""
    text = text.replace(os.path.realpath(folder), "/home/you/project")
    return re.sub(r"\([\d.]+ m?s\)", "(20 ms)", text)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--run"]:
        page_path = Path(sys.argv[2])
        stem = page_path.stem.replace("-", "_")
        print(json.dumps(run_page(page_path.read_text(encoding="utf-8"), stem)))
    else:
        for page_path in map(Path, sys.argv[1:]) if sys.argv[1:] else PAGES:
            text = page_path.read_text(encoding="utf-8")
            page_path.write_text(
                renewed(text, outputs_of(page_path), varying=True), encoding="utf-8"
            )
