"""``graph-capture coverage``: whether functions are captured, by the table of the docs."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

import numpy as np

from capture.cli_errors import ExitCode, UsageError
from capture.coverage_names import find, listed

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Sequence

    from capture.cli_console import Console
    from capture.coverage import Status, Support

_STATUSES: tuple[Status, ...] = ("supported", "refused", "later")
_NOT_LISTED = "not one of the functions that NumPy lets others override: it runs as it is"


def coverage(options: argparse.Namespace, console: Console) -> ExitCode:
    """Print how much of NumPy is captured, or whether the named functions are."""
    unknown: dict[str, str] = {}
    found = list(_found(options.names, unknown)) if options.names else list(listed())
    if options.json_output:
        counts = Counter(support.status for support in found)
        console.result_json(
            {
                "numpy": np.__version__,
                "counts": {status: counts[status] for status in counts},
                "functions": [support._asdict() for support in found],
                "unknown": [{"name": n, "message": m} for n, m in unknown.items()],
            }
        )
    elif not options.names:
        console.result(_summary(found))
    elif found:
        console.result("\n".join(_line(support, console) for support in found))
    if unknown:
        raise UsageError("\n".join(unknown.values()))
    return ExitCode.OK


def _found(names: Sequence[str], unknown: dict[str, str]) -> Iterator[Support]:
    """Iterate over what the names stand for; why others stand for nothing goes to ``unknown``."""
    for name in names:
        try:
            yield find(name)
        except LookupError as error:
            unknown[name] = str(error.args[0])


def _line(support: Support, console: Console) -> str:
    if support.status == "unclassified":
        return f"{support.name}: {support.reason or _NOT_LISTED}"
    verdict = console.verdict(bool(support), support.status)
    return f"{support.name}: {verdict}{f' ({support.reason})' if support.reason else ''}"


def _summary(found: Sequence[Support]) -> str:
    """Return the counts, and what is not supported by its reason."""
    counts = Counter(support.status for support in found)
    told = ", ".join(f"{counts[status]} {status}" for status in _STATUSES)
    lines = [f"{len(found)} functions and ufuncs of NumPy {np.__version__}: {told}"]
    for status in _STATUSES[1:]:
        by_reason = defaultdict(list)
        for support in found:
            if support.status == status:
                by_reason[support.reason].append(support.name)
        lines += [f"\n{status}"]
        lines += [f"  {reason}\n    {_names(names)}" for reason, names in by_reason.items()]
    return "\n".join(lines)


_SHOWN = 8


def _names(names: Sequence[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more
