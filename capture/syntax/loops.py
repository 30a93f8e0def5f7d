"""``while`` and ``for`` statements: in Python as long as it can decide, then in the graph."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from capture.carries import Carries
from capture.coerce import find_recorder, lift
from capture.errors import CarryError, ConcreteValueError
from capture.flow import as_condition, is_open
from capture.location import here
from capture.loops import run_loop
from capture.regions import Region
from capture.syntax.defaults import zeros_like
from capture.syntax.iteration import Iteration, is_open_sequence, rows_of
from capture.syntax.jumps import RESULT
from capture.syntax.merging import Merge
from capture.syntax.names import PREFIX
from capture.syntax.side_effects import Watch, cell_content, free_cells
from capture.syntax.truths import Truths
from capture.syntax.variables import UNSET, Undefined, Variables, leaf_names
from capture.tensor import Tensor
from capture.weak import WeakInt

if TYPE_CHECKING:
    from collections.abc import Callable

    from capture.recorder import Recorder

_FOREVER = np.int64(np.iinfo(np.int64).max)


class _Statement:
    """A loop statement: its body, its variables, and which of them are needed where."""

    def __init__(
        self,
        word: str,
        body: Any,
        others: tuple[Any, ...],
        broken: str | None,
        names: tuple[str, ...],
        head: tuple[str, ...],
        after: tuple[str, ...],
    ) -> None:
        self.word = word
        self.body = body
        self.broken = broken
        self.head = head
        self.after = after
        self.variables = Variables(names, body, *others)
        self.where = here(3).strip()

    @property
    def is_broken(self) -> Any:
        """The flag that ``break`` sets."""
        return False if self.broken is None else self.variables[self.broken]

    def record(
        self,
        recorder: Recorder,
        step: Callable[[Tensor], Any],
        limit: Tensor,
        going: Tensor,
        surely_runs: bool,
    ) -> None:
        """Record the loop and set the variables to what it leaves.

        Args:
            recorder: Where.
            step: Runs the body for a step number and returns whether to go on.
            limit: Most steps.
            going: Whether to make the first one.
            surely_runs: Whether there is at least one for all inputs.
        """
        variables = self.variables
        before = variables.values()
        init = {name: before[name] for name in self.head if before[name] is not UNSET}
        unset = [name for name in self.head if before[name] is UNSET]
        fill = [n for n in unset if n.startswith(PREFIX) or (surely_runs and n in self.after)]
        if fill:
            found = self._probe(recorder, step, before)
            init |= {
                name: zeros_like(recorder, found[name])
                for name in fill
                if found[name] is not UNSET
            }
        names = leaf_names(init)
        carries = Carries(recorder, self.word, init, lambda leaf: f"variable {names[leaf]}")
        carries.final = {i for i, name in enumerate(names) if name == repr(RESULT)}

        def run(trip: Tensor, current: Any) -> tuple[Any, Any, Any]:
            self._enter(before, current)
            going = step(trip)
            following = {name: variables[name] for name in init}
            for name, value in following.items():
                if value is UNSET:
                    raise CarryError(
                        f"{self.word}: variable {name!r} has a value before the body and none "
                        f"after it{here(3)}\n  ways out: set it on every way through the body"
                    )
            return going, following, ()

        try:
            result, _ = run_loop(carries, limit, going, run)
        except BaseException:
            variables.update(before)
            raise
        self._leave(result)

    def _enter(self, before: dict[str, Any], current: dict[str, Any]) -> None:
        for name in self.variables.cells:
            self.variables[name] = current.get(name, UNSET)

    def _leave(self, result: dict[str, Any]) -> None:
        for name, cell in self.variables.cells.items():
            if name in result:
                cell.cell_contents = result[name]
            else:
                cell.cell_contents = Undefined(
                    name,
                    "it is set only inside a loop, which may not run once, or not reach it"
                    f"\n  {self.where}",
                    "give it a value of the same dtype and shape before the loop",
                )

    def _probe(
        self, recorder: Recorder, step: Callable[[Tensor], Any], before: dict[str, Any]
    ) -> dict[str, Any]:
        """Run the body once to see the types of what it defines; the recording is thrown away."""
        with Region(recorder, f"the body of {self.word}") as region:
            entered = Carries(
                recorder,
                self.word,
                {name: before[name] for name in self.head if before[name] is not UNSET},
            )
            stand_ins = {
                i: region.placeholder(type_, i in entered.weak or not type_.shape)
                for i, type_ in entered.types.items()
            }
            self._enter(before, entered.inside(stand_ins))
            step(region.placeholder(lift(recorder, np.int64(0))._type, scalar=True))
            found = self.variables.values()
        region.discard()
        self.variables.update(before)
        return found


class Loops(Truths):
    """The loop statements of the runtime.

    Args:
        unroll: As in :func:`capture.control_flow`.
    """

    def __init__(self, unroll: bool | int | None) -> None:
        self.unroll = unroll

    def while_(
        self,
        test: Any,
        body: Any,
        broken: str | None,
        names: tuple[str, ...],
        head: tuple[str, ...],
        after: tuple[str, ...],
    ) -> None:
        """A ``while`` statement."""
        loop = _Statement("while", body, (test,), broken, names, head, after)

        def going() -> Any:
            if broken is None:
                return test()
            return self.and_(self.not_(loop.is_broken), test)

        while True:
            goes = going()
            if is_open(goes):
                break
            if not goes:
                return
            body()

        def step(trip: Tensor) -> Any:
            self._watched(loop)
            again = going()
            return (
                as_condition("while", again) if type(again) not in (bool, np.bool_) else again
            )

        condition = as_condition("while", goes)
        recorder = condition._recorder
        loop.record(recorder, step, lift(recorder, _FOREVER), condition, False)

    def for_(
        self,
        iterable: Any,
        body: Any,
        broken: str | None,
        names: tuple[str, ...],
        head: tuple[str, ...],
        after: tuple[str, ...],
    ) -> None:
        """A ``for`` statement."""
        loop = _Statement("for", body, (), broken, names, head, after)
        iteration = self._recorded(iterable, body)
        if iteration is not None:
            self._for_recorded(loop, iteration, True)
            return
        for number, item in enumerate(iterable):
            stopped = loop.is_broken
            if is_open(stopped):
                self._rest(loop, iterable, number)
                return
            if stopped:
                return
            body(item)

    def _recorded(self, iterable: Any, body: Any) -> Iteration | None:
        """Return the steps if the loop goes into the graph, or ``None`` if Python runs it."""
        if is_open_sequence(iterable):
            return iterable if type(iterable) is Iteration else rows_of(iterable)
        if self.unroll is True or self.unroll is None:
            return None
        known = isinstance(iterable, range | Tensor) and len(iterable) > max(self.unroll, 1)
        recorder = find_recorder([cell_content(cell) for _, cell in free_cells(body)])
        return _steps_of(iterable, recorder) if known and recorder is not None else None

    def _rest(self, loop: _Statement, iterable: Any, number: int) -> None:
        """Go on where a ``break`` that depends on the graph may have ended a known sequence."""
        going = self.not_(loop.is_broken)
        if isinstance(iterable, range | Tensor) and self.unroll is not True:
            steps = _steps_of(iterable[number:], going._recorder)
            try:
                self._for_recorded(loop, steps, going)
            except ConcreteValueError as error:
                error.add_note("  or unroll the loop: @capture.control_flow(unroll=True)")
                raise
            return
        for position, element in enumerate(iterable):
            if position >= number:
                self._guarded(loop, element)

    def _guarded(self, loop: _Statement, element: Any) -> None:
        """Run the body for one more element, unless the loop was left."""
        going = self.not_(loop.is_broken)
        if not is_open(going):
            if going:
                loop.body(element)
            return
        live = tuple(sorted({*loop.head, *loop.after} & set(loop.variables.cells)))
        condition = as_condition("for", going)
        Merge(
            condition, partial(loop.body, element), partial(_nothing), loop.variables
        ).statement(live)

    def _for_recorded(self, loop: _Statement, steps: Iteration, going: Any) -> None:
        recorder = steps.recorder

        def step(trip: Tensor) -> Any:
            self._watched(loop, steps.element(WeakInt(trip)))
            return self.not_(loop.is_broken)

        first = lift(recorder, going)
        loop.record(recorder, step, steps.limit, first, steps.surely_runs and going is True)

    def _watched(self, loop: _Statement, *arguments: Any) -> None:
        watch = Watch(loop.body, loop.variables.cells, f"the body of this {loop.word}")
        loop.body(*arguments)
        watch.check()


def _steps_of(sequence: Any, recorder: Any) -> Iteration:
    """Return the steps over a range or tensor of known length."""
    if type(sequence) is Tensor:
        return rows_of(sequence)
    start, step = sequence.start, sequence.step
    return Iteration(recorder, len(sequence), lambda i: i * step + start, "range()")


def _nothing() -> None:
    """Do nothing: the other way than one more step."""
