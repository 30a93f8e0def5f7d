"""Colours by op family, light and dark."""

from __future__ import annotations

import colorsys
from typing import TYPE_CHECKING, NamedTuple

from ir.ops.base import Op
from ir.ops.elementwise import Elementwise

if TYPE_CHECKING:
    from collections.abc import Iterable

_HUES = {
    "input": 212,
    "output": 145,
    "constant": None,
    "elementwise": 190,
    "logic": 260,
    "linear algebra": 28,
    "reduction": 285,
    "shaping": 85,
    "indexing": 325,
    "nested": 50,
    "random": 0,
    "other": None,
    "folded": None,
}
"""Hue in degrees by family; ``None`` is grey."""

FAMILIES = tuple(_HUES)

_MODULES = {
    "elementwise": "elementwise",
    "indexing": "indexing",
    "linear_algebra": "linear algebra",
    "nested": "nested",
    "random": "random",
    "reduction": "reduction",
    "shaping": "shaping",
    "special": "elementwise",
}
"""Family by the module of ``ir.ops`` that an op's class is defined in."""


class Colours(NamedTuple):
    """Fill and line of a box."""

    fill: str
    line: str


def family_of(op: Op) -> str:
    """Return the family of an op; ops of other packages are ``other``."""
    if isinstance(op, Elementwise):
        is_logic = all(loop[-1] in "?O" for loop in op.ufunc.types)  # O: loops over objects
        return "logic" if is_logic else "elementwise"
    package, _, module = type(op).__module__.rpartition(".")
    return _MODULES.get(module, "other") if package == "ir.ops" else "other"


def css_class(family: str) -> str:
    """Return the class name of a family in the style sheet."""
    return "f-" + family.replace(" ", "-")


def family_rules(families: Iterable[str], *, dark: bool) -> str:
    """Return style rules that colour the boxes of families."""
    rules = []
    for family in families:
        fill, line = _colours(_HUES[family], dark=dark)
        name = css_class(family)
        rules.append(f".{name} rect,rect.{name}{{fill:{fill};stroke:{line}}}")
    return "\n".join(rules)


def _colours(hue: int | None, *, dark: bool) -> Colours:
    saturation = 0.0 if hue is None else 1.0
    angle = 0 if hue is None else hue
    if dark:
        return Colours(
            _hex(angle, 0.20, 0.38 * saturation), _hex(angle, 0.55, 0.5 * saturation)
        )
    return Colours(_hex(angle, 0.945, 0.75 * saturation), _hex(angle, 0.48, 0.6 * saturation))


def _hex(hue: int, lightness: float, saturation: float) -> str:
    parts = colorsys.hls_to_rgb(hue / 360, lightness, saturation)
    return "#" + "".join(f"{round(part * 255):02x}" for part in parts)
