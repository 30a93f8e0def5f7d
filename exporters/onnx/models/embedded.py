"""What a file takes on with the models inside it, beside their nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import onnx

from exporters.errors import OpsetError
from exporters.onnx.models.graphs import all_graphs, all_nodes
from exporters.onnx.models.opsets import imported, same_in_domain

if TYPE_CHECKING:
    from exporters.onnx.models.op import OnnxModel

_IR_VERSIONS = {
    **dict.fromkeys((17, 18, 19, 20), 9),  # float8
    **dict.fromkeys((21, 22), 10),  # int4
    23: 11,  # float4
    24: 12,  # float8 exponents
    **dict.fromkeys((25, 26), 13),  # int2
    **dict.fromkeys((27, 28), 14),  # float6
}
"""The first version of the format with an element type, for the newer ones."""


class Embedded:
    """Collects what the models in a file ask of it.

    Attributes:
        domains: Versions of operator sets beside ONNX's own.
        ir_version: The oldest version of the format that has their element types.
        unprobed: Operators of which no table says which runtime has them.
    """

    def __init__(self) -> None:
        self.domains: dict[str, int] = {}
        self.ir_version = 0
        self.unprobed: set[str] = set()
        self._models: dict[bytes, tuple[str, onnx.ModelProto]] = {}

    def add(self, op: OnnxModel, proto: onnx.ModelProto) -> None:
        """Take note of a model.

        Raises:
            OpsetError: Another model has an operator set in a version that cannot be one with this.
        """
        for domain, version in imported(proto).items():
            known = self.domains.setdefault(domain, version)
            if not same_in_domain(proto, domain, version, known):
                raise OpsetError(
                    f"{op.title}: uses version {version} of {domain!r}, another model of the file "
                    f"version {known}, and one file has one"
                )
        self._models.setdefault(op.model, (op.title, proto))
        tensors = (t for graph in all_graphs(proto.graph) for t in graph.initializer)
        types = {tensor.data_type for tensor in tensors}
        for node in all_nodes(proto.graph):
            types.update(attribute.t.data_type for attribute in node.attribute)
            types.update(a.i for a in node.attribute if a.name in ("to", "output_dtype"))
        newest = max((_IR_VERSIONS.get(number, 0) for number in types), default=0)
        self.ir_version = max(self.ir_version, newest)

    @property
    def doc_string(self) -> str:
        """Who made the models inside, in their own words."""
        return "\n\n".join(
            f"Contains the model {title!r}, {_provenance(proto)}"
            for title, proto in self._models.values()
        )

    @property
    def metadata(self) -> dict[str, str]:
        """The models' own metadata, each key after the model's name."""
        return {
            f"{title}/{entry.key}": entry.value
            for title, proto in self._models.values()
            for entry in proto.metadata_props
        }


def _provenance(proto: onnx.ModelProto) -> str:
    maker = f"{proto.producer_name} {proto.producer_version}".strip()
    parts = [f"written by {maker or 'an unnamed program'}"]
    if proto.domain:
        parts.append(f"of {proto.domain}")
    if proto.model_version:
        parts.append(f"version {proto.model_version}")
    text = ", ".join(parts)
    return f"{text}:\n{proto.doc_string}" if proto.doc_string else text
