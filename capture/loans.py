"""Memory that two arrays share on one path only: ``y = x if p else x * 2``, then ``y[0] = 1``.

What a branch or loop returns may be an array from around it. A write to either is then a write to
the other wherever that path ran, so it is recorded for both, the other under the path's condition.
"""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING

from capture.errors import AliasingError
from capture.location import here
from capture.views import View, write
from ir.ops.elementwise import where as where_op

if TYPE_CHECKING:
    from capture.recorder import Recorder
    from capture.regions import Region
    from capture.tensor import Tensor
    from capture.views import Shadow
    from ir.types import TensorType


class Loan:
    """Two tensors that may be one array.

    Args:
        lender: One of them.
        borrower: The other; forgotten when nobody holds it any more.
        condition: bool[]: whether they are the same; ``None`` where that is unknown.
    """

    __slots__ = ("_borrower", "_kept", "_lender", "busy", "condition")

    def __init__(self, lender: Tensor, borrower: Tensor, condition: Tensor | None) -> None:
        self.condition = condition
        self._lender = weakref.ref(lender)
        self._borrower = weakref.ref(borrower)
        self._kept = None if condition is None else lender  # perhaps a view that only we hold
        self.busy = False

    @property
    def sides(self) -> tuple[Tensor, Tensor] | None:
        """Lender and borrower, if both are still in use."""
        lender, borrower = self._lender(), self._borrower()
        return None if lender is None or borrower is None else (lender, borrower)

    def pass_on(self, source: Tensor, target: Tensor) -> None:
        """Write what ``source`` holds to ``target`` where they are one array."""
        if self.condition is None or source._type != target._type:
            raise AliasingError(
                f"write: whether this {source._type} shares memory with a {target._type} depends "
                f"on which way a branch or loop went{here()}\n  ways out: call .copy() before "
                "writing, or where one variable is set to the other"
            )
        operands = (self.condition._read(), source._read(), target._read())
        self.busy = True  # so that the write does not come back
        try:
            write(target, source._recorder.append(where_op, operands))
        finally:
            self.busy = False


def owner_of(tensor: Tensor) -> Tensor:
    """Return the tensor whose storage this one uses."""
    return tensor._state.owner if type(tensor._state) is View else tensor


def lend(
    recorder: Recorder, lender: Tensor, borrower: Tensor, condition: Tensor | None = None
) -> None:
    """Note that ``borrower`` is ``lender`` itself where a condition holds, or may be."""
    if condition is None:
        lender, borrower = owner_of(lender), owner_of(borrower)
    loan = Loan(lender, borrower, condition)
    for tensor in (owner_of(lender), owner_of(borrower)):
        recorder.loans.setdefault(id(tensor), []).append(loan)


def outer_alias(region: Region, tensor: Tensor) -> Tensor | None:
    """Return an array from around a body for one that the body gave, if they are the same.

    A view made inside is made again outside, where every part of it is known there.
    """
    if tensor.is_scalar:
        return None
    if region.is_outer(tensor):
        return tensor
    state = tensor._state
    if type(state) is not View:
        return None
    parent = outer_alias(region, state.parent)
    index = getattr(state.step, "index", -1)
    producers = tensor._recorder.builder.producers
    if parent is None or (index >= 0 and producers[index] >= region.start):
        return None
    value = state.step.forward(tensor._recorder, parent._read())
    view = View(parent, state.step, state.settled)
    return type(tensor)(tensor._recorder, value, tensor._type, view)


class _TornStep:
    """The contents of an array that a loop wrote to on an unknown number of trips."""

    writeable = True

    def __init__(self, type_: TensorType, operation: str) -> None:
        self._text = (
            f"{operation} wrote into this {type_} in place until it replaced it{here(3)}"
        )

    def forward(self, recorder: Recorder, parent: int) -> int:
        """Refuse: nobody knows what is left in it."""
        raise AliasingError(
            f"read: {self._text}\n  so what it holds now depends on the trip where that was"
            f"{here()}\n  ways out: .copy() before the loop"
        )

    def backward(self, recorder: Recorder, parent: int, value: int) -> int:
        """Refuse likewise."""
        return self.forward(recorder, parent)

    def shadow(self, parent: Shadow) -> Shadow:
        """Keep the layout."""
        return parent


def tear(tensor: Tensor, operation: str) -> None:
    """Make an array unreadable: a loop wrote into it on a number of trips that is not known."""
    whole = type(tensor)(tensor._recorder, tensor._value, tensor._type, tensor._state)
    tensor._state = View(whole, _TornStep(tensor._type, operation))
    tensor._state.seen = tensor._value = -1  # views of it notice, too


def _connected(recorder: Recorder, owner: Tensor) -> list[Loan]:
    """Return the loans in use that lead, directly or through others, to ``owner``."""
    found: dict[int, Loan] = {}
    waiting, seen = [owner], {id(owner)}
    while waiting:
        for loan in recorder.loans.get(id(waiting.pop()), ()):
            sides = loan.sides
            if sides is None or id(loan) in found:
                continue
            found[id(loan)] = loan
            for other in map(owner_of, sides):
                if id(other) not in seen:
                    seen.add(id(other))
                    waiting.append(other)
    return list(found.values())


def _check_untangled(recorder: Recorder, owner: Tensor) -> None:
    """Raise unless one borrower has several lenders, or one lender several borrowers.

    Parts of one array on the two ways, exchanged variables and choices among choices are more than
    a write under a condition can follow.
    """
    loans = _connected(recorder, owner)
    if len(loans) < 2:
        return
    sides = [loan.sides for loan in loans]
    lenders = {id(owner_of(pair[0])) for pair in sides if pair is not None}
    borrowers = {id(owner_of(pair[1])) for pair in sides if pair is not None}
    count = len(loans)
    star = {len(lenders), len(borrowers)} == {1, count}
    if not star or borrowers & lenders:
        raise AliasingError(
            f"write: several arrays may share memory with this {owner._type}, depending on which "
            f"way a branch or loop went{here()}\n  ways out: call .copy() before writing, or where "
            "one variable is set to the other"
        )


def settle_loans(recorder: Recorder, owner: Tensor) -> None:
    """Pass a write to ``owner`` on to what may share its memory.

    Raises:
        AliasingError: What shares memory with what is more than conditions can follow.
    """
    loans = recorder.loans.get(id(owner), ())
    if loans and not any(loan.busy for loan in loans):
        _check_untangled(recorder, owner)
    for loan in loans:
        sides = loan.sides
        if sides is None or loan.busy:
            continue
        lender, borrower = sides
        if owner is owner_of(borrower):
            loan.pass_on(borrower, lender)
        elif owner is owner_of(lender):
            loan.pass_on(lender, borrower)
