"""Every sample and program at every level of fusing, and in old and new opsets."""

import copy

import numpy as np
import onnx
import pytest

from capture import trace
from exporters import ExportError, from_json, to_json, to_onnx
from exporters.onnx.legality import newest_opset
from exporters.running import run_model
from tests.fusion.sessions import session
from tests.programs import PROGRAMS
from tests.samples import SAMPLES
from tests.samples.checking import assert_same, capture_sample, resized, run_numpy

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::RuntimeWarning")]

WAYS = ((0, 20), (2, 20), (1, 17), (1, 18), (1, 23), (1, newest_opset("onnxruntime")))
SIZES = (1, 2, 5)


def exported(graph, level, opset):
    """Return a model, or ``None`` where the opset is too old."""
    try:
        return to_onnx(graph, optimize=level, opset=opset)
    except ExportError as error:
        if "opset" not in str(error):
            raise
        return None


def results(model, arrays, optimized):
    """Return what a model gives."""
    names = [value.name for value in model.graph.input]
    feeds = dict(zip(names, map(np.asarray, arrays), strict=True))
    types = {v.type.tensor_type.elem_type for v in (*model.graph.input, *model.graph.output)}
    if onnx.TensorProto.BFLOAT16 in types:
        return tuple(run_model(model, feeds, optimize=optimized))
    return tuple(session(model, optimized).run(None, feeds))


def unsigned(arrays):
    """Return arrays of floats without -0.0."""
    return tuple(a + np.zeros((), a.dtype) if a.dtype.kind == "f" else a for a in arrays)


def is_finite(arrays):
    return all(np.isfinite(a).all() for a in map(np.asarray, arrays) if a.dtype.kind == "f")


@pytest.mark.parametrize("sample", SAMPLES, ids=str)
def test_samples(sample):
    cases = [(capture_sample(sample, sample.arrays), [sample.arrays])]
    if sample.symbolic:
        graph = capture_sample(sample, sample.arrays, symbolic=True)
        cases.append((graph, [resized(sample, size) for size in SIZES]))
    for graph, inputs in cases:
        wanted = [(arrays, run_numpy(sample, arrays)) for arrays in inputs]
        seen = []
        for level, opset in WAYS:
            model = exported(graph, level, opset)
            if model is None or model.graph in seen:
                continue
            seen.append(model.graph)
            for arrays, want in wanted:
                if level < 2 or is_finite((*want, *arrays)):
                    got = results(model, arrays, level == 2)
                    if level == 2:  # the sign of a zero may change
                        got, want = unsigned(got), unsigned(want)
                    assert_same(sample, got, want)


@pytest.mark.parametrize(("level", "opset"), WAYS)
@pytest.mark.parametrize("program", PROGRAMS, ids=str)
def test_programs(program, level, opset):
    graph = trace(program.function, *program.inputs(0), dynamic=program.dynamic)
    model = exported(from_json(to_json(graph)), level, opset)
    if model is None:
        return
    for k in range(program.replays):
        arrays = program.inputs(k)
        with np.errstate(all="ignore"):
            want = program.function(*copy.deepcopy(arrays))
        feeds = {v.name: np.asarray(a) for v, a in zip(graph.inputs, arrays, strict=True)}
        wanted = want if isinstance(want, tuple | list) else (want,)
        for got, w in zip(run_model(model, feeds), wanted, strict=True):
            assert (got.dtype, got.shape) == (np.asarray(w).dtype, np.shape(w))
            np.testing.assert_allclose(got, w, rtol=program.rtol, atol=program.atol)
