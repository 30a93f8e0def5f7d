"""The pictures of the documentation are what the examples draw now."""

from __future__ import annotations

import pytest

from tests.docs_pictures import FOLDER, PICTURES, ROOT, drawn
from tests.ir.picture_kit import links


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_is_current(name: str) -> None:
    """If not, ``python -m tests.docs_pictures`` draws it anew; look at it before you keep it."""
    stored = (FOLDER / name).read_text(encoding="utf-8")
    assert stored == drawn(PICTURES[name])
    assert links(stored) == []


def test_every_picture_is_shown_and_known() -> None:
    assert {path.name for path in FOLDER.glob("*.svg")} == set(PICTURES)
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    text = "\n".join(page.read_text(encoding="utf-8") for page in pages)
    assert [name for name in PICTURES if f"images/{name}" not in text] == []
