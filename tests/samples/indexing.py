"""Reading and writing by integer arrays and masks."""

from __future__ import annotations

import numpy as np

from tests.samples.base import ALL_DTYPES, Sample, integers, normal, values

X = np.arange(120).reshape(2, 3, 5, 4)
Y = normal(5, 4, 3)
I = np.array([0, 2, 1, -1, 2])  # noqa: E741
_ROWS = {0: {0: "n"}}


def _written(write):
    def program(a, *rest):
        y = a * 1
        write(y, *rest)
        return y

    return program


def _set(key, value=7):
    return _written(lambda y, *rest: y.__setitem__(key, value))


def _masked_update(y):
    m = y > 0
    y[m] = np.sqrt(y[m])
    y[~m] = 0


def _row_view(y, i):
    row = y[i[0]]
    row += 1
    y[i[1], 2] = 9


READS = {
    "list": lambda a: (a[[0, 1]], a[:, [2, 0]], a[..., [0, 3]]),
    "separated": lambda a: (a[:, [0, 2], :, 1], a[:, 1, :, [3, 0]], a[..., [0, 1], None]),
    "adjacent": lambda a: (
        a[:, [0, 2], [1, 4]],
        a[1, [0, 1]],
        a[[0, 1], 1, 2],
        a[:, 0, [1, 2]],
    ),
    "broadcast": lambda a: (a[[[0], [1]], [0, 2]], a[:, np.array([[0, 1], [2, 0]])]),
    "newaxis": lambda a: (a[None, [0, 1]], a[[0, 1], None, 1:], a[[1], :, None, [0]]),
    "steps": lambda a: (a[::-1, [0, 2], ::2], a[[0], ..., ::-1]),
    "four": lambda a: a[[0, 1], [0, 2], [1, 1], [3, 0]],
    "empty": lambda a: (a[[]], a[:, []]),
    "known-mask": lambda a: (a[np.array([True, False])], a[:, np.array([True, False, True])]),
    "negative": lambda a: a[:, [-1, -3]],
    "uint8": lambda a: a[np.array([1, 0], np.uint8)],
}
WRITES = {
    "list": _set([0, 3]),
    "columns": _set((slice(None), [0, 2]), [[1], [2], [3], [4], [5]][0]),
    "repeated": _set([1, 1, 2], np.arange(3.0)[:, None, None]),
    "pairs": _set(([0, 1, 4], [3, 2, 0]), np.arange(9.0).reshape(3, 3)),
    "separated": _set(([0, 1], slice(None), [2, 0]), 5),
    "known-mask": _set(np.array([True, False, True, False, True]), -1),
    "augmented": _written(lambda y: y.__setitem__([0, 2], y[[0, 2]] + 1)),
}


def _writes(function, *args, **kwargs):
    return _written(lambda y: function(y, *args, **kwargs))


FUNCTIONS = [
    Sample(
        "nonzero",
        lambda a: (*np.nonzero(a > 0), *(a > 0).nonzero()),
        (Y,),
        (np.nonzero,),
        symbolic=_ROWS,
    ),
    Sample(
        "nonzero-numbers",
        lambda a: (np.flatnonzero(a), np.argwhere(a), np.where(a)[0]),
        (np.array([[0, 3], [0, -1]]),),
        (np.flatnonzero, np.argwhere),
        symbolic=_ROWS,
    ),
    Sample(
        "take",
        lambda a: (
            np.take(a, [0, 3]),
            np.take(a, [[1], [0]], axis=1),
            a.take(2),
            a.take([1], axis=-1),
        ),
        (Y,),
        (np.take,),
    ),
    Sample(
        "take-symbolic",
        lambda a, i: (np.take(a, i, axis=0), np.take(a, i % 3, axis=2)),
        (Y, np.array([0, -1])),
        (np.take,),
        symbolic={0: {0: "n"}, 1: {0: "k"}},
        empty=False,
    ),
    Sample(
        "take-modes",
        lambda a, i: (np.take(a, i, mode="wrap"), np.take(a, i, mode="clip", axis=1)),
        (Y, np.array([-100, 7, 100])),
        (np.take,),
        symbolic={0: {0: "n"}},
        empty=False,
    ),
    Sample(
        "take_along_axis",
        lambda a, i: (np.take_along_axis(a, i[:2], 0), np.take_along_axis(a, i[:, :1] * 0, 1)),
        (Y, integers(5, 4, 3, low=0, high=4)),
        (np.take_along_axis,),
    ),
    Sample(
        "compress",
        lambda a: (
            np.compress([True, False, True], a, axis=0),
            np.compress([0, 1], a),
            a.compress([1, 0, 1], axis=2),
        ),
        (Y,),
        (np.compress,),
    ),
    Sample(
        "compress-captured",
        lambda a: np.compress(a[:, 0, 0] > 0, a, axis=0),
        (Y,),
        (np.compress,),
        symbolic=_ROWS,
    ),
    Sample(
        "extract",
        lambda a: (np.extract(a > 0, a), np.extract(a < 99, a)),
        (Y,),
        (np.extract,),
        symbolic=_ROWS,
    ),
    Sample(
        "select",
        lambda a: (
            np.select([a > 1, a > 0], [a, a * 2]),
            np.select([a > 0], [1.5], default=-1),
            np.select([a > 0, a < 0], [1, 2]),
        ),
        (Y,),
        (np.select,),
        symbolic=_ROWS,
    ),
    Sample(
        "choose",
        lambda a, i: (
            np.choose(i % 2, [a, -a]),
            np.choose(i, [a, 7], mode="wrap"),
            np.choose(i, [a, 7.5], mode="clip"),
        ),
        (Y, integers(5, 4, 3)),
        (np.choose,),
    ),
    Sample("copyto", _writes(np.copyto, 2), (Y,), (np.copyto,)),
    Sample(
        "copyto-where",
        _written(lambda y: np.copyto(y, [1, 2, 3], where=y > 0)),
        (Y,),
        (np.copyto,),
        symbolic=_ROWS,
    ),
    Sample(
        "putmask",
        _written(lambda y: (np.putmask(y, y > 0, y * 2), np.putmask(y, y < 0, [1, 2]))),
        (Y,),
        (np.putmask,),
    ),
    Sample(
        "place",
        _written(lambda y: np.place(y, y > 0, [1, 2])),
        (Y,),
        (np.place,),
        symbolic=_ROWS,
    ),
    Sample(
        "put",
        _written(
            lambda y: (
                np.put(y, [0, -1, 0], [5, 6, 7]),
                np.put(y, [1, 200], 3, mode="clip"),
                y.put([4], 2),
            )
        ),
        (Y,),
        (np.put,),
    ),
    Sample(
        "put_along_axis",
        _written(
            lambda y: np.put_along_axis(y, np.argmax(y, axis=1, keepdims=True), 0, axis=1)
        ),
        (Y,),
        (np.put_along_axis,),
        symbolic=_ROWS,
    ),
]

SAMPLES = [
    *FUNCTIONS,
    *(Sample(f"gather-{name}", f, (X,), ("getitem",)) for name, f in READS.items()),
    *(Sample(f"scatter-{name}", f, (Y,), ("setitem",)) for name, f in WRITES.items()),
    Sample(
        "gather-captured",
        lambda a, i: (a[i], a[:, i % 3], a[i, 1], a[i, i % 4], a[:, 0, i % 3]),
        (Y, I),
        ("getitem",),
        symbolic={1: {0: "k"}},
    ),
    Sample(
        "gather-captured-rows",
        lambda a, i: (a[i], a[:, i % 3]),
        (Y, np.array([0, -1])),
        ("getitem",),
        symbolic={0: {0: "n"}},
        empty=False,
    ),
    Sample(
        "gather-captured-scalar",
        lambda a, i: (a[i[0]], a[i[1], 2], a[1:, i[2]], a[i[0], i[1], i[2]]),
        (Y, I),
        ("getitem",),
    ),
    Sample(
        "gather-mask",
        lambda a: (a[a > 0], a[a[:, 0, 0] > 0], a[:, a[0, :, 0] > 0], a[a[:, :, 0] < 0]),
        (Y,),
        ("getitem",),
        symbolic=_ROWS,
        empty=False,
    ),
    Sample(
        "gather-mask-mixed",
        lambda a: (a[a[:, 0, 0] > 0, 1], a[a[:, 0, 0] > 0, :, ::2], a[1:, a[0, :, 0] > 0]),
        (Y,),
        ("getitem",),
    ),
    Sample(
        "gather-mask-reduce",
        lambda a: (a[a > 0].sum(), a[a > 9].sum(), a[a > 0] * 2),
        (Y,),
        ("getitem",),
        rtol=1e-5,
        atol=1e-6,
        symbolic=_ROWS,
    ),
    Sample(
        "scatter-captured", _written(lambda y, i: y.__setitem__(i, 3)), (Y, I), ("setitem",)
    ),
    Sample(
        "scatter-captured-last-wins",
        _written(lambda y, i, v: y.__setitem__(i, v)),
        (np.zeros(5), np.array([0, 4, 2, 2, 4]), np.arange(5.0)),
        ("setitem",),
    ),
    Sample("scatter-row-view", _written(_row_view), (Y, I), ("setitem",)),
    Sample(
        "scatter-mask",
        _written(lambda y: (y.__setitem__(y > 0, 0), y.__setitem__(y < -1, [5, 6, 7][0]))),
        (Y,),
        ("setitem",),
        symbolic=_ROWS,
    ),
    Sample(
        "scatter-mask-rows",
        _written(lambda y: y.__setitem__(y[:, 0, 0] > 0, np.ones((4, 3)))),
        (Y,),
        ("setitem",),
        symbolic=_ROWS,
    ),
    Sample(
        "scatter-mask-update", _written(_masked_update), (Y,), ("setitem",), symbolic=_ROWS
    ),
    Sample(
        "scatter-mask-column",
        _written(lambda y: y.__setitem__((slice(None), y[0, :, 0] > 0), 2)),
        (Y,),
        ("setitem",),
    ),
    Sample(
        "view-by-captured-index",  # with an ellipsis or a new axis it still writes through
        _written(
            lambda y, i: (
                y[..., i].__setitem__(..., 9),
                y[i, None, ...].__iadd__(1),
                y[..., i, :].__imul__(2),
                y[None, i, ..., 0].__setitem__((0, 1), 7),
            )
        ),
        (Y, np.int64(1)),
        ("getitem",),
    ),
    *(
        Sample(
            f"indexing-{d}",
            _written(lambda y, i: (y.__setitem__(i, y[0]), y.__setitem__(y == y[0], 1))),
            (values(3, 4, dtype=d), integers(2, low=0, high=3)),
            ("getitem", "setitem"),
        )
        for d in ALL_DTYPES
    ),
]
