"""The way out where a size that depends on data, or is computed, meets a number."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from capture.tensor import Tensor
from ir.dims import Dim

if TYPE_CHECKING:
    from collections.abc import Sequence


def reshape_hint(operands: Sequence[Any]) -> str:
    """Return how to rely on the size of ``x[i:i + 3]`` in ``x[i:i + 3] * weights``, if that is it.

    Declaring a symbol, as other refusals of sizes propose, is no way out for such a size.
    """
    tensors = [operand for operand in operands if type(operand) is Tensor]
    for tensor in tensors:
        for other in operands:
            wanted = _fixed(tensor, getattr(other, "shape", ()))
            if wanted is not None:
                sizes = ", ".join(map(str, wanted))
                return (
                    f"  ways out: .reshape({sizes}) on {tensor._type} relies on its size, and "
                    "every run checks it"
                )
    return ""


def _fixed(tensor: Tensor, other: tuple[Any, ...]) -> tuple[Any, ...] | None:
    """Return a tensor's shape with numbers where nobody declares it and ``other`` has a number."""
    shape = list(tensor._type.shape)
    changed = False
    for axis in range(1, min(len(shape), len(other)) + 1):
        dim, size = shape[-axis], other[-axis]
        if (
            isinstance(dim, Dim)
            and type(size) is int
            and size != 1
            and not _is_declared(tensor, dim)
        ):
            shape[-axis], changed = size, True
    return tuple(shape) if changed else None


def _is_declared(tensor: Tensor, dim: Dim) -> bool:
    """Whether the size is a symbol of an input itself: neither of data nor ``min(n, 8)``."""
    return str(dim) in tensor._recorder.symbols
