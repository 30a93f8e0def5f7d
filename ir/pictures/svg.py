"""A laid-out picture as SVG: one file, no links, colours for light and dark."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

from ir.pictures.families import FAMILIES, css_class, family_rules
from ir.pictures.layout import (
    LABEL_SIZE,
    LINE_SIZE,
    TITLE_SIZE,
    label_width,
    lay_out,
    line_positions,
)
from ir.pictures.text import printable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ir.pictures.labels import Rectangle
    from ir.pictures.layout import Layout, Route
    from ir.pictures.model import Arrow, Box, Frame, Picture

_CORNER = 6.0
_FOOT = 22.0
_STYLE = f"""\
text{{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;\
font-size:{LINE_SIZE}px}}
.box rect,.frame rect{{stroke-width:1}}
.box .title{{font-size:{TITLE_SIZE}px;font-weight:600}}
.box .line{{text-anchor:middle}}
.box .title{{text-anchor:middle}}
.label{{font-size:{LABEL_SIZE}px;text-anchor:middle}}
.plate{{fill-opacity:.85}}
.arrow path{{fill:none;stroke-width:1.2}}
.summary rect{{stroke-dasharray:5 3}}
.frame rect{{fill-opacity:.6}}
.frame.scope>rect{{stroke-dasharray:4 3}}
.frame .title{{font-weight:600}}"""
_PALETTES = {
    False: (
        ("paper", "fill:#ffffff"),
        ("box text", "fill:#1f2328"),
        ("box .line", "fill:#57606a"),
        ("label", "fill:#57606a"),
        ("plate", "fill:#ffffff"),
        ("arrow path", "stroke:#8c959f"),
        ("head", "fill:#8c959f"),
        ("frame rect", "fill:#f6f8fa;stroke:#afb8c1"),
        ("frame.node>rect", "fill:#fffbeb;stroke:#d4a72c"),
        ("frame text", "fill:#57606a"),
        ("foot text", "fill:#57606a"),
    ),
    True: (
        ("paper", "fill:#0d1117"),
        ("box text", "fill:#e6edf3"),
        ("box .line", "fill:#9da7b3"),
        ("label", "fill:#9da7b3"),
        ("plate", "fill:#0d1117"),
        ("arrow path", "stroke:#6e7681"),
        ("head", "fill:#6e7681"),
        ("frame rect", "fill:#161b22;stroke:#484f58"),
        ("frame.node>rect", "fill:#1c1a12;stroke:#846320"),
        ("frame text", "fill:#9da7b3"),
        ("foot text", "fill:#9da7b3"),
    ),
}


def svg_text(picture: Picture) -> str:
    """Return a picture as a standalone SVG document.

    Raises:
        MissingExtraError: The layout engine is not installed.
    """
    layout = lay_out(picture)
    legend = families_of(picture)
    width = max(layout.width, 16 + sum(label_width(name, LINE_SIZE) + 32 for name in legend))
    note_width = label_width(picture.note, LINE_SIZE) + 32 if picture.note else 0
    width = round(max(width, note_width), 1)
    foot = layout.height + _FOOT * (1 + bool(picture.note))
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{foot:g}" '
        f'viewBox="0 0 {width:g} {foot:g}" role="img" aria-labelledby="title desc">',
        f'<title id="title">{escaped(picture.name)}</title>',
        f'<desc id="desc">{escaped(description(picture))}</desc>',
        f"<style>\n{style_rules(legend)}\n</style>",
        '<rect class="paper" width="100%" height="100%" fill="#ffffff"/>',
        head_marker(),
        *drawing(picture, layout),
        *_foot(picture, legend, layout.height),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def drawing(picture: Picture, layout: Layout) -> Iterator[str]:
    """Yield frames, arrows and boxes as SVG elements, in the order they are painted."""
    yield '<g class="frames">'
    for frame in picture.frames:
        yield _frame(frame, layout.places[frame.id])
    yield '</g>\n<g class="arrows">'
    for arrow, route in zip(picture.arrows, layout.routes, strict=True):
        yield _arrow(arrow, route)
    yield '</g>\n<g class="boxes">'
    for box in picture.boxes:
        yield _box(box, layout.places[box.id])
    yield "</g>"


def head_marker() -> str:
    """Return the head that arrows end in."""
    return (
        '<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" '
        'markerHeight="7" orient="auto" markerUnits="userSpaceOnUse">'
        '<path class="head" d="M0,0.5 L8,4 L0,7.5 z" fill="#8c959f"/></marker></defs>'
    )


def style_rules(families: list[str]) -> str:
    """Return the style sheet: light colours, and dark ones where the reader prefers them."""
    dark = f"{_palette(True)}\n{family_rules(families, dark=True)}"
    light = f"{_palette(False)}\n{family_rules(families, dark=False)}"
    return f"{_STYLE}\n{light}\n@media (prefers-color-scheme:dark){{\n{dark}\n}}"


def description(picture: Picture) -> str:
    """Return what a reader who does not see the picture should know first."""
    kinds = [box.kind for box in picture.boxes]
    nodes = sum(box.nodes for box in picture.boxes)
    counts = f"{kinds.count('input')} inputs, {nodes} nodes, {kinds.count('output')} outputs"
    return f"Graph drawn from top to bottom: {counts}. {picture.note}".strip()


def escaped(text: str) -> str:
    """Return text for XML content and attributes."""
    return html.escape(printable(text))


def families_of(*pictures: Picture) -> list[str]:
    """Return the families that appear, in the order of the legend."""
    seen = {box.family for picture in pictures for box in picture.boxes}
    return [family for family in FAMILIES if family in seen]


def path(points: tuple[tuple[float, float], ...]) -> str:
    """Return a line through points with rounded corners."""
    if not points:
        return ""
    (x, y), *rest = points
    parts = [f"M{x:g},{y:g}"]
    before = points[0]
    for number, (x, y) in enumerate(rest):
        if number + 1 == len(rest):
            parts.append(f"L{x:g},{y:g}")
            break
        after = rest[number + 1]
        (ax, ay), (bx, by) = _towards((x, y), before), _towards((x, y), after)
        parts.append(f"L{ax:g},{ay:g} Q{x:g},{y:g} {bx:g},{by:g}")
        before = (x, y)
    return " ".join(parts)


def _towards(corner: tuple[float, float], end: tuple[float, float]) -> tuple[float, float]:
    """Return the point a little way from a corner to an end."""
    dx, dy = end[0] - corner[0], end[1] - corner[1]
    length = abs(dx) + abs(dy)
    share = min(_CORNER, length / 2) / length if length else 0.0
    return round(corner[0] + dx * share, 1), round(corner[1] + dy * share, 1)


def _palette(dark: bool) -> str:
    return "\n".join(f".{name}{{{rule}}}" for name, rule in _PALETTES[dark])


def _frame(frame: Frame, place: Rectangle) -> str:
    x, y, width, height = place
    return (
        f'<g class="frame {frame.kind}" id="{frame.id}" data-parent="{frame.parent}">'
        f"<title>{escaped(frame.hint or frame.title)}</title>"
        f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="8"/>'
        f'<text class="title" x="{x + 10:g}" y="{y + 15:g}">{escaped(frame.title)}</text></g>'
    )


def _arrow(arrow: Arrow, route: Route) -> str:
    label = ""
    if route.label and arrow.label:
        x, y = route.label
        width = label_width(arrow.label, LABEL_SIZE) + 4
        label = (
            f'<rect class="plate" x="{x - width / 2:g}" y="{y - 6.5:g}" width="{width:g}" '
            f'height="13"/><text class="label" x="{x:g}" y="{y + 3.5:g}">'
            f"{escaped(arrow.label)}</text>"
        )
    points = " ".join(f"{x:g},{y:g}" for x, y in route.points)
    return (
        f'<g class="arrow" data-from="{arrow.source}" data-to="{arrow.target}" '
        f'data-points="{points}"><title>{escaped(arrow.label)}</title>'
        f'<path d="{path(route.points)}" marker-end="url(#head)"/>{label}</g>'
    )


def _box(box: Box, place: Rectangle) -> str:
    x, y, width, height = place
    middle = x + width / 2
    radius = height / 2 if box.kind in ("input", "output") and not box.lines else 6
    radius = 16 if box.kind in ("input", "output") else radius
    texts = [
        f'<text class="{"line" if number else "title"}" x="{middle:g}" y="{base:g}">'
        f"{escaped(text)}</text>"
        for number, (text, base) in enumerate(
            zip((box.title, *box.lines), line_positions(box, place), strict=True)
        )
    ]
    said = "\n".join(part for part in (box.title, *box.lines, box.hint) if part)
    return (
        f'<g class="box {box.kind} {css_class(box.family)}" id="{box.id}" '
        f'data-frame="{box.frame}"><title>{escaped(said)}</title>'
        f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="{radius:g}"/>'
        f"{''.join(texts)}</g>"
    )


def _foot(picture: Picture, legend: list[str], y: float) -> Iterator[str]:
    """Yield the legend and the note."""
    yield '<g class="foot">'
    x = 16.0
    for family in legend:
        yield (
            f'<rect class="{css_class(family)}" x="{x:g}" y="{y:g}" width="10" height="10" '
            f'rx="2"/><text x="{x + 15:g}" y="{y + 9:g}">{family}</text>'
        )
        x = round(x + label_width(family, LINE_SIZE) + 32, 1)
    if picture.note:
        yield f'<text x="16" y="{y + _FOOT + 9:g}">{escaped(picture.note)}</text>'
    yield "</g>"
