"""Every op of the IR, by family; ``OPS`` maps each name to its object or class."""

from ir.ops import (
    elementwise,
    indexing,
    linear_algebra,
    nested,
    random,
    reduction,
    requirements,
    shaping,
    special,
)
from ir.ops.base import OPS, Op, ParameterizedOp, interned, parameterized, register
from ir.ops.elementwise import Elementwise

__all__ = [
    "OPS",
    "Elementwise",
    "Op",
    "ParameterizedOp",
    "elementwise",
    "indexing",
    "interned",
    "linear_algebra",
    "nested",
    "parameterized",
    "random",
    "reduction",
    "register",
    "requirements",
    "shaping",
    "special",
]
