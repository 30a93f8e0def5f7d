"""Recording a choice between two bodies as an ``if`` op."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from capture.coerce import cast, lift
from capture.errors import BranchError
from capture.lifting import lift_out
from capture.loans import lend, outer_alias, owner_of
from capture.location import here
from capture.outer_types import OuterTypes
from capture.promotion import result_dtype
from capture.pytrees import child_names, children, flatten, is_captured
from capture.regions import Region, record_nested, result_tensor, write_back
from capture.sharing import Sharing
from capture.symbolic import SymbolicInt
from capture.tensor import Tensor
from capture.weak import WEAK_NUMBERS, WeakInt, weak
from ir.ops.nested import If

if TYPE_CHECKING:
    from collections.abc import Callable

    from capture.recorder import Recorder
    from ir.types import TensorType

_NUMBERS = (bool, int, float)


class _Branch:
    """One recorded body: its region, its results, and what it left in storage around it."""

    def __init__(self, recorder: Recorder, body: Callable[[], Any], label: str) -> None:
        with Region(recorder, label) as region:
            self.result = body()
            self.flatten()
            self._values = {
                id(leaf): leaf._read() for leaf in self.leaves if type(leaf) is Tensor
            }
        self.region = region

    def flatten(self) -> None:
        """Take the result apart."""
        self.leaves, self.rebuild = flatten(self.result)

    def value(self, leaf: Any) -> Any:
        """Return a leaf as it was at the end of the body, before that was undone."""
        index = self._values.get(id(leaf)) if type(leaf) is Tensor else None
        if index is None:
            return leaf
        return Tensor(leaf._recorder, index, leaf._type)

    def lender(self, position: int) -> Tensor | None:
        """Return a result that is, or is a view of, an array from around the body."""
        leaf = self.leaves[position]
        return outer_alias(self.region, leaf) if type(leaf) is Tensor else None


def branch(
    condition: Tensor,
    true_body: Callable[[], Any],
    false_body: Callable[[], Any],
    operation: str = "cond",
    describe: Callable[[int], str] | None = None,
    reconcile: Callable[[Any, Any], None] | None = None,
) -> Any:
    """Record both bodies and an ``if`` that chooses between them.

    Args:
        condition: bool[].
        true_body: Recorded for a true condition.
        false_body: Recorded for a false one.
        operation: For messages.
        describe: Names a leaf of the result, for messages.
        reconcile: May change both results, before they are compared.

    Raises:
        BranchError: Their results differ in structure, dtype or rank.
    """
    recorder = condition._recorder
    recorder.require_open(operation)
    yes = _Branch(recorder, true_body, f"the true branch of {operation}")
    no = _Branch(recorder, false_body, f"the false branch of {operation}")
    if reconcile is not None:
        reconcile(yes.result, no.result)
        yes.flatten()
        no.flatten()
    different = structure_difference(yes.result, no.result)
    if different:
        raise BranchError(
            f"{operation}: the branches return different structures: {different}{here(2)}\n  ways "
            "out: return the same tuple, dict or dataclass from both"
        )
    names = describe or _leaf_names(yes.result)
    positions = [i for i in range(len(yes.leaves)) if not _same(yes, no, i)]
    pairs = {i: _matched(recorder, yes, no, i, f"{operation}: {names(i)}") for i in positions}
    owners = [owner for owner, _ in {**yes.region.left, **no.region.left}.values()]
    outputs = [
        [*(pairs[i][at] for i in positions), *(_stored(side, owner) for owner in owners)]
        for at, side in enumerate((yes, no))
    ]
    outer = OuterTypes(recorder, yes.region.start)
    builder = recorder.builder
    types = tuple(
        outer.join(builder.types[a], builder.types[b])
        for a, b in zip(outputs[0], outputs[1], strict=True)
    )
    first = lift_out(yes.region, [], outputs[0], "then")
    second = lift_out(no.region, [], outputs[1], "else", first.captures)
    if second.captures != first.captures:
        first = lift_out(yes.region, [], outputs[0], "then", second.captures)
    op = If(first.graph, second.graph, types, first.dims, second.dims, outer.fresh)
    results = record_nested(recorder, op, (condition._read(), *second.captures))
    write_back(owners, results[len(positions) :])
    leaves = list(yes.leaves)
    for i, value in zip(positions, results, strict=False):
        leaves[i] = _result(recorder, value, yes, no, i)
        for j in range(i):
            if yes.leaves[i] is yes.leaves[j] and no.leaves[i] is no.leaves[j]:
                leaves[i] = leaves[j]  # one array on both ways
    _note_sharing(condition, leaves, yes, no)
    return yes.rebuild(leaves)


def _result(recorder: Recorder, value: int, yes: _Branch, no: _Branch, position: int) -> Any:
    a, b = yes.leaves[position], no.leaves[position]
    made = result_tensor(recorder, value, a if type(a) is Tensor else b)
    if _is_weak(a) and _is_weak(b):
        return weak(made)
    return made


def _note_sharing(condition: Tensor, leaves: list[Any], yes: _Branch, no: _Branch) -> None:
    """Note which results may be one array with another, or with one from around."""
    recorder = condition._recorder
    for side in (yes, no):
        holds: Any = condition if side is yes else np.logical_not(condition)
        sharing = Sharing(side.region, side.leaves)
        for position in sharing.owners:
            made = leaves[position]
            if made is side.leaves[position]:
                continue
            alias = side.lender(position)
            if alias is not None:
                lend(recorder, alias, made, holds)
            for owner in sharing.outer(position):
                if alias is None or owner is not owner_of(alias):
                    lend(recorder, owner, made)
        for i, j in sharing.pairs():
            if leaves[i] is leaves[j]:
                continue
            if side.leaves[i] is side.leaves[j]:
                lend(recorder, leaves[i], leaves[j], holds)
            else:
                lend(recorder, leaves[i], leaves[j])


def structure_difference(a: Any, b: Any, path: str = "") -> str:
    """Return how two trees differ in structure, or an empty string."""
    left, right = children(a), children(b)
    at = f" at {path}" if path else ""
    if left is None and right is None:
        return ""
    if left is None or right is None or type(a) is not type(b):
        return f"{outline(a)} and {outline(b)}{at}"
    if child_names(a) != child_names(b):
        return f"{outline(a)} and {outline(b)}{at}"
    for name, x, y in zip(child_names(a), left[0], right[0], strict=True):
        different = structure_difference(x, y, f"{path}[{name}]")
        if different:
            return different
    return ""


def outline(value: Any) -> str:
    """Return a value of a tree as messages show it."""
    if type(value) is Tensor:
        return str(value._type)
    if value is None or type(value) in (*_NUMBERS, str):
        return repr(value)
    if type(value) in WEAK_NUMBERS or type(value) is SymbolicInt:
        return "a Python float" if is_weak_float(value) else "a Python int"
    if isinstance(value, np.ndarray | np.generic):
        return f"{value.dtype}{list(value.shape)}"
    if children(value) is None:
        return f"an object of type {type(value).__name__}"
    items = ", ".join(outline(item) for item in children(value)[0])  # type: ignore[index]
    kind = type(value).__name__
    return f"({items})" if type(value) is tuple else f"{kind}({items})"


def is_weak_float(value: Any) -> bool:
    """Whether a number is a Python float, captured or not."""
    return type(value) is float or (type(value) in WEAK_NUMBERS and type(value) is not WeakInt)


def _is_weak(leaf: Any) -> bool:
    return type(leaf) in (*_NUMBERS, *WEAK_NUMBERS, SymbolicInt)


def _leaf_names(result: Any) -> Callable[[int], str]:
    split = children(result)
    if split is None:
        return lambda position: "the result"
    named = [
        f"result [{name}]"
        for name, item in zip(child_names(result), split[0], strict=True)
        for _ in flatten(item)[0]
    ]
    return lambda position: named[position]


def _same(yes: _Branch, no: _Branch, position: int) -> bool:
    """Whether a leaf is the same object, or the same plain Python value, in both branches."""
    a, b = yes.leaves[position], no.leaves[position]
    if a is b and type(a) is Tensor:
        return yes.region.is_outer(a)
    if is_captured(a) or is_captured(b) or type(a) is not type(b):
        return a is b
    try:
        return a is b or bool(a == b)
    except ValueError:  # arrays
        return False


def _stored(side: _Branch, owner: Tensor) -> int:
    """Return what a branch leaves in storage from around it."""
    found = side.region.left.get(id(owner))
    return owner._value if found is None else found[1]


def _matched(
    recorder: Recorder, yes: _Branch, no: _Branch, position: int, what: str
) -> tuple[int, int]:
    """Return a leaf's values in both branches, of one dtype and rank.

    Raises:
        BranchError: They have none in common.
    """
    sides = (yes, no)
    leaves = [side.leaves[position] for side in sides]
    for leaf, other in (leaves, leaves[::-1]):
        if not is_number(leaf):
            raise BranchError(
                f"{what} is {outline(leaf)} in one branch and {outline(other)} in the other"
                f"{here(3)}\n  ways out: return an array or number from both, such as a flag and "
                "a value that is used only where the flag holds"
            )
    keys = [_promotion(recorder, leaf) for leaf in leaves]
    strong = {key for key in keys if isinstance(key, np.dtype)}
    if len(strong) > 1:
        raise BranchError(
            f"{what} has the dtype {keys[0]} if true and {keys[1]} if false{here(3)}\n  ways out: "
            f"convert one of them, .astype({str(keys[0])!r})"
        )
    dtype = result_dtype([np.dtype(bool) if key is bool else key for key in keys])
    tensors = []
    for side, leaf in zip(sides, leaves, strict=True):
        tensors.append(cast(lift(recorder, side.value(leaf)), dtype))
    left, right = (tensor._type for tensor in tensors)
    if left.rank != right.rank:
        raise BranchError(
            f"{what} has different numbers of axes: {left} if true and {right} if false{here(3)}"
            "\n  ways out: reshape or broadcast one of them"
        )
    return tensors[0]._read(), tensors[1]._read()


def is_number(leaf: Any) -> bool:
    """Whether a leaf can be part of a graph: captured, a number or an array."""
    return is_captured(leaf) or isinstance(leaf, bool | int | float | np.ndarray | np.generic)


def _promotion(recorder: Recorder, leaf: Any) -> Any:
    if type(leaf) in _NUMBERS:
        return type(leaf)
    if type(leaf) in WEAK_NUMBERS or type(leaf) is SymbolicInt:
        return float if is_weak_float(leaf) else int
    type_: TensorType = lift(recorder, leaf)._type
    return type_.dtype
