# ruff: noqa: E501 - messages are asserted whole
"""``docs/errors.md`` and ``docs/seed.md`` are true.

Every error class has a section whose example gives exactly the shown text; every test named exists.

``python -m tests.test_error_docs`` writes the shown texts anew.
"""

from __future__ import annotations

import contextlib
import linecache
import pickle
import re
import tempfile
from pathlib import Path

import pytest

import capture.errors
import ir.errors
from exporters.onnx.summary import NotOnnxError
from ir.error_pages import DocumentedError, page_of
from tests.capture.telling import told_error

PAGE = Path(__file__).parent.parent / "docs" / "errors.md"
EXAMPLE = re.compile(
    r"^### (?P<name>\w+)\n(?P<prose>.*?)```python\n(?P<code>.*?)```\n\n```text\n(?P<shown>.*?)```\n",
    re.DOTALL | re.MULTILINE,
)


def sections():
    return [match.groupdict() for match in EXAMPLE.finditer(PAGE.read_text(encoding="utf-8"))]


def outcome(code):
    """Run an example as the file ``features.py``; return the error's class name and text."""
    linecache.cache["features.py"] = (
        len(code),
        None,
        code.splitlines(keepends=True),
        "features.py",
    )
    namespace = {"__name__": "features"}
    try:
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            exec(compile(code, "features.py", "exec"), namespace)
    except ExceptionGroup as group:
        error = group.exceptions[0]
    except Exception as raised:
        error = raised
    else:
        return "nothing", ""
    finally:
        linecache.cache.pop("features.py", None)
    text = re.sub(r"<CaptureDevice \d+", "<CaptureDevice 7", told_error(error))
    text = re.sub(r"(?<=has the id )\d+", "7", text)
    return type(
        error
    ).__name__, f"{type(error).__name__}: {text.replace(tempfile.gettempdir(), '/tmp')}\n"


@pytest.mark.parametrize("section", sections(), ids=lambda section: section["name"])
def test_the_example_gives_the_shown_text(section):
    name, text = outcome(section["code"])
    assert name == section["name"]
    assert text == section["shown"]


@pytest.mark.parametrize("section", sections(), ids=lambda section: section["name"])
def test_the_section_states_cause_and_fix(section):
    assert "**Cause.**" in section["prose"]
    assert "**Fix.**" in section["prose"]


def kinds(base):
    """Return the classes below one, but for the roots and other packages' own."""
    for kind in base.__subclasses__():
        if kind.__module__.startswith(("capture.", "ir.", "exporters.")):
            yield from kinds(kind)
            if kind not in (capture.errors.CaptureError, ir.errors.IRError):
                yield kind


def test_every_error_names_a_section_that_exists():
    anchors = {section["name"].lower() for section in sections()}
    named = {page_of(kind) for kind in kinds(DocumentedError)}
    assert len(named) > 30
    assert page_of(NotOnnxError) in named  # defined beside what raises it
    assert named - {f"docs/errors.md#{anchor}" for anchor in anchors} == set()


def test_an_error_of_another_package_names_its_base():
    theirs = type("TheirError", (ir.errors.ShapeError,), {"__module__": "theirs"})
    assert page_of(theirs) == "docs/errors.md#shapeerror"
    error = theirs("add: what is wrong")
    error.add_note("  at line 1")
    assert error.__notes__ == ["  at line 1", "  see docs/errors.md#shapeerror"]
    assert (
        pickle.loads(pickle.dumps(ir.errors.ShapeError("x"))).__notes__ == error.__notes__[1:]
    )


def test_every_test_that_the_rules_name_exists():
    root = PAGE.parent.parent
    page = (PAGE.parent / "seed.md").read_text(encoding="utf-8")
    files = {root / "docs" / link for link in re.findall(r"\]\((\S+\.py)\)", page)}
    defined = set(
        re.findall(r"^def (test_\w+)", "\n".join(f.read_text() for f in files), re.M)
    )
    named = set(re.findall(r"`(test_\w+)`", page))
    assert len(named) > 60
    assert named - defined == set()


def rewrite() -> None:
    """Store the texts that the examples give now."""
    page = PAGE.read_text(encoding="utf-8")

    def shown(match):
        name, text = outcome(match["code"])
        if name != match["name"]:
            print(f"{match['name']}: the example raised {name}: {text}")
        head = match[0][: match[0].index("```text\n")]
        return f"{head}```text\n{text}```\n"

    PAGE.write_text(EXAMPLE.sub(shown, page), encoding="utf-8")


if __name__ == "__main__":
    rewrite()
