"""Constants added to the results of convolutions, or multiplied with them, as their weights."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from exporters.onnx.fusion.affine_views import affine_view
from exporters.onnx.fusion.convolutions import FLOATS, Conv
from exporters.onnx.fusion.paths import is_lone, lone_path, replayed
from exporters.onnx.fusion.patterns import Constant, MadeBy, Result, keeps_digits
from exporters.onnx.fusion.rules import Site, Stage, fuses
from exporters.onnx.legality import FLOAT32
from ir.ops import elementwise as ew
from ir.ops import shaping as shp

if TYPE_CHECKING:
    from exporters.onnx.fusion.affine_views import AffineView
    from ir.graph import Value

_LONGEST_PATH = 4
_MOST = 2.0**20
"""Factors stay between this and its reciprocal, so that nothing overflows on the way."""


def _is_moderate(array: np.ndarray[Any, Any]) -> bool:
    sizes = np.abs(array.astype(np.float64))
    return bool(((sizes >= 1 / _MOST) & (sizes <= _MOST)).all())


def _is_finite(array: np.ndarray[Any, Any]) -> bool:
    return bool(np.isfinite(array.astype(np.float64)).all())


def _per_output(view: AffineView, constant: np.ndarray[Any, Any], outputs: int) -> Any:
    """Return a constant as one number per output of a convolution, if it is that."""
    groups = view.groups[len(view.groups) - constant.ndim :]
    if len(groups) < constant.ndim:
        return None
    for size, group in zip(constant.shape, groups, strict=True):
        if size == 1:
            continue
        strides = tuple(int(axis == 1) for axis in range(len(view.starts)))
        if [(atom.size, atom.strides) for atom in group] != [(outputs, strides)]:
            return None
    return np.broadcast_to(constant.reshape(-1), (outputs,)).astype(np.float64)


@fuses(
    *(
        Result(op, MadeBy("x", Conv, shp.Reshape, shp.Transpose), Constant("constant", test))
        for op, test in (
            (ew.add, _is_finite),
            (ew.subtract, _is_finite),
            (ew.multiply, _is_moderate),
            (ew.divide, _is_moderate),
        )
    ),
    dtypes=FLOATS,
    kernels=("Conv",),
    stage=Stage.SHAPES,
)
def convolution_with_constants(site: Site) -> Value | None:
    """A constant per output that is added to a ``Conv`` or scales it goes into its weights."""
    x, array = site["x"], site.array("constant")
    path = lone_path(site, x, (shp.Reshape, shp.Transpose), _LONGEST_PATH)
    made = path[-1].inputs[0] if path else x
    node = made.producer
    if node is None or not isinstance(node.op, Conv) or not is_lone(site, made):
        return None
    source, weights, *rest = node.inputs
    if weights.data is None or site["x"].type != site.type:
        return None
    outputs = weights.data.shape[0]
    view = affine_view(x, site.graph)
    numbers = _per_output(view, array, outputs) if view.base is made else None
    if numbers is None:
        return None
    kernel = weights.data.astype(np.float64)
    bias = np.zeros(outputs) if not rest else rest[0].data
    assert bias is not None
    column = numbers.reshape(-1, *(1,) * (kernel.ndim - 1))
    if site.root.op is ew.add:
        bias = bias + numbers
    elif site.root.op is ew.subtract:
        bias = bias - numbers
    elif site.root.op is ew.multiply:
        kernel, bias = kernel * column, bias * numbers
    else:
        kernel, bias = kernel / column, bias / numbers
    if not (keeps_digits(kernel, FLOAT32) and keeps_digits(bias, FLOAT32)):
        return None
    scaled = weights if site.root.op in (ew.add, ew.subtract) else _f32(site, kernel)
    result = site.apply(node.op, source, scaled, _f32(site, bias))
    return replayed(site, path, result)


def _f32(site: Site, array: np.ndarray[Any, Any]) -> Value:
    return site.constant(array.astype(np.float32))


@fuses(Result(shp.Concatenate), dtypes=FLOATS, kernels=("Conv",), stage=Stage.SHAPES)
def convolutions_side_by_side(site: Site) -> Value | None:
    """The results of equal convolutions of one array, joined output by output, are one ``Conv``."""
    nodes = [part.producer for part in site.root.inputs]
    first = nodes[0]
    if site.root.op.parameters["axis"] != 1 or first is None:
        return None
    weights: list[Value] = []
    for part, node in zip(site.root.inputs, nodes, strict=True):
        if node is None or not isinstance(node.op, Conv) or not is_lone(site, part):
            return None
        if node.op != first.op or node.op.group != 1 or len(node.inputs) != 2:
            return None
        if node.inputs[0] is not first.inputs[0]:
            return None
        weights.append(node.inputs[1])
    arrays = [weight.data for weight in weights if weight.data is not None]
    if len(arrays) < max(len(weights), 2):
        return None
    return site.apply(first.op, first.inputs[0], site.constant(np.concatenate(arrays)))
