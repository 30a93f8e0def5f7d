"""The format's name, version and limits, and its JSON Schema.

``docs/json.md`` describes the format for people; ``schema.json`` describes it for programs.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

FORMAT = "graph-capture"
VERSION = 1
"""Raised when old readers would misread new files; a reader takes its own version only."""

MINOR = 0
"""Raised when something is added; a reader takes every minor whose content it knows."""

MAX_INTEGER = 2**64 - 1
MIN_INTEGER = -(2**63)
MAX_SIZE = 2**63 - 1
MAX_RANK = 64
"""NumPy's own limit."""

MAX_DIM_TEXT = 4_096
MAX_DIM_WORK = 2 * 10**7
"""Normalising a dim takes time quadratic in its text and in its calls; the sum over a document of
what goes beyond short dims stays below this, which is a second or two."""

SHORT_DIM = 64
FEW_DIM_CALLS = 4
DIM_CALL_WORK = 1_500
DIM_CHOICE_WORK = 10_000
"""What a division and an operand of ``max`` or ``min`` cost, in squared characters."""

DIM_WORK = 5 * 10**6
DIM_WORK_PER_CHARACTER = 3
"""What the sizes of a whole document may cost, see :mod:`ir.dim_work`: about a second, and half a
second per MB. Captured programs whose sizes grow with every step took up to 2.4 per character."""

MAX_PARAMETER_ITEMS = 10_000
MAX_PARAMETER_DEPTH = 8
MAX_GRAPH_DEPTH = 64
"""Graphs in graphs: what walks over them calls itself once a level, so Python has a limit too."""

EXTENSION_PREFIX = "x-"
"""Keys that begin so belong to other programs; reading ignores them."""


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) that every written document satisfies."""
    path = Path(__file__).with_name("schema.json")
    schema: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return schema
