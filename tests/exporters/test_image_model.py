"""A published image model with NumPy around it as one file: `examples/faces.py`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import onnx
import onnxruntime
import pytest

import capture
from capture import TensorSpec
from examples import faces
from exporters import from_json, to_json, to_onnx

if TYPE_CHECKING:
    from ir.graph import Graph

PHOTOGRAPHS = faces.photographs()
COUNTS = {"astronaut": 1, "cropped": 1, "and her mirror image": 2, "rocket": 0}


@pytest.fixture(scope="module")
def graph() -> Graph:
    spec = TensorSpec(("height", "width", 3), np.uint8, "photo")
    return capture.trace(faces.detect, spec, control_flow=True)


@pytest.fixture(scope="module")
def whole(graph: Graph) -> onnxruntime.InferenceSession:
    return onnxruntime.InferenceSession(to_onnx(graph).SerializeToString())


@pytest.fixture(scope="module")
def alone() -> onnxruntime.InferenceSession:
    """The file as it was published, but for the sizes that it declares."""
    published = onnx.load(faces.MODEL)
    del published.graph.input[1:]
    for value in (*published.graph.input, *published.graph.output):
        for size in value.type.tensor_type.shape.dim:
            size.Clear()
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(published.SerializeToString(), options)


def assert_same(found, wanted):
    for got, want in zip(found, wanted, strict=True):
        assert (got.dtype, got.shape) == (want.dtype, want.shape)
        np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-3)


@pytest.mark.parametrize("name", PHOTOGRAPHS)
def test_one_file_is_the_three_steps(whole, alone, name):
    photo = PHOTOGRAPHS[name]
    answer = alone.run(None, {"input.1": faces.prepare(photo)})
    wanted = faces.decode(answer, photo.shape)
    assert len(wanted.boxes) == COUNTS[name]
    assert_same(whole.run(None, {"photo": photo}), wanted)


@pytest.mark.parametrize("size", [(1, 1), (9, 700), (700, 9), (33, 31), (384, 384)])
def test_photographs_of_odd_sizes(whole, size):
    rows, columns = (np.linspace(40, 330, count).astype(np.int64) for count in size)
    photo = PHOTOGRAPHS["astronaut"][rows][:, columns]
    assert_same(whole.run(None, {"photo": photo}), faces.detect(photo))


def test_many_faces_that_overlap(whole):
    """Moved copies of one face, so that boxes drop others, and are dropped in a chain."""
    face = PHOTOGRAPHS["astronaut"][40:200, 160:300]
    photo = np.zeros((384, 384, 3), np.uint8)
    for top, left in ((0, 0), (20, 230), (210, 20), (200, 235), (180, 130)):
        photo[top : top + 160, left : left + 140] = face
    wanted = faces.detect(photo)
    assert len(wanted.boxes) >= 4
    assert_same(whole.run(None, {"photo": photo}), wanted)


def test_boxes_that_stay_are_those_of_a_plain_loop():
    low = np.random.default_rng(0).uniform(0, 50, (60, 2)).astype(np.float32)
    boxes = np.concatenate([low, low + 20], axis=1)
    shared = faces.overlaps(boxes)
    stay: list[int] = []
    for i in range(len(boxes)):
        if all(shared[j, i] < faces.OVERLAP for j in stay):
            stay.append(i)
    assert np.flatnonzero(faces.distinct(boxes)).tolist() == stay
    captured = capture.trace(
        faces.distinct, TensorSpec(("n", 4), np.float32), control_flow=True
    )
    session = onnxruntime.InferenceSession(to_onnx(captured).SerializeToString())
    for count in (0, 1, 60):
        (found,) = session.run(None, {"boxes": boxes[:count]})
        assert found.tolist() == faces.distinct(boxes[:count]).tolist()


def test_the_graph_survives_json(graph):
    again = from_json(to_json(graph))
    assert again == graph
    photo = PHOTOGRAPHS["cropped"]
    assert_same(again(photo), faces.detect(photo))
