"""What a random call is, and how it is judged: NumPy, interpreter and ONNX Runtime agree."""

from __future__ import annotations

import math
import re
import warnings
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

import ir
from capture import CaptureDevice, capture_scope
from capture.errors import CaptureError
from capture.views import Owned
from exporters import to_onnx
from exporters.verification import run_model
from ir.errors import IRError
from tests.samples.base import BFLOAT16, FLOATS, TOLERANCE

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True)
class Operand:
    """An array argument: what is passed in, and the view of it that the function gets.

    Attributes:
        base: The input of the graph, in C order.
        view: ``""`` for the array itself, or how the program views it.
    """

    base: Any
    view: str = ""

    def of(self, base: Any) -> Any:
        """Return the argument, made from an array or a tensor."""
        return VIEWS[self.view](base)

    @property
    def value(self) -> Any:
        """The argument as an array."""
        return self.of(self.base)

    def __repr__(self) -> str:
        base = self.base
        text = f"np.array({base.tolist()}, {base.dtype.name!r})"
        if 0 in base.shape:
            text = f"np.empty({base.shape}, {base.dtype.name!r})"
        if isinstance(base, np.generic):
            text = f"np.{base.dtype.name}({base.item()})"
        return f"{text}{self.view}"


VIEWS: dict[str, Callable[[Any], Any]] = {
    "": lambda base: base,
    ".T": lambda base: base.T,
    "[::-1]": lambda base: base[::-1],
    "[..., ::2]": lambda base: base[..., ::2],
    "[1:]": lambda base: base[1:],
}
"""Views of a base, by the text that makes them."""


@dataclass(frozen=True)
class Call:
    """A function with arguments; operands may hide in lists, tuples and keywords.

    Attributes:
        function: The NumPy function, or a program.
        args: Positional arguments.
        kwargs: Keyword arguments.
        slack: How many roundings of the largest magnitude a float result may be off, beside the
            relative tolerance: 0 for functions of each element alone.
        rtol: Relative tolerance; the dtype's when left out.
        written: Positions of the arguments whose later content is a result too.
        signed_zeros: Whether NumPy says which zero a result is.
        intercept: Whether the function calls what only interception can see.
    """

    function: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: dict[str, Any] = field(default_factory=dict)
    slack: float = 0
    rtol: float | None = None
    written: tuple[int, ...] = ()
    signed_zeros: bool = True
    intercept: bool = False

    def __repr__(self) -> str:
        name = getattr(self.function, "__qualname__", repr(self.function))
        listed = [repr(value) for value in self.args]
        listed += [f"{key}={value!r}" for key, value in self.kwargs.items()]
        return f"{name}({', '.join(listed)})"

    def operands(self) -> list[Operand]:
        """Return the operands in order."""
        return list(_leaves((self.args, self.kwargs)))

    def run(self, bases: list[Any]) -> list[Any]:
        """Return the flat results for other bases: copies, or tensors."""
        waiting = iter(bases)
        args, kwargs = _filled((self.args, self.kwargs), waiting)
        results = _flat(self.function(*args, **kwargs))
        return results + [args[position] for position in self.written]


def _leaves(tree: Any) -> Any:
    if isinstance(tree, Operand):
        yield tree
    elif isinstance(tree, list | tuple):
        for item in tree:
            yield from _leaves(item)
    elif isinstance(tree, dict):
        yield from _leaves(list(tree.values()))


def _filled(tree: Any, waiting: Any) -> Any:
    if isinstance(tree, Operand):
        return tree.of(next(waiting))
    if isinstance(tree, list | tuple):
        return type(tree)([_filled(item, waiting) for item in tree])
    if isinstance(tree, dict):
        return {key: _filled(item, waiting) for key, item in tree.items()}
    return tree


def _flat(result: Any) -> list[Any]:
    if isinstance(result, list | tuple):
        return [leaf for item in result for leaf in _flat(item)]
    return [] if result is None else [result]


def _kind(result: Any) -> str:
    return "array" if isinstance(result, np.ndarray) else "scalar"


def check(call: Call, refused: tuple[str, ...], opened: bool = False) -> str:
    """Judge a call and return what came of it: ``"equal"``, ``"raises"`` or ``"refused"``.

    Args:
        call: The call.
        refused: Patterns of the refusals that this family accepts.
        opened: Whether axes of 2 and more are symbolic, one symbol a size; then any refusal is
            accepted, since the answer may depend on the size.

    Raises:
        AssertionError: A wrong number, another error than NumPy's, or a refusal that nobody
            accepted.
    """
    bases = [operand.base for operand in call.operands()]
    want, error = _by_numpy(call, bases)
    if opened and error is not None:
        return "raises"  # sizes decide it, and are known only when the graph runs
    raised: Exception | None = None
    try:
        graph, kinds = _capture(call, bases, opened)
    except Exception as caught:
        raised = caught
    if raised is not None:
        planned = opened and isinstance(raised, CaptureError | IRError | ValueError)
        if planned or any(re.search(pattern, str(raised)) for pattern in refused):
            return "refused"
        assert error is not None, f"NumPy answers {want}; raised {raised!r}"
        assert isinstance(raised, _public(error)), f"NumPy raises {error!r}, not {raised!r}"
        return "raises"
    if error is not None:
        _raises_at_run_time(graph, bases, error)
        return "raises"
    if not want and not kinds:
        return "equal"
    assert kinds == [_kind(w) for w in want], f"kinds {kinds}: {want}"
    wanted = [np.asarray(w) for w in want]
    ir.check(graph)
    results = graph(*bases)
    _compare(
        call, list(results) if isinstance(results, tuple) else [results], wanted, "interpreter"
    )
    feeds = {value.name: b for value, b in zip(graph.inputs, bases, strict=True)}
    _compare(call, run_model(to_onnx(graph), feeds), wanted, "ONNX Runtime")
    return "equal"


def _by_numpy(call: Call, bases: list[Any]) -> tuple[list[Any], Exception | None]:
    """Return NumPy's results on copies, or what it raises."""
    copies = [np.array(b) if isinstance(b, np.ndarray) else b for b in bases]
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            return call.run(copies), None
    except Exception as raised:
        return [], raised


def _public(error: Exception) -> type:
    """Return the nearest class of an error that users can name."""
    named = (
        c for c in type(error).__mro__ if c.__module__ in ("builtins", "numpy.exceptions")
    )
    return next(named)


def _raises_at_run_time(graph: Any, bases: list[Any], error: Exception) -> None:
    """Values decide the error: the reference interpreter must raise too."""
    try:
        answer = graph(*bases)
    except Exception:
        return
    raise AssertionError(f"NumPy raises {error!r}; the graph answers {answer}")


def _capture(call: Call, bases: list[Any], opened: bool) -> tuple[Any, list[str]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with capture_scope(CaptureDevice(), intercept=call.intercept) as scope:
            entered = [_enter(scope, i, base, opened) for i, base in enumerate(bases)]
            results = call.run(entered)
            for i, result in enumerate(results):
                scope.output(f"y{i}", result)
            kinds = [_kind(result) for result in results]
    return scope.graph, kinds


def _enter(scope: Any, number: int, base: Any, opened: bool) -> Any:
    shape = tuple(f"n{size}" if opened and size > 1 else size for size in base.shape)
    tensor = scope.input(f"x{number}", shape, base.dtype)
    if isinstance(base, np.generic):
        tensor._state = None
    elif not shape:
        tensor._state = Owned()
    return tensor


def _compare(call: Call, got: list[Any], want: list[Any], who: str) -> None:
    assert len(got) == len(want)
    for position, (g, w) in enumerate(zip(got, want, strict=True)):
        where = f"{who}, output {position}"
        assert g.dtype == w.dtype, f"{where}: dtype {g.dtype}, NumPy gives {w.dtype}"
        assert g.shape == w.shape, f"{where}: shape {g.shape}, NumPy gives {w.shape}"
        if w.dtype not in FLOATS:
            np.testing.assert_array_equal(g, w, err_msg=where)
            continue
        rtol = call.rtol if call.rtol is not None else TOLERANCE[w.dtype]
        wide = np.float32 if w.dtype in (np.float16, BFLOAT16) else w.dtype
        atol = call.slack * TOLERANCE[w.dtype] * _magnitude(call, w) if call.slack else 0.0
        np.testing.assert_allclose(
            g.astype(wide), w.astype(wide), rtol=rtol, atol=atol, err_msg=where
        )
        if call.signed_zeros and not call.slack:
            zeros = (w == 0) & (g == 0)
            np.testing.assert_array_equal(
                np.signbit(g.astype(wide))[zeros],
                np.signbit(w.astype(wide))[zeros],
                err_msg=f"{where}: sign of zero",
            )


def _magnitude(call: Call, want: Any) -> float:
    """Return the largest finite magnitude among operands and results."""
    arrays = [np.asarray(operand.base, np.float64) for operand in call.operands()]
    arrays.append(want.astype(np.float64))
    finite = [np.abs(a[np.isfinite(a)]).max(initial=0) for a in arrays]
    return max(1.0, *map(float, finite)) if math.isfinite(max(finite)) else 1.0
