"""Write the kernel table of the installed ONNX Runtime.

``python -m exporters.onnx.kernels.generate`` asks the CPU provider, one node at a time,
which (operator, element type, opset) it can run, and writes the answer beside this file.
Registration tables in the runtime's source would be quicker to read and less true: they
know nothing of the casts it inserts, of operators it expands, or of kernels that are
registered and then refuse at run time. A table takes ten seconds.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

import numpy as np
import onnxruntime
from onnx import AttributeProto, ModelProto, TensorProto, helper

from exporters.onnx.kernels.probes import (
    DTYPES,
    OLDEST_OPSET,
    Attribute,
    DType,
    Main,
    Probe,
    probes,
)

NEWEST_IMAGINABLE_OPSET: Final = 99
IR_VERSION: Final = 8
"""The IR of opset 17: every runtime probed reads it, and no probe needs a newer one."""


def model(probe: Probe, dtype: DType, opset: int) -> ModelProto:
    """Build the one-node model of ``probe`` for the main type ``dtype``.

    Operands are initializers, not inputs: then running needs no feeds, which NumPy could
    not express for bfloat16. Outputs are left untyped for the runtime to infer.
    """
    proto = ModelProto(ir_version=IR_VERSION)
    proto.opset_import.add().version = opset
    graph = proto.graph
    graph.name = "probe"
    node = graph.node.add(op_type=probe.op_type)
    for position, operand in enumerate(probe.operands):
        node.input.append("" if operand is None else f"operand{position}")
        if operand is not None:
            element_type = dtype if operand.dtype is None else operand.dtype
            tensor = _tensor(operand.values.astype(element_type))
            tensor.name = f"operand{position}"
            graph.initializer.append(tensor)
    for name, value in probe.attributes.items():
        node.attribute.append(_attribute(name, value, dtype))
    for position in range(probe.outputs):
        node.output.append(f"result{position}")
        graph.output.add().name = f"result{position}"
    return proto


def _tensor(array: np.ndarray[tuple[int, ...], DType]) -> TensorProto:
    tensor = TensorProto(data_type=helper.np_dtype_to_tensor_dtype(array.dtype))
    tensor.dims.extend(array.shape)
    tensor.raw_data = array.tobytes()
    return tensor


def _attribute(name: str, value: Attribute, dtype: DType) -> AttributeProto:
    if value is Main.DTYPE:
        value = int(helper.np_dtype_to_tensor_dtype(dtype))
    if isinstance(value, Main):
        return helper.make_attribute(name, _tensor(np.ones(1, dtype)))
    return helper.make_attribute(name, value)


def failure(probe: Probe, dtype: DType, opset: int) -> str | None:
    """Load and run ``probe``; say why it does not run, or None if it does.

    Running matters: Mod without fmod, for one, loads for floats and refuses later.
    """
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = 1
    serialized = model(probe, dtype, opset).SerializeToString()
    try:
        session = onnxruntime.InferenceSession(
            serialized, options, providers=["CPUExecutionProvider"]
        )
        session.run_with_ort_values(None, {})
    except Exception as error:
        return str(error)
    return None


def newest_opset() -> int:
    """The newest opset the installed runtime loads; later ones it calls unreleased."""
    identity = probes()["Identity"]
    for opset in range(OLDEST_OPSET, NEWEST_IMAGINABLE_OPSET):
        if failure(identity, np.dtype(np.float32), opset) is not None:
            return opset - 1
    raise RuntimeError("onnxruntime loads every opset: the search for the newest is broken")


def ranges(opsets: list[int]) -> str:
    """Write ascending opsets as ranges: ``"17-19 22"``."""
    runs: list[list[int]] = []
    for opset in opsets:
        if runs and runs[-1][-1] == opset - 1:
            runs[-1].append(opset)
        else:
            runs.append([opset])
    return " ".join(f"{r[0]}-{r[-1]}" if len(r) > 1 else str(r[0]) for r in runs)


def operator_rows(probe: Probe, newest: int) -> dict[str, str]:
    """The element types of one operator, grouped by the opsets that run them."""
    groups: dict[str, list[str]] = {}
    for dtype in DTYPES:
        runs = [
            opset
            for opset in range(probe.since, newest + 1)
            if failure(probe, dtype, opset) is None
        ]
        if runs:
            groups.setdefault(ranges(runs), []).append(dtype.name)
    return {opsets: " ".join(groups[opsets]) for opsets in sorted(groups)}


def table() -> str:
    """Probe everything; the table as JSON text, one line per operator for short diffs."""
    newest = newest_opset()
    rows = {key: operator_rows(probe, newest) for key, probe in probes().items()}
    lines = (f"    {json.dumps(key)}: {json.dumps(row)}" for key, row in rows.items())
    return (
        "{\n"
        f'  "runtime": {json.dumps(f"onnxruntime {onnxruntime.__version__}")},\n'
        f'  "opsets": [{OLDEST_OPSET}, {newest}],\n'
        '  "operators": {\n' + ",\n".join(lines) + "\n  }\n}\n"
    )


def generate(directory: Path) -> Path:
    """Write the installed runtime's table into ``directory``; return its path."""
    path = directory / f"onnxruntime-{onnxruntime.__version__}.json"
    path.write_text(table(), encoding="utf-8")
    return path


if __name__ == "__main__":
    print(generate(Path(__file__).parent))
