"""Pictures made larger or smaller by repeating or leaving out elements."""

import numpy as np

from tests.fusion.base import Fused, floats

X = (floats(2, 3, 8, 10),)
N = {0: {0: "n"}}
ROWS, COLUMNS = np.arange(12) * 8 // 12, np.arange(7) * 10 // 7
CENTERS = ((np.arange(12) + 0.5) * 8 / 12).astype(int)


def twice_as_large(x):
    return x.repeat(2, axis=2).repeat(2, axis=3)


def twice_as_large_at_once(x):
    n, c, h, w = x.shape
    spread = np.broadcast_to(x[:, :, :, None, :, None], (n, c, h, 2, w, 3))
    return spread.reshape(n, c, 2 * h, 3 * w)


def by_indices(x):
    return x[:, :, ROWS][:, :, :, COLUMNS]


def by_crossings(x):
    return x[:, :, ROWS[:, None], COLUMNS]


def by_centers(x):
    return x[:, :, CENTERS][..., COLUMNS]


def rows_only(x):
    return x[:, :, ROWS]


def tiled(x):
    return np.tile(x, (1, 1, 2, 2))


INDICES, REPEATS = "resize_by_indices", "resize_by_repeats"
SAMPLES = [
    Fused("twice as large", twice_as_large, X, ("Resize",), "resize_of_resize", dynamic=N),
    Fused("larger at once", twice_as_large_at_once, X, ("Resize",), REPEATS, dynamic=N),
    Fused("by indices", by_indices, X, ("Resize",), INDICES, dynamic=N),
    Fused(
        "bytes by indices",
        by_indices,
        ((floats(2, 3, 8, 10) * 50 + 128).clip(0, 255).astype("u1"),),
        ("Resize",),
        INDICES,
    ),
    Fused(
        "by crossings",
        by_crossings,
        X,
        ("Resize",),
        INDICES,
        dynamic=N,
    ),
    Fused("by centers", by_centers, X, ("Gather", "Resize"), INDICES),
    Fused("rows only", rows_only, X, ("Gather",), None),
    Fused("tiled", tiled, X, ("Tile",), None),
]
