"""``einsum``: diagonals, then sums over lone axes, then products of pairs."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from capture.access import make_view
from capture.coerce import cast
from capture.diagonals import DiagonalStep
from capture.errors import UnsupportedError
from capture.functions import plain
from capture.functions.arguments import deliver
from capture.functions.contractions import operands
from capture.functions.einsum_subscripts import (
    Label,
    label_sizes,
    parse,
    split_arguments,
    Subscripts,
)
from capture.functions.registry import implements
from capture.functions.shaping import permuted
from capture.functions.stand_ins import laid_out, memory_order, stand_in, StandIn
from capture.location import here
from capture.tensor import Tensor
from capture.views import Owned, concrete_shape
from ir.errors import ShapeError
from ir.ops.linear_algebra import matmul as matmul_op
from ir.shapes import product

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from ir.dims import DimLike

    Path = tuple[tuple[int, ...], ...]

_FLOAT16, _FLOAT32 = np.dtype(np.float16), np.dtype(np.float32)
_MOST_LABELS = 16
"""With more labels a stand-in of two elements along each would be too large to ask about layout."""


class Term(NamedTuple):
    """An operand or an intermediate product with one label per axis.

    Attributes:
        labels: One per axis.
        tensor: The elements.
        from_zero: Whether the elements were summed starting from 0, so that none is -0.0.
    """

    labels: tuple[Label, ...]
    tensor: Tensor
    from_zero: bool = False


class Answer(NamedTuple):
    """What NumPy says about one call.

    Attributes:
        dtype: The result's dtype.
        is_view: Whether the result shares the operand's memory.
        is_scalar: Whether a result without axes is a NumPy scalar.
        order: The result's axes in memory, ``None`` for C order.
    """

    dtype: np.dtype[Any]
    is_view: bool
    is_scalar: bool
    order: tuple[int, ...] | None


@implements(np.einsum)
def einsum(*operands_: Any, out: Any = None, optimize: Any = False, **kwargs: Any) -> Any:
    """``numpy.einsum``: every form; ``optimize`` chooses the order as NumPy does."""
    text, values = split_arguments(operands_)
    given = operands("einsum", *values, *([] if out is None else [out]))
    tensors = given[: len(values)]
    options = tuple(sorted(kwargs.items()))
    path = _path(text, tensors, optimize)
    target = None if out is None else stand_in(given[-1])
    specs = tuple(map(stand_in, tensors))
    if sum(len(spec.shape) for spec in specs) > _MOST_LABELS:
        specs = tuple(spec._replace(shape=(1,) * len(spec.shape)) for spec in specs)
        target = target and target._replace(shape=(1,) * len(target.shape))
    answer = _ask(text, specs, target, options, path if optimize is not False else None)
    shapes = [tensor._type.shape for tensor in tensors]
    subscripts = parse(text, shapes)
    try:
        sizes = label_sizes(subscripts, shapes)
    except ShapeError as error:
        error.add_note(f"  einsum: {text!r} of {', '.join(str(t._type) for t in tensors)}{here()}")
        raise
    if answer.is_view:
        return _view(tensors[0], subscripts)
    dtype = _step_dtype(tensors, out, optimize, kwargs.get("dtype"))
    result = _summed(subscripts, tensors, sizes, path, dtype)
    if type(out) is Tensor:
        if out._type.shape != result._type.shape:
            raise ShapeError(f"einsum: out {out._type} cannot hold {result._type}{here()}")
        return deliver("einsum", result, out, "unsafe")
    result = cast(result, answer.dtype)
    result._state = laid_out(result._type.shape, answer.order)
    if not result.ndim and not answer.is_scalar:
        result._state = Owned()
    return result


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, list | tuple) else value


def _path(text: str, tensors: Sequence[Tensor], optimize: Any) -> Path:
    """Return which terms are multiplied at each step, as NumPy chooses for representative sizes."""
    if len(tensors) < 3 and optimize is False:
        return (tuple(range(len(tensors))),)
    wanted = "greedy" if optimize is False or optimize is True else optimize
    shapes = tuple((t.dtype, concrete_shape(t._type.shape)) for t in tensors)
    return _chosen_path(text, shapes, _frozen(wanted))


@lru_cache(maxsize=512)
def _chosen_path(text: str, shapes: tuple[Any, ...], optimize: Any) -> Path:
    arrays = [np.broadcast_to(np.zeros((), dtype), shape) for dtype, shape in shapes]
    wanted = list(optimize) if type(optimize) is tuple and "einsum_path" in optimize else optimize
    found = np.einsum_path(text, *arrays, optimize=wanted)[0]
    return tuple(found[1:])


@lru_cache(maxsize=512)
def _ask(
    text: str,
    specs: tuple[StandIn, ...],
    out: StandIn | None,
    options: tuple[tuple[str, Any], ...],
    path: Path | None,
) -> Answer:
    """Run NumPy's einsum on stand-ins; raises what NumPy raises."""
    arrays = [spec.array() for spec in specs]
    target = None if out is None else out.writeable_array()
    optimize: Any = False if path is None else ["einsum_path", *path]
    result = np.einsum(text, *arrays, out=target, optimize=optimize, **dict(options))
    is_scalar = not isinstance(result, np.ndarray)
    array = np.asarray(result)
    shares = out is None and not is_scalar and np.shares_memory(array, arrays[0])
    return Answer(array.dtype, shares, is_scalar, memory_order(array))


def _step_dtype(
    tensors: Sequence[Tensor], out: Any, optimize: Any, dtype: Any
) -> np.dtype[Any] | None:
    """Return the dtype everything is computed in, ``None`` for each step's own."""
    if dtype is not None:
        return np.dtype(dtype)
    if optimize is False:
        destination = [out.dtype] if type(out) is Tensor else []
        return np.result_type(*(tensor.dtype for tensor in tensors), *destination)
    own = np.result_type(*(tensor.dtype for tensor in tensors))
    if type(out) is Tensor and out.dtype != own:
        raise UnsupportedError(
            f"einsum: optimize= with out= of another dtype ({out.dtype}, operands {own}) is not "
            f"captured{here(2)}\n  ways out: give dtype=, or leave optimize= or out= away"
        )
    return None


def _view(x: Tensor, subscripts: Subscripts) -> Tensor:
    """Return a view of one operand: axes in another order, repeated ones along the diagonal."""
    (term,) = subscripts.terms
    groups = tuple(
        tuple(axis for axis, label in enumerate(term) if label == wanted)
        for wanted in subscripts.output
    )
    if all(len(group) == 1 for group in groups):
        return permuted(x, [group[0] for group in groups])
    shape = tuple(x._type.shape[group[0]] for group in groups)
    return make_view(x, DiagonalStep(groups, x._type.shape), shape)


def _summed(
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
        needed = {label for term in terms for label in term.labels} | set(kept)
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
    return Term(labels, plain.reshape(term.tensor, tuple(size for size in shape if size != 1)))


def _product(terms: Sequence[Term], needed: Collection[Label], dtype: Any) -> Term:
    """Multiply terms and sum over the labels that nobody needs any more."""
    wanted = dtype or np.result_type(*(term.tensor.dtype for term in terms))
    inner = _FLOAT32 if wanted == _FLOAT16 else wanted  # as NumPy's loops accumulate
    result, *others = (term._replace(tensor=cast(term.tensor, inner)) for term in terms)
    for position, other in enumerate(others):
        later = {label for term in others[position + 1 :] for label in term.labels}
        result = _pair(result, other, later | set(needed))
    labels, tensor, from_zero = _without_lone(result, (), needed)
    return Term(labels, cast(tensor, wanted), from_zero)


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


@implements(np.einsum_path)
def einsum_path(*operands_: Any, optimize: Any = "greedy", einsum_call: bool = False) -> Any:
    """``numpy.einsum_path``: NumPy's own answer, which depends on nothing but sizes."""
    text, values = split_arguments(operands_)
    tensors = operands("einsum_path", *values)
    if not all(tensor._type.is_static for tensor in tensors):
        raise UnsupportedError(
            f"einsum_path: the best order depends on a symbolic size{here()}\n  ways out: "
            "einsum(..., optimize=True), or a path that was found for typical sizes"
        )
    arrays = [np.broadcast_to(np.zeros((), t.dtype), concrete_shape(t._type.shape)) for t in tensors]
    return np.einsum_path(text, *arrays, optimize=optimize, einsum_call=einsum_call)
