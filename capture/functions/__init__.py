"""NumPy functions in terms of IR ops, by family; importing the package registers them all."""

from capture.functions import (
    contractions,
    decompositions,
    indexing,
    joining,
    linear_algebra,
    matrix_chains,
    norms,
    products,
    queries,
    reductions,
    selection,
    shaping,
    writing,
)

__all__ = [
    "contractions",
    "decompositions",
    "indexing",
    "joining",
    "linear_algebra",
    "matrix_chains",
    "norms",
    "products",
    "queries",
    "reductions",
    "selection",
    "shaping",
    "writing",
]
