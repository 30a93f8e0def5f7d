"""Recording a choice between two bodies as an ``if`` op."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from capture.coerce import cast, lift
from capture.errors import BranchError
from capture.location import here
from capture.promotion import result_dtype
from capture.pytrees import flatten, is_captured
from capture.regions import Region, lift_out, record_nested, result_tensor, write_back
from capture.tensor import Tensor
from ir.dims import Dim
from ir.ops.nested import If
from ir.types import TensorType

if TYPE_CHECKING:
    from collections.abc import Callable

    from capture.recorder import Recorder
    from ir.dims import DimLike


class _Branch:
    """One recorded body: its region, its results, and what it left in storage around it."""

    def __init__(self, recorder: Recorder, body: Callable[[], Any]) -> None:
        with Region(recorder) as region:
            self.result = body()
            self.leaves, self.rebuild = flatten(self.result)
            self.left = region.restore()
        self.region = region

    def lifted(self, recorder: Recorder, position: int, dtype: Any) -> Tensor:
        """Return a leaf as a tensor of a dtype, recorded inside the branch."""
        return lift(recorder, self.leaves[position], dtype)


def branch(condition: Tensor, true_body: Callable[[], Any], false_body: Callable[[], Any]) -> Any:
    """Record both bodies and an ``if`` that chooses between them.

    Args:
        condition: bool[].
        true_body: Recorded for a true condition.
        false_body: Recorded for a false one.

    Raises:
        BranchError: Their results differ in structure, dtype or rank.
    """
    recorder = condition._recorder
    recorder.require_open("cond")
    yes = _Branch(recorder, true_body)
    no = _Branch(recorder, false_body)
    if len(yes.leaves) != len(no.leaves) or type(yes.result) is not type(no.result) and (
        len(yes.leaves) != 1
    ):
        raise BranchError(
            f"cond: the branches return different structures: {_outline(yes)} and "
            f"{_outline(no)}{here(2)}"
        )
    positions = [i for i in range(len(yes.leaves)) if not _same_static(yes, no, i)]
    owners = {**yes.left, **no.left}
    outputs = [_outputs(recorder, side, other, positions, owners) for side, other in
               ((yes, no), (no, yes))]
    types = tuple(
        _joined_type(recorder, a, b) for a, b in zip(outputs[0], outputs[1], strict=True)
    )
    first = lift_out(yes.region, [], outputs[0], "then")
    second = lift_out(no.region, [], outputs[1], "else", first.captures)
    if second.captures != first.captures:
        first = lift_out(yes.region, [], outputs[0], "then", second.captures)
    known = {symbol for value in (*first.captures,) for symbol in _symbols(recorder, value)}
    fresh = tuple(
        dim
        for type_ in types
        for dim in type_.shape
        if isinstance(dim, Dim) and str(dim).startswith("joined") and dim not in known
    )
    op = If(first.graph, second.graph, types, first.dims, second.dims, tuple(dict.fromkeys(fresh)))
    results = record_nested(recorder, op, (condition._read(), *second.captures))
    made = dict(zip(positions, results, strict=False))
    write_back(owners, results[len(positions) :])
    leaves = [
        result_tensor(recorder, made[i], yes.leaves[i]) if i in made else leaf
        for i, leaf in enumerate(yes.leaves)
    ]
    return yes.rebuild(leaves)


def _symbols(recorder: Recorder, value: int) -> tuple[DimLike, ...]:
    return tuple(recorder.builder.types[value].shape)


def _outline(side: _Branch) -> str:
    parts = [str(leaf._type) if type(leaf) is Tensor else repr(leaf) for leaf in side.leaves]
    return f"({', '.join(parts)})"


def _same_static(yes: _Branch, no: _Branch, position: int) -> bool:
    """Whether a leaf is the same plain Python object in both branches."""
    a, b = yes.leaves[position], no.leaves[position]
    if is_captured(a) or is_captured(b):
        return False
    try:
        return a is b or bool(a == b)
    except ValueError:  # arrays
        return False


def _outputs(
    recorder: Recorder,
    side: _Branch,
    other: _Branch,
    positions: list[int],
    owners: dict[int, tuple[Tensor, int]],
) -> list[int]:
    """Return the values a branch gives: its results, then storage around that either writes."""
    values = []
    for position in positions:
        dtype = _common_dtype(recorder, side.leaves[position], other.leaves[position])
        tensor = cast(lift(recorder, side.leaves[position]), dtype)
        values.append(tensor._read())
    for key, (owner, _) in owners.items():
        values.append(side.left[key][1] if key in side.left else owner._value)
    return values


def _common_dtype(recorder: Recorder, a: Any, b: Any) -> Any:
    kinds = []
    for leaf in (a, b):
        if type(leaf) in (bool, int, float):
            kinds.append(type(leaf))
        else:
            kinds.append(lift(recorder, leaf).dtype)
    if all(not isinstance(kind, type) for kind in kinds) and kinds[0] != kinds[1]:
        raise BranchError(
            f"cond: the branches return different dtypes: {kinds[0]} and {kinds[1]}; convert one "
            f"with .astype{here(4)}"
        )
    return result_dtype([np.dtype(bool) if kind is bool else kind for kind in kinds])


def _joined_type(recorder: Recorder, a: int, b: int) -> TensorType:
    left, right = recorder.builder.types[a], recorder.builder.types[b]
    if left == right:
        return left
    if left.rank != right.rank:
        raise BranchError(
            f"cond: the branches return different numbers of axes: {left} and {right}{here(3)}"
        )
    shape = tuple(
        x if x == y else Dim(recorder.fresh_symbol("joined"))
        for x, y in zip(left.shape, right.shape, strict=True)
    )
    return TensorType(left.dtype, shape)
