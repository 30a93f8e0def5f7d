"""What one comparison consists of: NumPy code, and the same model by other ways."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx
from onnx import helper, numpy_helper

OPSET = 20

Array = np.ndarray[Any, Any]


@dataclass(frozen=True, eq=False)
class Input:
    """One runtime input.

    Attributes:
        name: As the NumPy program calls it.
        shape: Sizes; a string is a size that is only known at run time.
        array: What is fed when timing.
    """

    name: str
    shape: tuple[int | str, ...]
    array: Array


@dataclass(frozen=True, eq=False)
class Workload:
    """One program in every form that is compared.

    Attributes:
        name: In the tables.
        program: Plain NumPy over the inputs; both the oracle and what is captured.
        inputs: In the order of the program's parameters.
        hand_written: Builds what an expert would write.
        peers: By peer, what builds the thing that the peer converts.
        missing: By peer, why it cannot express this.
        tolerance: Relative, and absolute for values below one.
    """

    name: str
    program: Callable[..., Any]
    inputs: tuple[Input, ...]
    hand_written: Callable[[], onnx.ModelProto]
    peers: Mapping[str, Callable[[], Any]]
    missing: Mapping[str, str]
    tolerance: float = 1e-4

    @property
    def slug(self) -> str:
        """The name as part of a file name."""
        return "-".join("".join(c if c.isalnum() else " " for c in self.name).split())

    def expected(self) -> list[Array]:
        """Run the program with NumPy."""
        results = self.program(*(one.array for one in self.inputs))
        return list(results) if isinstance(results, tuple) else [results]


def node(op: str, inputs: str, outputs: str, **attributes: object) -> onnx.NodeProto:
    """Return a node; names are separated by spaces."""
    return helper.make_node(op, inputs.split(), outputs.split(), **attributes)


def model(
    inputs: Sequence[Input],
    outputs: Mapping[str, tuple[type[np.generic], tuple[int | str, ...]]],
    nodes: Sequence[onnx.NodeProto],
    weights: Mapping[str, Array],
    opset: int = OPSET,
) -> onnx.ModelProto:
    """Return a model of these nodes, checked."""
    graph = helper.make_graph(
        nodes,
        "hand_written",
        [_declared(one.name, one.array.dtype, one.shape) for one in inputs],
        [_declared(name, np.dtype(dtype), shape) for name, (dtype, shape) in outputs.items()],
        [numpy_helper.from_array(array, name) for name, array in weights.items()],
    )
    imported = [helper.make_opsetid("", opset)]
    version = helper.find_min_ir_version_for(imported)
    made = helper.make_model(graph, opset_imports=imported, ir_version=version)
    onnx.checker.check_model(made, full_check=True)
    return made


def _declared(
    name: str, dtype: np.dtype[Any], shape: Sequence[int | str]
) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(dtype), shape)
