"""NumPy functions in terms of IR ops, by family; importing the package registers them all."""

from capture.functions import (
    indexing,
    joining,
    linear_algebra,
    queries,
    reductions,
    selection,
    shaping,
    writing,
)

__all__ = [
    "indexing",
    "joining",
    "linear_algebra",
    "queries",
    "reductions",
    "selection",
    "shaping",
    "writing",
]
