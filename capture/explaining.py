"""All refusals of a program at once, instead of the first.

The program runs on example arrays with everything recorded as usual. Where it would be refused, the
refusal is noted and the example's own value is used, so that the rest of the program is seen too.
What only open sizes bring, the examples cannot show: a plain capture at the end tells the first.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from capture.device import CaptureDevice
from capture.errors import CaptureError
from capture.inputs import TensorSpec
from capture.interception import Interception, lift_function
from capture.location import raised_at, source_line, user_location
from capture.pytrees import flatten
from capture.scope import capture_scope
from capture.symbolic import SymbolicInt
from capture.tensor import Tensor
from capture.tracing import trace
from capture.views import Owned
from capture.weak import SymbolicFloat
from ir.dims import Dim, evaluate, parse_dim, symbols_of
from ir.errors import IRError, ShapeError
from ir.types import DTYPE_NAMES, type_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from capture.recorder import Recorder
    from ir.graph import Location

_EXAMPLE_SIZES = (3, 16, 240, 1024)
"""For open sizes. The first will do, unless the program reshapes or cuts as only others allow."""

_LARGEST_EXAMPLE = 2**22


class Refusal(NamedTuple):
    """One place where a program cannot be captured as it stands.

    Attributes:
        error: The error that capturing would raise there.
        location: The user's line.
    """

    error: Exception
    location: Location | None

    def __str__(self) -> str:
        notes = [n for n in getattr(self.error, "__notes__", ()) if not n.startswith("  see ")]
        told = "\n".join([f"{type(self.error).__name__}: {self.error}", *notes])
        return told if "\n  at " in told else f"{told}\n{source_line(self.location)}".rstrip()


class Explanation:
    """What stands in the way of capturing a function; true when nothing does.

    Attributes:
        function: The function's name.
        refusals: One per place, in the order the program reaches them.
        complete: Whether the program ran to its end, so that no later refusal is hidden.
    """

    def __init__(self, function: str, refusals: tuple[Refusal, ...], complete: bool) -> None:
        self.function = function
        self.refusals = refusals
        self.complete = complete

    def __bool__(self) -> bool:
        return not self.refusals

    def __len__(self) -> int:
        return len(self.refusals)

    def __iter__(self) -> Iterator[Refusal]:
        return iter(self.refusals)

    def __str__(self) -> str:
        if not self.refusals:
            return f"{self.function}: nothing stands in the way of capture"
        plural = "" if len(self.refusals) == 1 else "s"
        lines = [f"{self.function}: {len(self.refusals)} refusal{plural}"]
        lines += [f"{n}. {refusal}" for n, refusal in enumerate(self.refusals, 1)]
        if not self.complete:
            lines.append("the program stopped at the last one; what follows it was not seen")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<Explanation of {self.function}, refusals: {len(self.refusals)}>"


class Examples:
    """The example values of one explained program, and the refusals met so far.

    Args:
        recorder: Where the program is recorded.
    """

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self.refusals: list[Refusal] = []

    def note(self, error: Exception) -> None:
        """Remember a refusal, once per kind and line."""
        location = raised_at(error) or user_location(2)
        for known in self.refusals:
            if type(known.error) is type(error) and known.location == location:
                return
        self.refusals.append(Refusal(error, location))

    def enter(self, array: Any, scalar: bool = False) -> Tensor:
        """Return a tensor that stands for an example array, as an input would."""
        array = np.asarray(array)
        type_ = type_of(array)
        index = self._recorder.builder.add_value(type_)
        self._recorder.known.examples[index] = array
        return Tensor(self._recorder, index, type_, None if scalar or array.ndim else Owned())

    def call(
        self, function: Callable[..., Any], args: Any, kwargs: Any, error: Exception
    ) -> Any:
        """Note a refusal and return what the function gives for the example values."""
        self.note(error)
        leaves, rebuild = flatten((args, kwargs))
        plain_args, plain_kwargs = rebuild([self._plain(leaf) for leaf in leaves])
        with np.errstate(all="ignore"):
            result = function(*plain_args, **plain_kwargs)
        found, restore = flatten(result)
        return restore([self._captured(leaf) for leaf in found])

    def _plain(self, leaf: Any) -> Any:
        if type(leaf) is Tensor:
            array = self._recorder.known.read(leaf._read())
            return array[()] if leaf.is_scalar else np.array(array)
        if type(leaf) in (SymbolicInt, SymbolicFloat):
            return self._plain(leaf.tensor())
        return leaf

    def _captured(self, leaf: Any) -> Any:
        if isinstance(leaf, np.ndarray | np.generic) and leaf.dtype in DTYPE_NAMES:
            return self.enter(leaf, isinstance(leaf, np.generic))
        return leaf


def explain(
    function: Callable[..., Any],
    *args: Any,
    intercept: Interception | bool = True,
    **kwargs: Any,
) -> Explanation:
    """List every refusal of a program, each with its line and way out.

    Args:
        function: NumPy code.
        *args: Example arrays (or specs, for which examples are made), as for ``trace``.
        intercept: As for ``trace``.
        **kwargs: Keyword arguments of the function.

    Returns:
        An explanation: print it, iterate over it, or test its truth.
    """
    tries = [_explained(function, args, kwargs, intercept, _EXAMPLE_SIZES[0])]
    leaves = flatten((args, kwargs))[0]
    specs = [leaf for leaf in leaves if type(leaf) is TensorSpec and _is_open(leaf)]
    for size in _EXAMPLE_SIZES[1:]:
        large = sum(_example(spec, size).size for spec in specs) > _LARGEST_EXAMPLE
        if not specs or large or not _ended_by_its_size(tries[-1]):
            break
        tries.append(_explained(function, args, kwargs, intercept, size))
    found = tries[0] if _ended_by_its_size(tries[-1]) else tries[-1]
    if found.complete:
        found = _captured_plainly(function, args, kwargs, intercept, found)
    return found


def _captured_plainly(
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    intercept: Interception | bool,
    found: Explanation,
) -> Explanation:
    """Add what a capture meets first, if the examples did not: sizes that were numbers there."""
    bound = inspect.signature(function).bind(*args, **kwargs)
    try:
        trace(function, *bound.args, intercept=intercept, **bound.kwargs)
    except (CaptureError, IRError) as error:
        first = Refusal(error, raised_at(error))
        if all(first.location != known.location for known in found):
            return Explanation(found.function, (first, *found.refusals), complete=True)
    return found


def _ended_by_its_size(explanation: Explanation) -> bool:
    return not explanation.complete and isinstance(explanation.refusals[-1].error, ShapeError)


def _explained(
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    intercept: Interception | bool,
    size: int,
) -> Explanation:
    """Run the program once, open sizes being ``size``."""
    bound = inspect.signature(function).bind(*args, **kwargs)
    name = getattr(function, "__name__", "program")
    complete = True
    with capture_scope(CaptureDevice(), intercept=intercept) as scope:
        examples = scope._recorder.examples = Examples(scope._recorder)
        for parameter, value in list(bound.arguments.items()):
            bound.arguments[parameter] = _entered(examples, value, size)
        if intercept is not False:
            lift_function(function, *args, *kwargs.values())
        try:
            function(*bound.args, **bound.kwargs)
        except (CaptureError, IRError) as error:
            examples.note(error)
            complete = False
    return Explanation(name, tuple(examples.refusals), complete)


def _entered(examples: Examples, value: Any, size: int) -> Any:
    leaves, rebuild = flatten(value) if type(value) is not TensorSpec else ([value], None)
    made: list[Any] = []
    for leaf in leaves:
        if type(leaf) is TensorSpec:
            made.append(examples.enter(_example(leaf, size)))
        elif isinstance(leaf, np.ndarray | np.generic):
            made.append(examples.enter(leaf, isinstance(leaf, np.generic)))
        else:
            made.append(leaf)
    return made[0] if rebuild is None else rebuild(made)


def _is_open(spec: TensorSpec) -> bool:
    return not all(isinstance(size, int) for size in spec.shape)


def _example(spec: TensorSpec, size: int) -> np.ndarray[Any, Any]:
    """Return an array of ones of the spec's shape, symbols being ``size``."""
    sizes = []
    for dim in spec.shape:
        known = parse_dim(dim) if isinstance(dim, str) else dim
        if isinstance(known, Dim):
            numbers = {s.name: max(size, s.min) for s in symbols_of(known)}
            known = evaluate(known, numbers)
        sizes.append(size if known is None else int(known))
    return np.ones(sizes, spec.dtype)
