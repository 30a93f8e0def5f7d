"""What a loop carries from one trip to the next, and what its types settle to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from capture.branches import is_number, is_weak_float, outline, structure_difference
from capture.coerce import cast, lift
from capture.errors import CarryError
from capture.location import here
from capture.pytrees import flatten, is_captured
from capture.symbolic import SYMBOLIC_NUMBERS
from capture.tensor import Tensor
from capture.users_line import add_users_line
from capture.weak import weak
from ir.dims import Dim, symbols_of
from ir.types import TensorType

if TYPE_CHECKING:
    from collections.abc import Callable

    from capture.recorder import Recorder
    from ir.dims import Symbol


_OURS = ("captured_", "carry_", "first_", "storage_", "trip_number")
"""How the names of a body's other inputs begin."""


class Carries:
    """What a loop carries: the leaves of a tree that are numbers or arrays.

    Args:
        recorder: Where the loop is recorded.
        operation: For messages.
        init: The first carried value.
        describe: Names a leaf, for messages.

    Attributes:
        positions: The leaves that are carried; the others must stay as they are.
        weak: Those that are Python numbers, whose dtype the body decides.
        types: Their types inside the body.
        symbols: Sizes that change from trip to trip.
        watched: Owners of storage that the body writes through a carry.
        final: Leaves that the body sets on the last trip only.
        storage: Owners of storage around the loop that the body writes.
    """

    def __init__(
        self,
        recorder: Recorder,
        operation: str,
        init: Any,
        describe: Callable[[int], str] | None = None,
    ) -> None:
        self.recorder = recorder
        self.operation = operation
        self.tree = init
        self.describe = describe
        self.leaves, self.rebuild = flatten(init)
        self.positions = [i for i, leaf in enumerate(self.leaves) if is_number(leaf)]
        self.weak = {
            i
            for i in self.positions
            if type(self.leaves[i]) in (int, float, *SYMBOLIC_NUMBERS)
        }
        self.initial = {i: lift(recorder, self.leaves[i]) for i in self.positions}
        self.types = {i: tensor._type for i, tensor in self.initial.items()}
        self.symbols: dict[Symbol, None] = {}
        self.storage: dict[int, Tensor] = {}
        self.watched: dict[int, Tensor] = {}
        self.final: set[int] = set()

    def inside(self, tensors: dict[int, Tensor]) -> Any:
        """Return the carried value as the body sees it."""
        leaves = list(self.leaves)
        for i, tensor in tensors.items():
            leaves[i] = weak(tensor) if i in self.weak else tensor
        return self.rebuild(leaves)

    def fix(self, position: int) -> None:
        """Carry a leaf no longer: the body leaves it as it is."""
        self.positions.remove(position)
        self.weak.discard(position)
        del self.types[position], self.initial[position]

    def taken(self, following: Any) -> list[Any]:
        """Return the leaves that the body gives for the next trip.

        Raises:
            CarryError: The structure changes, or something that is no number does.
        """
        different = structure_difference(self.tree, following)
        if different:
            raise CarryError(
                f"{self.operation}: the carried value changes its structure from {different}"
                f"{here(2)}\n  ways out: return a value like the first one; an array of a fixed "
                "size can be written to where a list would grow"
            )
        leaves, _ = flatten(following)
        for i, leaf in enumerate(leaves):
            if i in self.types or leaf is self.leaves[i]:
                continue
            if is_captured(leaf) or leaf != self.leaves[i]:
                raise CarryError(
                    f"{self.operation}: {self.name(i)} changes from {outline(self.leaves[i])} to "
                    f"{outline(leaf)}{here(2)}\n  ways out: carry numbers and arrays; give it a "
                    "first value of the same dtype and shape, and a flag that says whether it "
                    "means something yet"
                )
        for i in self.positions:
            if not is_number(leaves[i]):
                raise CarryError(
                    f"{self.operation}: {self.name(i)} changes from {self.types[i]} to "
                    f"{outline(leaves[i])}{here(2)}\n  ways out: keep it an array or number"
                )
        return leaves

    def name(self, position: int) -> str:
        """Return what a leaf is called in messages."""
        if self.describe is not None:
            return self.describe(position)
        if len(self.leaves) == 1:
            return "the carry"
        return (
            f"carry {self.positions.index(position) if position in self.types else position}"
        )

    def label(self, position: int) -> str:
        """Return a leaf's name in the body's graph: the variable's where there is one."""
        number = self.positions.index(position)
        if self.describe is None:
            return f"carry_{number}"
        names = [self.describe(i).split("'")[1] for i in self.positions]
        name = names[number].removeprefix("__cf_")
        if names.count(names[number]) > 1 or name.startswith(_OURS):
            return f"carry_{number}_{name}"
        return name

    def settle(self, leaves: list[Any]) -> bool:
        """Compare what leaves the body with what enters; widen and return False to try again.

        Raises:
            CarryError: The body changes a dtype or rank for good.
        """
        settled = True
        for position in self.positions:
            leaf, enters = leaves[position], self.types[position]
            found = lift(self.recorder, leaf)._type
            if position in self.weak:
                is_weak = type(leaf) in (int, float, bool, *SYMBOLIC_NUMBERS)
                wanted = enters.dtype
                if not is_weak:
                    self.weak.discard(position)
                    wanted, settled = found.dtype, False
                elif is_weak_float(leaf):
                    wanted = found.dtype
                if wanted != enters.dtype:
                    enters = self.types[position] = TensorType(wanted, enters.shape)
                    settled = False
            if found.dtype != enters.dtype and position not in self.weak:
                if not _is_plain(leaf):
                    raise self._mismatch(position, enters, found)
                found = TensorType(enters.dtype, found.shape)
            if found.rank != enters.rank:
                raise self._mismatch(position, enters, found)
            if found.shape != enters.shape:
                settled = self._grow(position, found) and settled
        return settled

    def widen(self) -> None:
        """Cast the first values to what the types settled to: around the body, not in it.

        Raises:
            OverflowError: A Python int is beyond the dtype that it meets, as in NumPy.
        """
        for i in self.positions:
            dtype = self.types[i].dtype
            if dtype != self.initial[i]._type.dtype and type(self.leaves[i]) is int:
                try:
                    self.initial[i] = lift(self.recorder, self.leaves[i], dtype)
                except OverflowError as error:
                    add_users_line(error)
                    raise
            else:
                self.initial[i] = cast(self.initial[i], dtype)

    def _grow(self, position: int, leaves: TensorType) -> bool:
        """Put a symbol on each axis whose size the body changes; whether none was needed."""
        enters = self.types[position]
        shape = list(enters.shape)
        for axis, (a, b) in enumerate(zip(enters.shape, leaves.shape, strict=True)):
            grown = isinstance(a, Dim) and set(symbols_of(a)) & set(self.symbols)
            if a != b and not grown:
                dim = Dim(self.recorder.fresh_symbol("carried"))
                self.symbols.update(dict.fromkeys(symbols_of(dim)))
                shape[axis] = dim
        self.types[position] = TensorType(enters.dtype, tuple(shape))
        return self.types[position] == enters

    def _mismatch(self, position: int, enters: TensorType, leaves: TensorType) -> CarryError:
        if enters.rank != leaves.rank:
            out = "make them agree, for example with a first value of the final shape"
        else:
            out = (
                f"make them agree, for example .astype({str(enters.dtype)!r}) in the body, or a "
                f"first value of dtype {leaves.dtype}"
            )
        return CarryError(
            f"{self.operation}: {self.name(position)} enters the body as {enters} and leaves it "
            f"as {leaves}{here(3)}\n  ways out: {out}"
        )


def _is_plain(leaf: Any) -> bool:
    """Whether a leaf is a Python number, which takes any dtype of its kind or a wider one."""
    return type(leaf) in (bool, int, float)
