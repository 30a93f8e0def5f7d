"""What a program is: a plain NumPy function and the arrays it is run on."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True)
class Program:
    """A NumPy program, captured with ``inputs(0)`` and replayed with the others.

    Attributes:
        function: Plain NumPy code that knows nothing of capture.
        inputs: The arguments by number; 0 is what it is captured with.
        dynamic: Axes that stay open, by argument position: ``{0: {0: "n"}}``.
        rtol: Relative tolerance of floats.
        atol: Absolute tolerance of floats.
        replays: How many input sets there are.
    """

    function: Callable[..., Any]
    inputs: Callable[[int], tuple[Any, ...]] = field(repr=False)
    dynamic: dict[int, dict[int, str]] | None = None
    rtol: float = 1e-9
    atol: float = 1e-12
    replays: int = 3

    def __str__(self) -> str:
        module = self.function.__module__.rpartition(".")[2]
        return f"{module}.{self.function.__name__}"
