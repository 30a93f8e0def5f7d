"""Basic indexing, views, and writes through them."""

from __future__ import annotations

import numpy as np

from tests.samples.base import ALL_DTYPES, Sample, normal, values

X = normal(5, 4, 3)
_ROWS = {0: {0: "n"}}


def _written(write):
    def program(a):
        y = a * 1
        write(y)
        return y

    return program


def _through_reshape(y):
    y.reshape(-1, 3)[:, 0] = -5


def _through_transpose(y):
    y.T[0] += 1


def _through_chain(y):
    y[1:4].swapaxes(1, 2)[:, ::2, -1] *= 2


def _from_itself(y):
    y[1:] = y[:-1]


def _scalar_rebinds(y):
    s = y[0, 0, 0]
    s += 1
    z = y[0, 0, 0, ...]
    z += 1


def _copy_is_apart(y):
    z = y.copy()
    z[...] = 0
    w = y.T * 1
    w.reshape(-1)[0] = 9


def _alias_sees_write(y):
    row = y[2]
    y[2, 1] = 7
    y[0] = row


READS = {
    "int": lambda a: (a[0], a[-1], a[1, 2], a[1, 2, 0]),
    "slice": lambda a: (a[1:3], a[:-1], a[::2], a[:, 1:], a[4:1:-1], a[::-1]),
    "mixed": lambda a: (a[..., 0], a[:, None], a[1, ..., None, 1], a[np.newaxis, 2:], a[()]),
    "beyond": lambda a: (a[10:], a[:100], a[-100:2], a[3:1]),
    "steps": lambda a: (a[::3], a[1::2], a[-1:-4:-2], a[:, ::-2, 1]),
}
WRITES = {
    "int": lambda y: y.__setitem__(0, 1.5),
    "element": lambda y: y.__setitem__((1, 2, 0), 9),
    "slice": lambda y: y.__setitem__(slice(1, 3), 0),
    "steps": lambda y: y.__setitem__((slice(None), slice(None, None, 2)), -1),
    "reverse": lambda y: y.__setitem__(slice(None, None, -1), y.copy()),
    "all": lambda y: y.__setitem__(..., 3),
    "broadcast": lambda y: y.__setitem__((slice(None), 1), [1, 2, 3]),
    "augmented": lambda y: y.__setitem__(1, y[1] * 2),
    "reshape": _through_reshape,
    "transpose": _through_transpose,
    "chain": _through_chain,
    "overlap": _from_itself,
    "scalars": _scalar_rebinds,
    "copies": _copy_is_apart,
    "alias": _alias_sees_write,
    "fill": lambda y: y[1:].fill(4),
    "out": lambda y: np.add(y, 1, out=y),
    "out-where": lambda y: np.multiply(y, 2, out=y, where=y > 0),
    "iadd": lambda y: y.__iadd__(1),
}

SAMPLES = [
    *(Sample(f"read-{name}", f, (X,), ("getitem",)) for name, f in READS.items()),
    *(Sample(f"write-{name}", _written(w), (X,), ("setitem",)) for name, w in WRITES.items()),
    Sample(
        "read-symbolic",
        lambda a: (a[1:], a[:-1], a[::2], a[::-1], a[-2:], a[:3], a[10:], a[-1:0:-2]),
        (X,),
        ("getitem",),
        symbolic=_ROWS,
    ),
    Sample(
        "read-symbolic-bound",
        lambda a: (a[: a.shape[0] // 2], a[a.shape[0] // 2 :]),
        (X,),
        ("getitem",),
        symbolic=_ROWS,
    ),
    Sample(
        "write-symbolic",
        _written(
            lambda y: (
                y.__setitem__(slice(1, None), 0),
                y.__setitem__((slice(None), 0), 5),
                y.__setitem__(slice(None, None, -2), 1),
            )
        ),
        (X,),
        ("setitem",),
        symbolic=_ROWS,
    ),
    Sample(
        "write-symbolic-reshape",
        _written(_through_reshape),
        (X,),
        ("setitem",),
        symbolic=_ROWS,
    ),
    *(
        Sample(
            f"views-{d}",
            _written(lambda y: (y.__setitem__(0, y[1]), y.T.__setitem__(1, 1))),
            (values(3, 4, dtype=d),),
        )
        for d in ALL_DTYPES
    ),
]
