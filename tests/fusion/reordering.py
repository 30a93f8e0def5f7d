"""Movements of data before arithmetic."""

import numpy as np

from tests.fusion.base import Fused, floats

IMAGE = (np.random.default_rng(0).integers(0, 256, (12, 16, 3)).astype("u1"),)
ROWS, COLUMNS = np.array([1, 3, 4, 9]), np.array([0, 2, 3, 5, 9, 11, 14])
MEAN = np.array([0.485, 0.456, 0.406], "f4")
TABLE = np.linspace(0, 1, 12, dtype="f4")[:, None, None]
ROW = np.linspace(0, 1, 16, dtype="f4")[:, None]


def cropped_afterwards(image):
    return (image.astype(np.float32) * 2)[2:8, 3:11]


def cropped_with_its_constants(image):
    return (image.astype(np.float32) - ROW)[2:8, 3:11]


def resized_afterwards(image):
    scaled = image.astype(np.float32) - ROW
    return scaled[ROWS][:, COLUMNS]


def enlarged_afterwards(image):
    return (image.astype(np.float32) * 2)[np.arange(24) // 2]


def picked_by_captured_rows(image, rows):
    return (image.astype(np.float32) * 2)[rows]


def picked_with_its_constants(image, rows):
    return (image.astype(np.float32) - TABLE)[rows]


def channels_first(image):
    return (image.astype(np.float32) / 255 - MEAN).transpose(2, 0, 1)


def floats_channels_first(x):
    return (x - MEAN).transpose(2, 0, 1)


def floats_turned(x):
    return np.exp(x).T


def there_and_back(x):
    return np.maximum(x.T * 2, 0).T


def flat_and_back(x):
    n = x.shape[0]
    return np.tanh(x.reshape(n, -1) + 1).reshape(n, 2, 12)


def read_twice(image):
    scaled = image.astype(np.float32) * 2
    return scaled[2:8], scaled[8:]


N = {0: {0: "n"}}
NOTHING = np.zeros((0, 3), np.float32)

SAMPLES = [
    Fused(
        "crop of nothing",
        lambda x: (x + NOTHING)[:, 1:],
        (NOTHING,),
        ("Slice", "Identity"),
        "slice_first",
    ),
    Fused(
        "crop",
        cropped_afterwards,
        IMAGE,
        ("Slice", "Cast", "Mul"),
        "slice_first",
    ),
    Fused(
        "crop with constants",
        cropped_with_its_constants,
        IMAGE,
        ("Slice", "Cast", "Sub"),
        "slice_first",
        dynamic={0: {2: "c"}},
    ),
    Fused(
        "resize",
        resized_afterwards,
        IMAGE,
        ("Gather", "Gather", "Cast", "Sub"),
        "take_first",
    ),
    Fused("enlarged", enlarged_afterwards, IMAGE, ("Cast", "Mul", "Gather"), None),
    Fused(
        "captured rows",
        picked_by_captured_rows,
        (*IMAGE, ROWS),
        ("Gather", "Cast", "Mul"),
        "take_first",
    ),
    Fused(
        "captured rows of constants",
        picked_with_its_constants,
        (*IMAGE, ROWS),
        ("Cast", "Sub", "Gather"),
        None,
    ),
    Fused(
        "channels first",
        channels_first,
        IMAGE,
        ("Transpose", "Cast", "Div", "Sub"),
        "transpose_first",
        dynamic=N,
    ),
    Fused(
        "floats, channels first",
        floats_channels_first,
        (floats(5, 6, 3),),
        ("Transpose", "Sub"),
        "transpose_first",
        dynamic=N,
    ),
    Fused("floats turned", floats_turned, (floats(4, 5),), ("Exp", "Transpose"), None),
    Fused(
        "there and back",
        there_and_back,
        (floats(4, 5),),
        ("Mul", "Max"),
        "transpose_first",
        dynamic=N,
    ),
    Fused(
        "flat and back",
        flat_and_back,
        (floats(4, 6, 4),),
        ("Reshape", "Add", "Tanh"),
        "reshape_first",
        dynamic=N,
    ),
    Fused("read twice", read_twice, IMAGE, ("Cast", "Mul", "Slice", "Slice"), None),
]
