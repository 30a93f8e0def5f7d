"""Loops whose carries share memory, with each other or with arrays from around."""

from __future__ import annotations

from typing import TYPE_CHECKING

from capture.errors import AliasingError
from capture.loans import owner_of
from capture.location import here
from capture.sharing import Sharing, is_array
from capture.tensor import Tensor

if TYPE_CHECKING:
    from capture.carries import Carries
    from capture.loops import Attempt

AROUND = "an array from around the loop"


def check_sharing(carries: Carries, attempt: Attempt) -> None:
    """Raise where the body writes into an array that is, on some trips, another one too.

    Raises:
        AliasingError: It does.
    """
    written = attempt.written
    stored = {id(owner) for owner in carries.storage.values()}
    first, last = Sharing(attempt.region, carries.leaves), attempt.sharing
    for sharing in (first, last):
        for i, j in sharing.pairs():
            if written & {i, j} and not carries.final & {i, j}:
                raise shared_error(carries, f"{carries.name(i)} and {carries.name(j)}")
    for i, owner in first.owners.items():
        if id(owner) in stored and i not in carries.final:
            raise shared_error(carries, f"{carries.name(i)} and {AROUND}")
    for i, owner in last.owners.items():
        outer = last.outer(i)
        if i not in carries.final and (
            any(id(other) in stored for other in outer) or (outer and i in written)
        ):
            raise shared_error(carries, f"{carries.name(i)} and {AROUND}")
        if (
            i in written
            and i not in attempt.kept
            and last.may_share(owner, attempt.entered[i])
        ):
            attempt.torn.add(i)
            attempt.firsts.pop(i, None)
            leaf = carries.leaves[i]
            regions = carries.recorder.regions
            inside = type(leaf) is not Tensor or not any(r.is_outer(leaf) for r in regions)
            if not inside or (is_array(leaf) and owner_of(leaf) is not leaf):
                raise shared_error(
                    carries, f"{carries.name(i)} and the one of the trip before"
                )


def shared_error(carries: Carries, what: str) -> AliasingError:
    """Return the error for arrays that are one on some trips."""
    return AliasingError(
        f"{carries.operation}: {what} are one array on some trips, and the body writes into it"
        f"{here(3)}\n  ways out: .copy() before the loop, or where one is set to the other"
    )


def watched_owners(carries: Carries, attempt: Attempt) -> dict[int, Tensor]:
    """Return the storage of carries that the body writes in place.

    While it is written through the carry, the body must not read it by another name.
    """
    leaves = [carries.leaves[i] for i in attempt.written if is_array(carries.leaves[i])]
    owners = [owner_of(leaf) for leaf in leaves]
    return {id(owner): owner for owner in owners if id(owner) not in carries.storage}


def check_watched(carries: Carries, attempt: Attempt, captures: list[int]) -> None:
    """Raise where the body reads, by another name, an array that it writes through a carry.

    Raises:
        AliasingError: It does.
    """
    for key, stand_in in attempt.watched.items():
        value = attempt.region.left[key][1]
        if stand_in._value in captures or value != stand_in._value:
            i = next(
                i
                for i in attempt.written
                if is_array(carries.leaves[i]) and id(owner_of(carries.leaves[i])) == key
            )
            raise shared_error(carries, f"{carries.name(i)} and {AROUND}")
