# ruff: noqa: E501 - the lines are JavaScript
"""The page's script in a browser, where Chromium is installed: ``make fuzz`` runs it."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from ir import Graph
from tests.ir.picture_kit import ladder, nested, scoped

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(BROWSER is None, reason="the script needs a browser: install Chromium"),
]

SCRIPT = """
const done = {};
const $ = (id) => document.getElementById(id);
const seen = () => $("scene").getAttribute("transform");
const moves = (name, act) => { const before = seen(); act(); done[name] = seen() !== before; };
const key = (where, name) => where.dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true, cancelable: true }));
const pointer = (name, x) => $("view").dispatchEvent(new PointerEvent(name, { pointerId: 1, clientX: x, clientY: 90, bubbles: true }));
const shown = (what) => [...document.querySelectorAll(`.sheet.shown ${what}:not(.gone)`)];
try {
  moves("wheel", () => $("view").dispatchEvent(new WheelEvent("wheel", { deltaY: -200, cancelable: true })));
  moves("drag", () => { pointer("pointerdown", 100); pointer("pointermove", 140); pointer("pointerup", 140); });
  moves("arrow keys", () => key(document.body, "ArrowLeft"));
  moves("zoom key", () => key(document.body, "+"));
  moves("fit", () => $("fit").click());
  pointer("pointerdown", 5); pointer("pointerup", 5);
  const boxes = shown(".box").length;
  const frame = shown(".frame")[0];
  if (frame) {
    frame.querySelector("text").dispatchEvent(new MouseEvent("click"));
    done.fold = frame.getAttribute("aria-expanded") === "false" && shown(".box").length < boxes;
    $("fold").click(); $("unfold").click();
    done.unfold = shown(".box").length === boxes;
  }
  $("search").value = "TANH";
  $("search").dispatchEvent(new Event("input"));
  done.search = parseInt($("found").textContent) > 0;
  if (frame) $("fold").click();
  key($("search"), "Enter");
  const chosen = document.querySelector(".chosen");
  done.reveal = Boolean(chosen) && !chosen.classList.contains("gone");
  done.details = $("details").textContent.includes("tanh") && !$("details").hidden;
  document.querySelector("#details .links button").click();
  done.neighbour = document.querySelector(".chosen") !== chosen;
  key($("search"), "Escape");
  done.clear = !document.querySelector(".match");
  const box = shown(".box")[1];
  box.dispatchEvent(new MouseEvent("mouseenter"));
  done.hover = shown(".arrow.near").length > 0;
  box.dispatchEvent(new MouseEvent("mouseleave"));
  const folded = shown(".box.summary:not(.input):not(.output)")[0];
  if (folded) {
    const sheet = document.querySelector(".sheet.shown");
    folded.dispatchEvent(new MouseEvent("dblclick"));
    done.open = document.querySelector(".sheet.shown") !== sheet;
    $("back").click();
    done.back = document.querySelector(".sheet.shown") === sheet;
  }
  const drawn = [...document.querySelectorAll("path, rect, .box")].map((each) => each.cloneNode().outerHTML);
  done.numbers = !drawn.some((text) => /NaN|undefined|Infinity/.test(text));
  done.labels = [...document.querySelectorAll(".box")].every((each) => each.getAttribute("aria-label"));
} catch (error) { done[`raised ${error}`] = false; }
document.documentElement.dataset.done = JSON.stringify(done);
"""


@pytest.mark.parametrize(
    "make", [nested, lambda: scoped(3), lambda: scoped(30, 20), lambda: ladder(400)]
)
def test_everything_on_the_page_works(make: type[Graph], tmp_path: Path) -> None:
    page = make().to_html()
    path = tmp_path / "page.html"
    late = f"<script>setTimeout(() => {{{SCRIPT}}}, 200)</script></body>"
    path.write_text(page.replace("</body>", late), encoding="utf-8")
    command = [
        str(BROWSER),
        "--headless",
        "--no-sandbox",
        "--window-size=1400,900",
        f"--user-data-dir={tmp_path / 'profile'}",
        "--virtual-time-budget=4000",
        "--dump-dom",
        path.as_uri(),
    ]
    dumped = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300)
    match = re.search(r'data-done="([^"]*)"', dumped.stdout)
    assert match, dumped.stderr[-2000:]
    done = json.loads(html.unescape(match[1]))
    assert [name for name, is_well in done.items() if not is_well] == []
    assert len(done) >= 13
