"""Products, norms, ufunc methods, polynomials: NumPy's errors, refusals with a way out."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.special

import capture
from capture.errors import LostWriteError, UnsupportedError
from ir.dims import Dim

A = np.arange(6.0).reshape(2, 3)
SQUARE = np.arange(9.0).reshape(3, 3)
V = np.arange(1.0, 4.0)

MISTAKES = {
    "dot-shapes": lambda a: np.dot(a, a),
    "dot-out": lambda a: np.dot(a, a.T, out=np.zeros_like(a)),
    "inner-shapes": lambda a: np.inner(a, a[:, :2]),
    "vdot-shapes": lambda a: np.vdot(a, a[:, :2]),
    "matmul-shapes": lambda a: a @ a,
    "matmul-0d": lambda a: np.matmul(a, 2),
    "matmul-axis": lambda a: np.matmul(a, a.T, axis=0),
    "matmul-axes": lambda a: np.matmul(a, a.T, axes=[(0, 1), (0, 1)]),
    "matmul-axes-tuple": lambda a: np.matmul(a, a.T, axes=((0, 1), (0, 1), (0, 1))),
    "matmul-casting": lambda a: np.matmul(a, a.T, dtype=np.int64),
    "vecdot-one": lambda a: np.vecdot(a, a[:, :1]),
    "vecdot-both": lambda a: np.vecdot(a, a, axis=0, axes=[0, 0]),
    "tensordot-shapes": lambda a: np.tensordot(a, a, 1),
    "tensordot-count": lambda a: np.tensordot(a, a, 3),
    "tensordot-twice": lambda a: np.tensordot(a, a, ([0, 0], [0, 0])),
    "tensordot-lengths": lambda a: np.tensordot(a, a, ([0, 1], [0])),
    "tensordot-float": lambda a: np.tensordot(a, a, 1.0),
    "tensordot-axis": lambda a: np.tensordot(a, a, ([2], [0])),
    "outer-2d": lambda a: np.linalg.outer(a, a),
    "cross-size": lambda a: np.cross(np.concatenate([a, a], 1), a),
    "cross-axis": lambda a: np.cross(a, a, axis=2),
    "cross-0d": lambda a: np.cross(a[0, 0], a),
    "cross-bools": lambda a: np.cross(a > 0, a > 0),
    "linalg-cross": lambda a: np.linalg.cross(a[:, :2], a),
    "multi_dot-one": lambda a: np.linalg.multi_dot([a]),
    "multi_dot-rank": lambda a: np.linalg.multi_dot([a, a.T[None], a]),
    "matrix_power-shape": lambda a: np.linalg.matrix_power(a, 2),
    "matrix_power-rank": lambda a: np.linalg.matrix_power(a[0], 2),
    "matrix_power-float": lambda a: np.linalg.matrix_power(a[:, :2], 2.0),
    "norm-order": lambda a: np.linalg.norm(a, 3),
    "norm-name": lambda a: np.linalg.norm(a, "fro", axis=0),
    "norm-same-axes": lambda a: np.linalg.norm(a, axis=(1, 1)),
    "norm-three-axes": lambda a: np.linalg.norm(a[None], 2),
    "norm-axis-text": lambda a: np.linalg.norm(a, axis="rows"),
    "norm-axis": lambda a: np.linalg.norm(a, axis=2),
    "norm-empty": lambda a: np.linalg.norm(a[:0], -np.inf, axis=0),
    "einsum-nothing": lambda a: np.einsum("ij->ij"),
    "einsum-symbol": lambda a: np.einsum("i$", a),
    "einsum-many": lambda a: np.einsum("ijk", a),
    "einsum-few": lambda a: np.einsum("i", a),
    "einsum-operands": lambda a: np.einsum("ij,jk", a),
    "einsum-output": lambda a: np.einsum("ij->ik", a),
    "einsum-twice": lambda a: np.einsum("ij->ii", a),
    "einsum-diagonal": lambda a: np.einsum("ii", a),
    "einsum-sizes": lambda a: np.einsum("ij,jk", a, a),
    "einsum-dtype": lambda a: np.einsum("ij->i", a, dtype=np.int64),
    "einsum-keyword": lambda a: np.einsum("ij->i", a, keepdims=True),
    "einsum-path": lambda a: np.einsum("ij,kj,lj", a, a, a, optimize="best"),
    "einsum-sublist": lambda a: np.einsum(a, [0, 52]),
    "einsum-out": lambda a: np.einsum("ij->i", a, out=np.zeros_like(a)),
    "einsum-ellipsis": lambda a: np.einsum("...i->i", a),
    "convolve-empty": lambda a: np.convolve(a[0], a[0, :0]),
    "convolve-rank": lambda a: np.convolve(a, a[0]),
    "convolve-mode": lambda a: np.convolve(a[0], a[0], "most"),
    "correlate-0d": lambda a: np.correlate(a[0], a[0, 0]),
    "correlate-empty": lambda a: np.correlate(a[0, :0], a[0]),
    "polyder-order": lambda a: np.polyder(a[0], -1),
    "polyint-order": lambda a: np.polyint(a[0], -1),
    "polyint-constants": lambda a: np.polyint(a[0], 3, [1, 2]),
    "polymul-rank": lambda a: np.polymul(a, a[0]),
    "polyadd-rank": lambda a: np.polyadd(a, a[0]),
    "poly-rank": lambda a: np.poly(a),
    "reduce-unary": lambda a: np.negative.reduce(a),
    "reduce-two-results": lambda a: np.divmod.reduce(a),
    "reduce-signature": lambda a: np.matmul.reduce(a),
    "reduce-axes": lambda a: np.subtract.reduce(a, axis=(0, 1)),
    "reduce-axis": lambda a: np.add.reduce(a, axis=2),
    "reduce-axis-list": lambda a: np.add.reduce(a, axis=[0]),
    "reduce-loop": lambda a: np.equal.reduce(a),
    "reduce-floats": lambda a: np.bitwise_and.reduce(a),
    "reduce-dtype": lambda a: np.logical_and.reduce(a, dtype=np.float64),
    "reduce-where": lambda a: np.maximum.reduce(a, where=a > 0),
    "reduce-where-fold": lambda a: np.divide.reduce(a, where=a > 0),
    "reduce-empty": lambda a: np.maximum.reduce(a[:0]),
    "reduce-empty-fold": lambda a: np.divide.reduce(a[:0]),
    "reduce-empty-subtract": lambda a: np.subtract.reduce(a[:0]),
    "accumulate-0d": lambda a: np.add.accumulate(a[0, 0]),
    "accumulate-axes": lambda a: np.add.accumulate(a, axis=None),
    "accumulate-unary": lambda a: np.negative.accumulate(a),
    "outer-unary": lambda a: np.negative.outer(a, a),
    "outer-three": lambda a: np.add.outer(a, a, a),
    "outer-signature": lambda a: np.matmul.outer(a, a),
    "reduceat-bounds": lambda a: np.add.reduceat(a, [0, 2]),
    "reduceat-negative": lambda a: np.add.reduceat(a, [-1]),
    "reduceat-0d": lambda a: np.add.reduceat(a[0, 0], [0]),
    "reduceat-nested": lambda a: np.add.reduceat(a, [[0, 1]]),
    "at-unary": lambda a: np.negative.at(a.copy(), 0, 1),
    "at-missing": lambda a: np.add.at(a.copy(), 0),
    "at-scalar": lambda a: np.add.at(a[0, 0], 0, 1),
    "at-bounds": lambda a: np.add.at(a.copy(), [5], 1),
    "at-shape": lambda a: np.add.at(a.copy(), [0, 1], np.ones(2)),
    "at-signature": lambda a: np.matmul.at(a.copy(), [0], a),
    "at-two-results": lambda a: np.divmod.at(a.copy(), [0], a),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_raise_what_numpy_raises(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(
            (ValueError, TypeError, IndexError, RuntimeError, KeyError)
        ) as eager:
            MISTAKES[name](A)
        kind = next(
            k
            for k in (np.linalg.LinAlgError, IndexError, TypeError, ValueError, Exception)
            if isinstance(eager.value, k)
        )
        with pytest.raises(kind) as captured:
            capture.trace(MISTAKES[name], A)
    assert not isinstance(captured.value, UnsupportedError)


REFUSED = {
    "inv": (lambda a: np.linalg.inv(a), "decomposes a matrix"),
    "solve": (lambda a: np.linalg.solve(a, a), "decomposes a matrix"),
    "det": (lambda a: np.linalg.det(a), "has no captured form yet"),
    "roots": (lambda a: np.roots(a[0]), "eigenvalues"),
    "polyfit": (lambda a: np.polyfit(a[0], a[1], 1), "least-squares"),
    "poly": (lambda a: np.poly(a), "eigenvalues"),
    "negative-power": (lambda a: np.linalg.matrix_power(a, -1), "invert outside"),
    "spectral-norm": (lambda a: np.linalg.norm(a, 2), "singular values"),
    "smallest-norm": (lambda a: np.linalg.norm(a, -2), "singular values"),
    "nuclear-norm": (lambda a: np.linalg.matrix_norm(a, ord="nuc"), "singular values"),
    "poly1d": (lambda a: np.polyadd(np.poly1d([1, 2]), a[0]), "its .coeffs"),
    "optimized-out": (
        lambda a: np.einsum("ij,ij->", a, a, out=a[0, 0, ...].astype("f4"), optimize=True),
        "give dtype=",
    ),
    "scipy": (lambda a: scipy.special.jv(1, a), "jv"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refusals_say_what_to_do(name):
    program, text = REFUSED[name]
    with pytest.raises(UnsupportedError) as caught:
        capture.trace(program, SQUARE)
    assert text in str(caught.value)
    assert "ways out" in str(caught.value)


N = Dim("n", min=1)
OPEN = {
    "reduceat": lambda a: np.add.reduceat(a, [0, 1]),
    "einsum_path": lambda a: np.einsum_path("ij,kj", a, a),
    "correlate": lambda a: np.correlate(a[:, 0], np.ones(3), "same"),
    "cross": lambda a: np.cross(a.T, a.T),
    "polyval": lambda a: np.polyval(a[:, 0], 2.0),
    "poly": lambda a: np.poly(a[:, 0]),
}


@pytest.mark.parametrize("name", OPEN)
def test_what_depends_on_an_open_size_is_refused(name):
    with pytest.raises(UnsupportedError):
        capture.trace(OPEN[name], capture.TensorSpec((N, 3), np.float64))


def test_bounds_of_an_axis_let_segments_through():
    graph = capture.trace(
        lambda a: np.add.reduceat(a, [0, 1]),
        capture.TensorSpec((Dim("n", min=2),), np.float64),
    )
    np.testing.assert_array_equal(graph(V), np.add.reduceat(V, [0, 1]))


def test_sizes_that_may_differ_are_refused():
    specs = [capture.TensorSpec((Dim(name),), np.float64) for name in "nm"]
    with pytest.raises(ValueError, match=r"n.*m"):  # einsum repeats an axis of 1
        capture.trace(lambda a, b: np.einsum("i,i", a, b), *specs)


def test_multiplied_sizes_have_to_agree_when_the_graph_runs():
    specs = [capture.TensorSpec((Dim(name),), np.float64) for name in "nm"]
    for program in (np.dot, np.inner, np.vecdot):
        graph = capture.trace(lambda a, b, f=program: f(a, b), *specs)
        assert graph(V, V) == program(V, V)
        with pytest.raises(ValueError, match="needs m == n, but"):
            graph(V, V[:2])


@pytest.mark.parametrize("ufunc", [np.add, np.maximum, np.divide, np.logical_or])
def test_at_into_a_plain_array_is_refused(ufunc):
    plain = np.zeros(3)
    with pytest.raises(LostWriteError, match=f"{ufunc.__name__}.at"):
        capture.trace(lambda v: ufunc.at(plain, [0, 1], v[:2]), V)
    np.testing.assert_array_equal(plain, np.zeros(3))


def test_bad_indices_of_segments_fail_when_the_graph_runs():
    graph = capture.trace(np.add.reduceat, V, np.array([0, 1]))
    np.testing.assert_array_equal(graph(V, np.array([2, 1])), np.add.reduceat(V, [2, 1]))
    for index in (3, -1):
        with pytest.raises(Exception, match="out of bounds"):
            graph(V, np.array([0, index]))


def test_a_single_operand_of_einsum_comes_back_as_a_view():
    def program(a):
        y = a.copy()
        np.einsum("ii->i", y)[:] = 0
        np.einsum("ij->ji", y)[0, 1:] = 7
        return y

    np.testing.assert_array_equal(capture.trace(program, SQUARE)(SQUARE), program(SQUARE))


def test_scipy_is_not_imported_for_its_functions():
    import subprocess
    import sys

    code = "import sys, capture, exporters; assert 'scipy' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
