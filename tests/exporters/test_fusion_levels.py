"""Every sample and program at every level of fusing, and in old and new opsets."""

import copy

import numpy as np
import pytest

from capture import trace
from exporters import ExportError, from_json, to_json, to_onnx
from exporters.onnx.legality import newest_opset
from exporters.running import run_model
from tests.programs import PROGRAMS
from tests.samples import SAMPLES
from tests.samples.checking import assert_same, capture_sample, resized, run_numpy

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::RuntimeWarning")]

WAYS = [(0, 20), (2, 20), (1, 17), (1, 18), (1, 23), (1, newest_opset("onnxruntime"))]
by_way = pytest.mark.parametrize(("level", "opset"), WAYS)


def exported(graph, level, opset):
    """Return a model, or ``None`` where the opset is too old."""
    try:
        return to_onnx(graph, optimize=level, opset=opset)
    except ExportError as error:
        if "opset" not in str(error):
            raise
        return None


def is_finite(results):
    return all(np.isfinite(r).all() for r in map(np.asarray, results) if r.dtype.kind == "f")


@by_way
@pytest.mark.parametrize("sample", SAMPLES, ids=str)
def test_samples(sample, level, opset):
    ways = [(capture_sample(sample, sample.arrays), sample.arrays)]
    if sample.symbolic:
        graph = capture_sample(sample, sample.arrays, symbolic=True)
        ways += [(graph, resized(sample, size)) for size in (1, 2, 5)]
    for graph, arrays in ways:
        model = exported(graph, level, opset)
        want = run_numpy(sample, arrays)
        if model is None or (level == 2 and not is_finite((*want, *arrays))):
            continue
        feeds = {value.name: a for value, a in zip(graph.inputs, arrays, strict=True)}
        for optimized in (True, False):
            got = tuple(run_model(model, feeds, optimize=optimized))
            assert_same(sample, got, want)


@by_way
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
