"""THE sample table: every captured function, operator and method, with edge values.

A family is one module with a list ``SAMPLES``; adding a function means adding a row to its family.
"""

from tests.samples import (
    closeness,
    diagonals,
    differences,
    editing,
    einsum,
    einsum_arguments,
    elementwise,
    flipping,
    grids,
    histograms,
    indexing,
    linear_algebra,
    nan_reductions,
    norms,
    padding,
    polynomials,
    products,
    quantiles,
    reductions,
    repeating,
    selection,
    sets,
    shaping,
    sorting,
    special_functions,
    splitting,
    stacking,
    statistics,
    ufunc_folds,
    ufunc_methods,
    views,
    windows,
)
from tests.samples.base import Sample

FAMILIES = (
    closeness,
    diagonals,
    differences,
    editing,
    einsum,
    einsum_arguments,
    elementwise,
    flipping,
    grids,
    histograms,
    indexing,
    linear_algebra,
    nan_reductions,
    norms,
    padding,
    polynomials,
    products,
    quantiles,
    reductions,
    repeating,
    selection,
    sets,
    shaping,
    sorting,
    special_functions,
    splitting,
    stacking,
    statistics,
    ufunc_folds,
    ufunc_methods,
    views,
    windows,
)

SAMPLES: list[Sample] = [sample for family in FAMILIES for sample in family.SAMPLES]

__all__ = ["SAMPLES", "Sample"]
