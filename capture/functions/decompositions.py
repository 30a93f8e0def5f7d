"""What NumPy computes by decomposing a matrix: refused by name, with the way out."""

from __future__ import annotations

import numpy as np

from capture.functions.registry import REFUSALS

_WAYS_OUT = (
    "\n  ways out: compute it outside the scope and pass the result in; a fixed matrix can be "
    "decomposed or inverted before capture, and x @ inverse recorded"
)
DECOMPOSITIONS: set[object] = set()
"""Functions that wait for matrix decompositions."""

_NAMES = [
    "cholesky",
    "cond",
    "det",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "inv",
    "lstsq",
    "matrix_rank",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "svd",
    "svdvals",
    "tensorinv",
    "tensorsolve",
]

for _name in _NAMES:
    DECOMPOSITIONS.add(getattr(np.linalg, _name))
    REFUSALS[getattr(np.linalg, _name)] = f"it decomposes a matrix{_WAYS_OUT}"
REFUSALS[np.roots] = f"roots are eigenvalues of a matrix{_WAYS_OUT}"
REFUSALS[np.polyfit] = f"a fit is a least-squares solution{_WAYS_OUT}"
DECOMPOSITIONS.update((np.roots, np.polyfit))
