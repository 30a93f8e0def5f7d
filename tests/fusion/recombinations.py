"""Columns taken apart and put together."""

import numpy as np

from tests.fusion.base import Fused, floats

BOXES = floats(6, 4)
SIZE = np.float32([640, 480, 640, 480])
W = floats(4, 3, seed=1)


def corners(boxes):
    centre, half = boxes[:, :2], boxes[:, 2:] / 2
    return np.concatenate([centre - half, centre + half], axis=1)


def corners_in_pixels(boxes):
    return corners(boxes) * SIZE


def corners_and_halves(boxes):
    centre, half = boxes[:, :2], boxes[:, 2:] / 2
    return np.concatenate([centre - half, centre + half], axis=1), half


def shifted_corners(boxes):
    centre, size = boxes[..., :2] + 1, 3 - boxes[..., 2:]
    return np.concatenate([centre - size, centre + size, centre], axis=-1)


def joined_rows(boxes):
    first, last = boxes[:3] * 2, boxes[3:] / 2
    return np.concatenate([first - last, first + last])


def squares_joined(boxes):
    centre, half = boxes[:, :2], boxes[:, 2:] / 2
    return np.concatenate([centre * half, centre + half], axis=1)


def doubled(x):
    y = x[:, :2]
    for _ in range(40):
        y = y + y
    return np.concatenate([y, x[:, 2:] * 0.5 + 1], axis=1)


BATCH = {0: {0: "n"}}
PIECES = ("Slice", "Slice", "Div", "Sub", "Add", "Concat")
SAMPLES = [
    Fused("corners", corners, (BOXES,), ("MatMul",), "recombined_columns", 2, dynamic=BATCH),
    Fused(
        "corners in pixels",
        corners_in_pixels,
        (BOXES,),
        ("MatMul",),
        "scaled_product",
        level=2,
    ),
    Fused(
        "shifted corners",
        shifted_corners,
        (floats(2, 3, 4),),
        ("MatMul", "Add"),
        "recombined_columns",
        level=2,
    ),
    Fused(
        "doubled over and over",
        doubled,
        (BOXES,),
        ("Gemm",),
        "recombined_columns",
        level=2,
        rtol=1e-4,
    ),
    Fused("corners and halves stay", corners_and_halves, (BOXES,), PIECES, None, level=2),
    Fused("rows joined stay", joined_rows, (BOXES,), (*PIECES, "Mul"), None, level=2),
    Fused(
        "products joined stay",
        squares_joined,
        (BOXES,),
        (*PIECES[:3], "Mul", *PIECES[4:]),
        None,
        level=2,
    ),
    Fused(
        "a product scaled by row stays",
        lambda x: (x @ W) * np.arange(6, dtype=np.float32)[:, None],
        (BOXES,),
        ("MatMul", "Mul"),
        None,
        level=2,
    ),
]
