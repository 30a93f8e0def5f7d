"""Random programs of slices, views, writes and arithmetic, on an ndarray and a tensor side by side.

A program is a list of steps; each step works on a pool of live arrays and is run by the same code
on both sides. After every step every live alias is compared through the interpreter, so that a
write that one alias misses, or a copy that should have been a view, shows at once.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ir
from capture import CaptureDevice, capture_scope

SIZES = st.integers(1, 4)
MOST_ELEMENTS = 60
POOL = 7


def keys(shape: tuple[int, ...]) -> st.SearchStrategy[tuple[Any, ...]]:
    """Return basic keys of an array: ints, slices either way, newaxis and ellipsis."""

    def axis(size: int) -> st.SearchStrategy[Any]:
        bound = st.none() | st.integers(-size - 1, size + 1)
        steps = st.sampled_from([None, 1, 1, 2, -1, -1, -2, 3])
        slices = st.builds(slice, bound, bound, steps)
        return slices | st.integers(-size, size - 1) if size else slices

    @st.composite
    def key(draw: Any) -> tuple[Any, ...]:
        named = draw(st.integers(0, len(shape)))
        front = draw(st.integers(0, named))
        items: list[Any] = [draw(axis(size)) for size in shape[:front]]
        rest = shape[len(shape) - (named - front) :] if named > front else ()
        if draw(st.booleans()) or rest:
            items.append(...)
        items += [draw(axis(size)) for size in rest]
        if draw(st.integers(0, 5)) == 0:
            items.insert(draw(st.integers(0, len(items))), None)
        return tuple(items)

    return key()


@st.composite
def fitting(draw: Any, source: Any, window: Any) -> tuple[Any, ...]:
    """Return a key of ``source`` whose result mostly broadcasts to the shape of ``window``."""
    for _ in range(4):
        key = draw(keys(source.shape))
        shape = np.shape(source[key])
        try:
            if np.broadcast_shapes(shape, np.shape(window)) == np.shape(window):
                return key
        except ValueError:
            pass
    return key


def shapes_of_size(size: int) -> list[tuple[int, ...]]:
    """Return the shapes of up to three axes that hold ``size`` elements."""
    if not size:
        return [(0,), (0, 2), (2, 0)]
    pairs = [(a, size // a) for a in range(1, size + 1) if size % a == 0]
    triples = [(a, b, c // b) for a, c in pairs for b in range(1, c + 1) if c % b == 0]
    return [(size,), *pairs, *triples]


@st.composite
def steps(draw: Any, pool: list[Any]) -> tuple[Any, ...]:
    """Return the next step of a program: what to do, with which arrays of the pool."""
    at = draw(st.integers(0, len(pool) - 1))
    x = pool[at]
    kind = draw(st.sampled_from(KINDS))
    if kind in ("slice", "element", "write", "augment", "fill"):
        return kind, at, draw(keys(x.shape)), draw(st.integers(-3, 9))
    if kind == "transpose":
        return kind, at, draw(st.permutations(range(x.ndim)))
    if kind == "reshape":
        shape = draw(st.sampled_from(shapes_of_size(x.size)))
        axis = draw(st.integers(0, 2 * len(shape)))
        if axis < len(shape) and x.size:
            shape = (*shape[:axis], -1, *shape[axis + 1 :])
        return kind, at, shape
    if kind in ("swapaxes", "moveaxis"):
        axes = st.integers(-x.ndim, x.ndim - 1) if x.ndim else st.just(0)
        return (kind, at, draw(axes), draw(axes)) if x.ndim else ("ravel", at)
    if kind == "expand_dims":
        return kind, at, draw(st.integers(-x.ndim - 1, x.ndim))
    if kind in ("assign", "augment_with", "out"):
        key, other = draw(keys(x.shape)), draw(st.integers(0, len(pool) - 1))
        return kind, at, key, other, draw(fitting(pool[other], x[key]))
    if kind in ("binary", "broadcast", "augment_whole", "where"):
        return kind, at, draw(st.integers(0, len(pool) - 1))
    return kind, at


KINDS = [
    "slice",
    "slice",
    "slice",
    "transpose",
    "reshape",
    "reshape",
    "swapaxes",
    "moveaxis",
    "ravel",
    "T",
    "squeeze",
    "expand_dims",
    "broadcast",
    "copy",
    "copy_K",
    "fresh",
    "binary",
    "where",
    "astype",
    "concatenate",
    "flatten",
    "write",
    "write",
    "augment",
    "augment",
    "assign",
    "assign",
    "assign",
    "augment_with",
    "augment_with",
    "augment_whole",
    "out",
    "fill",
    "element",
    "scalar",
    "drop",
]


def run(pool: list[Any], step: tuple[Any, ...]) -> None:
    """Do one step on a pool of ndarrays or of tensors: the same code for both."""
    kind, at, *arguments = step
    x = pool[at]
    made = PROGRAMS[kind](pool, x, *arguments)
    if made is not None:
        pool.append(made)
        if len(pool) > POOL:
            del pool[1]


def _write(pool: Any, x: Any, key: Any, value: int) -> None:
    x[key] = value


def _augment(pool: Any, x: Any, key: Any, value: int) -> None:
    x[key] += value


def _assign(pool: Any, x: Any, key: Any, other: int, other_key: Any) -> None:
    x[key] = pool[other][other_key]


def _augment_with(pool: Any, x: Any, key: Any, other: int, other_key: Any) -> None:
    x[key] -= pool[other][other_key]


def _augment_whole(pool: Any, x: Any, other: int) -> None:
    x += pool[other]


def _out(pool: Any, x: Any, key: Any, other: int, other_key: Any) -> None:
    np.subtract(pool[other][other_key], 3, out=x[(*key, ...) if ... not in key else key])


def _element(pool: Any, x: Any, key: Any, value: int) -> Any:
    got = x[key]
    got += value  # a scalar is bound anew, a view writes
    return got[..., None]


def _scalar(pool: Any, x: Any) -> Any:
    total = x.sum()
    total += 1
    pool[0][...] = total
    return None


def _fill(pool: Any, x: Any, key: Any, value: int) -> None:
    window = x[key]
    if window.ndim:
        window.fill(value)


def _drop(pool: Any, x: Any) -> None:
    if len(pool) > 1:
        pool.pop()


PROGRAMS: dict[str, Any] = {
    "slice": lambda pool, x, key, value: x[(*key, ...) if ... not in key else key],
    "transpose": lambda pool, x, axes: x.transpose(*axes),
    "reshape": lambda pool, x, shape: x.reshape(shape),
    "swapaxes": lambda pool, x, a, b: x.swapaxes(a, b),
    "moveaxis": lambda pool, x, a, b: np.moveaxis(x, a, b),
    "ravel": lambda pool, x: x.ravel(),
    "flatten": lambda pool, x: x.flatten(),
    "T": lambda pool, x: x.T,
    "squeeze": lambda pool, x: np.squeeze(x),
    "expand_dims": lambda pool, x, axis: np.expand_dims(x, axis),
    "broadcast": lambda pool, x, other: np.broadcast_to(x, pool[other].shape),
    "copy": lambda pool, x: x.copy(),
    "copy_K": lambda pool, x: np.copy(x),
    "fresh": lambda pool, x: x * 2 - 1 if x.ndim else None,
    "binary": lambda pool, x, other: (x + pool[other])[..., None],
    "where": lambda pool, x, other: np.where(x > 2, x, pool[other]),
    "astype": lambda pool, x: x.astype(np.int32).astype(np.int64) if x.ndim else None,
    "concatenate": lambda pool, x: np.concatenate([x, x], axis=-1) if x.ndim else None,
    "write": _write,
    "augment": _augment,
    "assign": _assign,
    "augment_with": _augment_with,
    "augment_whole": _augment_whole,
    "out": _out,
    "element": _element,
    "scalar": _scalar,
    "fill": _fill,
    "drop": _drop,
}


def refused(pool: list[Any], step: tuple[Any, ...]) -> bool:
    """Run a step; whether it was refused (NumPy's ValueError: shapes, read-only)."""
    try:
        with np.errstate(all="ignore"):
            run(pool, step)
    except ValueError:
        return True
    return False


def compare(
    scope: Any, start: Any, arrays: list[Any], tensors: list[Any], log: list[Any]
) -> None:
    outputs = {f"out{i}": tensor for i, tensor in enumerate(tensors)}
    graph = scope.snapshot(outputs=outputs)
    ir.check(graph)
    results = graph(start)
    results = results if isinstance(results, tuple) else (results,)
    for position, (got, want) in enumerate(zip(results, arrays, strict=True)):
        where = f"alias {position} after {log}"
        assert got.dtype == want.dtype, where
        np.testing.assert_array_equal(got, want, err_msg=where, strict=True)


def play(data: Any, length: int) -> None:
    """Draw and run one program, comparing after each step."""
    shape = tuple(data.draw(st.lists(SIZES, min_size=1, max_size=3)))
    start = np.arange(math.prod(shape), dtype=np.int64).reshape(shape)
    log: list[Any] = [shape]
    with capture_scope(CaptureDevice(), intercept=False) as scope:
        arrays, tensors = [start * 1], [scope.input("x", shape, np.int64) * 1]
        for _ in range(data.draw(st.integers(1, length))):
            step = data.draw(steps(arrays))
            log.append(step)
            numpy_refused = refused(arrays, step)
            assert refused(tensors, step) == numpy_refused, log
            if numpy_refused:
                log.pop()
            if any(array.size > MOST_ELEMENTS for array in arrays):
                break
            compare(scope, start, arrays, tensors, log)


@given(st.data())
@settings(max_examples=100)
def test_every_alias_sees_what_numpy_shows(data):
    play(data, 12)


@pytest.mark.slow
@given(st.data())
@settings(max_examples=10_000)
def test_every_alias_sees_what_numpy_shows_in_many_programs(data):
    play(data, 20)
