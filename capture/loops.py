"""Recording a body once as a ``loop`` op."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from capture.carries import Carries
from capture.coerce import cast, lift
from capture.errors import CarryError
from capture.lifting import lift_out
from capture.loans import lend, tear
from capture.location import here
from capture.loop_sharing import check_sharing, check_watched, watched_owners
from capture.outer_types import OuterTypes
from capture.pytrees import flatten
from capture.regions import Region, record_nested, result_tensor, write_back
from capture.sharing import Sharing, is_array
from capture.tensor import Tensor
from capture.views import write
from capture.weak import weak
from ir.dims import Dim
from ir.ops.elementwise import where as where_op
from ir.ops.nested import Loop
from ir.types import INT64, TensorType

if TYPE_CHECKING:
    from collections.abc import Callable

    Step = Callable[[Tensor, Any], tuple[Any, Any, Any]]

_ATTEMPTS = 12
"""Recordings until carries settle: one per dtype, size or storage that the body changes."""


class Attempt:
    """One recording of the body."""

    def __init__(self, carries: Carries, step: Step) -> None:
        recorder = carries.recorder
        self.entered: dict[int, Tensor] = {}
        self.stored: dict[int, Tensor] = {}
        self.firsts: dict[int, Tensor] = {}
        self.torn: set[int] = set()
        self.watched: dict[int, Tensor] = {}
        with Region(recorder, f"the body of {carries.operation}") as region:
            self.trip = region.placeholder(TensorType(INT64, ()), scalar=True)
            for i in carries.positions:
                scalar = i in carries.weak or carries.initial[i].is_scalar
                self.entered[i] = region.placeholder(carries.types[i], scalar)
            self.indices = {i: tensor._value for i, tensor in self.entered.items()}
            for key, owner in carries.storage.items():
                self.stored[key] = region.placeholder(owner._type)
                region.note(owner)
                owner._value = self.stored[key]._value
            for key, owner in carries.watched.items():
                self.watched[key] = region.placeholder(owner._type)
                region.note(owner)
                owner._value = self.watched[key]._value
            going, following, result = step(self.trip, carries.inside(self.entered))
            self.going = lift(recorder, going)._read()
            self.found = carries.taken(following)
            self.settled = carries.settle(self.found)
            tensors = {i: lift(recorder, self.found[i]) for i in carries.positions}
            self.values = {i: tensor._read() for i, tensor in tensors.items()}
            self.kept = {i for i, tensor in tensors.items() if tensor is self.entered[i]}
            entered = self.entered.items()
            self.written = {i for i, tensor in entered if tensor._read() != self.indices[i]}
            self.firsts = {i: self.entered[i] for i in self.written - self.kept}
            leaves, self.rebuild = flatten(result)
            self.results = [lift(recorder, leaf) for leaf in leaves]
            self.rows = [tensor._read() for tensor in self.results]
        self.region = region
        self.sharing = Sharing(region, self.found)
        self.after = {key: value for key, (_, value) in region.left.items()}

    def new_storage(self, carries: Carries) -> dict[int, Tensor]:
        """Return owners around the loop that the body writes and that are not carried yet."""
        return {
            key: owner
            for key, (owner, _) in self.region.left.items()
            if key not in carries.storage and key not in carries.watched
        }


def run_loop(
    carries: Carries, limit: Tensor, going: Tensor, step: Step, length: int | Dim | None = None
) -> tuple[Any, Any]:
    """Record a loop.

    Args:
        carries: What is carried.
        limit: Most trips, i64[].
        going: The first condition, bool[].
        step: Takes the trip number and the carried value; returns the next condition, the next
            carried value, and results to stack.
        length: The number of trips where it is known, for the stacks' first axis.

    Returns:
        The last carried value, and the stacked results.

    Raises:
        CarryError: The body changes a carry's dtype or rank.
    """
    carries.recorder.require_open(carries.operation)
    for _ in range(_ATTEMPTS):
        attempt = Attempt(carries, step)
        new = attempt.new_storage(carries)
        carries.storage.update(new)
        carries.widen()
        settled = attempt.settled and not new
        if settled:
            unchanged = attempt.kept - attempt.written
            watched = watched_owners(carries, attempt)
            settled = not unchanged and watched.keys() <= carries.watched.keys()
            carries.watched = watched
            for i in unchanged:
                carries.fix(i)
        if settled:
            check_sharing(carries, attempt)
            return _Recorded(carries, attempt, length).finish(limit, going)
        attempt.region.discard()
    raise CarryError(
        f"{carries.operation}: the carried types never settle{here(2)}\n  ways out: carry values "
        "of one dtype and number of axes"
    )


class _Recorded:
    """A settled attempt, and the pieces that its op is made of."""

    def __init__(self, carries: Carries, attempt: Attempt, length: int | Dim | None) -> None:
        self.carries = carries
        self.attempt = attempt
        self.recorder = carries.recorder
        self.length = length
        self.owners = list(carries.storage.values())
        # a carry written in place before it is replaced: what the first trip left in it is the
        # contents of the array that entered
        self.firsts = {
            i: attempt.region.placeholder(carries.types[i])
            for i in attempt.firsts
            if type(carries.leaves[i]) is Tensor
            and carries.types[i] == carries.leaves[i]._type
        }

    def finish(self, limit: Tensor, going: Tensor) -> tuple[Any, Any]:
        """Record the op and give everything its results."""
        carries, recorder, attempt = self.carries, self.recorder, self.attempt
        lifted = lift_out(attempt.region, self._inputs(), self._outputs(), "body")
        check_watched(carries, attempt, lifted.captures)
        outer = OuterTypes(recorder, attempt.region.start, frozenset(carries.symbols))
        types = [outer.join(carries.types[i]) for i in carries.positions]
        types += [owner._type for owner in self.owners]
        types += [carries.types[i] for i in self.firsts]
        count = len(types)
        types += self._stacks(outer)
        fresh = outer.fresh
        if isinstance(self.length, Dim) and attempt.results and self._unknown_length:
            fresh = (*fresh, self.length)
        op = Loop(lifted.graph, count, tuple(types), lifted.dims, fresh)
        operands = (
            limit._read(),
            going._read(),
            *(carries.initial[i]._read() for i in carries.positions),
            *(owner._value for owner in self.owners),
            *(carries.initial[i]._read() for i in self.firsts),
            *lifted.captures,
        )
        results = record_nested(recorder, op, operands)
        carried = len(carries.positions)
        write_back(self.owners, results[carried : carried + len(self.owners)])
        for i, value in zip(self.firsts, results[carried + len(self.owners) :], strict=False):
            write(carries.leaves[i], value)
        ran: Any = np.logical_and(going, limit > 0)
        leaves = list(carries.leaves)
        for i, value in zip(carries.positions, results, strict=False):
            leaves[i] = self._carried(i, value, ran)
        self._note_sharing(leaves)
        for i in attempt.torn:
            if is_array(carries.leaves[i]):
                tear(carries.leaves[i], carries.operation)
        rows = [Tensor(recorder, v, recorder.builder.types[v]) for v in results[count:]]
        return carries.rebuild(leaves), attempt.rebuild(rows)

    def _inputs(self) -> list[tuple[str, int]]:
        attempt = self.attempt
        inputs = [("trip_number", attempt.trip._value)]
        inputs += [(self.carries.label(i), index) for i, index in attempt.indices.items()]
        inputs += [(f"storage_{n}", t._value) for n, t in enumerate(attempt.stored.values())]
        return inputs + [(f"first_{n}", t._value) for n, t in enumerate(self.firsts.values())]

    def _outputs(self) -> list[int]:
        carries, recorder, attempt = self.carries, self.recorder, self.attempt
        outputs = [attempt.going]
        for i in carries.positions:
            value = Tensor(
                recorder, attempt.values[i], recorder.builder.types[attempt.values[i]]
            )
            outputs.append(cast(value, carries.types[i].dtype)._read())
        outputs += [attempt.after[key] for key in carries.storage]
        is_first = attempt.trip == 0
        for i, placeholder in self.firsts.items():
            chosen = (is_first._read(), attempt.firsts[i]._read(), placeholder._value)
            outputs.append(recorder.append(where_op, chosen))
        return outputs + attempt.rows

    def _stacks(self, outer: OuterTypes) -> list[TensorType]:
        carries, attempt = self.carries, self.attempt
        self._unknown_length = self.length is None
        if self._unknown_length and attempt.results:
            self.length = Dim(self.recorder.fresh_symbol("trips"))
        for tensor in attempt.results:
            if any(outer.is_local(dim) for dim in tensor._type.shape):
                raise CarryError(
                    f"{carries.operation}: the results to stack have a size that may differ from "
                    f"step to step: {tensor._type}{here(3)}\n  ways out: give every step's result "
                    "one shape, padded or masked with np.where"
                )
        return [
            TensorType(t._type.dtype, (self.length, *t._type.shape))  # type: ignore[arg-type]
            for t in attempt.results
        ]

    def _carried(self, position: int, value: int, ran: Tensor) -> Any:
        carries, attempt = self.carries, self.attempt
        leaf = carries.leaves[position]
        if position in attempt.kept and type(leaf) is Tensor and not leaf.is_scalar:
            if attempt.entered[position]._value != attempt.indices[position]:
                write(leaf, value)  # written in place on every trip
            return leaf
        made = result_tensor(self.recorder, value, attempt.entered[position])
        if position in carries.weak:
            return weak(made)
        if type(leaf) is Tensor and not leaf.is_scalar and leaf._type == made._type:
            lend(self.recorder, leaf, made, ~ran)
        return made

    def _note_sharing(self, leaves: list[Any]) -> None:
        """Note which results may be one array with another, or with one from around."""
        carries, attempt, sharing = self.carries, self.attempt, self.attempt.sharing
        entered = {id(tensor): i for i, tensor in attempt.entered.items()}
        for i, owner in sharing.owners.items():
            if leaves[i] is carries.leaves[i]:
                continue
            others = sharing.outer(i)
            j = entered.get(id(owner), i)
            if j != i and is_array(carries.leaves[j]):
                others.append(carries.leaves[j])
            for other in others:
                lend(self.recorder, other, leaves[i])
        for i, j in sharing.pairs():
            if leaves[i] is not leaves[j]:
                lend(self.recorder, leaves[i], leaves[j])
