"""Arrays repeated as a whole, and blocks of pixels exchanged with channels."""

import numpy as np

from tests.fusion.base import Fused, floats

DEEP, WIDE = (floats(2, 12, 3, 5),), (floats(2, 3, 4, 6),)
N = {0: {0: "n"}}


def pixel_shuffle(x):
    n, c, h, w = x.shape
    split = x.reshape(n, c // 4, 2, 2, h, w).transpose(0, 1, 4, 2, 5, 3)
    return split.reshape(n, c // 4, 2 * h, 2 * w)


def depth_to_space(x):
    n, c, h, w = x.shape
    split = x.reshape(n, 2, 2, c // 4, h, w).transpose(0, 3, 4, 1, 5, 2)
    return split.reshape(n, c // 4, 2 * h, 2 * w)


def space_to_depth(x):
    n, c, h, w = x.shape
    split = x.reshape(n, c, h // 2, 2, w // 2, 2).transpose(0, 3, 5, 1, 2, 4)
    return split.reshape(n, 4 * c, h // 2, w // 2)


def other_order(x):
    n, c, h, w = x.shape
    split = x.reshape(n, c, h // 2, 2, w // 2, 2).transpose(0, 1, 3, 5, 2, 4)
    return split.reshape(n, 4 * c, h // 2, w // 2)


def flattened(x):
    n, c, h, w = x.shape
    return x.reshape(n, c, h // 2, 2, w // 2, 2).transpose(0, 1, 2, 4, 3, 5).reshape(n, -1)


def tiled(x):
    return np.tile(x, (1, 1, 2, 3))


def tiled_rows(x):
    return np.tile(x[0, 0], (3, 1))


def repeated_rows(x):
    return np.repeat(x, 3, axis=2)


MOVED = ("Reshape", "Transpose", "Reshape")
SAMPLES = [
    Fused(
        "pixel shuffle", pixel_shuffle, DEEP, ("DepthToSpace",), "depth_to_space", dynamic=N
    ),
    Fused(
        "depth to space", depth_to_space, DEEP, ("DepthToSpace",), "depth_to_space", dynamic=N
    ),
    Fused(
        "space to depth", space_to_depth, WIDE, ("SpaceToDepth",), "space_to_depth", dynamic=N
    ),
    Fused("other order", other_order, WIDE, MOVED, None),
    Fused("flattened", flattened, WIDE, MOVED, None),
    Fused("tiled", tiled, WIDE, ("Tile",), "tile", dynamic=N),
    Fused("tiled rows", tiled_rows, WIDE, ("Slice", "Reshape", "Tile"), "tile"),
    Fused("repeated rows", repeated_rows, WIDE, ("Reshape", "Expand", "Reshape"), None),
]
