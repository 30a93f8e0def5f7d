"""What ONNX's converter gets wrong, put right before and after it.

Found by converting every operator whose definition changed and comparing runs:
``tests/exporters/test_load_onnx_opsets.py``.
"""

from __future__ import annotations

import numpy as np
import onnx
import onnx.helper
from onnx import numpy_helper

from exporters.errors import ModelError
from exporters.onnx.models.graphs import all_graphs, all_nodes, defined_names, keep_only

_UNBATCHED = 9
"""From this opset on, Scan has no batch axis."""

_FLATTENING = 13
"""From this opset on, Hardmax looks at one axis instead of all from it to the last."""

_HALF_PIXELS = 11
"""From this opset on, Resize has a choice of coordinates, and another default."""


def prepare(proto: onnx.ModelProto, version: int, opset: int) -> None:
    """Write what the converter would leave in a wrong form in one it converts rightly.

    Raises:
        ModelError: A scan is of the first kind, which went over a batch.
    """
    if version < _UNBATCHED <= opset and any(
        n.op_type == "Scan" for n in all_nodes(proto.graph)
    ):
        raise ModelError("Scan over a batch")
    if version < _HALF_PIXELS <= opset:
        for node in all_nodes(proto.graph):
            if node.op_type == "Pad" and _attribute(node, "mode", b"constant") != b"constant":
                _drop_attribute(node, "value")
    if version < _FLATTENING <= opset:
        taken = {name for graph in all_graphs(proto.graph) for name in defined_names(graph)}
        for graph in all_graphs(proto.graph):
            _flatten_hardmax(graph, taken)


def finish(proto: onnx.ModelProto, version: int) -> None:
    """Say which coordinates resizing uses, where the older form had no choice of them.

    Raises:
        ModelError: A nearest neighbour is asked for in a way that the newer form cannot say.
    """
    if version >= _HALF_PIXELS:
        return
    arrays = _arrays(proto)
    for node in all_nodes(proto.graph):
        if node.op_type == "Resize" and not node.domain:
            node.attribute.append(
                onnx.helper.make_attribute("coordinate_transformation_mode", "asymmetric")
            )
            if _attribute(node, "mode", b"nearest") == b"nearest":
                rounding = _rounding(arrays.get(node.input[2]))
                node.attribute.append(onnx.helper.make_attribute("nearest_mode", rounding))


def _rounding(scales: np.ndarray[tuple[int, ...], np.dtype[np.float32]] | None) -> str:
    """Return how the older form finds the nearest element: up along axes that shrink."""
    if scales is None:
        raise ModelError("Resize to the nearest element by scales that are no constant")
    if (scales >= 1).all():
        return "floor"
    if (scales > 1).any():
        raise ModelError("Resize to the nearest element that grows one axis, shrinks another")
    return "ceil"


def _arrays(
    proto: onnx.ModelProto,
) -> dict[str, np.ndarray[tuple[int, ...], np.dtype[np.float32]]]:
    found = {}
    for graph in all_graphs(proto.graph):
        for tensor in graph.initializer:
            if tensor.data_type == onnx.TensorProto.FLOAT:
                found[tensor.name] = numpy_helper.to_array(tensor)
    for node in all_nodes(proto.graph):
        if node.op_type == "Constant" and node.attribute[0].name == "value":
            found[node.output[0]] = numpy_helper.to_array(node.attribute[0].t)
    return found


def _flatten_hardmax(graph: onnx.GraphProto, taken: set[str]) -> None:
    """Write ``Hardmax`` as that of a matrix, where both definitions are the same."""
    nodes: list[onnx.NodeProto] = []
    for node in graph.node:
        if node.op_type != "Hardmax" or node.domain:
            nodes.append(node)
            continue
        (x,), (y,) = node.input, node.output
        shape, flat, found = (
            _fresh(f"{y}_{part}", taken) for part in ("shape", "flat", "hard")
        )
        axis = _attribute(node, "axis", 1)
        make = onnx.helper.make_node
        nodes += [
            make("Shape", [x], [shape]),
            make("Flatten", [x], [flat], axis=axis),
            make("Hardmax", [flat], [found], axis=1),
            make("Reshape", [found, shape], [y]),
        ]
    if len(nodes) > len(graph.node):
        keep_only(graph.node, nodes)


def _fresh(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "_"
    taken.add(name)
    return name


def _attribute(node: onnx.NodeProto, name: str, default: object) -> object:
    for attribute in node.attribute:
        if attribute.name == name:
            return onnx.helper.get_attribute_value(attribute)
    return default


def _drop_attribute(node: onnx.NodeProto, name: str) -> None:
    for attribute in list(node.attribute):
        if attribute.name == name:
            node.attribute.remove(attribute)
