"""Recording a body once as a ``loop`` op."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from capture.coerce import cast, lift
from capture.errors import CarryError
from capture.location import here
from capture.pytrees import flatten, is_captured
from capture.regions import Region, lift_out, record_nested, result_tensor
from capture.tensor import Tensor
from capture.views import write
from ir.dims import Dim
from ir.ops.nested import Loop
from ir.types import INT64, TensorType

if TYPE_CHECKING:
    from collections.abc import Callable

    from capture.recorder import Recorder

    Step = Callable[[Tensor, Any], tuple[Any, Any, Any]]

_ATTEMPTS = 6
"""Recordings until carries settle: one per dtype or size that the body changes."""


class Carries:
    """What a loop carries: the leaves of a tree that are numbers or arrays.

    Args:
        recorder: Where the loop is recorded.
        operation: For messages.
        init: The first carried value.
    """

    def __init__(self, recorder: Recorder, operation: str, init: Any) -> None:
        self.recorder = recorder
        self.operation = operation
        self.leaves, self.rebuild = flatten(init)
        self.positions = [i for i, leaf in enumerate(self.leaves) if _is_number(leaf)]
        self.weak = {i for i in self.positions if type(self.leaves[i]) in (int, float)}
        self.initial = {i: lift(recorder, self.leaves[i]) for i in self.positions}
        self.types = {i: tensor._type for i, tensor in self.initial.items()}
        self.storage: dict[int, tuple[Tensor, int]] = {}

    def tree(self, tensors: dict[int, Tensor]) -> Any:
        """Return the carried value around other tensors."""
        return self.rebuild([tensors.get(i, leaf) for i, leaf in enumerate(self.leaves)])

    def taken(self, following: Any) -> dict[int, Tensor]:
        """Return the leaves that the body gives for the next trip.

        Raises:
            CarryError: The structure changes.
        """
        leaves, _ = flatten(following)
        if len(leaves) != len(self.leaves):
            raise CarryError(
                f"{self.operation}: the body returns {len(leaves)} values for "
                f"{len(self.leaves)} carried ones{here(4)}"
            )
        return {i: lift(self.recorder, leaves[i]) for i in self.positions}

    def settle(self, found: dict[int, Tensor]) -> bool:
        """Compare what leaves the body with what enters; widen and return False to try again.

        Raises:
            CarryError: The body changes a dtype or rank for good.
        """
        settled = True
        for position, tensor in found.items():
            enters, leaves = self.types[position], tensor._type
            if leaves.dtype != enters.dtype:
                if position not in self.weak:
                    raise self._mismatch(position, enters, leaves)
                self.weak.discard(position)
                self.types[position] = TensorType(leaves.dtype, enters.shape)
                self.initial[position] = cast(self.initial[position], leaves.dtype)
                settled = False
            elif leaves.rank != enters.rank:
                raise self._mismatch(position, enters, leaves)
            elif leaves.shape != enters.shape:
                self.types[position] = self._growing(enters, leaves)
                settled = self.types[position] == enters
        return settled

    def _growing(self, enters: TensorType, leaves: TensorType) -> TensorType:
        """Return the type with a symbol on each axis whose size the body changes."""
        shape = []
        for a, b in zip(enters.shape, leaves.shape, strict=True):
            grown = isinstance(a, Dim) and str(a).startswith("carried")
            keeps = a == b or grown
            shape.append(a if keeps else Dim(self.recorder.fresh_symbol("carried")))
        return TensorType(enters.dtype, tuple(shape))

    def _mismatch(self, position: int, enters: TensorType, leaves: TensorType) -> CarryError:
        return CarryError(
            f"{self.operation}: carry {self.positions.index(position)} enters the body as "
            f"{enters} and leaves it as {leaves}; make them agree, for example with "
            f".astype({enters.dtype}) in the body or another first value{here(4)}"
        )


def _is_number(leaf: Any) -> bool:
    return is_captured(leaf) or isinstance(leaf, bool | int | float | np.ndarray | np.generic)


class _Attempt:
    """One recording of the body."""

    def __init__(self, carries: Carries, step: Step) -> None:
        recorder = carries.recorder
        with Region(recorder) as region:
            self.trip = region.placeholder(TensorType(INT64, ()), scalar=True)
            self.entered = {}
            for i in carries.positions:
                scalar = carries.initial[i].is_scalar or i in carries.weak
                self.entered[i] = region.placeholder(carries.types[i], scalar)
            self.stored = {}
            for key, (owner, _) in carries.storage.items():
                self.stored[key] = region.placeholder(owner._type)
                owner._value = self.stored[key]._value
            region.start = len(recorder.builder.ops)
            self.indices = {i: t._value for i, t in self.entered.items()}
            going, following, result = step(self.trip, carries.tree(self.entered))
            self.going = lift(recorder, going)
            self.found = carries.taken(following)
            self.leaves, self.rebuild = flatten(result)
            self.results = [lift(recorder, leaf) for leaf in self.leaves]
            self.after = {key: owner._value for key, (owner, _) in carries.storage.items()}
            for owner, before in carries.storage.values():
                owner._value = before
            self.left = region.restore()
            for owner, before in carries.storage.values():
                owner._value = before
        self.region = region
        self.new_storage = {
            key: (owner, owner._value)
            for key, (owner, _) in self.left.items()
            if key not in carries.storage
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
    recorder = carries.recorder
    recorder.require_open(carries.operation)
    for _ in range(_ATTEMPTS):
        attempt = _Attempt(carries, step)
        carries.storage.update(attempt.new_storage)
        if carries.settle(attempt.found) and not attempt.new_storage:
            break
    else:
        raise CarryError(f"{carries.operation}: the carried types never settle{here(2)}")
    return _record(carries, attempt, limit, going, length)


def _record(
    carries: Carries, attempt: _Attempt, limit: Tensor, going: Tensor, length: int | Dim | None
) -> tuple[Any, Any]:
    recorder = carries.recorder
    owners = carries.storage
    inputs = [("trip", attempt.trip._value)]
    inputs += [(f"carry_{n}", attempt.indices[i]) for n, i in enumerate(carries.positions)]
    inputs += [(f"storage_{n}", attempt.stored[k]._value) for n, k in enumerate(owners)]
    outputs = [attempt.going._read()]
    outputs += [attempt.found[i]._read() for i in carries.positions]
    outputs += [attempt.after[key] for key in owners]
    outputs += [tensor._read() for tensor in attempt.results]
    lifted = lift_out(attempt.region, inputs, outputs, "body")
    carried = [carries.types[i] for i in carries.positions]
    fresh: dict[Dim, None] = {}
    final = []
    for type_ in carried:
        shape: list[int | Dim] = []
        for dim in type_.shape:
            if isinstance(dim, Dim) and str(dim).startswith("carried"):
                dim = Dim(recorder.fresh_symbol("final"))
                fresh[dim] = None
            shape.append(dim)
        final.append(TensorType(type_.dtype, tuple(shape)))
    final += [owner._type for owner, _ in owners.values()]
    count = len(carried) + len(owners)
    if attempt.results and length is None:
        length = Dim(recorder.fresh_symbol("trips"))
        fresh[length] = None
    stacks = [TensorType(t.dtype, (length, *t._type.shape)) for t in attempt.results]  # type: ignore[arg-type]
    op = Loop(lifted.graph, count, (*final, *stacks), lifted.dims, tuple(fresh))
    operands = (
        limit._read(),
        going._read(),
        *(carries.initial[i]._read() for i in carries.positions),
        *(before for _, before in owners.values()),
        *lifted.captures,
    )
    results = record_nested(recorder, op, operands)
    tensors = {
        i: result_tensor(recorder, value, attempt.entered[i])
        for i, value in zip(carries.positions, results, strict=False)
    }
    for (owner, _), value in zip(owners.values(), results[len(carried) : count], strict=True):
        write(owner, value)
    rows = [Tensor(recorder, v, recorder.builder.types[v]) for v in results[count:]]
    return carries.tree(tensors), attempt.rebuild(rows)
