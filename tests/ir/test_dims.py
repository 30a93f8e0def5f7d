"""Dims: normal form, bounds, proofs, text and refusals; see also test_dims_properties."""

from __future__ import annotations

import copy
import operator
import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import cast

import numpy as np
import pytest

from ir.dims import (
    Dim,
    DimLike,
    DimSyntaxError,
    Symbol,
    UnboundSymbolError,
    as_symbol,
    bounds,
    ceil_div,
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
from ir.errors import DimError

ROOT = Path(__file__).parents[2]

n, m, k = Dim("n", min=1), Dim("m"), Dim("k")
c, d = Dim("c", min=-3, max=4), Dim("d", min=2, max=6)


# --- normal form --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("dim", "text"),
    [
        ((4 * n + m + 6) // 4, "n + (m + 2)//4 + 1"),
        ((4 * n + m) % 4, "m % 4"),
        ((n + 7) % 4, "(n + 3) % 4"),
        ((-n) % 4, "(3*n) % 4"),
        (5 * n // 4, "n + n//4"),
        (2 * n // 4, "n//2"),
        ((2 * n + 1) // 4, "n//2"),
        ((2 * n + 1) % 4, "2*(n % 2) + 1"),
        (ceil_div(n, 2), "(n + 1)//2"),
        (ceil_div(m, k), "-((-m)//k)"),
        (((n - 1) // 2 + 1 - 1) // 2 + 1, "(n + 3)//4"),
        (n // 2 // 3, "n//6"),
        ((n // 2 + n) // 3, "n//2"),
        ((m - n // 2) // 3, "(2*m - n + 1)//6"),
        (n // -2, "-((n + 1)//2)"),
        ((n % 8) % 4, "n % 4"),
        ((n % 4 + m % 4) % 4, "(m + n) % 4"),
        ((n * m) // n, "m"),
        ((n * m) // m, "(m*n)//m"),  # m may be 0
        ((n * m + k) // n, "m + k//n"),
        ((n * m + k) % n, "k % n"),
        ((n * m + m) // (n + 1), "m"),
        ((6 * n * m) // (4 * n * k), "(3*m)//(2*k)"),
        ((6 * n * m) % (4 * n), "2*n*(m % 2)"),
        ((6 * m) % (4 * n), "2*((3*m) % (2*n))"),
        (n % n, "0"),
        (m // 1, "m"),
        (m % 1, "0"),
        ((m % 5) // 5, "0"),
        (d // 7, "0"),
        (d % 7, "d"),
        ((d + 7) % 7, "d"),
        (d // (n + 6), "0"),
        (d % (n + 6), "d"),
        (0 * m, "0"),
        (0 // m, "0"),
        (n * m - m * n + 3, "3"),
        (dim_max(n, 3, m, n, 2), "max(m, n, 3)"),
        (dim_max(n, dim_max(m, 1)), "max(m, n)"),
        (dim_max(n, 0), "n"),
        (dim_max(n, n + 2, n - 1), "n + 2"),
        (dim_min(n // 2, n, 5), "min(n//2, 5)"),
        (dim_max(m, dim_min(m, k)), "m"),
        (dim_min(3, 4), "3"),
        (n * n * m + n * n - 2 * m, "m*n*n + n*n - 2*m"),
        (3 - n, "3 - n"),
        (n - m, "n - m"),
        (-(n // 2), "-(n//2)"),
        (m - n // 2, "m - n//2"),
        (m * (n // 2) - 3 * (n % 2), "m*(n//2) - 3*(n % 2)"),
        ((n // m) // k, "(n//m)//k"),
        ((n % 2) % m, "(n % 2) % m"),
        (7 % n, "7 % n"),
        (-7 % (n + 1), "(-7) % (n + 1)"),
    ],
)
def test_text(dim: DimLike, text: str) -> None:
    assert str(dim) == text


def test_constant_results_are_plain_ints() -> None:
    results = (
        n - n,
        n * 0,
        n // n,
        n % 1,
        dim_max(2, 3),
        ceil_div(7, 2),
        substitute(n, {"n": 4}),
    )
    assert [type(result) for result in results] == [int] * len(results)
    assert results == (0, 0, 1, 0, 3, 4, 4)


def test_equality_is_structural_and_never_raises() -> None:
    assert Dim("n", min=1) == n
    assert hash(Dim("n", min=1)) == hash(n)
    assert Dim("n") != n  # other bounds, another symbol
    assert n != 1
    assert n != "n"
    assert n != None  # noqa: E711
    assert {n + m: 1}[m + n] == 1
    assert (n, 4) == (Dim("n", min=1), 4)
    assert 3 not in (n, m)


def test_dims_survive_copies_and_other_processes() -> None:
    dim = dim_max(n // 2, m % (n + 1)) * k
    assert copy.copy(dim) is dim
    assert copy.deepcopy([dim])[0] is dim
    code = (
        "import pickle, sys; d = pickle.load(sys.stdin.buffer);"
        "from ir.dims import *; e = parse_dim(str(d), {s.name: s for s in symbols_of(d)});"
        "assert d == e and hash(d) == hash(e)"
    )
    subprocess.run([sys.executable, "-c", code], input=pickle.dumps(dim), cwd=ROOT, check=True)


def test_numpy_ints_are_ints_and_arrays_are_refused() -> None:
    # a NumPy int is no `int` to a type checker, but often one to the user
    three, two = cast(int, np.int64(3)), cast(int, np.int32(2))
    assert n + three == three + n == n + 3
    assert type(n * two - 2 * n) is int
    with pytest.raises(TypeError, match="unsupported operand"):
        np.arange(3) - n  # type: ignore[operator]


# --- bounds and proofs --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("dim", "expected"),
    [
        (5, (5, 5)),
        (m, (0, None)),
        (c, (-3, 4)),
        (c * d, (-18, 24)),
        (c * c, (0, 16)),
        (3 - 2 * d, (-9, -1)),
        (n * m, (0, None)),
        (n * m - m, (0, None)),
        (n * n - n, (0, None)),
        (6 * m - d * m, (0, None)),
        (m % 4, (0, 3)),
        (d % n, (0, 6)),
        (m % -4, (-3, 0)),
        (c // 2, (-2, 2)),
        (c // d, (-2, 2)),
        (d // n, (0, 6)),
        (n - n // 2, (1, None)),
        (n - n % 4, (0, None)),
        (n - dim_min(n, 3), (0, None)),
        (dim_max(n, 3) - n, (0, 2)),
        (m * n - m * (n // 2), (0, None)),
        (dim_max(c, 0) + dim_min(d, 4), (2, 8)),
    ],
)
def test_bounds(dim: DimLike, expected: tuple[int | None, int | None]) -> None:
    assert bounds(dim) == expected


def test_proofs() -> None:
    assert prove_le(n // 2, n) is True
    assert prove_le(m, n * m) is True
    assert prove_le(n, 0) is False
    assert prove_le(n, m) is None
    assert prove_lt(m % 4, 4) is True
    assert prove_lt(n, n) is False
    assert prove_eq(n - dim_min(n, 3), dim_max(n - 3, 0)) is True
    assert prove_eq(n, 0) is False
    assert prove_eq(2 * n, 2 * m + 1) is False
    assert prove_eq(n, m) is None
    assert prove_eq(2, 2) is True
    assert prove_eq(2, 3) is False


def test_exact_div() -> None:
    assert exact_div(n * m * 6, 2 * m) == 3 * n
    assert exact_div(n - n % 4, 4) == n // 4
    assert exact_div(n, 2) is None
    assert exact_div(n, m) is None
    assert exact_div(12, 4) == 3
    assert exact_div(12, 5) is None
    with pytest.raises(ZeroDivisionError):
        exact_div(n, 0)


# --- symbols and values -------------------------------------------------------------------


def test_symbols_of_a_dim_and_a_shape() -> None:
    assert symbols_of(dim_max(n // 2, m)) == (Symbol("m"), Symbol("n", 1))
    assert symbols_of((4, n, m + n)) == (Symbol("m"), Symbol("n", 1))
    assert symbols_of(3) == ()
    assert as_symbol(n) == Symbol("n", 1)
    assert as_symbol(n + 1) is None
    assert as_symbol(3) is None


def test_one_name_with_two_bounds_is_refused_where_symbols_are_collected() -> None:
    both = Dim("n") + Dim("n", min=2, max=9)
    with pytest.raises(DimError) as caught:
        symbols_of(both)
    assert str(caught.value) == (
        "dim: two symbols have one name: n in [0, inf] and n in [2, 9]"
    )


def test_unbound_symbol() -> None:
    with pytest.raises(KeyError) as caught:
        evaluate(n + m, {"n": 2})
    assert isinstance(caught.value, UnboundSymbolError)
    assert isinstance(caught.value, DimError)
    assert str(caught.value) == "dim: no value for m (given: n)"


def test_values_outside_the_bounds_are_refused() -> None:
    with pytest.raises(DimError, match=r"^dim: n = 0 contradicts n in \[1, inf\]"):
        evaluate(n + m, {"n": 0, "m": 1})
    with pytest.raises(DimError, match=r"^dim: n = -m contradicts n in \[1, inf\]"):
        substitute(n + m, {"n": -m})
    with pytest.raises(ZeroDivisionError):
        evaluate(n // m, {"n": 1, "m": 0})


def test_substitution_is_simultaneous() -> None:
    assert substitute(m - k, {"m": k, "k": m}) == k - m
    assert substitute(dim_max(m, k) % 5, {"m": 2 * n, "k": n}) == 2 * n % 5
    assert substitute(7, {"n": 1}) == 7


# --- refusals -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["", "1n", "n m", "n-1", "é", "n\n", ".n"])
def test_bad_names(name: str) -> None:
    with pytest.raises(DimError, match="is not a symbol name"):
        Dim(name)


def test_bad_bounds() -> None:
    with pytest.raises(DimError, match="has no values: min 3 is above max 2"):
        Dim("n", min=3, max=2)
    with pytest.raises(DimError, match="must be ints"):
        Dim("n", min=cast(int, 1.5))


@pytest.mark.parametrize("other", [1.5, [3], None])
@pytest.mark.parametrize(
    "function",
    [operator.add, operator.sub, operator.mul, operator.floordiv, operator.mod],
)
def test_other_operands_are_type_errors(
    function: Callable[[object, object], object], other: object
) -> None:
    with pytest.raises(TypeError):
        function(n, other)
    with pytest.raises(TypeError):
        function(other, n)


def test_conversions_to_python_are_refused() -> None:
    with pytest.raises(TypeError, match=r"truth value of n \+ 1 is unknown"):
        bool(n + 1)
    with pytest.raises(TypeError):
        int(n)  # type: ignore[call-overload]
    with pytest.raises(TypeError):
        operator.index(n)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        _ = n < m  # type: ignore[operator]
    with pytest.raises(TypeError, match="expected an int or a Dim, got float"):
        bounds(cast(int, 1.5))
    with pytest.raises(AttributeError):
        n.name = "m"  # type: ignore[attr-defined]


@pytest.mark.parametrize("function", [operator.floordiv, operator.mod])
def test_division_by_constant_zero(function: Callable[[DimLike, DimLike], DimLike]) -> None:
    with pytest.raises(ZeroDivisionError):
        function(n, 0)
    with pytest.raises(ZeroDivisionError):
        function(n, m - m)


@pytest.mark.parametrize(
    ("text", "position", "problem"),
    [
        ("", 0, "expected a number, a name or '('"),
        ("n +", 3, "expected a number, a name or '('"),
        ("n m", 2, "expected an operator"),
        ("n & m", 2, "unexpected character '&'"),
        ("n / 2", 2, "unexpected character '/'"),
        ("(n", 2, "expected ')'"),
        ("max(n", 5, "expected ')'"),
        ("(n, m)", 6, "unexpected tuple"),
        ("n // (m - m)", 2, "division by zero"),
        ("n ** 2", 3, "expected a number, a name or '('"),
        ("n + other", 4, "unknown symbol 'other'"),
        ("9" * 5000, 0, "number too long"),
        ("(" * 200, 100, "more than 100 nested parentheses"),
        ("n" * 60_000, 50_000, "text longer than 50000 characters"),
        ("1.5", 1, "unexpected character '.'"),
    ],
)
def test_bad_text(text: str, position: int, problem: str) -> None:
    with pytest.raises(DimSyntaxError) as caught:
        parse_dim(text, {"n": Symbol("n"), "m": Symbol("m")})
    assert (caught.value.position, caught.value.problem) == (position, problem)
    assert pickle.loads(pickle.dumps(caught.value)).position == position


def test_text_details() -> None:
    assert parse_dim(" - - 3 ") == 3
    assert parse_dim("-7 // 2") == -4
    assert parse_dim("max * min.x", None) == Dim("max") * Dim("min.x")
    assert parse_dim("min(4)") == 4
    assert parse_dim("-" * 10_001 + "n") == -Dim("n")
    assert repr(2 * n - 1) == "Dim('2*n - 1')"


def test_oversized_expressions_are_refused_instead_of_hanging() -> None:
    total: DimLike = 1
    for i in range(7):
        total = total * (Dim(f"x{i}") + 1)
    with pytest.raises(DimError, match="larger than 1000 terms"):
        _ = total * total * total
    with pytest.raises(DimError, match="more than 4096 bits"):
        _ = n * 10**5000
    nested: DimLike = n
    for _ in range(48):
        nested = (nested + 1) // (m + 1)
    with pytest.raises(DimError, match="deeper than 48 calls"):
        _ = (nested + 1) // (m + 1)


def test_the_deepest_dim_reads_back() -> None:
    nested: DimLike = n
    for _ in range(48):
        nested = m * ((nested + 1) // (m + 1))
    assert parse_dim(str(nested), {"n": Symbol("n", 1), "m": Symbol("m")}) == nested
    assert pickle.loads(pickle.dumps(nested)) == nested
    assert bounds(pickle.loads(pickle.dumps(nested))) == (0, None)
    assert evaluate(nested, {"n": 5, "m": 3}) == evaluate(
        substitute(nested, {"m": 3}), {"n": 5}
    )


def test_hundreds_of_terms_stay_usable() -> None:
    total: DimLike = sum((Dim(f"x{i}") for i in range(300)), start=0)
    assert bounds(total) == (0, None)
    assert prove_le(0, (total + 3) // 4) is True
    assert parse_dim(str(total)) == total
    assert bounds(dim_max(*(Dim(f"x{i}") // 2 for i in range(200)))) == (0, None)


def test_two_spellings_of_a_rounded_size_are_equal() -> None:
    n = Dim("n")
    assert prove_eq(n + (-n) % 8, 8 * (n - 7 * n // 8)) is True
    assert prove_eq(n - n % 4, n // 4 * 4) is True
    assert prove_eq(n % 4, n % 5) is None
