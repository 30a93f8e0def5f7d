"""Shapes and joining: aliases, layouts, kinds and errors as NumPy's."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import capture

A = np.arange(1.0, 13.0).reshape(3, 4)
SQUARE = np.arange(1.0, 17.0).reshape(4, 4)

LAYOUTS = {
    "C": lambda a: a * 1,
    "F": lambda a: (a * 1).T,
    "stepped": lambda a: (a * 1)[::2],
    "reversed": lambda a: (a * 1)[:, ::-1],
    "row": lambda a: (a * 1)[1:2],
}

FUNCTIONS = {
    "atleast_1d": np.atleast_1d,
    "atleast_2d": lambda y: np.atleast_2d(y[0]),
    "atleast_3d": np.atleast_3d,
    "vstack": lambda y: np.vstack([y, y]),
    "vstack-one": lambda y: np.vstack([y]),
    "hstack": lambda y: np.hstack([y, y]),
    "dstack": lambda y: np.dstack([y, y]),
    "column_stack": lambda y: np.column_stack([y, y[:, 0]]),
    "concatenate-one": lambda y: np.concatenate([y]),
    "append": lambda y: np.append(y, y, 1),
    "append-flat": lambda y: np.append(y, 1),
    "block": lambda y: np.block([[y, y], [y, y]]),
    "block-bare": np.block,
    "split": lambda y: np.split(y, 2, axis=1)[1],
    "array_split": lambda y: np.array_split(y, 2)[0],
    "split-positions": lambda y: np.split(y, [1], axis=1)[0],
    "hsplit": lambda y: np.hsplit(y, [1, 2])[1],
    "unstack": lambda y: np.unstack(y, axis=1)[0],
    "repeat": lambda y: np.repeat(y, 2, 0),
    "repeat-1": lambda y: np.repeat(y, 1, 1),
    "repeat-list": lambda y: np.repeat(y, [2] * y.shape[0], 0),
    "tile": lambda y: np.tile(y, (2, 1)),
    "tile-1": lambda y: np.tile(y, 1),
    "resize": lambda y: np.resize(y, (2, 2)),
    "resize-same": lambda y: np.resize(y, y.shape),
    "flip": np.flip,
    "flip-none": lambda y: np.flip(y, ()),
    "flipud": np.flipud,
    "fliplr": np.fliplr,
    "rot90": np.rot90,
    "rot90-0": lambda y: np.rot90(y, 0),
    "rot90-2": lambda y: np.rot90(y, 2),
    "rot90-3": lambda y: np.rot90(y, 3),
    "roll": lambda y: np.roll(y, 1),
    "roll-0": lambda y: np.roll(y, 0),
    "roll-axis": lambda y: np.roll(y, 1, 0),
    "roll-axis-0": lambda y: np.roll(y, 0, 0),
    "rollaxis": lambda y: np.rollaxis(y, 1),
    "pad": lambda y: np.pad(y, 1),
    "pad-0": lambda y: np.pad(y, 0),
    "pad-edge": lambda y: np.pad(y, 1, "edge"),
    "pad-reflect": lambda y: np.pad(y, ((0, 0), (1, 1)), "reflect", reflect_type="odd"),
    "pad-mean-0": lambda y: np.pad(y, 0, "mean"),
    "pad-ramp": lambda y: np.pad(y, 1, "linear_ramp"),
    "diagonal": np.diagonal,
    "diagonal-method": lambda y: y.diagonal(1),
    "diag": np.diag,
    "diag-vector": lambda y: np.diag(y[0]),
    "diagflat": np.diagflat,
    "triu": np.triu,
    "tril": lambda y: np.tril(y, 1),
    "meshgrid": lambda y: np.meshgrid(y[0], y[:, 0])[0],
    "meshgrid-view": lambda y: np.meshgrid(y[0], y[:, 0], sparse=True, copy=False)[1],
    "insert": lambda y: np.insert(y, 1, 0, 0),
    "insert-many": lambda y: np.insert(y, [0, 1], 0, 0),
    "delete": lambda y: np.delete(y, 0, 0),
    "delete-slice": lambda y: np.delete(y, slice(0, 0), 0),
    "trim_zeros": np.trim_zeros,
    "trim_zeros-axis": lambda y: np.trim_zeros(y, axis=()),
    "vander": lambda y: np.vander(y[0]),
    "matrix_transpose": np.linalg.matrix_transpose,
    "view": lambda y: y.view(),
    "view-same": lambda y: y.view(y.dtype),
}


def _write(target, value):
    """Write, and say whether NumPy allows it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            target[...] = value
        except ValueError:
            return 0.0
    return 1.0


def _aliasing(function, layout):
    """Tell views from copies by writing into the result, then into the operand."""

    def program(a):
        y = layout(a)
        result = function(y)
        allowed = _write(result, 77)
        before = result * 1
        y[...] = y + 1
        return y, before, result * 1, a * 0 + allowed

    return program


def _reshaping(function, layout):
    """Tell layouts apart: ``reshape(-1)`` copies where the result is not contiguous."""

    def program(a):
        result = function(layout(a)) if layout else function(a)
        allowed = _write(result.reshape(-1), 55)
        fortran = result.reshape(-1, order="F")
        return result * 1, fortran * 1, a * 0 + allowed

    return program


PROGRAMS = [
    *((_aliasing, name) for name in FUNCTIONS),
    # the sizes of trim_zeros are symbolic: where a reshape may copy, the write is refused
    *((_reshaping, name) for name in FUNCTIONS if name != "trim_zeros"),
]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(("build", "name"), PROGRAMS)
def test_views_copies_and_layouts(build, name, layout):
    program = build(FUNCTIONS[name], LAYOUTS[layout])
    try:
        want = program(SQUARE.copy())
    except ValueError as error:
        with pytest.raises(type(error)):
            capture.trace(program, SQUARE)
        return
    got = capture.trace(program, SQUARE)(SQUARE)
    for g, w in zip(got, want, strict=True):
        np.testing.assert_array_equal(g, w)


ZERO_D = {
    "roll": lambda y: np.roll(y, 1),
    "flip": np.flip,
    "tile": lambda y: np.tile(y, ()),
    "pad": lambda y: np.pad(y, 1),
    "resize": lambda y: np.resize(y, ()),
    "block": np.block,
    "trace": lambda y: np.trace(np.reshape(y, (1, 1))),
    "unravel_index": lambda y: np.unravel_index(y.astype(int) * 0, (2, 3))[0],
    "ravel_multi_index": lambda y: np.ravel_multi_index((y.astype(int) * 0,), (2,)),
    "trim_zeros": lambda y: np.trim_zeros(y),
}


@pytest.mark.parametrize("name", ZERO_D)
@pytest.mark.parametrize("scalar", [False, True])
def test_0d_arrays_and_scalars_are_told_apart(name, scalar):
    value = np.float64(3.0) if scalar else np.array(3.0)
    want = isinstance(ZERO_D[name](value), np.ndarray)
    seen = []

    def program(y):
        result = ZERO_D[name](y)
        seen.append(isinstance(result, np.ndarray))
        return result * 1

    capture.trace(program, value)
    assert seen == [want]


ERRORS = {
    "hstack": lambda a: np.hstack([a, a[:2]]),
    "vstack-empty": lambda a: np.append(a, a[0], 0),
    "dstack": lambda a: np.dstack([a, a[:2]]),
    "concat-0d": lambda a: np.append(a[0, 0], 1, 0),
    "block-tuple": lambda a: np.block([(a, a)]),
    "block-empty": lambda a: np.block([[a], []]),
    "block-depth": lambda a: np.block([[a], a]),
    "split": lambda a: np.split(a, 2),
    "split-0": lambda a: np.array_split(a, 0),
    "hsplit": lambda a: np.hsplit(a[0, 0], 1),
    "vsplit": lambda a: np.vsplit(a[0], 1),
    "dsplit": lambda a: np.dsplit(a, 1),
    "split-axis": lambda a: np.split(a, 2, axis=5),
    "split-floats": lambda a: np.split(a, [1.5]),
    "unstack": lambda a: np.unstack(a[0, 0]),
    "repeat-negative": lambda a: np.repeat(a, -1),
    "repeat-negatives": lambda a: np.repeat(a, [1, -2, 0], 0),
    "repeat-count": lambda a: np.repeat(a, [1, 2], 0),
    "repeat-float": lambda a: np.repeat(a, np.array([1.5, 2, 1]), 0),
    "repeat-axis": lambda a: np.repeat(a, 2, 5),
    "tile-negative": lambda a: np.tile(a, -1),
    "tile-float": lambda a: np.tile(a, 1.5),
    "resize-negative": lambda a: np.resize(a, (2, -1)),
    "flip-twice": lambda a: np.flip(a, (0, 0)),
    "flip-axis": lambda a: np.flip(a, 3),
    "fliplr": lambda a: np.fliplr(a[0]),
    "flipud": lambda a: np.flipud(a[0, 0]),
    "rot90-same": lambda a: np.rot90(a, 1, (0, -2)),
    "rot90-range": lambda a: np.rot90(a, 1, (0, -3)),
    "rot90-count": lambda a: np.rot90(a, 1, (0,)),
    "roll-shapes": lambda a: np.roll(a, (1, 2), (0, 1, 0)),
    "roll-nested": lambda a: np.roll(a, [[1]], 0),
    "roll-axis": lambda a: np.roll(a, 1, 2),
    "rollaxis": lambda a: np.rollaxis(a, 0, 4),
    "pad-float": lambda a: np.pad(a, 1.0),
    "pad-negative": lambda a: np.pad(a, -1),
    "pad-bool": lambda a: np.pad(a, True),
    "pad-none": lambda a: np.pad(a, None),
    "pad-mode": lambda a: np.pad(a, 1, "foo"),
    "pad-option": lambda a: np.pad(a, 1, "edge", constant_values=1),
    "pad-stat": lambda a: np.pad(a, 1, "maximum", stat_length=0),
    "pad-stat-negative": lambda a: np.pad(a, 1, "mean", stat_length=-1),
    "pad-empty": lambda a: np.pad(a[:0], 1, "edge"),
    "pad-dict": lambda a: np.pad(a, {5: 1}),
    "pad-overflow": lambda a: np.pad(a.astype("i1"), 1, constant_values=300),
    "diagonal": lambda a: np.diagonal(a[0]),
    "diagonal-same": lambda a: np.diagonal(a, 0, 0, 0),
    "diagonal-axis": lambda a: np.diagonal(a, 0, 2, 0),
    "diagonal-float": lambda a: np.diagonal(a, 1.5),
    "diag": lambda a: np.diag(a[None]),
    "trace": lambda a: np.trace(a[0]),
    "fill_diagonal": lambda a: np.fill_diagonal(a[0], 1),
    "fill_diagonal-shape": lambda a: np.fill_diagonal(a[None], 1),
    "fill_diagonal-overflow": lambda a: np.fill_diagonal(a.astype("u1"), 300),
    "tril-0d": lambda a: np.tril(a[0, 0]),
    "triu_indices_from": lambda a: np.triu_indices_from(a[0]),
    "diag_indices_from": lambda a: np.diag_indices_from(a[0]),
    "diag_indices_from-shape": lambda a: np.diag_indices_from(a),
    "meshgrid": lambda a: np.meshgrid(a, indexing="zz"),
    "ix_": lambda a: np.ix_(a),
    "vander": lambda a: np.vander(a),
    "vander-negative": lambda a: np.vander(a[0], -1),
    "unravel_index-float": lambda a: np.unravel_index(a, (2, 3)),
    "unravel_index-order": lambda a: np.unravel_index(a.astype(int), (2, 3), order="K"),
    "unravel_index-0d": lambda a: np.unravel_index(a.astype(int) * 0, ()),
    "ravel_multi_index-count": lambda a: np.ravel_multi_index((a.astype(int),), (2, 3)),
    "ravel_multi_index-mode": lambda a: np.ravel_multi_index((a.astype(int),), (2,), mode="x"),
    "ravel_multi_index-modes": lambda a: np.ravel_multi_index(
        (a.astype(int),), (2,), mode=("wrap",) * 2
    ),
    "delete": lambda a: np.delete(a, 4, 1),
    "delete-list": lambda a: np.delete(a, [0, 9], 0),
    "delete-mask": lambda a: np.delete(a, [True, False], 0),
    "delete-float": lambda a: np.delete(a, 1.5, 0),
    "delete-captured-float": lambda a: np.delete(a, a[0], 0),
    "delete-captured-mask": lambda a: np.delete(a, a > 0, 0),
    "delete-axis": lambda a: np.delete(a, 0, 5),
    "insert": lambda a: np.insert(a, 4, 0, 0),
    "insert-list": lambda a: np.insert(a, [0, 9], 0, 0),
    "insert-shape": lambda a: np.insert(a, 1, [1, 2, 3], 0),
    "insert-nested": lambda a: np.insert(a, [[1], [2]], 0, 0),
    "insert-mask": lambda a: np.insert(a, np.array([[True]]), 0, 0),
    "trim_zeros": lambda a: np.trim_zeros(a, "x"),
    "trim_zeros-axis": lambda a: np.trim_zeros(a, axis=3),
    "trim_zeros-twice": lambda a: np.trim_zeros(a, axis=(0, 0)),
}


WORDED_DIFFERENTLY = {
    "dstack",
    "hstack",
    "insert-shape",
    "pad-overflow",
    "split-axis",
    "split-floats",
    "vstack-empty",
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors_are_numpys(name):
    try:
        ERRORS[name](A.copy())
    except Exception as error:
        wanted = error
    with pytest.raises(type(wanted)) as got:
        capture.trace(ERRORS[name], A)
    if name not in WORDED_DIFFERENTLY:
        first = str(wanted).partition("  Mismatch")[0]
        assert first in str(got.value)
