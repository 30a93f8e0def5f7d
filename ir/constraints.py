"""What a graph asks of the sizes it is run with, as small objects over dims."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from ir.dims import evaluate

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ir.dims import DimLike
    from ir.graph import Location


@dataclass(frozen=True)
class Equal:
    """Two sizes are the same number: ``n == m``, ``n == 4``.

    Attributes:
        left: A size.
        right: The other.
        location: The user's line that needs it.
    """

    left: DimLike
    right: DimLike
    location: Location | None = field(default=None, compare=False)

    def __str__(self) -> str:
        return f"{self.left} == {self.right}"

    @property
    def dims(self) -> tuple[DimLike, ...]:
        """The sizes it speaks of."""
        return (self.left, self.right)

    def holds(self, numbers: Mapping[str, int]) -> bool:
        """Whether it is met by these values of the symbols."""
        return evaluate(self.left, numbers) == evaluate(self.right, numbers)


@dataclass(frozen=True)
class Divisible:
    """A size is a multiple of a number: ``n % 4 == 0``.

    Attributes:
        dim: The size.
        divisor: What divides it.
        location: The user's line that needs it.
    """

    dim: DimLike
    divisor: int
    location: Location | None = field(default=None, compare=False)

    def __str__(self) -> str:
        shown = str(self.dim)
        return f"{shown if shown.isidentifier() else f'({shown})'} % {self.divisor} == 0"

    @property
    def dims(self) -> tuple[DimLike, ...]:
        """The sizes it speaks of."""
        return (self.dim,)

    def holds(self, numbers: Mapping[str, int]) -> bool:
        """Whether it is met by these values of the symbols."""
        return evaluate(self.dim, numbers) % self.divisor == 0


@dataclass(frozen=True)
class AtLeast:
    """A size has a lower bound: ``n >= 2``.

    Attributes:
        dim: The size.
        least: The bound.
        location: The user's line that needs it; none for a bound of the symbol itself.
    """

    dim: DimLike
    least: DimLike
    location: Location | None = field(default=None, compare=False)

    def __str__(self) -> str:
        return f"{self.dim} >= {self.least}"

    @property
    def dims(self) -> tuple[DimLike, ...]:
        """The sizes it speaks of."""
        return (self.dim, self.least)

    def holds(self, numbers: Mapping[str, int]) -> bool:
        """Whether it is met by these values of the symbols."""
        return evaluate(self.dim, numbers) >= evaluate(self.least, numbers)


@dataclass(frozen=True)
class AtMost:
    """A symbol has an upper bound: ``n <= 512``.

    Attributes:
        dim: The symbol.
        most: The bound.
        location: Always unknown: it was declared with the symbol.
    """

    dim: DimLike
    most: int
    location: Location | None = field(default=None, compare=False)

    def __str__(self) -> str:
        return f"{self.dim} <= {self.most}"

    @property
    def dims(self) -> tuple[DimLike, ...]:
        """The sizes it speaks of."""
        return (self.dim,)

    def holds(self, numbers: Mapping[str, int]) -> bool:
        """Whether it is met by these values of the symbols."""
        return evaluate(self.dim, numbers) <= self.most


@dataclass(frozen=True)
class Shared:
    """Several input axes carry one symbol, so they have one size.

    Attributes:
        symbol: The symbol's size.
        axes: Input name and axis of each.
        location: Always unknown: it was declared with the inputs.
    """

    symbol: DimLike
    axes: tuple[tuple[str, int], ...]
    location: Location | None = field(default=None, compare=False)

    def __str__(self) -> str:
        sizes = [f"{name}.shape[{axis}]" for name, axis in self.axes]
        return " == ".join([*sizes, str(self.symbol)])

    @property
    def dims(self) -> tuple[DimLike, ...]:
        """The sizes it speaks of."""
        return (self.symbol,)

    def holds(self, numbers: Mapping[str, int]) -> bool:
        """Binding the inputs proved it: a symbol is bound to one number only."""
        return True


Constraint: TypeAlias = Equal | Divisible | AtLeast | AtMost | Shared
