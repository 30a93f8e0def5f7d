"""Running one sample: as plain NumPy, and captured."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

import capture
from tests.samples.base import BFLOAT16, FLOATS, TOLERANCE

if TYPE_CHECKING:
    from ir import Graph
    from tests.samples.base import Sample


def run_numpy(sample: Sample, arrays: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the program's results as arrays, computed by NumPy on copies."""
    copies = [np.array(a, copy=True) if isinstance(a, np.ndarray) else a for a in arrays]
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        results = sample.function(*copies)
    if not isinstance(results, tuple | list):
        results = (results,)
    return tuple(np.asarray(result) for result in results)


def capture_sample(sample: Sample, arrays: tuple[Any, ...], symbolic: bool = False) -> Graph:
    """Return the program's graph."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", capture.scope.UnusedInputWarning)
        return capture.trace(
            _named(sample, len(arrays)), *arrays, dynamic=sample.symbolic if symbolic else None
        )


def _named(sample: Sample, count: int) -> Any:
    """Give ufuncs and lambdas of any signature plain parameter names."""
    names = ", ".join(f"x{i}" for i in range(count))
    namespace = {"function": sample.function}
    exec(f"def program({names}): return function({names})", namespace)
    return namespace["program"]


def assert_same(sample: Sample, got: tuple[Any, ...], want: tuple[Any, ...]) -> None:
    """Compare results: dtype, shape and non-floats exactly, floats to the tolerance."""
    assert len(got) == len(want)
    for position, (g, w) in enumerate(zip(got, want, strict=True)):
        where = f"output {position}"
        assert g.dtype == w.dtype, f"{where}: dtype {g.dtype}, NumPy gives {w.dtype}"
        assert g.shape == w.shape, f"{where}: shape {g.shape}, NumPy gives {w.shape}"
        if w.dtype not in FLOATS:
            np.testing.assert_array_equal(g, w, err_msg=where)
            continue
        rtol = sample.rtol if sample.rtol is not None else TOLERANCE[w.dtype]
        wide = np.float32 if w.dtype in (np.float16, BFLOAT16) else w.dtype
        g, w = g.astype(wide), w.astype(wide)
        np.testing.assert_allclose(g, w, rtol=rtol, atol=sample.atol, err_msg=where)
        zeros = (w == 0) & (g == 0)
        np.testing.assert_array_equal(
            np.signbit(g)[zeros], np.signbit(w)[zeros], err_msg=f"{where}: sign of zero"
        )


def resized(sample: Sample, size: int) -> tuple[Any, ...]:
    """Return the sample's arrays with every symbolic axis at another size."""
    arrays = []
    for position, array in enumerate(sample.arrays):
        for axis in (sample.symbolic or {}).get(position, {}):
            array = np.take(array, np.arange(size) % array.shape[axis], axis=axis)
        arrays.append(array)
    return tuple(arrays)


def outputs(result: Any) -> tuple[Any, ...]:
    """Return a graph's results as a tuple."""
    return result if isinstance(result, tuple) else (result,)
