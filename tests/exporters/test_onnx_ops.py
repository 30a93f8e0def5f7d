"""Every op and dtype on edge values: ONNX Runtime gives what the interpreter gives."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
import onnx
import pytest

from exporters.errors import OpsetError
from exporters.onnx import to_onnx
from exporters.onnx.families import FAMILIES as RULE_MODULES
from exporters.onnx.legality import OLDEST_OPSET, newest_opset
from exporters.onnx.lowering import LOWERINGS
from ir.ops import OPS, Op
from tests.exporters.onnx_checks import assert_valid, failures, graph_of
from tests.exporters.onnx_samples import FAMILIES, Sample

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


def by_op() -> dict[str, list[Sample]]:
    table: dict[str, list[Sample]] = {}
    with np.errstate(all="ignore"):
        samples = [sample for generate in FAMILIES.values() for sample in generate()]
    for sample in samples:
        table.setdefault(sample.op.name, []).append(sample)
    return table


TABLE = by_op()
PLAIN = {np.dtype(d) for d in (np.int32, np.int64, np.float16, np.float32, np.float64)}
RANDOM = {name for name, op in OPS.items() if not op.pure}
NESTED = {"call", "if", "loop"}
SINCE_18 = {"bitwise_and", "bitwise_or", "bitwise_xor"}
OTHER_OPSETS = [o for o in (17, 18, 19, 21, 23, 26, newest_opset("onnxruntime")) if o != 20]


@pytest.mark.parametrize("name", TABLE)
def test_runtime_agrees_with_interpreter(name):
    assert [line for sample in TABLE[name] for line in failures(sample)] == []


def few(samples: list[Sample]) -> Iterator[Sample]:
    """One sample per dtype of the first operand."""
    seen = set()
    for sample in samples:
        key = sample.arrays[0].dtype if sample.arrays else None
        if key not in seen:
            seen.add(key)
            yield sample


def needs_later_opset(sample: Sample, opset: int) -> bool:
    if opset >= 18:
        return False
    if sample.op.name in SINCE_18:
        return sample.arrays[0].dtype != np.bool_
    return getattr(sample.op, "combine", "") in ("maximum", "minimum")


@pytest.mark.parametrize("opset", OTHER_OPSETS)
def test_other_opsets(opset):
    found = []
    for sample in itertools.chain(*map(few, TABLE.values())):
        if needs_later_opset(sample, opset):
            with pytest.raises(OpsetError, match="opset 18 has it"):
                to_onnx(graph_of(sample), opset=opset)
        else:
            found += failures(sample, opset)
    assert found == []


@pytest.mark.parametrize("opset", [17, 20, onnx.defs.onnx_opset_version()])
def test_standard_target_is_valid(opset):
    for sample in itertools.chain(*map(few, TABLE.values())):
        if not needs_later_opset(sample, opset):
            assert_valid(to_onnx(graph_of(sample), opset=opset, target="standard"))


def test_standard_target_has_no_detours():
    for sample in itertools.chain(*map(few, TABLE.values())):
        if sample.op.name in {"add", "maximum", "tan", "sum", "matmul"}:
            if sample.arrays[0].dtype not in PLAIN:
                continue
            model = to_onnx(graph_of(sample), target="standard")
            assert len(model.graph.node) == 1, str(sample)


def test_every_op_has_a_lowering():
    assert all(module.__doc__ for module in RULE_MODULES)
    assert [name for name, op in OPS.items() if op not in LOWERINGS] == []


def test_every_op_has_a_sample():
    # test_onnx_random.py, test_onnx_nesting.py, test_load_onnx.py
    elsewhere = {*RANDOM, *NESTED, "onnx.model"}
    assert sorted(set(OPS) - set(TABLE) - elsewhere) == []


def test_opsets_out_of_range_are_refused():
    sample = TABLE["add"][-1]
    for opset in (OLDEST_OPSET - 1, newest_opset("onnxruntime") + 1):
        with pytest.raises(OpsetError, match=f"opset {opset} is not supported"):
            to_onnx(graph_of(sample), opset=opset)


def test_ir_version_is_that_of_the_opset():
    graph = graph_of(TABLE["add"][-1])
    versions = {
        opset: to_onnx(graph, opset=opset).ir_version for opset in (17, 18, 19, 20, 21)
    }
    assert versions == {17: 8, 18: 8, 19: 9, 20: 9, 21: 10}


def test_ops_are_hashable_keys():
    assert all(isinstance(op, Op) or issubclass(op, Op) for op in OPS.values())
