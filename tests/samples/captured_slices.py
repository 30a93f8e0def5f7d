"""Slices whose ends are arguments of the program: positive, negative, beyond the axis, crossed."""

from __future__ import annotations

import numpy as np

from tests.samples.base import FEW_DTYPES, Sample, values

X = np.arange(60.0).reshape(5, 4, 3)
ENDS = ((1, 3), (-4, -1), (-9, 9), (3, 1), (0, 0), (7, 2), (-1, -7), (2, 99))
STEPS = (1, 2, 3, -1, -2, -7)
_ROWS = {0: {0: "n"}}


def _ends(i, j, dtype=np.int64):
    return np.array(i, dtype), np.array(j, dtype)


def _by(step):
    return lambda x, i, j: (x[i:j:step], x[i::step], x[:j:step], x[1:j:step], x[i:-1:step])


def _places(x, i, j):
    return (
        x[:, i:j],
        x[..., i:j],
        x[0, i:j, ::2],
        x[i:j, j:i],
        x[i:j, :, [0, 2]],
        x[None, i:, 1],
        x[i:j, ..., 0],
    )


def _written(x, i, j):
    y = x * 1
    y[:, i:j] = 7
    window = y[i:j]
    window += 1
    y[i:j, ..., 0] *= 2
    later = y[:, j:]
    y[:] = y + 1
    return y, window, later


def _written_in_parts(x, i, j):
    y = x * 1
    y[:, i:j] = np.arange(3.0)
    y[:, i:j:-1] -= 1
    y[i:, :, j:][...] = 3
    y[:, :, i:].T[...] += 1
    np.add.at(y, (slice(i, j),), 1.0)
    return y


def _agreeing(x, i, j):
    first, second = x[i:j], (x + 1)[i:j]
    return first * second, np.concatenate([first, second]), first.sum(axis=0), x.shape[0] - i


SAMPLES = [
    *(
        Sample(
            f"slice-{i}-{j}-by{step}",
            _by(step),
            (X[:, 0], *_ends(i, j)),
            ("getitem",),
            symbolic=_ROWS,
        )
        for i, j in ENDS
        for step in STEPS
    ),
    *(
        Sample(
            f"slice-{name}-{i}-{j}",
            program,
            (X, *_ends(i, j)),
            ("getitem", "setitem"),
            symbolic=_ROWS,
            empty=name != "places",
        )
        for name, program in {
            "places": _places,
            "written": _written,
            "written-in-parts": _written_in_parts,
            "agreeing": _agreeing,
        }.items()
        for i, j in ENDS
    ),
    *(
        Sample(f"slice-ends-{dtype}", _by(1), (X[:, 0], *_ends(1, 4, dtype)), ("getitem",))
        for dtype in ("u1", "i2", "u4", "u8")
    ),
    Sample("slice-huge", _by(1), (X[:, 0], *_ends(0, 2**64 - 1, "u8")), ("getitem",)),
    *(
        Sample(
            f"slice-of-{dtype}",
            _by(-1),
            (values(5, 2, dtype=dtype), *_ends(-1, 0)),
            ("getitem",),
        )
        for dtype in FEW_DTYPES
    ),
]
