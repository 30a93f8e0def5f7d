"""Runs of scaling and shifting by constants: at most one of each.

``(x / 255 - mean) / std`` is one subtraction and one product. Rounding differs in the last place;
what is subtracted stays subtracted first, so that where the terms cancel no digits are lost.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from exporters.onnx.fusion.paths import is_lone
from exporters.onnx.fusion.patterns import Constant, MadeBy, Pattern, Result
from exporters.onnx.fusion.reordering import Link, chain_before, link_of, rebuilt
from exporters.onnx.fusion.rules import EXACT, SINGLE, Site, Stage, fuses
from exporters.onnx.legality import FLOAT32, FLOAT64, INT8, INT16, UINT8, UINT16
from ir.ops import elementwise as ew
from ir.ops import interned
from ir.types import BOOL

if TYPE_CHECKING:
    from ir.graph import Value

    Array = np.ndarray[Any, Any]

_MOST = 2.0**20
"""Scales stay between this and its reciprocal, so that nothing overflows on the way."""

_LARGEST = 1 << 14
_LONGEST = 1 << 20
_EXACT_IN_FLOAT32 = frozenset((BOOL, UINT8, INT8, UINT16, INT16))


class Step(NamedTuple):
    """What one op does: ``x * scale + shift``, one of which is trivial."""

    scale: Array
    shift: Array


_ONE, _ZERO = np.ones(()), np.zeros(())


def _steps(link: Link) -> list[Step] | None:
    """Return what a link does, or ``None`` if it is neither scaling nor shifting."""
    constants, op = list(link.constants()), link.node.op
    if len(link.node.inputs) != 2 or len(constants) != 1:
        return None
    constant = constants[0].astype(np.float64)
    if not np.isfinite(constant).all() or (np.abs(constant) > _MOST**2).any():
        return None
    first = link.node.inputs[0] is link.array
    if op is ew.add:
        return [Step(_ONE, constant)]
    if op is ew.subtract:
        return [Step(_ONE, -constant)] if first else [Step(-_ONE, _ZERO), Step(_ONE, constant)]
    if op is ew.multiply or (op is ew.divide and first):
        sizes = np.abs(constant)
        if ((sizes < 1 / _MOST) | (sizes > _MOST)).any():
            return None
        return [Step(constant if op is ew.multiply else 1 / constant, _ZERO)]
    return None


class _Run(NamedTuple):
    """Scales, then a shift, then scales again.

    Attributes:
        before: The product of the scales before the shift.
        shift: What is added.
        after: The product of the scales after it.
        links: How many ops that took.
        scaled: Whether there were any scales before, and after.
        shifted: Whether there was a shift.
    """

    before: Array
    shift: Array
    after: Array
    links: int
    scaled: tuple[bool, bool]
    shifted: bool

    def then(self, step: Step) -> _Run | None:
        """Return the run with another step, or ``None`` where that cannot be part of it."""
        if step.scale is _ONE:
            return None if self.shifted else self._replace(shift=step.shift, shifted=True)
        before, after = self.scaled
        if self.shifted:
            return self._replace(after=self.after * step.scale, scaled=(before, True))
        return self._replace(before=self.before * step.scale, scaled=(True, after))

    @property
    def is_moderate(self) -> bool:
        """Whether its constants are small and overflow nothing."""
        sizes = [np.abs(self.before), np.abs(self.before * self.after)]
        fits = all(((size >= 1 / _MOST) & (size <= _MOST)).all() for size in sizes)
        if self.shifted and self.scaled[1]:  # see `apply`
            fits = fits and bool((self.before > 0).all() or (self.before < 0).all())
        shape = np.broadcast_shapes(self.before.shape, self.shift.shape, self.after.shape)
        return fits and int(np.prod(shape)) <= _LARGEST

    @property
    def ops(self) -> int:
        """How many ops it needs."""
        return self.shifted + any(self.scaled)

    def apply(self, site: Site, x: Value) -> Value:
        """Return ``x`` scaled and shifted."""
        dtype = x.type.dtype

        def constant(array: Array) -> Value:
            return site.constant(array.astype(dtype))

        scale = self.before * self.after
        if not self.shifted:
            return site.apply(ew.multiply, x, constant(scale))
        if self.scaled[1]:
            middle = constant(-self.shift / self.before)
            # where terms cancel NumPy has 0.0, whose sign what follows may show
            if (self.before < 0).all():
                moved = site.apply(ew.subtract, middle, x)
                return site.apply(ew.multiply, moved, constant(-scale))
            moved = site.apply(ew.subtract, x, middle)
            return site.apply(ew.multiply, moved, constant(scale))
        if self.scaled[0]:
            x = site.apply(ew.multiply, x, constant(scale))
        return site.apply(ew.add, x, constant(self.shift))


_START = _Run(_ONE, _ZERO, _ONE, 0, (False, False), False)


def _runs(chain: list[Link]) -> list[_Run]:
    """Return the end of a chain as runs, all of it that scales and shifts by moderate numbers."""
    runs: list[_Run] = []
    for link in chain:
        steps = _steps(link)
        if steps is None:
            runs = []
            continue
        run: _Run | None = runs[-1] if runs else _START
        for step in steps:
            run = None if run is None else run.then(step)
        if run is not None:
            runs[-1:] = [run._replace(links=run.links + 1)]
            continue
        run = _START
        for step in steps:
            run = run.then(step) or run
        runs.append(run._replace(links=1))
    return runs


def _is_candidate(link: Link) -> bool:
    return link.node.op in _SCALING and len(set(link.node.inputs)) == 2


def _goes_on(site: Site, result: Value) -> bool:
    """Whether the chain that a value ends would be found from its reader, too."""
    if not is_lone(site, result):
        return False
    (reader,) = site.facts.readers(result)
    link = link_of(site, reader.outputs[0]) if reader.op in _SCALING else None
    return link is not None and _is_candidate(link)


def _scaling_chain(site: Site) -> list[Link]:
    """Return the scaling and shifting nodes that end in the root, the first one first."""
    last = link_of(site, site.root.outputs[0])
    if last is None or _goes_on(site, last.node.outputs[0]) or not _is_candidate(last):
        return []
    return [*chain_before(site, last.array, _is_candidate, _LONGEST)[::-1], last]


_SCALING = (ew.add, ew.subtract, ew.multiply, ew.divide)


@fuses(
    *(Result(op, MadeBy("x", *_SCALING), Constant()) for op in _SCALING),
    Result(ew.subtract, Constant(), MadeBy("x", *_SCALING)),
    dtypes=EXACT,
    stage=Stage.PARTS,
)
def scales_and_shifts(site: Site) -> Value | None:
    """Scaling and shifting by constants, over and over, is one shift and one product."""
    chain = _scaling_chain(site)
    runs = _runs(chain) if len(chain) > 1 else []
    links = iter(chain[len(chain) - sum(run.links for run in runs) :])
    value: Value | None = None
    changed = False
    for run in runs:
        own = [next(links) for _ in range(run.links)]
        before = own[0].array if value is None else value
        if run.ops < run.links and run.is_moderate:
            value, changed = run.apply(site, before), True
        elif changed:
            value = rebuilt(site, own[::-1], before, lambda constant: constant)
        else:
            value = own[-1].node.outputs[0]
    return value if changed else None


@fuses(
    Result(ew.Cast, Pattern("x")),
    level=2,
    dtypes=SINGLE,
    stage=Stage.PARTS,
)
def float32_from_the_start(site: Site) -> Value | None:
    """Small integers scaled in float64 and rounded to float32 are scaled in float32."""
    x = site["x"]
    chain: list[Link] = chain_before(site, x) if x.type.dtype == FLOAT64 else []
    if not chain:
        return None
    source, links = chain[-1].array, chain[:-1][::-1]
    if not isinstance(chain[-1].node.op, ew.Cast) or not links:
        return None
    if source.type.dtype not in _EXACT_IN_FLOAT32:
        return None
    runs = _runs(links)
    if sum(run.links for run in runs) < len(links) or not all(r.is_moderate for r in runs):
        return None
    value = site.apply(interned(ew.Cast, FLOAT32), source)
    for run in runs:
        value = run.apply(site, value)
    return value
