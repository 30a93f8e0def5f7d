"""``docs/dynamic-shapes.md`` shows what its code prints.

``python -m tests.test_dynamic_shapes`` writes the shown output anew.
"""

from __future__ import annotations

import contextlib
import io
import linecache
import re
from pathlib import Path

PAGE = Path(__file__).parent.parent / "docs" / "dynamic-shapes.md"
EXAMPLE = re.compile(r"```python\n(?P<code>.*?)```\n\n```text\n(?P<shown>.*?)```\n", re.DOTALL)


def printed(page):
    """Run the page's blocks one after the other as ``shapes.py``; return what each prints."""
    source, namespace, outputs = "", {"__name__": "shapes"}, []
    for match in EXAMPLE.finditer(page):
        start = source.count("\n")
        source += match["code"]
        lines = source.splitlines(keepends=True)
        linecache.cache["shapes.py"] = (len(source), None, lines, "shapes.py")
        written = io.StringIO()
        with contextlib.redirect_stdout(written):
            exec(compile("\n" * start + match["code"], "shapes.py", "exec"), namespace)
        outputs.append(written.getvalue())
    linecache.cache.pop("shapes.py", None)
    return outputs


def test_the_page_shows_what_its_code_prints():
    page = PAGE.read_text(encoding="utf-8")
    assert [match["shown"] for match in EXAMPLE.finditer(page)] == printed(page)


def renewed(page):
    """Return the page with the output of its code put in."""
    outputs = iter(printed(page))
    return EXAMPLE.sub(
        lambda match: f"```python\n{match['code']}```\n\n```text\n{next(outputs)}```\n", page
    )


if __name__ == "__main__":
    PAGE.write_text(renewed(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
