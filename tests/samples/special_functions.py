"""Special functions of NumPy and SciPy, and the parts of floats."""

from __future__ import annotations

import numpy as np
import scipy.special

from tests.samples.base import (
    ALL_DTYPES,
    BFLOAT16,
    FLOATS,
    INTEGERS,
    Sample,
    edges,
    normal,
    values,
)

_N = {0: {0: "n"}}
F4, F8 = np.dtype("f4"), np.dtype("f8")
LOOSE = {np.dtype("f2"): 2e-3, BFLOAT16: 2e-2, F4: 4e-6, F8: 1e-13}


def _awkward(dtype):
    """Return floats at every boundary: powers of two, neighbours, extremes, subnormals."""
    dtype = np.dtype(dtype)
    wide = F8 if dtype == BFLOAT16 else dtype
    info = np.finfo(np.float32 if dtype == BFLOAT16 else dtype)
    plain = [
        0.0,
        1,
        2,
        4,
        0.5,
        0.25,
        3,
        0.75,
        1 / 3,
        100,
        1000.5,
        float(info.tiny),
        float(info.tiny) / 2,
        float(info.tiny) * 2,
    ]
    if dtype != BFLOAT16:
        low = float(info.smallest_subnormal)
        plain += [
            low,
            low * 3,
            float(info.max),
            float(info.max) / 2,
            np.nextafter(info.tiny, dtype.type(0)),
        ]
        plain += [
            np.nextafter(dtype.type(v), dtype.type(g))
            for v in (1, 2, 8, 1024)
            for g in (0, np.inf)
        ]
    both = np.array(plain, wide).astype(dtype)
    return np.concatenate([both, -both, np.array([np.nan, np.inf, -np.inf], dtype)])


NATIVE = tuple(d for d in FLOATS if d != BFLOAT16)
EXPONENTS = np.array(
    [
        0,
        1,
        -1,
        5,
        -5,
        23,
        -24,
        100,
        -126,
        -149,
        -150,
        127,
        1000,
        -1022,
        -1074,
        -1100,
        2000,
        -2000,
        3000,
        2**31 - 1,
    ]
)


def _grid(f):
    return lambda a, b: f(a[:, None], b)


PARTS = [
    *(
        Sample(f"{f.__name__}-{d}", f, (_awkward(d),), (f,))
        for f in (np.modf, np.frexp, np.spacing)
        for d in NATIVE
    ),
    *(
        Sample(f"{f.__name__}-bfloat16", f, (_awkward(BFLOAT16),), (f,))
        for f in (np.modf, np.frexp)
    ),
    *(
        Sample(f"{f.__name__}-{d}", f, (values(5, dtype=d),), (f,))
        for f in (np.modf, np.frexp)
        for d in INTEGERS
    ),
    *(
        Sample(
            f"ldexp-{d}-{e}", _grid(np.ldexp), (_awkward(d), EXPONENTS.astype(e)), (np.ldexp,)
        )
        for d in NATIVE
        for e in ("i4", "i8")
    ),
    *(
        Sample(
            f"nextafter-{d}", _grid(np.nextafter), (_awkward(d), _awkward(d)), (np.nextafter,)
        )
        for d in NATIVE
    ),
    *(
        Sample(f"bitwise_count-{d}", np.bitwise_count, (edges(d),), (np.bitwise_count,))
        for d in INTEGERS
    ),
    Sample(
        "parts-scalars",
        lambda a: (
            *np.modf(a[1]),
            *np.frexp(a[1]),
            np.ldexp(a[0], 3),
            np.nextafter(a, 1),
            np.spacing(a[0]),
        ),
        (normal(3),),
    ),
    Sample(
        "parts-open",
        lambda a: (
            *np.modf(a),
            *np.frexp(a),
            np.ldexp(a, 3),
            np.nextafter(a, 1.0),
            np.spacing(a),
        ),
        (normal(3),),
        symbolic=_N,
    ),
    Sample(
        "modf-out",
        lambda a: np.modf(a, out=(np.zeros_like(a), np.zeros_like(a))),
        (normal(3),),
    ),
    Sample("frexp-dtype", lambda a: np.frexp(a, dtype=None), (normal(3),)),
    Sample("ldexp-where", lambda a: np.ldexp(a, 2, out=a.copy(), where=a > 0), (normal(5),)),
    Sample(
        "parts-layout", lambda a: _reshaped(np.modf(a.T)[0], np.ldexp(a.T, 1)), (normal(3, 2),)
    ),
]


def _reshaped(*arrays):
    for y in arrays:
        y.reshape(-1)[0] = 9
    return arrays


BESSEL = np.array([0, -0.0, 1, -1, 7.9, 8, 8.1, 20, 80, 1e-5, -3.5, np.nan, 0.5])
REAL = np.concatenate(
    [
        np.linspace(-6, 6, 49),
        [0.0, -0.0, 1e-5, -1e-8, 15, -15, 26, -40, np.nan, np.inf, -np.inf],
    ]
)
UNIT = np.concatenate([np.linspace(0, 1, 41), [1e-8, 0.3, 0.65, 0.5, 1 - 1e-6, np.nan, -1, 2]])
AROUND_0 = np.array([0.0, 1e-7, 0.5, 1, 2, 3.5, np.nan, -1, np.inf])
GAMMA = np.concatenate([REAL[:-1], [0.01, 0.75, 1.99, 7.99, 8, 33.3, 171, 1e10, -20.3, -99.5]])
QUANTILES = np.concatenate([UNIT, [1e-30, 1e-20, 1e-13, 1e-3, 0.0, -0.0, 0.999, np.inf]])

UNARY = {
    "expit": REAL * 3,
    "logit": UNIT,
    "erf": REAL,
    "erfc": REAL,
    "ndtr": REAL,
    "entr": AROUND_0,
    "log_expit": REAL * 3,
    "exprel": REAL,
    "exp10": REAL,
    "exp2": REAL,
    "expm1": REAL,
    "log1p": AROUND_0[:-2],
    "cbrt": REAL,
    "cosm1": REAL,
    "i0": BESSEL,
    "i0e": BESSEL,
    "i1": BESSEL,
    "i1e": BESSEL,
    "gamma": GAMMA,
    "gammaln": GAMMA,
    "loggamma": GAMMA,
    "rgamma": GAMMA,
    "psi": GAMMA,
    "erfcx": REAL[:-2],
    "log_ndtr": REAL,
    "erfinv": QUANTILES,
    "erfcinv": QUANTILES * 2,
    "ndtri": QUANTILES,
}
BINARY = {
    "xlogy": (AROUND_0, AROUND_0),
    "xlog1py": (AROUND_0, AROUND_0),
    "rel_entr": (AROUND_0[:-1], AROUND_0[:-1]),
    "kl_div": (AROUND_0[:-1], AROUND_0[:-1]),
    "boxcox": (AROUND_0[1:6], np.array([0, 1, -1, 0.5, 2.5])),
    "boxcox1p": (AROUND_0[:6], np.array([0, 1, -1, 0.5, 2.5])),
    "inv_boxcox": (np.array([0.0, 0.25, 1, 2]), np.array([0, 1, 0.5, 2.5])),
    "inv_boxcox1p": (np.array([0.0, 0.25, 1, 2]), np.array([0, 1, 0.5, 2.5])),
    "huber": (np.array([0, 1, -1, 2.5]), REAL[:-3]),
    "pseudo_huber": (np.array([0, 1, -1, 2.5]), REAL[:-3]),
}


def _scipy(name):
    return getattr(scipy.special, name)


SCIPY = [
    *(
        Sample(
            f"scipy-{name}-{d}",
            _scipy(name),
            (x.astype(d),),
            (_scipy(name),),
            rtol=1e-5 if d == F4 else 1e-12,
            atol=1e-38 if d == F4 else 0.0,
        )
        for name, x in UNARY.items()
        for d in (F4, F8)
    ),
    *(
        Sample(
            f"scipy-{name}-{d}",
            _grid(_scipy(name)),
            tuple(x.astype(d) for x in pair),
            (_scipy(name),),
            rtol=1e-5 if d == F4 else 1e-12,
            atol=1e-6 if d == F4 else 1e-14,
        )
        for name, pair in BINARY.items()
        for d in (F4, F8)
    ),
    *(
        Sample(f"scipy-{name}-{d}", _scipy(name), (values(4, dtype=d),), rtol=LOOSE[F8])
        for name in ("expit", "erf", "i0")
        for d in (np.dtype("f2"), np.dtype("i4"), np.dtype(bool))
    ),
    Sample(
        "scipy-open",
        lambda a: (
            scipy.special.expit(a),
            scipy.special.erf(a),
            scipy.special.xlogy(a, 2),
            a * scipy.special.ndtr(a),
        ),
        (normal(3, 2),),
        rtol=1e-5,
        symbolic=_N,
    ),
    Sample(
        "scipy-more-open",
        lambda a: (
            scipy.special.gammaln(a[:, 1:]),
            scipy.special.gamma(a),
            scipy.special.digamma(a),
            scipy.special.erfinv(a / 9),
            scipy.special.log_ndtr(-a),
            scipy.special.i1e(a),
        ),
        (normal(3, 2) ** 2 + 0.1,),
        rtol=1e-5,
        atol=1e-6,
        symbolic=_N,
    ),
    Sample(
        "scipy-out",
        lambda a: scipy.special.expit(a, out=np.zeros_like(a)),
        (normal(3, 2),),
        rtol=1e-5,
    ),
]

SAMPLES = [
    *PARTS,
    *SCIPY,
    *(
        Sample(
            f"i0-{d}",
            np.i0,
            (np.array(BESSEL[:8] if d.itemsize == 2 else BESSEL).astype(d),),
            (np.i0,),
            rtol={2: 2e-2, 4: 1e-5, 8: 1e-13}[d.itemsize],
        )
        for d in NATIVE
    ),
    *(
        Sample(f"i0-{d}", np.i0, (values(4, dtype=d),), (np.i0,), rtol=1e-12)
        for d in ALL_DTYPES
        if d.kind not in "f"
    ),
    *(
        Sample(
            f"sinc-{d}",
            np.sinc,
            (values(6, dtype=d),),
            (np.sinc,),
            rtol={2: 2e-2}.get(d.itemsize if d.kind in "fV" else 8, 1e-5),
            atol=1e-2 if d.itemsize == 2 and d.kind in "fV" else 1e-7,
        )
        for d in ALL_DTYPES
    ),
    Sample(
        "sinc-edges",
        np.sinc,
        (np.array([0.0, -0.0, 1e-10, np.nan, 0.5, 20.25]),),
        (np.sinc,),
        rtol=1e-12,
        atol=1e-16,
    ),
    Sample(
        "sinc-open", lambda a: (np.sinc(a), np.i0(a)), (normal(3),), rtol=1e-5, symbolic=_N
    ),
]
