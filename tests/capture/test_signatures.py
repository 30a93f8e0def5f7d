"""Handlers take what NumPy's functions take: the same names, in the same order."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import capture  # noqa: F401 - registers the handlers
from capture.functions.registry import HANDLERS, function_name
from capture.tensor import Tensor
from tests.capture.interception_kit import run

_P = inspect.Parameter
_VARIADIC = (_P.VAR_POSITIONAL, _P.VAR_KEYWORD)


def _signature(function):
    try:
        return inspect.signature(function).parameters
    except ValueError:  # compiled, and NumPy does not tell
        return None


def _positional(parameters, *kinds):
    return [name for name, p in parameters.items() if p.kind in kinds]


@pytest.mark.parametrize(
    ("function", "handler"), HANDLERS.items(), ids=[function_name(f) for f in HANDLERS]
)
def test_a_handler_takes_every_parameter(function, handler):
    wanted, had = _signature(function), inspect.signature(handler).parameters
    assert wanted is not None
    kinds = {p.kind for p in had.values()}
    for name, parameter in wanted.items():
        if parameter.kind in (*_VARIADIC, _P.POSITIONAL_ONLY):
            continue
        assert name in had or _P.VAR_KEYWORD in kinds, f"no parameter {name}"
        if name in had:
            assert had[name].kind is not _P.POSITIONAL_ONLY
            optional = parameter.default is not _P.empty
            assert not optional or had[name].default is not _P.empty
    if _P.VAR_POSITIONAL not in kinds:
        both = (_P.POSITIONAL_ONLY, _P.POSITIONAL_OR_KEYWORD)
        theirs, ours = _positional(wanted, *both), _positional(had, *both)
        assert len(ours) >= len(theirs)
        named = _positional(wanted, _P.POSITIONAL_OR_KEYWORD)
        assert [b for a, b in zip(theirs, ours, strict=False) if a in named] == named


@pytest.mark.parametrize(
    "name",
    [n for n in dir(np.ndarray) if not n.startswith("_") and n in dir(Tensor)],
)
def test_a_method_takes_every_parameter(name):
    method = getattr(np.ndarray, name)
    wanted = _signature(method) if callable(method) else None
    if wanted is None:
        return
    had = inspect.signature(getattr(Tensor, name)).parameters
    if _P.VAR_KEYWORD in {p.kind for p in had.values()}:
        return
    kinds = (_P.POSITIONAL_OR_KEYWORD, _P.KEYWORD_ONLY)
    assert not [n for n, p in wanted.items() if p.kind in kinds and n not in had]


X = np.array([[3.0, -1, 2], [0.5, 2, 2]])
V = np.array([1.0, 2, 2, 5])
K = np.array([1.0, 0.5])
I = np.array([[2, 0, 1], [1, 1, 0]])  # noqa: E741 - indices
MOST_USED = {
    np.sum: (X,),
    np.mean: (X,),
    np.std: (X,),
    np.var: (X,),
    np.max: (X,),
    np.min: (X,),
    np.prod: (X,),
    np.any: (X,),
    np.all: (X,),
    np.argmax: (X,),
    np.argmin: (X,),
    np.cumsum: (X,),
    np.cumprod: (X,),
    np.median: (X,),
    np.percentile: (X, 30),
    np.quantile: (X, 0.3),
    np.nansum: (X,),
    np.nanmean: (X,),
    np.nanstd: (X,),
    np.nanmax: (X,),
    np.average: (X,),
    np.ptp: (X,),
    np.clip: (X, 0, 2),
    np.round: (X,),
    np.reshape: (X, (3, 2)),
    np.ravel: (X,),
    np.transpose: (X,),
    np.swapaxes: (X, 0, 1),
    np.moveaxis: (X, 0, 1),
    np.expand_dims: (X, 0),
    np.squeeze: (X,),
    np.broadcast_to: (X, (4, 2, 3)),
    np.roll: (X, 1),
    np.flip: (X,),
    np.rot90: (X,),
    np.repeat: (X, 2),
    np.tile: (X, 2),
    np.concatenate: ((X, X),),
    np.stack: ((X, X),),
    np.split: (V, 2),
    np.array_split: (V, 3),
    np.pad: (X, 1),
    np.take: (V, I),
    np.take_along_axis: (X, I, 1),
    np.where: (X > 1, X, 0),
    np.select: ([X > 1, X < 0], [X, -X]),
    np.sort: (X,),
    np.argsort: (X,),
    np.partition: (V, 2),
    np.unique: (V,),
    np.isin: (X, V),
    np.searchsorted: (V, X),
    np.digitize: (X, V),
    np.bincount: (I.ravel(),),
    np.histogram: (X,),
    np.cov: (X,),
    np.corrcoef: (X,),
    np.diff: (X,),
    np.gradient: (V,),
    np.trapezoid: (X,),
    np.interp: (X, V, V),
    np.convolve: (V, K),
    np.correlate: (V, K),
    np.cross: (X, X),
    np.dot: (X, X.T),
    np.tensordot: (X, X),
    np.kron: (X, K),
    np.trace: (X,),
    np.diagonal: (X,),
    np.diag: (V,),
    np.tril: (X,),
    np.zeros_like: (X,),
    np.full_like: (X, 3),
    np.nan_to_num: (X,),
    np.isclose: (X, X),
    np.allclose: (X, X),
    np.linalg.norm: (X,),
    np.linalg.multi_dot: ([X, X.T, X],),
    np.meshgrid: (V, K),
    np.argwhere: (X > 1,),
    np.nonzero: (X,),
    np.insert: (V, 1, 9),
    np.delete: (V, 1),
    np.append: (X, X),
}


def _defaults(function, count):
    parameters = list((_signature(function) or {}).items())
    return {
        name: p.default
        for name, p in parameters[count:]
        if p.default is not _P.empty
        and p.default is not np._NoValue
        and p.kind is not _P.POSITIONAL_ONLY
    }


@pytest.mark.filterwarnings("ignore::capture.scope.UnusedInputWarning")  # zeros_like
@pytest.mark.parametrize("function", MOST_USED, ids=function_name)
def test_defaults_may_be_given(function):
    arguments = MOST_USED[function]
    given = _defaults(function, len(arguments))

    def program(x):
        first, *rest = arguments
        in_list = isinstance(first, tuple | list)
        first = type(first)([x, *first[1:]]) if in_list else x
        return function(first, *rest, **given)

    example = arguments[0][0] if isinstance(arguments[0], tuple | list) else arguments[0]
    wanted, got = program(example), run(program, example)
    pairs = (
        zip(wanted, got, strict=True) if isinstance(wanted, tuple | list) else [(wanted, got)]
    )
    for want, have in pairs:
        np.testing.assert_allclose(have, want, rtol=1e-12)
