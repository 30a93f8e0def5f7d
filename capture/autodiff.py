"""Gradients: refused on every entry point, in one wording."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from capture.errors import AutodiffError
from capture.location import here
from capture.tensor import AUTODIFF_MESSAGE

if TYPE_CHECKING:
    from collections.abc import Callable

ENTRY_POINTS = (
    "backward",
    "grad",
    "grad_remove",
    "inner",
    "from_inner",
    "requires_grad",
    "detach",
)


def _entry_point(name: str) -> Callable[..., NoReturn]:
    def refuse(*args: Any, **kwargs: Any) -> NoReturn:
        raise AutodiffError(
            f"{name}: {AUTODIFF_MESSAGE}{here()}\n  ways out: compute gradients outside the scope, "
            "or write the gradient's own NumPy formula inside it"
        )

    refuse.__name__ = name
    refuse.__doc__ = (
        f"Refuse ``{name}``: {AUTODIFF_MESSAGE}.\n\nRaises:\n    AutodiffError: Always."
    )
    return refuse


backward, grad, grad_remove, inner, from_inner, requires_grad, detach = map(
    _entry_point, ENTRY_POINTS
)
