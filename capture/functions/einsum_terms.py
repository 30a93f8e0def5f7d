"""Sums of products of labelled arrays: diagonals, lone axes, then products of pairs."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from capture.access import make_view
from capture.coerce import cast
from capture.diagonals import DiagonalStep
from capture.functions import plain
from capture.functions.einsum_subscripts import Label
from capture.tensor import Tensor
from ir.ops.linear_algebra import matmul as matmul_op
from ir.shapes import product

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from capture.functions.einsum_subscripts import Subscripts
    from ir.dims import DimLike

Path = tuple[tuple[int, ...], ...]
"""Which terms are multiplied at each step, by position; their product goes to the end."""

_FLOAT16, _FLOAT32 = np.dtype(np.float16), np.dtype(np.float32)


class Term(NamedTuple):
    """An operand or an intermediate product with one label per axis.

    Attributes:
        labels: One per axis.
        tensor: The elements.
        from_zero: Whether the elements were summed starting from 0, so that none is -0.0.
        ones: Labels of axes of size 1, left out of the elements; other terms keep theirs.
    """

    labels: tuple[Label, ...]
    tensor: Tensor
    from_zero: bool = False
    ones: frozenset[Label] = frozenset()


def summed(
    subscripts: Subscripts,
    tensors: Sequence[Tensor],
    sizes: dict[Label, DimLike],
    path: Path,
    dtype: np.dtype[Any] | None,
) -> Tensor:
    """Return the sum of products with axes in the order of the output."""
    kept = [label for label in subscripts.output if sizes[label] != 1]
    terms = [
        _without_ones(_diagonal(Term(labels, tensor)), sizes)
        for labels, tensor in zip(subscripts.terms, tensors, strict=True)
    ]
    for step in path:
        picked = [terms[i] for i in step]
        terms = [term for i, term in enumerate(terms) if i not in step]
        needed = {x for term in terms for x in (*term.labels, *term.ones)} | set(kept)
        terms.append(_product(picked, needed, dtype))
    last = _product(terms, set(kept), dtype)
    tensor = last.tensor
    if tensor.dtype.kind == "f" and not last.from_zero:
        tensor = tensor + 0.0  # NumPy adds to an array of zeros, which leaves no -0.0
    ordered = plain.transpose(tensor, [last.labels.index(label) for label in kept])
    return plain.reshape(ordered, tuple(sizes[label] for label in subscripts.output))


def _diagonal(term: Term) -> Term:
    labels = tuple(dict.fromkeys(term.labels))
    if len(labels) == len(term.labels):
        return term
    groups = tuple(
        tuple(axis for axis, label in enumerate(term.labels) if label == wanted)
        for wanted in labels
    )
    shape = tuple(term.tensor._type.shape[group[0]] for group in groups)
    step = DiagonalStep(groups, term.tensor._type.shape)
    return Term(labels, plain.fresh(make_view(term.tensor, step, shape)))


def _without_ones(term: Term, sizes: dict[Label, DimLike]) -> Term:
    """Drop axes of size 1: they broadcast, and the result's are put back at the end."""
    shape = term.tensor._type.shape
    labels = tuple(x for x, size in zip(term.labels, shape, strict=True) if size != 1)
    ones = frozenset(term.labels) - frozenset(labels)
    tensor = plain.reshape(term.tensor, tuple(size for size in shape if size != 1))
    return Term(labels, tensor, ones=ones)


def _product(terms: Sequence[Term], needed: Collection[Label], dtype: Any) -> Term:
    """Multiply terms and sum over the labels that nobody needs any more.

    Without a ``dtype`` the step is one of NumPy's optimized ones, and has a dtype of its own.
    """
    by_pairs = dtype is None and len(terms) == 2 and _prepares_operands()
    ones = frozenset(x for term in terms for x in term.ones if x in needed)
    if by_pairs:
        first, second = terms
        terms = [_without_lone(first, second.labels, needed)]
        terms.append(_without_lone(second, first.labels, needed))
    wanted = dtype or np.result_type(*(term.tensor.dtype for term in terms))
    inner = _FLOAT32 if wanted == _FLOAT16 else wanted  # as NumPy's loops accumulate
    result, *others = (term._replace(tensor=cast(term.tensor, inner)) for term in terms)
    for position, other in enumerate(others):
        later = {label for term in others[position + 1 :] for label in term.labels}
        result = _pair(result, other, later | set(needed))
    labels, tensor, from_zero, _ = _without_lone(result, (), needed)
    return Term(labels, cast(tensor, wanted), from_zero or by_pairs, ones - frozenset(labels))


@cache
def _prepares_operands() -> bool:
    """Whether NumPy's optimized steps sum each operand in its own dtype first (since 2.4)."""
    summed_up = np.einsum("i,->", np.full(3, 100, np.int8), np.ones(()), optimize=True)
    return bool(summed_up != 300)


def _without_lone(term: Term, others: Collection[Label], needed: Collection[Label]) -> Term:
    """Sum over labels that occur nowhere else."""
    lone = [label for label in term.labels if label not in others and label not in needed]
    if not lone:
        return term
    labels = tuple(label for label in term.labels if label not in lone)
    axes = [term.labels.index(label) for label in lone]
    return Term(labels, plain.total(term.tensor, axes), from_zero=True)


def _pair(a: Term, b: Term, needed: Collection[Label]) -> Term:
    """Multiply two terms, summing over the shared labels that are not needed."""
    a, b = _without_lone(a, b.labels, needed), _without_lone(b, a.labels, needed)
    shared = [label for label in a.labels if label in b.labels]
    batch = tuple(label for label in shared if label in needed)
    summed = tuple(label for label in shared if label not in needed)
    left = tuple(label for label in a.labels if label not in shared)
    right = tuple(label for label in b.labels if label not in shared)
    if summed and (left or right or not batch):
        return _matrix_product(a, b, batch, left, right, summed)
    labels = (*batch, *left, *right, *summed)
    product_ = np.multiply(_aligned(a, labels), _aligned(b, labels))
    rank = len(labels) - len(summed)
    return Term(labels[:rank], plain.total(product_, range(rank, len(labels))), bool(summed))


def _aligned(term: Term, labels: tuple[Label, ...]) -> Tensor:
    """Return the term with axes in the order of ``labels``, 1 where it has none."""
    own = [label for label in labels if label in term.labels]
    moved = plain.transpose(term.tensor, [term.labels.index(label) for label in own])
    sizes = dict(zip(own, moved._type.shape, strict=True))
    return plain.reshape(moved, tuple(sizes.get(label, 1) for label in labels))


def _matrix_product(
    a: Term,
    b: Term,
    batch: tuple[Label, ...],
    left: tuple[Label, ...],
    right: tuple[Label, ...],
    summed: tuple[Label, ...],
) -> Term:
    rows, columns = _matrices(a, batch, left, summed), _matrices(b, batch, summed, right)
    result: Tensor = a.tensor._recorder.apply(matmul_op, rows, columns)
    sizes = dict(zip(a.labels, a.tensor._type.shape, strict=True))
    sizes.update(zip(b.labels, b.tensor._type.shape, strict=True))
    labels = (*batch, *left, *right)
    return Term(labels, plain.reshape(result, tuple(sizes[label] for label in labels)), True)


def _matrices(
    term: Term, batch: tuple[Label, ...], rows: tuple[Label, ...], columns: tuple[Label, ...]
) -> Tensor:
    """Return a term as a stack of matrices."""
    order = (*batch, *rows, *columns)
    moved = plain.transpose(term.tensor, [term.labels.index(label) for label in order])
    sizes = moved._type.shape
    first, second = len(batch), len(batch) + len(rows)
    shape = (*sizes[:first], product(sizes[first:second]), product(sizes[second:]))
    return plain.reshape(moved, shape)
