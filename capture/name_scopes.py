"""Name scopes: what nodes are called in exported files."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from capture.active import ACTIVE

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def name_scope(name: str) -> Iterator[None]:
    """Group what is recorded inside, as ``encoder`` in ``encoder/attn/matmul``.

    Scopes nest, and a decorated function is a scope too: ``@name_scope("encoder")``. Where
    nothing is captured a scope does nothing, so the same code still runs as plain NumPy.

    Args:
        name: The scope, or several at once: ``"encoder/attn"``.

    Raises:
        ValueError: The name is empty, or a part of it is.
    """
    if not all(name.split("/")):
        raise ValueError(f"name_scope: a name scope needs a name, got {name!r}")
    builders = [active.recorder.builder for active in ACTIVE.get()]
    around = [builder.scope for builder in builders]
    for builder, outer in zip(builders, around, strict=True):
        builder.enter_scope(f"{outer}/{name}" if outer else name)
    try:
        yield
    finally:
        for builder, outer in zip(builders, around, strict=True):
            builder.enter_scope(outer)
