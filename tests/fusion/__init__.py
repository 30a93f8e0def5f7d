"""Samples of the fused forms, a module per family of :mod:`exporters.onnx.fusion`."""

from tests.fusion import activations, kept_axes, movement, normalizations

FAMILIES = (kept_axes, movement, activations, normalizations)
SAMPLES = [sample for family in FAMILIES for sample in family.SAMPLES]
