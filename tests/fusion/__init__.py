"""Samples of the fused forms, a module per family of :mod:`exporters.onnx.fusion`."""

from tests.fusion import activations, normalizations

FAMILIES = (activations, normalizations)
SAMPLES = [sample for family in FAMILIES for sample in family.SAMPLES]
