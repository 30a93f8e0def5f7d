"""What the user's current instruction is: the one question no protocol answers."""

from __future__ import annotations

import dis
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import FrameType

_BINARY_OP = dis.opmap["BINARY_OP"]
_STORES = frozenset(
    dis.opmap[name] for name in ("STORE_SUBSCR", "STORE_SLICE") if name in dis.opmap
)


def _inplace_arguments() -> frozenset[int]:
    operators = dis._nb_ops  # type: ignore[attr-defined]
    return frozenset(number for number, (name, _) in enumerate(operators) if "INPLACE" in name)


_INPLACE = _inplace_arguments()


def is_augmented_assignment(frame: FrameType) -> bool:
    """Whether the frame is executing ``a op= b``, whose result Python binds to ``a`` again."""
    code, at = frame.f_code.co_code, frame.f_lasti
    return code[at] == _BINARY_OP and code[at + 1] in _INPLACE


def is_item_assignment(frame: FrameType) -> bool:
    """Whether the frame is executing ``a[key] = b``."""
    return frame.f_code.co_code[frame.f_lasti] in _STORES
