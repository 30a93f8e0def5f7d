"""Overlapping windows, and functions that call functions."""

from __future__ import annotations

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from tests.samples.base import Sample, normal

X = normal(6, 4)
_ROWS = {0: {0: "n"}}

SAMPLES = [
    Sample(
        "sliding_window_view",
        lambda a: (
            sliding_window_view(a, (2, 3)),
            sliding_window_view(a, 3, axis=0),
            sliding_window_view(a, (2, 2), axis=(1, 1)),
            sliding_window_view(a[0], 2),
        ),
        (X,),
        (sliding_window_view,),
    ),
    Sample(
        "sliding_window_view-symbolic",
        lambda a: sliding_window_view(a, 1, axis=0).sum(axis=-1),
        (X,),
        (sliding_window_view,),
        symbolic=_ROWS,
        empty=False,
    ),
    Sample(
        "apply_along_axis",
        lambda a: (
            np.apply_along_axis(np.sum, 0, a),
            np.apply_along_axis(lambda r: r * r[0], 1, a),
            np.apply_along_axis(lambda r: r[:2], 0, a),
        ),
        (X,),
        (np.apply_along_axis,),
        rtol=1e-5,
    ),
    Sample(
        "apply_over_axes",
        lambda a: (np.apply_over_axes(np.sum, a, [0, -1]), np.apply_over_axes(np.max, a, 1)),
        (X,),
        (np.apply_over_axes,),
        rtol=1e-5,
    ),
    Sample(
        "piecewise",
        lambda a: (
            np.piecewise(a, [a < 0, a >= 0], [lambda v: -v, lambda v: v * 2]),
            np.piecewise(a, [a < -1, a > 1], [-1, 1, lambda v: v]),
        ),
        (X,),
        (np.piecewise,),
        symbolic=_ROWS,
    ),
]
