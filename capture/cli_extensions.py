"""What installed packages add: ops, loaded at the start, and exporters, found by name."""

from __future__ import annotations

from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any

from capture.cli_errors import CommandError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from capture.cli_console import Console
    from ir.exporter import Exporter

OPS_GROUP = "graph_capture.ops"
"""Entry points that name modules; importing one registers its ops and lowerings."""

EXPORTERS_GROUP = "graph_capture.exporters"
"""Entry points that name what makes an exporter from a path."""


def load_ops(console: Console) -> None:
    """Import the modules that register ops; one that fails is named and left out."""
    for entry in entry_points(group=OPS_GROUP):
        try:
            entry.load()
        except Exception as error:
            problem = f"{type(error).__name__}: {error}"
            console.warning(f"the ops of {entry.value} are not available: {problem}")


def find_exporter(name: str) -> Callable[[Path], Exporter]:
    """Return what makes the exporter that a package installed under ``name``.

    Raises:
        UsageError: There is none.
        CommandError: It cannot be imported.
    """
    found = {entry.name: entry for entry in entry_points(group=EXPORTERS_GROUP)}
    if name not in found:
        known = ", ".join(sorted(found)) or "none is installed"
        raise UsageError(
            f"no exporter {name!r} ({known}); packages add them as {EXPORTERS_GROUP}"
        )
    try:
        factory: Callable[[Path], Any] = found[name].load()
    except Exception as error:
        problem = f"{type(error).__name__}: {error}"
        raise CommandError(f"the exporter {name!r} cannot be imported: {problem}") from error
    return factory
