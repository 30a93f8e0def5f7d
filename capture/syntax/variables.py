"""The variables of a turned function: read and set through the cells its bodies share."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any, NoReturn

from capture.errors import UndefinedVariableError
from capture.location import here
from capture.pytrees import flatten

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import FunctionType


class Undefined:
    """What a variable holds that only some paths define: any use of it says so.

    Args:
        name: The variable.
        why: Where it is defined, and where not.
        way_out: What to do about it.
    """

    __slots__ = ("_name", "_way_out", "_why")

    def __init__(self, name: str, why: str, way_out: str) -> None:
        self._name = name
        self._why = why
        self._way_out = way_out

    def refuse(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Raise, naming the variable.

        Raises:
            UndefinedVariableError: Always.
        """
        raise UndefinedVariableError(
            f"variable {self._name!r}: {self._why}{here(2)}\n  ways out: {self._way_out}"
        )

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        self.refuse()

    def __repr__(self) -> str:
        return f"<undefined {self._name}>"


_USES = (
    "add radd iadd sub rsub isub mul rmul imul truediv rtruediv itruediv floordiv rfloordiv "
    "ifloordiv mod rmod imod pow rpow ipow matmul rmatmul imatmul and rand iand or ror ior xor "
    "rxor ixor lshift rlshift rshift rrshift divmod rdivmod lt le gt ge eq ne neg pos abs invert "
    "bool int float complex index len iter next contains call getitem setitem delitem round "
    "array array_ufunc array_function format enter exit hash"
)
for _name in _USES.split():
    setattr(Undefined, f"__{_name}__", Undefined.refuse)


class _Unset:
    """Stands for a variable without a value, or with an :class:`Undefined` one."""

    def __repr__(self) -> str:
        return "<unset>"


UNSET = _Unset()


class Variables:
    """Some variables of one call of a turned function.

    Args:
        names: Which.
        functions: Bodies that share them.
    """

    def __init__(self, names: Iterable[str], *functions: FunctionType) -> None:
        self.cells: dict[str, Any] = {}
        wanted = set(names)
        for function in functions:
            free = function.__code__.co_freevars
            for name, cell in zip(free, function.__closure__ or (), strict=True):
                if name in wanted:
                    self.cells[name] = cell

    def __getitem__(self, name: str) -> Any:
        try:
            value = self.cells[name].cell_contents
        except ValueError:
            return UNSET
        return UNSET if type(value) is Undefined else value

    def __setitem__(self, name: str, value: Any) -> None:
        cell = self.cells[name]
        if value is not UNSET:
            cell.cell_contents = value
            return
        with contextlib.suppress(ValueError):  # it has no value already
            del cell.cell_contents

    def values(self) -> dict[str, Any]:
        """Return all of them; :data:`UNSET` where there is no value."""
        return {name: self[name] for name in self.cells}

    def update(self, values: dict[str, Any]) -> None:
        """Set some of them."""
        for name, value in values.items():
            self[name] = value


def leaf_names(values: dict[str, Any]) -> list[str]:
    """Return the variable that each leaf of a dict of variables belongs to."""
    return [f"{name!r}" for name, value in values.items() for _ in flatten(value)[0]]


def require_defined(result: Any) -> Any:
    """Return a function's result, unless a part of it is undefined.

    Raises:
        UndefinedVariableError: A part is.
    """
    for leaf in flatten(result)[0]:
        if type(leaf) is Undefined:
            leaf.refuse()
    return result
