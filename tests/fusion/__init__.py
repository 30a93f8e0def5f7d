"""Samples of the fused forms, a module per family of :mod:`exporters.onnx.fusion`."""

from tests.fusion import (
    activations,
    clipping,
    convolutions,
    convolved_constants,
    kept_axes,
    movement,
    normalizations,
    pooling,
    products,
    reductions,
    reordering,
    selection,
)

FAMILIES = (
    kept_axes,
    movement,
    reordering,
    clipping,
    activations,
    reductions,
    normalizations,
    products,
    selection,
    convolutions,
    convolved_constants,
    pooling,
)
SAMPLES = [sample for family in FAMILIES for sample in family.SAMPLES]
