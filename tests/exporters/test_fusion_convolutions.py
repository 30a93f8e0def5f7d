"""Convolutions and pooling of random geometry give NumPy's values, however they are written."""

import numpy as np
import pytest

import capture
from exporters import to_onnx
from exporters.verification import run_model
from tests.fusion.random_convolutions import SPELLINGS, random_geometry

SPECIAL = (np.nan, np.inf, -np.inf, -0.0)
FUSED = {"Conv", "MaxPool", "AveragePool"}


def agrees(spelling, seed):
    """Compare one program; return whether a convolution or pooling was written."""
    rng = np.random.default_rng(seed)
    geometry = random_geometry(rng)
    images = rng.standard_normal(geometry.images).astype("f4")
    open_axes = {0: {0: "n"}} if rng.random() < 0.5 else None
    graph = capture.trace(lambda x: spelling(geometry, x), images, dynamic=open_axes)
    level = int(rng.integers(1, 3))
    if level == 1 and rng.random() < 0.7:
        images.reshape(-1)[rng.integers(images.size)] = rng.choice(SPECIAL)
    if open_axes:
        images = np.concatenate([images, images])
    with np.errstate(all="ignore"):
        wanted = spelling(geometry, images)
    model = to_onnx(graph, optimize=level)
    got = run_model(model, {"x": images}, optimize=bool(rng.integers(2)))
    for g, w in zip(got, wanted if isinstance(wanted, tuple) else (wanted,), strict=True):
        assert g.shape == w.shape
        np.testing.assert_allclose(g, w, rtol=1e-4, atol=1e-5, err_msg=f"seed {seed}")
    return bool(FUSED & {node.op_type for node in model.graph.node})


@pytest.mark.parametrize("spelling", SPELLINGS, ids=lambda spelling: spelling.__name__)
def test_random_geometry(spelling):
    found = [agrees(spelling, seed) for seed in range(12)]
    assert sum(found) >= 3, "the spelling is hardly ever recognised"


@pytest.mark.slow
@pytest.mark.parametrize("spelling", SPELLINGS, ids=lambda spelling: spelling.__name__)
def test_much_random_geometry(spelling):
    for seed in range(1000, 1300):
        agrees(spelling, seed)
