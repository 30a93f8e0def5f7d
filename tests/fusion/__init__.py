"""Samples of the fused forms, a module per family of :mod:`exporters.onnx.fusion`."""

from tests.fusion import (
    activations,
    clipping,
    convolutions,
    kept_axes,
    movement,
    normalizations,
    products,
    reductions,
)

FAMILIES = (
    kept_axes,
    movement,
    clipping,
    activations,
    reductions,
    normalizations,
    products,
    convolutions,
)
SAMPLES = [sample for family in FAMILIES for sample in family.SAMPLES]
