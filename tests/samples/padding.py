"""``numpy.pad`` in every mode."""

from __future__ import annotations

import numpy as np

from tests.samples.base import ALL_DTYPES, FEW_DTYPES, Sample, edges, normal, values

X = normal(4, 3)
V = normal(5, seed=1)
_ROWS = {0: {0: "n"}}
MODES = (
    "constant",
    "edge",
    "linear_ramp",
    "maximum",
    "mean",
    "median",
    "minimum",
    "reflect",
    "symmetric",
    "wrap",
)
FROM_WITHIN = MODES[1:]
WIDTHS = (
    2,
    (1, 3),
    ((1, 2), (3, 0)),
    ((2,), (1,)),
    ((9, 4), (0, 11)),
    {0: 1},
    {-1: (2, 0)},
    np.array([2, 1]),
)


def _mode(mode, width, **options):
    return lambda a: np.pad(a, width, mode, **options)


def _each_vector(vector, width, axis, options):
    vector[: width[0]] = options.get("value", 10) + axis
    vector[len(vector) - width[1] :] = vector[width[0]]


def _keeps_order(a):
    y, z = np.pad(a.T, 1), np.pad(a.T, 1, "edge")
    y.reshape(-1)[0] = 9
    z.reshape(-1)[0] = 9
    return y, z


SAMPLES = [
    *(
        Sample(f"pad-{mode}-{i}", _mode(mode, width), (X,), (np.pad,))
        for mode in MODES
        for i, width in enumerate(WIDTHS)
    ),
    *(
        Sample(
            f"pad-{mode}-symbolic",
            _mode(mode, ((1, 2), (2, 1))),
            (X,),
            symbolic=_ROWS,
            empty=mode == "constant",
        )
        for mode in MODES
    ),
    *(
        Sample(
            f"pad-{mode}-wide-symbolic",
            _mode(mode, ((9, 4), (1, 0))),
            (X,),
            symbolic=_ROWS,
            empty=False,
        )
        for mode in FROM_WITHIN
    ),
    *(
        Sample(
            f"pad-{mode}-width-symbolic",
            lambda a, m=mode: np.pad(a, ((a.shape[0], (-a.shape[0]) % 4), (0, 1)), m),
            (X,),
            symbolic=_ROWS,
            empty=mode == "constant",
        )
        for mode in MODES
    ),
    *(
        Sample(f"pad-{mode}-{d}", _mode(mode, (2, 4)), (edges(d, 7)[2:7],))
        for mode in MODES
        for d in FEW_DTYPES
    ),
    *(
        Sample(
            f"pad-{mode}-nan",
            _mode(mode, ((2, 4), (1, 0))),
            (np.array([[np.nan, 1], [-0.0, -np.inf], [np.inf, 2]]),),
        )
        for mode in MODES
        if mode != "linear_ramp"
    ),
    *(
        Sample(f"pad-constant-{d}", lambda a: np.pad(a, 1), (values(3, dtype=d),))
        for d in ALL_DTYPES
        if d not in FEW_DTYPES
    ),
    *(Sample(f"pad-{mode}-one", _mode(mode, 3), (X[:1, :1],)) for mode in MODES),
    Sample(
        "pad-constant-values",
        lambda a: (
            np.pad(a, 1, constant_values=5),
            np.pad(a, 1, constant_values=(1, 2)),
            np.pad(a, ((1, 2), (0, 1)), "constant", constant_values=((1, 2), (3, 4))),
            np.pad(a, 1, constant_values=[[1], [2]]),
            np.pad(a, 1, constant_values=np.nan),
        ),
        (X,),
    ),
    Sample(
        "pad-constant-captured",
        lambda a, v: (
            np.pad(a, 1, constant_values=v[0]),
            np.pad(a, 1, constant_values=v[:2]),
            np.pad(a, (1, 2), constant_values=((v[0], v[1]), (v[2], 7))),
        ),
        (X, np.array([1.5, 2.5, 3.5])),
    ),
    Sample(
        "pad-constant-casts",
        lambda a, b: (
            np.pad(a, 1, constant_values=300),
            np.pad(a, 1, constant_values=2.7),
            np.pad(b, 1, constant_values=2.7),
        ),
        (values(3, dtype="u1"), values(3, dtype=bool)),
    ),
    Sample(
        "pad-constant-values-symbolic",
        lambda a: (
            np.pad(a, 1, constant_values=(1, 2)),
            np.pad(a, ((1, 2), (0, 1)), constant_values=-1),
        ),
        (X,),
        symbolic=_ROWS,
    ),
    Sample("pad-empty", lambda a: np.pad(a, 2, "empty")[2:-2, 2:-2], (X,)),
    *(
        Sample(f"pad-{mode}-odd-{i}", _mode(mode, w, reflect_type="odd"), (X,), atol=1e-5)
        for mode in ("reflect", "symmetric")
        for i, w in enumerate((1, (3, 2), ((9, 4), (0, 11))))
    ),
    *(
        Sample(
            f"pad-{mode}-odd-symbolic",
            _mode(mode, ((9, 4), (1, 2)), reflect_type="odd"),
            (X,),
            symbolic=_ROWS,
            empty=False,
            atol=1e-5,
        )
        for mode in ("reflect", "symmetric")
    ),
    *(
        Sample(
            f"pad-{mode}-odd-{d}",
            _mode(mode, (2, 3), reflect_type="odd"),
            (values(5, dtype=d),),
            atol=1e-2,
        )
        for mode in ("reflect", "symmetric")
        for d in FEW_DTYPES
    ),
    *(
        Sample(
            f"pad-{mode}-odd-inf",
            _mode(mode, 2, reflect_type="odd"),
            (np.array([np.inf, 1, np.nan, -np.inf]),),
        )
        for mode in ("reflect", "symmetric")
    ),
    Sample(
        "pad-reflect-odd-wide-int",
        _mode("reflect", 20, reflect_type="odd"),
        (values(5, dtype="i8"),),
    ),
    Sample(
        "pad-linear_ramp-ends",
        lambda a: (
            np.pad(a, (3, 2), "linear_ramp", end_values=(5, -4)),
            np.pad(a, 2, "linear_ramp", end_values=((1, 2), (3, 4))),
        ),
        (X,),
    ),
    Sample(
        "pad-linear_ramp-captured",
        lambda a, e: np.pad(a, 2, "linear_ramp", end_values=(e[0], e[1])),
        (X, np.array([5.0, -4.0])),
    ),
    *(
        Sample(
            f"pad-linear_ramp-ends-{d}",
            _mode("linear_ramp", (7, 9), end_values=(3, 10)),
            (values(4, dtype=d),),
        )
        for d in ALL_DTYPES
    ),
    *(
        Sample(
            f"pad-{mode}-length",
            lambda a, m=mode: (
                np.pad(a, 2, m, stat_length=2),
                np.pad(a, 1, m, stat_length=(1, 9)),
                np.pad(a, (1, 2), m, stat_length=((1, 2), (3, 1))),
            ),
            (X,),
        )
        for mode in ("maximum", "mean", "median", "minimum")
    ),
    *(
        Sample(
            f"pad-{mode}-length-symbolic",
            _mode(mode, 2, stat_length=(2, 3)),
            (X,),
            symbolic=_ROWS,
            empty=False,
        )
        for mode in ("maximum", "mean", "median", "minimum")
    ),
    Sample(
        "pad-function",
        lambda a: (np.pad(a, (1, 2), _each_vector), np.pad(a, 1, _each_vector, value=3)),
        (X,),
    ),
    Sample(
        "pad-function-symbolic",
        lambda a: np.pad(a, (1, 2), lambda v, w, *_: v.__setitem__(slice(None, w[0]), 7)),
        (V,),
        symbolic=_ROWS,
    ),
    Sample("pad-0d", lambda a: (np.pad(a, 3), np.pad(a, [(1, 2)], "edge")), (np.array(2.5),)),
    Sample(
        "pad-empty-elsewhere",
        lambda a: (np.pad(a, ((0, 0), (1, 2)), "edge"), np.pad(a, ((2, 1), (0, 0)))),
        (np.zeros((0, 3)),),
    ),
    Sample("pad-keeps-order", _keeps_order, (X,)),
]
