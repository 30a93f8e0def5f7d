"""Memory that two arrays share on one path only: ``y = x if p else x * 2``, then ``y[0] = 1``.

What a branch or loop returns may be an array from around it. A write to either is then a write to
the other wherever that path ran, so it is recorded for both, the other under the path's condition.
"""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING

from capture.errors import AliasingError
from capture.location import here
from capture.views import Owned, View, write
from ir.ops.elementwise import where as where_op

if TYPE_CHECKING:
    from capture.recorder import Recorder
    from capture.regions import Region
    from capture.tensor import Tensor


class Loan:
    """One tensor that may be another one.

    Args:
        condition: bool[]: whether it is.
        lender: The tensor it may be.
        borrower: The tensor that a branch or loop gave.
    """

    __slots__ = ("borrower", "busy", "condition", "lender")

    def __init__(self, condition: Tensor, lender: Tensor, borrower: Tensor) -> None:
        self.condition = condition
        self.lender = lender
        self.borrower = weakref.ref(borrower)
        self.busy = False

    def pass_on(self, source: Tensor, target: Tensor) -> None:
        """Write what ``source`` holds to ``target`` where they are one array."""
        if source._type != target._type:
            raise AliasingError(
                f"write: whether this {source._type} and a {target._type} share memory depends "
                f"on which way a branch or loop went{here()}\n  ways out: call .copy() before "
                "writing"
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


def lend(recorder: Recorder, condition: Tensor, lender: Tensor, borrower: Tensor) -> None:
    """Note that ``borrower`` is ``lender`` itself where ``condition`` holds."""
    loan = Loan(condition, lender, borrower)
    if type(borrower._state) is not Owned:
        borrower._state = Owned()
    for owner in (owner_of(lender), borrower):
        recorder.loans.setdefault(id(owner), []).append(loan)
    recorder.lenders.append(owner_of(lender))  # keeps its id its own


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


def settle_loans(recorder: Recorder, owner: Tensor) -> None:
    """Pass a write to ``owner`` on to what shares its memory on some path."""
    for loan in recorder.loans.get(id(owner), ()):
        borrower = loan.borrower()
        if borrower is None or loan.busy:
            continue
        if owner is borrower:
            loan.pass_on(borrower, loan.lender)
        else:
            loan.pass_on(loan.lender, borrower)
