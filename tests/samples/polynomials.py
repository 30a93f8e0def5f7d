"""Polynomials, convolution and correlation."""

from __future__ import annotations

import numpy as np

from tests.samples.base import ALL_DTYPES, BFLOAT16, FEW_DTYPES, Sample, normal, values

P, Q, X = normal(4), normal(3, seed=1), normal(2, 5, seed=2)
_N = {0: {0: "n"}}
MODES = ("full", "same", "valid")
LOOSE = {np.dtype("f2"): 1e-2, BFLOAT16: 5e-2}


def _of(name, function, *arrays, covers=(), rtol=1e-5, atol=1e-6, **other):
    return Sample(name, function, arrays, covers, rtol=rtol, atol=atol, **other)


def _all_modes(function):
    return lambda a, v: tuple(function(a, v, mode) for mode in MODES)


SIZES = ((5, 3), (3, 5), (6, 2), (2, 6), (4, 4), (1, 3), (3, 1), (1, 1), (40, 20), (20, 41))

SAMPLES = [
    *(
        _of(f"{f.__name__}-{m}-{n}", _all_modes(f), normal(m), normal(n, seed=1), covers=(f,))
        for f in (np.convolve, np.correlate)
        for m, n in SIZES
    ),
    *(
        Sample(
            f"{f.__name__}-{d}",
            _all_modes(f),
            (values(7, dtype=d), values(4, dtype=d, seed=1)),
            (f,),
            rtol=LOOSE.get(d),
            atol=5e-2 if d in LOOSE else 1e-6,
        )
        for f in (np.convolve, np.correlate)
        for d in ALL_DTYPES
    ),
    *(
        Sample(
            f"{f.__name__}-long-{d}",
            _all_modes(f),
            (values(40, dtype=d), values(30, dtype=d, seed=1)),
            (f,),
            rtol=LOOSE.get(d, 1e-5),
            atol=1e-1 if d in LOOSE else 1e-5,
        )
        for f in (np.convolve, np.correlate)
        for d in FEW_DTYPES
    ),
    _of(
        "convolve-default",
        lambda a, v: (
            np.convolve(a, v),
            np.correlate(a, v),
            np.convolve(a, 2.0),
            np.convolve(3, v),
            np.convolve(a, [1, 2]),
            np.correlate(a, v, 2),
            np.correlate(v, a, 0),
        ),
        P,
        Q,
        covers=(np.convolve, np.correlate),
    ),
    _of("convolve-promotes", np.convolve, values(5, dtype="i2"), Q, covers=(np.convolve,)),
    *(
        _of(
            f"convolve-open-{m}",
            lambda a, v, m=m: (np.convolve(a, v, m), np.convolve(v, a, m)),
            normal(7),
            Q,
            covers=(np.convolve,),
            symbolic=_N,
            empty=False,
        )
        for m in MODES
    ),
    *(
        _of(
            f"convolve-open-both-{m}",
            lambda a, v, m=m: (np.convolve(a, v, m), np.convolve(v, a, m)),
            normal(7),
            Q,
            covers=(np.convolve,),
            symbolic={0: {0: "n"}, 1: {0: "k"}},
            empty=False,
        )
        for m in MODES
    ),
    *(
        _of(
            f"correlate-open-{m}",
            lambda a, v, m=m: np.correlate(a, v, m),
            normal(7),
            Q,
            covers=(np.correlate,),
            symbolic=_N,
            empty=False,
        )
        for m in ("full", "valid")
    ),
    _of(
        "correlate-open-same",
        lambda a, v: (np.correlate(a, v[:1], "same"), np.correlate(a, a, "same")),
        normal(7),
        Q,
        covers=(np.correlate,),
        symbolic=_N,
        empty=False,
    ),
    _of(
        "convolve-smooth",
        lambda a: np.convolve(a, np.ones(5) / 5, "same"),
        normal(30),
        covers=(np.convolve,),
        symbolic=_N,
        empty=False,
    ),
    _of(
        "polyval",
        lambda p, x: (
            np.polyval(p, x),
            np.polyval(p, 2),
            np.polyval([1, 2, 3], x),
            np.polyval(p, [1.0, 2.0]),
            np.polyval([], x),
            np.polyval(np.poly1d([1, 2]), x),
        ),
        P,
        X,
        covers=(np.polyval,),
        symbolic={1: {0: "n"}},
    ),
    *(
        Sample(
            f"polyval-{d}",
            lambda x: (np.polyval([2, 0, 1], x), np.polyval(np.array([1.5, 2]), x)),
            (values(5, dtype=d),),
            (np.polyval,),
            rtol=LOOSE.get(d),
        )
        for d in ALL_DTYPES
    ),
    Sample(
        "polyval-edges",
        lambda x: np.polyval([1, 2, 0], x),
        (np.array([np.nan, np.inf, -np.inf, -0.0, 0.0]),),
        (np.polyval,),
    ),
    Sample(
        "polyval-0d",
        lambda x: (np.polyval([1, 2, 0], x), np.polyval([1.0], x)),
        (np.array(2.5),),
        (np.polyval,),
    ),
    _of(
        "polyadd",
        lambda a, b: (
            np.polyadd(a, b),
            np.polyadd(b, a),
            np.polyadd(a, a),
            np.polyadd(a, 1),
            np.polyadd([1, 2, 3, 4, 5], a),
            np.polysub(a, b),
            np.polysub(b, a),
            np.polysub(2.5, a),
        ),
        P,
        Q,
        covers=(np.polyadd, np.polysub),
    ),
    _of(
        "polyadd-open",
        lambda a, b: (np.polyadd(a, b), np.polysub(b, a)),
        P,
        Q,
        covers=(np.polyadd,),
        symbolic=_N,
    ),
    _of(
        "polymul",
        lambda a, b: (
            np.polymul(a, b),
            np.polymul(b, a),
            np.polymul(a, [0, 0, 1, 2]),
            np.polymul(a, 3),
        ),
        P,
        Q,
        covers=(np.polymul,),
    ),
    _of(
        "polymul-zeros",
        lambda a, b: (np.polymul(a, b), np.polymul(a * 0, b), np.polymul(a, b * 0)),
        np.array([0.0, 0, 1, 2]),
        np.array([0.0, 3, 0]),
        covers=(np.polymul,),
    ),
    _of(
        "polydiv",
        lambda a, b: (
            *np.polydiv(a, b),
            *np.polydiv(b, a),
            *np.polydiv(a, [2.0]),
            *np.polydiv(np.convolve(a, b), b),
            *np.polydiv(a.astype("f4"), np.array([1, 2], "i2")),
        ),
        P,
        Q,
        covers=(np.polydiv,),
        atol=1e-12,
    ),
    _of(
        "polymul-open",
        np.polymul,
        np.array([0.0, 1, 2]),
        Q,
        covers=(np.polymul,),
        symbolic=_N,
        empty=False,
    ),
    _of(
        "polyder",
        lambda p: (
            np.polyder(p),
            np.polyder(p, 2),
            np.polyder(p, 0),
            np.polyder(p, m=3),
            np.polyder(p.astype(int), 5),
        ),
        P,
        covers=(np.polyder,),
    ),
    _of(
        "polyder-open",
        lambda p: (np.polyder(p), np.polyder(p, 2)),
        normal(6),
        covers=(np.polyder,),
        symbolic=_N,
    ),
    _of(
        "polyint",
        lambda p: (
            np.polyint(p),
            np.polyint(p, 2),
            np.polyint(p, 0),
            np.polyint(p, k=3),
            np.polyint(p, 2, [1, 2]),
            np.polyint(p, 2, 5.0),
            np.polyint(p, 3, k=[7]),
            np.polyint(p.astype(int)),
            np.polyint(p, 1, p[:1]),
        ),
        P,
        covers=(np.polyint,),
    ),
    _of(
        "polyint-open",
        lambda p: (np.polyint(p), np.polyint(p, 2, [1, 2])),
        normal(6),
        covers=(np.polyint,),
        symbolic=_N,
        rtol=1e-5,
    ),
    _of(
        "poly",
        lambda z: (np.poly(z), np.poly(z.astype(int)), np.poly([z[0], 1.0])),
        P * 3,
        covers=(np.poly,),
        atol=1e-5,
    ),
    Sample("poly-empty", lambda z: (np.poly(z[:0]), z), (P,), (np.poly,)),
]
