"""The documentation is true: its code runs, its outputs are real, its links lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.doc_pages import PAGES, ROOT, blocks, outputs_of, quotations, renewed

ALL = [*PAGES, ROOT / "docs" / "errors.md", *ROOT.glob("*.md")]
RUN = [path for path in PAGES if blocks(path.read_text(encoding="utf-8"))]
LINK = re.compile(r"(?<!!)\[[^\]]+\]\((?P<target>[^)\s]+)\)")
CODE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def anchors(path: Path) -> set[str]:
    """Return the anchors that headings get, as on code forges and in the built site."""
    text = re.sub(r"```.*?```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("path", RUN, ids=name)
def test_the_page_shows_what_its_code_prints(path: Path) -> None:
    page = path.read_text(encoding="utf-8")
    assert renewed(page, outputs_of(path)) == page


@pytest.mark.parametrize("path", PAGES, ids=name)
def test_quotations_are_in_the_sources(path: Path) -> None:
    for origin, code in quotations(path.read_text(encoding="utf-8")):
        source = (ROOT / origin).read_text(encoding="utf-8")
        assert "".join(code.split()) in "".join(source.split())


@pytest.mark.parametrize("path", ALL, ids=name)
def test_links_lead_somewhere(path: Path) -> None:
    text = CODE.sub("`code`", path.read_text(encoding="utf-8"))
    dead = []
    for target in LINK.findall(text):
        if re.match(r"https?:", target):
            continue
        file, _, anchor = target.partition("#")
        page = path.parent / file if file else path
        if not page.exists() or (anchor and anchor not in anchors(page)):
            dead.append(target)
    assert dead == []


@pytest.mark.parametrize("path", ALL, ids=name)
def test_targets_of_make_exist(path: Path) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    named = re.findall(
        r"(?:^|`)make ([a-z-]+)", path.read_text(encoding="utf-8"), re.MULTILINE
    )
    assert set(named) - targets == set()


@pytest.mark.parametrize("path", ALL, ids=name)
def test_source_files_that_are_named_exist(path: Path) -> None:
    named = re.findall(
        r"`((?:capture|exporters|ir|tests|examples)/[\w/*.-]+)`",
        path.read_text(encoding="utf-8"),
    )
    assert [file for file in named if not any(ROOT.glob(file.rstrip("/")))] == []


def test_every_page_is_in_the_contents() -> None:
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"^([a-z][\w\-/]*)$", index, re.MULTILINE))
    pages = {
        path.relative_to(ROOT / "docs").with_suffix("").as_posix()
        for path in (ROOT / "docs").rglob("*.md")
    }
    assert pages - listed == {"index"}
    assert listed - pages == set()
