"""Dims against Python ints and sympy, on random expressions."""

from __future__ import annotations

import itertools
import operator
import pickle
from collections.abc import Callable
from typing import cast

import sympy  # type: ignore[import-untyped]
from hypothesis import given, settings
from hypothesis import strategies as st

from ir.dims import (
    Dim,
    DimLike,
    Symbol,
    bounds,
    dim_max,
    dim_min,
    evaluate,
    exact_div,
    parse_dim,
    prove_eq,
    prove_le,
    prove_lt,
    substitute,
    symbols_of,
)

# One symbol of every kind of range; `values` are tried in all combinations by `assignments`.
SYMBOLS = {
    "a": Symbol("a"),
    "b": Symbol("b", min=1),
    "c": Symbol("c", min=-3, max=4),
    "d": Symbol("d", min=2, max=6),
}
VALUES = {"a": (0, 1, 5, 17), "b": (1, 2, 9), "c": (-3, 0, 4), "d": (2, 3, 6)}

Binary = Callable[[DimLike, DimLike], DimLike]
BINARY: dict[str, Binary] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "//": operator.floordiv,
    "%": operator.mod,
    "max": dim_max,
    "min": dim_min,
}
ON_INTS: dict[str, Callable[[int, int], int]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "//": operator.floordiv,
    "%": operator.mod,
    "max": max,
    "min": min,
}

# An expression before any simplification: an int, a symbol's name, or (operator, left, right).
Tree = int | str | tuple[str, "Tree", "Tree"]
LEAVES = st.one_of(st.integers(-7, 9), st.sampled_from(sorted(SYMBOLS)))
TREES: st.SearchStrategy[Tree] = st.recursive(
    LEAVES,
    lambda inner: st.tuples(st.sampled_from(sorted(BINARY)), inner, inner),
    max_leaves=9,
)
RING_TREES: st.SearchStrategy[Tree] = st.recursive(
    LEAVES, lambda inner: st.tuples(st.sampled_from("+-*"), inner, inner), max_leaves=7
)
BINDINGS = st.fixed_dictionaries(
    {
        "a": st.integers(0, 40),
        "b": st.integers(1, 40),
        "c": st.integers(-3, 4),
        "d": st.integers(2, 6),
    }
)
CHECKED = settings(max_examples=300, deadline=None)


def build(tree: Tree) -> DimLike | None:
    """The dim of a tree, or None if it divides by the constant 0."""
    if isinstance(tree, int):
        return tree
    if isinstance(tree, str):
        symbol = SYMBOLS[tree]
        return Dim(symbol.name, min=symbol.min, max=symbol.max)
    left, right = build(tree[1]), build(tree[2])
    if left is None or right is None:
        return None
    try:
        return BINARY[tree[0]](left, right)
    except ZeroDivisionError:
        return None


def compute(tree: Tree, bindings: dict[str, int]) -> int | None:
    """The tree's value by Python's own arithmetic, None where it is undefined."""
    if isinstance(tree, int):
        return tree
    if isinstance(tree, str):
        return bindings[tree]
    left, right = compute(tree[1], bindings), compute(tree[2], bindings)
    if left is None or right is None or (tree[0] in ("//", "%") and right == 0):
        return None
    return ON_INTS[tree[0]](left, right)


def assignments() -> list[dict[str, int]]:
    return [dict(zip(VALUES, row, strict=True)) for row in itertools.product(*VALUES.values())]


@CHECKED
@given(TREES, BINDINGS)
def test_value_is_that_of_python_ints(tree: Tree, bindings: dict[str, int]) -> None:
    dim, expected = build(tree), compute(tree, bindings)
    if dim is not None and expected is not None:
        assert evaluate(dim, bindings) == expected


@CHECKED
@given(TREES, BINDINGS, st.sets(st.sampled_from(sorted(SYMBOLS))))
def test_substituted_numbers_give_the_same_value(
    tree: Tree, bindings: dict[str, int], early: set[str]
) -> None:
    dim, expected = build(tree), compute(tree, bindings)
    if dim is None or expected is None:
        return
    partly = substitute(dim, {name: bindings[name] for name in early})
    assert not early & {symbol.name for symbol in symbols_of(partly)}
    assert evaluate(partly, bindings) == expected


@CHECKED
@given(TREES, RING_TREES, BINDINGS)
def test_substituted_dims_give_the_same_value(
    tree: Tree, replacement: Tree, bindings: dict[str, int]
) -> None:
    dim, inner = build(tree), cast(DimLike, build(replacement))
    value = cast(int, compute(replacement, bindings))
    expected = compute(tree, {**bindings, "a": value})
    if dim is None or expected is None or prove_le(0, inner) is not True:
        return  # only a replacement that keeps within the bounds of `a` is the callee's affair
    assert evaluate(substitute(dim, {"a": inner}), bindings) == expected


@CHECKED
@given(TREES)
def test_normal_form_is_stable(tree: Tree) -> None:
    dim = build(tree)
    if dim is None:
        return
    assert parse_dim(str(dim), SYMBOLS) == dim
    assert substitute(dim, {}) == dim
    assert pickle.loads(pickle.dumps(dim)) == dim
    assert pickle.loads(pickle.dumps(dim, protocol=0)) == dim
    assert hash(parse_dim(str(dim), SYMBOLS)) == hash(dim)
    assert str(parse_dim(str(dim), SYMBOLS)) == str(dim)


@CHECKED
@given(TREES, BINDINGS)
def test_text_means_in_python_what_the_dim_means(tree: Tree, bindings: dict[str, int]) -> None:
    dim = build(tree)
    if dim is not None and compute(tree, bindings) is not None:
        assert eval(str(dim), {"max": max, "min": min}, bindings) == evaluate(dim, bindings)


@CHECKED
@given(TREES, TREES, BINDINGS)
def test_bounds_and_proofs_are_sound(
    left: Tree, right: Tree, bindings: dict[str, int]
) -> None:
    x, y = build(left), build(right)
    if x is None or y is None:
        return
    for values in (bindings, *assignments()[::7]):
        x_value, y_value = compute(left, values), compute(right, values)
        if x_value is None or y_value is None:
            continue
        lo, hi = bounds(x)
        assert lo is None or lo <= x_value
        assert hi is None or x_value <= hi
        assert prove_le(x, y) in (None, x_value <= y_value)
        assert prove_lt(x, y) in (None, x_value < y_value)
        assert prove_eq(x, y) in (None, x_value == y_value)


@CHECKED
@given(RING_TREES, RING_TREES, RING_TREES)
def test_ring_laws_hold_structurally(left: Tree, middle: Tree, right: Tree) -> None:
    x, y, z = (cast(DimLike, build(tree)) for tree in (left, middle, right))
    assert x + y == y + x
    assert x * y == y * x
    assert (x + y) * z == x * z + y * z
    assert (x + y) + z == x + (y + z)
    assert x - x == 0
    assert 0 - (0 - x) == x
    assert dim_max(x, y) == dim_max(y, x)
    assert dim_min(x, dim_min(y, y)) == dim_min(dim_min(y, x), x)


@CHECKED
@given(RING_TREES)
def test_polynomials_agree_with_sympy(tree: Tree) -> None:
    dim = build(tree)
    names = sympy.symbols(sorted(SYMBOLS), integer=True)
    local = dict(zip(sorted(SYMBOLS), names, strict=True))

    def expand(part: Tree) -> sympy.Expr:
        if isinstance(part, int):
            return sympy.Integer(part)
        if isinstance(part, str):
            return local[part]
        return BINARY[part[0]](expand(part[1]), expand(part[2]))

    expected = sympy.Poly(sympy.expand(expand(tree)), *names)
    assert sympy.Poly(sympy.sympify(str(dim), locals=local), *names) == expected
    assert isinstance(dim, int) == expected.is_ground


@CHECKED
@given(RING_TREES, RING_TREES)
def test_exact_div_finds_every_polynomial_quotient(left: Tree, right: Tree) -> None:
    x, y = cast(DimLike, build(left)), cast(DimLike, build(right))
    if y == 0:
        return
    assert exact_div(x * y, y) == x
    quotient = exact_div(x, y)
    assert quotient is None or quotient * y == x
