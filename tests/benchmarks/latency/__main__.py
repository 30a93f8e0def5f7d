"""Print the Markdown section: ``python -m tests.benchmarks.latency --peers PYTHON``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tests.benchmarks.latency.table import ROUNDS, put, section

PAGE = Path(__file__).parents[3] / "docs" / "benchmarks.md"


def main() -> None:
    """Measure what the command asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peers", default=sys.executable, help="a Python that has the peers")
    parser.add_argument("--only", nargs="*", default=[], help="parts of workloads' names")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="samples per model")
    parser.add_argument("--keep", type=Path, help="a folder in which the models stay")
    parser.add_argument("--write", action="store_true", help="put it into docs/benchmarks.md")
    options = parser.parse_args()
    lines = section(
        options.peers,
        only=[part.lower() for part in options.only],
        rounds=options.rounds,
        keep=options.keep,
    )
    print("\n".join(lines))
    if options.write:
        page = PAGE.read_text(encoding="utf-8")
        PAGE.write_text(put(page, lines), encoding="utf-8")


if __name__ == "__main__":
    main()
