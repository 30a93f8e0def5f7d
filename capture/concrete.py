"""Python asking for numbers: answered for known values, refused with a way out for all others."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from capture.bytecode import is_item_assignment
from capture.errors import ConcreteValueError, LostWriteError
from capture.known import UnknownValue
from capture.location import here, library_at_work, user_frame
from capture.views import View
from ir.dims import Dim

if TYPE_CHECKING:
    from collections.abc import Callable

    from capture.tensor import Tensor

_ARRAY = (
    "\n  ways out: NumPy functions and operators take captured values directly; "
    "value.astype(np.float32) for np.float32(value); an array made outside the scope that is "
    "written to must enter it first: capture.constant(array)"
)
_WRITE = (
    "\n  ways out: let the array enter the scope before it is written to: "
    "array = capture.constant(array)"
)


def concrete_array(
    tensor: Tensor, question: str, ways_out: str | Callable[[], str]
) -> np.ndarray[Any, Any]:
    """Return the value of a tensor that depends on no input.

    Raises:
        ConcreteValueError: It depends on one; names the question, the line and ways out.
        LostWriteError: It was to be written into a plain ndarray.
        ScopeError: It is a view that was not read again before its scope closed.
    """
    recorder, state = tensor._recorder, tensor._state
    if type(state) is View and state.seen != state.owner._value:
        recorder.require_open(question)
    value = tensor._value if recorder.closed else tensor._read()
    try:
        array = recorder.known.read(value)
    except UnknownValue as unknown:
        refusal = _refusal(tensor, question, unknown.why, ways_out)
        recorder.unanswered.append(refusal)
        raise refusal from None
    if recorder.examples is not None and recorder.known.rests_on_example(value):
        recorder.examples.note(_refusal(tensor, question, "it depends on an input", ways_out))
    return array


def _refusal(
    tensor: Tensor, question: str, why: str, ways_out: str | Callable[[], str]
) -> ConcreteValueError | LostWriteError:
    """Return the error for a value that is not known."""
    if is_item_assignment(user_frame()):
        return LostWriteError(
            f"setitem: a plain ndarray cannot be written to with a captured {tensor._type} as "
            f"value or index, it would not record the write{here()}{_WRITE}"
        )
    out = ways_out if isinstance(ways_out, str) else ways_out()
    return ConcreteValueError(
        f"{question} of a captured {tensor._type}: its concrete value is not known during "
        f"capture, {why}{here()}{out}"
    )


def _branch_ways_out() -> str:
    from capture.branch_hints import branch_hint

    return branch_hint(user_frame())


def _array_ways_out() -> str:
    library = library_at_work()
    if not library:
        return _ARRAY
    return (
        f"\n  ways out: {library} computes with numbers: let it run outside the scope and pass the "
        "result in; or write it with NumPy functions, which take captured values directly"
    )


def _number_ways_out() -> str:
    from capture.loop_hints import NUMBER

    return NUMBER


def _count_ways_out() -> str:
    from capture.loop_hints import number_hint

    return number_hint(user_frame())


def as_subclass(tensor: Any, subclass: type) -> Any:
    """Return ``x.view(Subclass)`` of a known value: read-only, for writes would not be shared.

    Raises:
        ConcreteValueError: The value depends on an input.
    """
    if subclass is np.ndarray:
        return tensor[...]
    array = concrete_array(tensor, f"view({subclass.__name__})", _ARRAY)
    made: Any = array.copy().view(subclass)
    made.flags.writeable = False
    return made


class Concretization:
    """Mixin: conversions from a tensor to plain Python and NumPy values."""

    __slots__ = ()

    def _number(self: Any, question: str, convert: Any) -> Any:
        counts = question in ("int", "index")
        array = concrete_array(
            self, f"{question}()", _count_ways_out if counts else _number_ways_out
        )
        return convert(array if array.ndim else array[()])

    def __bool__(self: Any) -> bool:
        return bool(concrete_array(self, "bool()", _branch_ways_out))

    def __int__(self) -> int:
        return self._number("int", int)  # type: ignore[no-any-return]

    def __float__(self) -> float:
        return self._number("float", float)  # type: ignore[no-any-return]

    def __complex__(self) -> complex:
        return self._number("complex", complex)  # type: ignore[no-any-return]

    def __index__(self: Any) -> int:
        if self._type.dtype.kind not in "iu" or self._type.shape:
            raise TypeError("only integer scalar arrays can be converted to a scalar index")
        return self._number("index", operator.index)  # type: ignore[no-any-return]

    def __len__(self: Any) -> int:
        shape = self._type.shape
        if not shape:
            raise TypeError("len() of unsized object")
        if isinstance(shape[0], Dim):
            from capture.loop_hints import length_hint

            raise ConcreteValueError(
                f"len() of a captured {self._type}: the size {shape[0]} is known only when the "
                f"graph runs{here()}{length_hint(user_frame())}"
            )
        return shape[0]  # type: ignore[no-any-return]

    def __contains__(self: Any, item: Any) -> bool:
        return bool((self == item).any())

    def __array__(self: Any, dtype: Any = None, copy: bool | None = None) -> Any:
        array = concrete_array(self, "conversion to ndarray", _array_ways_out)
        if copy is False:
            raise ValueError("Unable to avoid copy while creating an array as requested.")
        return np.array(array, dtype=dtype)

    def __format__(self: Any, spec: str) -> str:
        if not spec:
            return str(self)
        array = concrete_array(self, f"format(…, {spec!r})", _number_ways_out)
        return format(array[()], spec)

    def __round__(self: Any, ndigits: int | None = None) -> Any:
        if not self.is_scalar:
            raise TypeError("type numpy.ndarray doesn't define __round__ method")
        if ndigits is None:  # Python asks for an int
            return self._number("round", round)
        return self.round(ndigits)

    def item(self: Any, *args: Any) -> Any:
        """Return an element as a Python scalar (known values only), as ``ndarray.item``."""
        return concrete_array(self, "item()", _number_ways_out).item(*args)

    def tolist(self: Any) -> Any:
        """Return nested lists of Python scalars (known values only), as ``ndarray.tolist``."""
        return concrete_array(self, "tolist()", _number_ways_out).tolist()

    def tobytes(self: Any, order: Any = "C") -> bytes:
        """Return the raw bytes (known values only), as ``ndarray.tobytes``."""
        return concrete_array(self, "tobytes()", _ARRAY).tobytes(order)
