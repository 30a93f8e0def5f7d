"""Constants along a short last axis, as the colours of an image, laid out as whole rows.

The runtime broadcasts along the last axis in a loop of its own for every row: with three channels
that costs thirty times as much as adding two arrays of the same shape. Rows of several pixels at
once, with the constants repeated as often, are as fast.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from exporters.onnx.fusion.paths import is_lone
from exporters.onnx.fusion.patterns import Constant, Pattern, Result
from exporters.onnx.fusion.reordering import Link, chain_before, link_of, rebuilt
from exporters.onnx.fusion.rules import Site, Stage, fuses
from exporters.onnx.fusion.windows import shaped
from ir.ops import elementwise as ew

if TYPE_CHECKING:
    from ir.dims import Shape
    from ir.graph import Node, Value

    Array = np.ndarray[Any, Any]

_NARROW = 32
_WIDEST = 2048
_NEAR = 8
_LONGEST = 1 << 20
_LEAST_ELEMENTS = 1024
"""Arrays of fewer elements are not worth the reshapes."""

_OPS = (
    *(ew.add, ew.subtract, ew.multiply, ew.divide),
    *(ew.maximum, ew.minimum, ew.power, ew.greater, ew.less),
)


def _is_narrow(constant: Array) -> bool:
    return constant.ndim > 0 and constant.size == constant.shape[-1] and constant.size > 1


def _repeats(shape: Shape) -> int:
    """Return how many pixels make a row: a divisor of the axis before the last."""
    pixels, channels = shape[-2], shape[-1]
    if not (isinstance(pixels, int) and isinstance(channels, int)):
        return 1
    most = min(pixels, _WIDEST // channels)
    return next((count for count in range(most, 0, -1) if pixels % count == 0), 1)


def _has_narrow(node: Node) -> bool:
    return any(v.data is not None and _is_narrow(v.data) for v in node.inputs)


@fuses(
    *(
        Result(op, Pattern("x"), Constant("constant", _is_narrow), test=_has_narrow)
        for op in _OPS
    ),
    stage=Stage.FINISH,
)
def narrow_channels(site: Site) -> Value | None:
    """Arithmetic with constants along a short last axis is done on longer rows."""
    last = link_of(site, site.root.outputs[0])
    shape = site["x"].type.shape
    if last is None or len(shape) < 2 or not _is_worth_it(shape):
        return None
    if _goes_on(site, last.node.outputs[0]):
        return None
    chain = [last, *chain_before(site, last.array, _fits_in_rows, _LONGEST)]
    while not any(_is_narrow(constant) for constant in chain[-1].constants()):
        chain.pop()
    repeats = _repeats(shape)
    if repeats < 4:
        return None
    pixels, channels = shape[-2], shape[-1]
    assert isinstance(pixels, int)
    assert isinstance(channels, int)
    rows = (*shape[:-2], pixels // repeats, repeats * channels)

    def repeated(constant: Array) -> Array:
        return (
            constant.reshape(()) if constant.size == 1 else np.tile(constant.ravel(), repeats)
        )

    made = rebuilt(site, chain, shaped(site, chain[-1].array, rows), repeated)
    return None if made is None else shaped(site, made, shape)


def _fits_in_rows(link: Link) -> bool:
    return all(c.size == 1 or _is_narrow(c) for c in link.constants())


def _goes_on(site: Site, result: Value) -> bool:
    """Whether the same is found from one of the next nodes, too."""
    for _ in range(_NEAR):
        if not is_lone(site, result):
            return False
        (reader,) = site.facts.readers(result)
        link = link_of(site, reader.outputs[0])
        if link is None or not _fits_in_rows(link):
            return False
        if reader.op in _OPS and _has_narrow(reader):
            return True
        result = reader.outputs[0]
    return False


def _is_worth_it(shape: Shape) -> bool:
    channels = shape[-1]
    if not isinstance(channels, int) or not 1 < channels <= _NARROW:
        return False
    known = [dim for dim in shape if isinstance(dim, int)]
    return len(known) < len(shape) or int(np.prod(known)) >= _LEAST_ELEMENTS
