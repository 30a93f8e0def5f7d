"""Statistics, sorting, searching, sets: errors and kinds of results as NumPy's."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import capture
from capture.errors import ConcreteValueError, LostWriteError, UnsupportedError
from ir.errors import EvaluationError

A = np.array([[3.0, 1.0, 2.0], [0.5, 2.0, -1.0]])
V = np.array([3, 1, 2, 1])


SAME_ERROR = {
    "var-axis": lambda a: np.var(a, axis=2),
    "var-ddof-correction": lambda a: np.var(a, ddof=1, correction=1),
    "std-axis-twice": lambda a: np.std(a, axis=(0, 0)),
    "average-axis-weights": lambda a: np.average(a, weights=[1.0, 2.0]),
    "average-weights-shape": lambda a: np.average(a, axis=1, weights=[1.0, 2.0]),
    "average-zero-weights": lambda a: np.average(a, axis=0, weights=[0.0, 0.0]),
    "cov-3d": lambda a: np.cov(a[None]),
    "cov-ddof": lambda a: np.cov(a, ddof=1.5),
    "cov-fweights": lambda a: np.cov(a, fweights=[1, 2]),
    "cov-fweights-float": lambda a: np.cov(a, fweights=[1.5, 2, 3]),
    "cov-fweights-negative": lambda a: np.cov(a, fweights=[1, 2, -3]),
    "cov-aweights": lambda a: np.cov(a, aweights=[[1, 2, 3]]),
    "nanmean-dtype": lambda a: np.nanmean(a, dtype=int),
    "nanvar-dtype": lambda a: np.nanvar(a, dtype=int),
    "nanvar-ddof-correction": lambda a: np.nanvar(a, ddof=1, correction=2),
    "median-axis": lambda a: np.median(a, axis=3),
    "quantile-range": lambda a: np.quantile(a, 1.5),
    "quantile-many-range": lambda a: np.quantile(a, [0.5, -0.1]),
    "percentile-range": lambda a: np.percentile(a, 101),
    "quantile-method": lambda a: np.quantile(a, 0.5, method="other"),
    "quantile-weights-method": lambda a: np.quantile(a, 0.5, weights=a),
    "quantile-weights-negative": lambda a: np.quantile(
        a, 0.5, weights=-np.ones((2, 3)), method="inverted_cdf"
    ),
    "quantile-3d-q": lambda a: np.quantile(a, [[[0.5]]]),
    "quantile-empty": lambda a: np.quantile(a[:0], 0.5, axis=0),
    "nanquantile-range": lambda a: np.nanquantile(a, 2),
    "cumsum-axis": lambda a: np.cumsum(a, axis=2),
    "cumulative_sum-axis": np.cumulative_sum,
    "diff-negative": lambda a: np.diff(a, -1),
    "diff-0d": lambda a: np.diff(a[0, 0]),
    "diff-axis": lambda a: np.diff(a, axis=5),
    "ediff1d-dtype": lambda a: np.ediff1d(a.astype(np.int32), to_begin=1.5),
    "gradient-short": lambda a: np.gradient(a[:1], axis=0),
    "gradient-short-2": lambda a: np.gradient(a, axis=0, edge_order=2),
    "gradient-order": lambda a: np.gradient(a, edge_order=3),
    "gradient-arguments": lambda a: np.gradient(a, 1.0, 2.0, 3.0),
    "gradient-length": lambda a: np.gradient(a, [1.0, 2.0, 3.0], axis=0),
    "gradient-2d-coordinates": lambda a: np.gradient(a, [[1.0, 2.0]], axis=0),
    "sort-0d": lambda a: np.sort(a[0, 0]),
    "sort-axis": lambda a: np.sort(a, axis=2),
    "sort-kind": lambda a: np.sort(a, kind="other" * 2),
    "sort-kind-stable": lambda a: np.sort(a, kind="quicksort", stable=True),
    "sort-order": lambda a: np.argsort(a, order="field"),
    "sort-method-axis": lambda a: (a * 1).sort(axis=2),
    "lexsort-empty": lambda a: np.lexsort([]) if a is None else np.lexsort(a[:0]),
    "lexsort-shapes": lambda a: np.lexsort((a[0], a[0, :2])),
    "partition-kth": lambda a: np.partition(a, 3),
    "partition-kth-float": lambda a: np.partition(a, 1.0),
    "partition-kth-bool": lambda a: np.partition(a, True),
    "partition-kind": lambda a: np.argpartition(a, 1, kind="quick"),
    "searchsorted-2d": lambda a: np.searchsorted(a, 1.0),
    "searchsorted-0d": lambda a: np.searchsorted(a[0, 0], 1.0),
    "searchsorted-side": lambda a: np.searchsorted(a[0], 1.0, side="middle"),
    "searchsorted-sorter": lambda a: np.searchsorted(a[0], 1.0, sorter=[0, 1]),
    "searchsorted-sorter-float": lambda a: np.searchsorted(a[0], 1.0, sorter=[0.0, 1.0, 2.0]),
    "digitize-order": lambda a: np.digitize(a, [0.0, 2.0, 1.0]),
    "digitize-2d": lambda a: np.digitize(a, [[0.0]]),
    "interp-lengths": lambda a: np.interp(a, [0.0, 1.0], [1.0]),
    "interp-empty": lambda a: np.interp(a, [], []),
    "interp-period": lambda a: np.interp(a, [0.0, 1.0], [1.0, 2.0], period=0),
    "histogram-weights": lambda a: np.histogram(a, weights=[1.0]),
    "histogram-range": lambda a: np.histogram(a, range=(1, 0)),
    "histogram-range-nan": lambda a: np.histogram(a, range=(0, np.inf)),
    "histogram-bins": lambda a: np.histogram(a, bins=0),
    "histogram-bins-float": lambda a: np.histogram(a, bins=2.5),
    "histogram-bins-2d": lambda a: np.histogram(a, bins=[[1.0]]),
    "histogram-bins-order": lambda a: np.histogram(a, bins=[1.0, 0.0]),
    "histogram2d-lengths": lambda a: np.histogram2d(a[0], a[0, :2]),
    "histogramdd-bins": lambda a: np.histogramdd(a, bins=(2, 3)),
    "histogramdd-positive": lambda a: np.histogramdd(a, bins=0),
    "histogramdd-order": lambda a: np.histogramdd(a.T, bins=(2, [1.0, 0.0])),
    "histogramdd-range": lambda a: np.histogramdd(a, range=[(0, 1)]),
    "histogramdd-float": lambda a: np.histogramdd(a, bins=1.5),
    "bincount-float": lambda a: np.bincount(a[0]),
    "bincount-2d": lambda a: np.bincount(a.astype(np.int64)),
    "bincount-minlength": lambda a: np.bincount(a[0].astype(np.int64), minlength=-1),
    "bincount-weights": lambda a: np.bincount(np.abs(a[0]).astype(np.int64), weights=[1.0]),
    "unique-axis": lambda a: np.unique(a, axis=2),
    "isin-kind": lambda a: np.isin(a, [1], kind="other"),
    "isin-table": lambda a: np.isin(a, [1.0], kind="table"),
    "ptp-bool": lambda a: np.ptp(a > 0),
    "quantile-bool": lambda a: np.quantile(a > 0, 0.3),
    "diff-complex-to_end": lambda a: np.ediff1d(a.astype(np.uint8), to_end=-1),
}


@pytest.mark.parametrize("name", SAME_ERROR)
def test_errors_are_numpys(name):
    function = SAME_ERROR[name]
    with pytest.raises(Exception) as wanted:  # noqa: PT011
        function(A)
    expected = TypeError if isinstance(wanted.value, TypeError) else type(wanted.value)
    with pytest.raises(expected) as caught:
        capture.trace(function, A)
    assert str(caught.value).startswith(str(wanted.value).split(" with casting")[0])


REFUSED = {
    "sort_complex": (np.sort_complex, "complex numbers are not captured"),
    "histogram-stone": (lambda a: np.histogram(a, bins="stone"), "bins='stone'"),
    "unique-rows": (lambda a: np.unique(np.zeros((2, 65)) + a[0, 0], axis=0), "65 columns"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refusals_say_why(name):
    function, message = REFUSED[name]
    with pytest.raises(UnsupportedError, match=message):
        capture.trace(function, A)


def test_array_equal_of_unrelated_sizes_is_refused():
    with pytest.raises(UnsupportedError, match="have one shape is known only when"):
        capture.trace(
            lambda a, b: np.array_equal(a, b), V, V, dynamic={0: {0: "n"}, 1: {0: "m"}}
        )


@pytest.mark.parametrize(
    ("write", "shape"),
    [
        (lambda a, out: np.cumsum(a, out=out), (6,)),
        (lambda a, out: np.var(a, out=out), ()),
        (lambda a, out: np.median(a, axis=0, out=out), (3,)),
        (lambda a, out: np.quantile(a, 0.5, axis=0, out=out), (3,)),
        (lambda a, out: np.nanmax(a, axis=0, out=out), (3,)),
        (lambda a, out: np.nanmean(a, axis=0, out=out), (3,)),
        (lambda a, out: np.isposinf(a, out=out), (2, 3)),
        (lambda a, out: np.fix(a, out=out), (2, 3)),
        (lambda a, out: np.ptp(a, out=out), ()),
    ],
)
def test_plain_destinations_are_refused(write, shape):
    device = capture.CaptureDevice()
    with capture.capture_scope(device, intercept=False) as scope:
        x = scope.input("x", A.shape, A.dtype)
        with pytest.raises(LostWriteError):
            write(x, np.zeros(shape))


@pytest.mark.parametrize(
    "write",
    [
        lambda a, out: np.cumsum(a, axis=1, out=out),
        lambda a, out: np.nancumprod(a, axis=0, out=out),
        lambda a, out: np.fix(a, out=out),
        lambda a, out: np.var(a[..., None], axis=-1, out=out),
        lambda a, out: np.median(a[..., None], axis=-1, out=out),
        lambda a, out: np.nanquantile(a[..., None], 0.5, axis=-1, out=out),
    ],
)
def test_captured_destinations_are_written(write):
    def program(a):
        out = a * 0
        result = write(a, out)
        assert result is out
        return out

    graph = capture.trace(program, A)
    np.testing.assert_allclose(graph(A), program(A))


def test_truth_of_a_captured_comparison_of_arrays_is_refused():
    with pytest.raises(ConcreteValueError):
        capture.trace(lambda a: a if np.allclose(a, 1.0) else -a, A)
    graph = capture.trace(lambda a: a * np.array_equal(a, a[:, :2]), A)  # False for certain
    np.testing.assert_array_equal(graph(A), A * 0)


RUN_TIME = {
    "bincount-negative": (lambda a: np.bincount(a), np.array([1, 2]), np.array([1, -2])),
    "nanargmax": (lambda a: np.nanargmax(a, axis=1), A, np.full((2, 3), np.nan)),
    "nanargmin": (np.nanargmin, A, np.full((2, 3), np.nan)),
    "histogram-nan": (lambda a: np.histogram(a)[0], A, np.full((2, 3), np.nan)),
    "quantile-range": (
        lambda q: np.quantile(q * 0 + A[0], q),
        np.full(3, 0.5),
        np.full(3, 1.5),
    ),
    "weights": (
        lambda w: np.quantile(w * 0 + A[0], 0.5, weights=w, method="inverted_cdf"),
        np.ones(3),
        np.zeros(3),
    ),
}


@pytest.mark.parametrize("name", RUN_TIME)
def test_what_depends_on_data_fails_when_the_graph_runs(name):
    function, good, bad = RUN_TIME[name]
    graph = capture.trace(function, good)
    np.testing.assert_allclose(graph(good), function(good))
    with pytest.raises((ValueError, IndexError)), np.errstate(all="ignore"):
        function(bad)
    with pytest.raises(EvaluationError):
        graph(bad)


SCALARS = {
    "var": np.var,
    "std-method": lambda a: a.std(),
    "median": np.median,
    "quantile": lambda a: np.quantile(a, 0.5),
    "quantile-strong": lambda a: np.quantile(a, np.array(0.5)),
    "nanquantile": lambda a: np.nanquantile(a, 0.25),
    "nanmedian": np.nanmedian,
    "nanmax": np.nanmax,
    "nanvar": np.nanvar,
    "average": lambda a: np.average(a, weights=a),
    "searchsorted": lambda a: np.searchsorted(a[0], 1.0),
    "digitize": lambda a: np.digitize(a[0, 0], [0.0, 1.0]),
    "interp": lambda a: np.interp(a[0, 0], [0.0, 1.0], [0.0, 1.0]),
    "trapezoid": lambda a: np.trapezoid(a[0]),
    "isclose": lambda a: np.isclose(a[0, 0], 1.0),
    "nan_to_num": lambda a: np.nan_to_num(a[0, 0]),
    "isposinf": lambda a: np.isposinf(a[0, 0]),
    "cov": lambda a: np.cov(a[0]),
    "isreal": lambda a: np.isreal(a[0, 0]),
    "lexsort": lambda a: np.lexsort((a[0, 0],)),
    "isin": lambda a: np.isin(a[0, 0], [1.0]),
    "count_nonzero": lambda a: np.count_nonzero(a, axis=(0, 1)),
    "corrcoef": lambda a: np.corrcoef(a[0]),
    "unique-inverse": lambda a: np.unique(a[0, 0], return_inverse=True)[1],
    "average-returned": lambda a: np.average(a, returned=True)[1],
}


@pytest.mark.parametrize("name", SCALARS)
def test_results_of_rank_0_are_scalars_or_arrays_as_numpys(name):
    function = SCALARS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        is_array = isinstance(function(np.abs(A)), np.ndarray)
    seen = []

    def program(a):
        result = function(a)
        seen.append(isinstance(result, np.ndarray))
        return a

    capture.trace(program, np.abs(A))
    assert seen == [is_array]


def test_sorting_in_place_is_seen_by_every_view():
    def program(a):
        b = a * 1
        row = b[0]
        b.sort()
        row.partition(1)
        return b, row

    graph = capture.trace(program, A)
    for got, want in zip(graph(A), program(A), strict=True):
        np.testing.assert_array_equal(got, want)


def test_sizes_that_depend_on_data_enter_arithmetic():
    def program(a):
        found = np.unique(a)
        return found / found.shape[0], np.bincount(a) * found.size

    graph = capture.trace(program, V)
    for got, want in zip(graph(V), program(V), strict=True):
        np.testing.assert_allclose(got, want)


def test_named_results_of_unique_keep_their_names():
    def program(a):
        result = np.unique_all(a)
        assert type(result).__name__ == "UniqueAllResult"
        return result.values, result.indices, result.inverse_indices, result.counts

    graph = capture.trace(program, V)
    for got, want in zip(graph(V), program(V), strict=True):
        np.testing.assert_array_equal(got, want)


def test_counting_the_same_values_twice_gives_one_size():
    def program(a, w):
        shares = np.bincount(a, weights=w) / np.bincount(a)
        counts = np.unique(a, return_counts=True)[1]
        return shares, np.unique(a) * counts, np.setdiff1d(a, w) + np.setdiff1d(a, w)

    graph = capture.trace(program, V, V * 0.5, dynamic={"a": {0: "n"}, "w": {0: "n"}})
    with np.errstate(all="ignore"):
        wanted = program(V, V * 0.5)
    for got, want in zip(graph(V, V * 0.5), wanted, strict=True):
        np.testing.assert_allclose(got, want)
