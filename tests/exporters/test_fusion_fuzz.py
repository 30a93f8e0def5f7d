"""Random programs of fusable idioms give NumPy's values, however far they are fused."""

import numpy as np
import pytest

import capture
from exporters import ExportError, from_json, to_json, to_onnx
from tests.fusion.differences import difference, shaken
from tests.fusion.random_programs import random_program
from tests.fusion.sessions import session

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

LEVELS = (0, 1, 2)
ORDERING = {"extreme", "ordered", "softmax"}
"""What tells numbers apart of which ``Sigmoid`` makes one, where they are below -8."""

CHOOSING = {"pooling", "extreme", "ordered"}
"""What may choose either of 0.0 and -0.0, in NumPy, too."""

ATTRIBUTES = 1e-7
"""What attributes are exact to, which are float32 beside float64 arrays, too."""

SLOW = [range(first, first + 250) for first in range(1000, 11_000, 250)]


@pytest.mark.parametrize("seed", range(36))
def test_fused_programs_give_numpys_values(seed):
    assert faults(seed) == []


@pytest.mark.slow
@pytest.mark.parametrize("seeds", SLOW, ids=lambda seeds: f"from {seeds.start}")
def test_many_fused_programs_give_numpys_values(seeds):
    opsets = (17, 18, 20, 23)
    assert [f for seed in seeds for f in faults(seed, opsets[seed % len(opsets)])] == []


def faults(seed, opset=20):
    """Return what fusing the program of a seed breaks, in words."""
    program = random_program(seed)
    found = []
    with np.errstate(all="ignore"):
        try:
            graph = surrounded(program, seed % 4)
        except capture.CaptureError:
            return []
        try:
            to_onnx(graph, optimize=0, opset=opset)
        except ExportError:
            return []  # an operator that came later
        models = [to_onnx(graph, optimize=level, opset=opset) for level in LEVELS]
        again = to_onnx(graph, optimize=1, opset=opset)
        if again.SerializeToString(deterministic=True) != models[1].SerializeToString(
            deterministic=True
        ):
            found.append(f"{program}: other bytes the second time")
        ordinary = is_finite(program) and not (
            "sigmoid" in program.steps and ORDERING.intersection(program.steps)
        )
        found += worse(program, models[: 2 + ordinary], [program.array])
        found += worse(program, models[:2], program.edges())
        try:
            open_sizes = capture.trace(
                program.function,
                program.array,
                dynamic={0: {axis: f"d{axis}" for axis in program.open_axes()}},
            )
        except (capture.CaptureError, ValueError, IndexError):
            return found  # what depends on the size would have to be known
        models = [to_onnx(open_sizes, optimize=level, opset=opset) for level in LEVELS]
        empty = [array for array in program.sizes() if not array.size]
        found += worse(program, models[:2], empty)  # means of nothing are NaN
        sizes = [array for array in program.sizes() if array.size]
        return found + worse(program, models[: 2 + ordinary], sizes)


def surrounded(program, way):
    """Return the program's graph: as it is, from JSON, in a function, or in a branch."""
    if way == 2:
        return capture.trace(capture.function(program.function), program.array)
    if way == 3 and program.array.size:

        def chosen(x):
            there = program.function, lambda x: tuple(y * 1 for y in program.function(x))
            return capture.cond(x.reshape(-1)[0] == x.reshape(-1)[0], *there, x)

        return capture.trace(chosen, program.array)
    graph = capture.trace(program.function, program.array)
    return from_json(to_json(graph)) if way == 1 else graph


def is_finite(program):
    """Whether no step makes NaN or infinities of the example, in whose place others may come."""
    graph = capture.trace(program.function, program.array)
    values = {graph.inputs[0]: program.array}
    for node in graph.nodes:
        results = node.op.evaluate(*(values.get(v, v.data) for v in node.inputs))
        values.update(zip(node.outputs, results, strict=True))
        for result in results:
            if result.dtype.kind == "f" and not np.isfinite(result).all():
                return False
    return True


def worse(program, models, arrays):
    """Return where models fused further differ from NumPy and the first one does not."""
    found, exact = [], not CHOOSING.intersection(program.steps)
    for optimized in (True, False):
        plain, *fused = (session(model, optimized) for model in models)
        for array in arrays:
            try:
                want = program.function(array)
            except (ValueError, IndexError):
                continue  # NumPy refuses this size
            near = shaken(program.function, array)
            first = differences(program, plain, array, want, near, exact)
            for level, one in enumerate(fused, 1):
                told = differences(program, one, array, want, near, exact and level < 2)
                found += [
                    f"{program}, {array.shape}, level {level}, runtime optimized: {optimized}, "
                    f"result {output}: {now}"
                    for output, (before, now) in enumerate(zip(first, told, strict=True))
                    if now is not None and before is None
                ]
    return found


def differences(program, one, array, want, near, exact):
    """Return for every result of a session how it differs."""
    try:
        results = one.run(None, {one.get_inputs()[0].name: array})
    except Exception as error:  # whatever the runtime raises
        if not array.size and "running Conv node" in str(error):
            return [None] * len(
                want
            )  # it moves a Pad into it, which then reads an empty array
        return [str(error)[:200]] * len(want)
    found = []
    for position, (got, w) in enumerate(zip(results, want, strict=True)):
        w, near_w = np.asarray(w), [results[position] for results in near]
        relative = max(program.relative, 0 if exact else ATTRIBUTES)
        found.append(difference(got, w, near_w, relative, exact))
    return found
