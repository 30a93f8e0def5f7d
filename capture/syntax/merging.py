"""An ``if`` statement whose condition is open: both branches recorded, variables merged."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from capture.branches import branch, outline, structure_difference
from capture.errors import BranchError
from capture.location import here
from capture.pytrees import flatten
from capture.syntax.defaults import zeros_like
from capture.syntax.names import PREFIX
from capture.syntax.side_effects import Watch
from capture.syntax.variables import UNSET, Undefined, Variables, leaf_names, require_defined

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FunctionType

    from capture.tensor import Tensor

    Body = FunctionType | partial[Any]


class Merge:
    """Records an ``if`` statement.

    Args:
        condition: bool[].
        then: The body for a true condition.
        orelse: The body for a false one.
        variables: The variables that either sets.
    """

    def __init__(
        self, condition: Tensor, then: Body, orelse: Body, variables: Variables
    ) -> None:
        self._condition = condition
        self._bodies = (then, orelse)
        self._variables = variables
        self._before = self._variables.values()
        self._where = here(2).strip()

    def _run(self, body: Body, sides: list[Any], give: Callable[[Any], Any]) -> Any:
        self._variables.update(self._before)
        function: Any = body.func if isinstance(body, partial) else body
        watch = Watch(function, self._variables.cells, "a branch of this if")
        result = give(body())
        watch.check()
        sides.append(result)
        return result

    def value(self) -> Any:
        """Record branches that return, and return what the chosen one gives."""
        sides: list[Any] = []
        then, orelse = self._bodies
        try:
            return branch(
                self._condition,
                lambda: self._run(then, sides, require_defined),
                lambda: self._run(orelse, sides, require_defined),
                "return",
                lambda leaf: "what is returned",
                _check_returns,
            )
        finally:
            self._variables.update(self._before)

    def statement(self, live: tuple[str, ...]) -> None:
        """Record branches that set variables, and set those to what the chosen one gives.

        Args:
            live: The variables that are still needed.
        """
        sides: list[dict[str, Any]] = []
        then, orelse = self._bodies
        missing: dict[str, Undefined] = {}
        names: list[str] = []

        def current(_: Any) -> dict[str, Any]:
            return {name: self._variables[name] for name in live}

        def reconcile(yes: dict[str, Any], no: dict[str, Any]) -> None:
            for name in live:
                self._complete(name, yes, no, "true", missing)
                self._complete(name, no, yes, "false", missing)
                if name in missing or yes[name] is UNSET:
                    del yes[name], no[name]
            for name in yes:
                self._compare(name, yes[name], no[name])
            names.extend(leaf_names(yes))

        merged = branch(
            self._condition,
            lambda: self._run(then, sides, current),
            lambda: self._run(orelse, sides, current),
            "if",
            lambda leaf: f"variable {names[leaf]}",
            reconcile,
        )
        for name in self._variables.cells:
            self._variables[name] = UNSET
        self._variables.update(merged)
        for name, value in missing.items():
            self._variables.cells[name].cell_contents = value

    def _complete(
        self,
        name: str,
        has: dict[str, Any],
        other: dict[str, Any],
        kind: str,
        missing: dict[str, Undefined],
    ) -> None:
        """Deal with a variable that one branch sets and the other does not."""
        if other[name] is not UNSET or has[name] is UNSET:
            return
        if name.startswith(PREFIX) or _has_jumped(other):
            # read only where a flag says that there is a value
            other[name] = zeros_like(self._condition._recorder, has[name])
        else:
            missing[name] = self._undefined(name, kind)

    def _compare(self, name: str, yes: Any, no: Any) -> None:
        different = structure_difference(yes, no)
        if different:
            raise BranchError(
                f"if: variable {name!r} differs between the branches: {different}{here(4)}\n"
                "  ways out: give it the same structure in both"
            )

    def _undefined(self, name: str, kind: str) -> Undefined:
        return Undefined(
            name,
            f"it is set only if the condition is {kind}\n  {self._where}",
            f"set it before the if, or in both branches; {name} = None does not help, a graph "
            "needs one dtype and number of axes",
        )


def _has_jumped(values: dict[str, Any]) -> bool:
    """Whether a branch ended in ``return``, ``break`` or ``continue``."""
    return any(value is True for name, value in values.items() if name.startswith(PREFIX))


def _check_returns(yes: Any, no: Any) -> None:
    for a, b in ((yes, no), (no, yes)):
        if a is None and b is not None and flatten(b)[0]:
            raise BranchError(
                f"return: one way through the function returns {outline(b)}, another returns "
                f"nothing{here(4)}\n  ways out: return a value of the same dtype and number of "
                "axes on every way"
            )
