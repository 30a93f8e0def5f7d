"""Bits, dtype questions, phases."""

from __future__ import annotations

import numpy as np
import numpy.fft
from numpy.polynomial import polynomial

from tests.samples.base import Sample, edges, integers, normal, values

X = normal(5, 4)
BITS = values(3, 10, dtype=bool)
_ROWS = {0: {0: "n"}}

SAMPLES = [
    Sample(
        "polyval2d",
        lambda x, y, c: (polynomial.polyval2d(x, y, c), polynomial.polygrid2d(x[0], y[1], c)),
        (
            normal(2, 3, dtype="f8"),
            normal(2, 3, dtype="f8", seed=1),
            normal(3, 4, dtype="f8", seed=2),
        ),
        (polynomial.polyval2d, polynomial.polygrid2d),
        rtol=1e-12,
    ),
    Sample(
        "packbits",
        lambda a: (
            np.packbits(a),
            np.packbits(a, axis=0),
            np.packbits(a, axis=-1, bitorder="little"),
            np.packbits(a.astype(np.int32) * 5, axis=1),
        ),
        (BITS,),
        (np.packbits,),
    ),
    Sample(
        "packbits-symbolic",
        lambda a: (np.packbits(a, axis=0), np.packbits(a, axis=1)),
        (BITS,),
        (np.packbits,),
        symbolic=_ROWS,
    ),
    Sample(
        "unpackbits",
        lambda a: (
            np.unpackbits(a),
            np.unpackbits(a, axis=1),
            np.unpackbits(a, axis=0, count=5),
            np.unpackbits(a, count=-3),
            np.unpackbits(a, axis=1, count=40, bitorder="little"),
        ),
        (integers(2, 3, dtype="u1", low=0, high=255),),
        (np.unpackbits,),
    ),
    Sample(
        "unpackbits-symbolic",
        lambda a: np.unpackbits(a, axis=0),
        (integers(4, 3, dtype="u1", low=0, high=255),),
        (np.unpackbits,),
        symbolic=_ROWS,
    ),
    Sample(
        "dtype-questions",
        lambda a: (
            a * np.can_cast(a, np.float64),
            a.astype(np.common_type(a, np.float64(1))),
            a.astype(np.min_scalar_type(a)),
            np.require(a, np.float64),
            np.require(a),
        ),
        (X,),
        (np.can_cast, np.common_type, np.min_scalar_type, np.require),
    ),
    *(
        Sample(
            f"angle-{d}",
            lambda a: (np.angle(a), np.angle(a, deg=True)),
            (edges(d),),
            (np.angle,),
            rtol=1e-6,
        )
        for d in ("i4", "f4", "f8")
    ),
    Sample(
        "fftshift",
        lambda a: (
            np.fft.fftshift(a),
            np.fft.ifftshift(a),
            np.fft.fftshift(a, axes=1),
            np.fft.ifftshift(a, axes=(0,)),
        ),
        (X,),
        (np.fft.fftshift, np.fft.ifftshift),
        symbolic=_ROWS,
    ),
    Sample(
        "amax",
        lambda a: (np.amax(a, axis=0), np.amin(a), np.around(a, 1)),
        (X,),
        (np.amax, np.amin, np.around),
        rtol=1e-6,
    ),
]
