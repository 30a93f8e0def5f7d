"""Movements of data that undo, repeat or continue one another."""

import numpy as np

from tests.fusion.base import Fused, floats

X = (floats(4, 6),)
N = {0: {0: "n"}}


def bytes_(*shape, dtype="u1"):
    return np.random.default_rng(0).integers(0, 256, shape).astype(dtype)


def doubled_and_back(x):
    return np.exp(x.astype(np.float64).astype(np.float32))


def byte_through_int(x):
    return x.astype(np.int32).astype(np.float32) * 2


def rounded_through_half(x):
    return x.astype(np.float16).astype(np.float32)


def byte_through_float(x):
    return x.astype(np.float32).astype(np.int16)


def float_through_double(x):
    return np.clip(x, -9, 9).astype(np.float64).astype(np.int32)


def flat_and_in_thirds(x):
    return np.exp(x.reshape(-1).reshape(x.shape[0], 3, 2))


def turned_twice(x):
    return np.exp(x.transpose(1, 2, 0).swapaxes(0, 1))


def turned_there_and_back(x):
    return np.exp(x.T.T)


def column_moved(x):
    return np.exp(x[:, None, :].transpose(1, 0, 2))


def window_of_window(x):
    return np.exp(x[:, 1:][:, ::2][:, 1:])


def same_window(x):
    return np.exp(x[:, :6])


def joined_one_by_one(x):
    rows = x[:1]
    for row in (x[2:3], x[1:2], x[3:]):
        rows = np.concatenate([rows, row])
    return rows


def joined_and_read(x):
    pair = np.concatenate([x[:1], x[2:3]])
    return np.concatenate([pair, x]), pair


def padded_axis_by_axis(x):
    return np.pad(np.pad(x, ((1, 0), (0, 0))), ((0, 0), (2, 1)))


def padded_with_two_values(x):
    return np.pad(np.pad(x, 1), 1, constant_values=1)


def all_of_them(x):
    return np.exp(x.reshape(-1)[:24].reshape(4, 3, 2))


def rows_of_pixels_and_back(x):
    n, c, h, w = x.shape
    pixels = x.transpose(0, 2, 3, 1).reshape(n, h * w, c)
    return np.exp(pixels.transpose(0, 2, 1))


def channels_shuffled(x):
    n, c, h, w = x.shape
    return np.exp(x.reshape(n, 2, c // 2, h, w).transpose(0, 2, 1, 3, 4).reshape(x.shape))


def repeated_in_vain(x):
    return np.exp(np.broadcast_to(x, (4, 6)))


SAMPLES = [
    Fused("double and back", doubled_and_back, X, ("Exp",), "cast_of_cast", dynamic=N),
    Fused(
        "byte through int",
        byte_through_int,
        (bytes_(4, 6),),
        ("Cast", "Mul"),
        "cast_of_cast",
        dynamic=N,
    ),
    Fused("half rounds", rounded_through_half, X, ("Cast", "Cast"), None),
    Fused(
        "byte through float",
        byte_through_float,
        (bytes_(4, 6),),
        ("Cast",),
        "cast_of_cast",
    ),
    Fused(
        "float to int through double",
        float_through_double,
        X,
        ("Clip", "Cast", "Cast"),
        None,
        edges=False,
    ),
    Fused(
        "reshape of reshape",
        flat_and_in_thirds,
        X,
        ("Reshape", "Exp"),
        "reshape_of_reshape",
        dynamic=N,
    ),
    Fused(
        "transpose of transpose",
        turned_twice,
        (floats(2, 3, 4),),
        ("Transpose", "Exp"),
        "transpose_of_transpose",
        dynamic=N,
    ),
    Fused("there and back", turned_there_and_back, X, ("Exp",), "transpose_of_transpose"),
    Fused(
        "transpose of an axis of one",
        column_moved,
        X,
        ("Reshape", "Exp"),
        "transpose_of_ones",
        dynamic=N,
    ),
    Fused(
        "slice of slice",
        window_of_window,
        X,
        ("Slice", "Exp"),
        "slice_of_slice",
        dynamic=N,
    ),
    Fused(
        "rolled backwards",
        lambda x: np.roll(x[::-1], 1, axis=0),
        X,
        ("Slice", "Slice", "Concat"),
        "slice_of_slice",
        dynamic=N,
    ),
    Fused("whole slice", same_window, X, ("Exp",), None),
    Fused("slice of all", all_of_them, X, ("Reshape", "Exp"), "nothing_moved"),
    Fused(
        "joined one by one",
        joined_one_by_one,
        X,
        ("Slice", "Slice", "Slice", "Slice", "Concat"),
        "concatenate_of_concatenate",
    ),
    Fused(
        "joined and read",
        joined_and_read,
        X,
        ("Slice", "Slice", "Concat", "Concat"),
        None,
    ),
    Fused(
        "rows of pixels and back",
        rows_of_pixels_and_back,
        (floats(2, 3, 4, 5),),
        ("Reshape", "Exp"),
        "reshapes_and_transposes",
        dynamic=N,
    ),
    Fused(
        "channels shuffled",
        channels_shuffled,
        (floats(2, 4, 3, 5),),
        ("Reshape", "Transpose", "Reshape", "Exp"),
        None,
    ),
    Fused("pad of pad", padded_axis_by_axis, X, ("Pad",), "pad_of_pad", dynamic=N),
    Fused("other fill", padded_with_two_values, X, ("Pad", "Pad"), None),
    Fused("repeated in vain", repeated_in_vain, X, ("Exp",), None),
]
