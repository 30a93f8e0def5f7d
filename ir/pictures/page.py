"""Pictures as one HTML page: zoom, search, details and folding, without a network."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from ir.pictures.families import css_class
from ir.pictures.layout import lay_out
from ir.pictures.svg import drawing, escaped, families_of, head_marker, style_rules

if TYPE_CHECKING:
    from ir.pictures.sheets import Sheet

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"
_SCRIPTS = ("drawing.js", "zoom.js", "folding.js", "asking.js", "events.js")
_BUTTONS = (
    ("back", "←", "Back to the drawing before", ""),
    ("fit", "Fit", "Show the whole drawing (0)", ""),
    ("closer", "+", "Closer (+)", ""),
    ("farther", "−", "Farther (-)", ""),
    ("fold", "Fold all", "Fold all groups", "folding"),
    ("unfold", "Unfold all", "Unfold all groups", "folding"),
)


def page_text(sheets: list[Sheet]) -> str:
    """Return sheets as a page; the first is shown, the others open from its summary boxes.

    Raises:
        MissingExtraError: The layout engine is not installed.
    """
    first = sheets[0].picture
    name = escaped(first.name)
    families = families_of(*(sheet.picture for sheet in sheets))
    note = escaped("; ".join(filter(None, (first.note, _closed_for_good(sheets)))))
    return "\n".join(
        [
            "<!DOCTYPE html>",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{name}</title>",
            f"<style>\n{style_rules(families)}\n{_asset('page.css')}</style>",
            "</head>",
            "<body>",
            "<header>",
            f"<h1>{name}</h1>",
            '<span id="where" class="note" role="status"></span>',
            f'<span class="note">{note}</span>' if note else "",
            '<span class="space"></span>',
            '<input id="search" type="search" placeholder="Search: op, name, type, line"'
            ' aria-label="Search the drawing">',
            '<span id="found" role="status"></span>',
            *(
                f'<button id="{id_}" class="{kind}" title="{title}" aria-label="{title}">'
                f"{text}</button>"
                for id_, text, title, kind in _BUTTONS
            ),
            "</header>",
            "<main>",
            f'<svg id="view" tabindex="0" role="application" aria-label="Drawing of {name}: '
            'arrow keys move, plus and minus zoom, Tab goes from box to box">',
            head_marker(),
            '<g id="scene">',
            *(line for number, sheet in enumerate(sheets) for line in _sheet(sheet, number)),
            "</g>",
            "</svg>",
            '<aside id="details" aria-label="Details" hidden></aside>',
            "</main>",
            f"<footer>{''.join(map(_legend_entry, families))}"
            "<span>Click a box for details, the title of a group to fold it</span></footer>",
            f'<script type="application/json" id="data">{_details(sheets)}</script>',
            f"<script>\n{_script()}</script>",
            "</body>",
            "</html>",
            "",
        ]
    )


def _sheet(sheet: Sheet, number: int) -> list[str]:
    layout = lay_out(sheet.picture)
    shown = "" if number else " shown"
    title = escaped(sheet.title) if number else ""
    return [
        f'<g class="sheet{shown}" id="{sheet.id}" data-title="{title}" '
        f'data-width="{layout.width:g}" data-height="{layout.height:g}">',
        *drawing(sheet.picture, layout),
        "</g>",
    ]


def _closed_for_good(sheets: list[Sheet]) -> str:
    """Return how many folded boxes have no sheet of their own."""
    opens = {sheet.id for sheet in sheets}
    boxes = [box for sheet in sheets for box in sheet.picture.boxes if box.members]
    left = sum(box.kind == "summary" and f"sheet-{box.id}" not in opens for box in boxes)
    return (
        f"{left:,} folded boxes do not open, they hold too much for one page" if left else ""
    )


def _legend_entry(family: str) -> str:
    return (
        f'<span><svg aria-hidden="true"><rect class="{css_class(family)}" x=".5" y=".5" '
        f'width="10" height="10" rx="2"/></svg>{family}</span>'
    )


def _details(sheets: list[Sheet]) -> str:
    """Return what is known of each box and frame, as JSON that cannot end the script element."""
    known = {
        item.id: item.details
        for sheet in sheets
        for item in sheet.picture.items
        if item.details
    }
    text = json.dumps(known, ensure_ascii=True, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _script() -> str:
    """Return the parts of the script in one scope."""
    parts = "\n".join(map(_asset, _SCRIPTS))
    return f'"use strict";\n(() => {{\n{parts}}})();\n'


@cache
def _asset(name: str) -> str:
    return files("ir.pictures").joinpath("assets", name).read_text(encoding="utf-8")
