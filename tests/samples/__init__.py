"""THE sample table: every captured function, operator and method, with edge values.

A family is one module with a list ``SAMPLES``; adding a function means adding a row to its family.
"""

from tests.samples import (
    differences,
    einsum,
    elementwise,
    histograms,
    indexing,
    linear_algebra,
    products,
    quantiles,
    reductions,
    selection,
    sets,
    shaping,
    sorting,
    statistics,
    ufunc_methods,
    views,
)
from tests.samples.base import Sample

FAMILIES = (
    differences,
    einsum,
    elementwise,
    histograms,
    indexing,
    linear_algebra,
    products,
    quantiles,
    reductions,
    selection,
    sets,
    shaping,
    sorting,
    statistics,
    ufunc_methods,
    views,
)

SAMPLES: list[Sample] = [sample for family in FAMILIES for sample in family.SAMPLES]

__all__ = ["SAMPLES", "Sample"]
