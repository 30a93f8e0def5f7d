"""Loop dtypes: NumPy's own answer, cached. No promotion table of ours exists."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from capture.location import here
from ir.errors import DTypeError
from ir.types import DTYPE_NAMES, supported_dtype

if TYPE_CHECKING:
    from collections.abc import Sequence

PromotionKey = np.dtype[Any] | type
"""A dtype for arrays and NumPy scalars; ``int`` or ``float`` for weak Python scalars."""

WEAK = frozenset((int, float))
COMPARISONS = frozenset(
    (np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal)
)


@cache
def loop_dtypes(
    ufunc: np.ufunc,
    keys: tuple[PromotionKey, ...],
    dtype: np.dtype[Any] | None = None,
    casting: str = "same_kind",
) -> tuple[np.dtype[Any], ...]:
    """Return the dtypes of the loop NumPy would run, inputs then outputs.

    Args:
        ufunc: Which function.
        keys: One per operand.
        dtype: The ``dtype=`` argument: the wanted result dtype.
        casting: NumPy's casting rule for inputs.

    Raises:
        TypeError: NumPy has no loop (its own message), or a Python number under the rule
            ``"equiv"``: NumPy refuses it too, but ``resolve_dtypes`` crashes.
        DTypeError: NumPy has a loop, but for a dtype that is not captured.
    """
    options: dict[str, Any] = {"casting": _rule_for_weak(ufunc, keys, casting)}
    if dtype is not None:
        options["signature"] = (*(None,) * ufunc.nin, *(dtype,) * ufunc.nout)
    loop: tuple[np.dtype[Any], ...] = ufunc.resolve_dtypes(
        (*keys, *(None,) * ufunc.nout), **options
    )
    for resolved in loop:
        if resolved not in DTYPE_NAMES:
            listed = ", ".join(key_text(key) for key in keys)
            raise DTypeError(
                f"{ufunc.__name__}: NumPy computes ({listed}) in {resolved}, "
                "which is not captured"
            )
    return loop


def _rule_for_weak(ufunc: np.ufunc, keys: tuple[PromotionKey, ...], casting: str) -> str:
    """Return the rule to resolve with: of Python numbers, NumPy knows no "equiv"."""
    weak = [key for key in keys if not isinstance(key, np.dtype)]
    if casting != "equiv" or not weak:
        return casting
    if ufunc in COMPARISONS and all(key is int or np.dtype(key).kind in "iu" for key in keys):
        return "no"  # integers of any size are compared as they are
    raise TypeError(f"cannot cast {key_text(weak[0])} under the casting rule 'equiv'")


def key_text(key: PromotionKey) -> str:
    """Return a promotion key as errors show it."""
    return str(key) if isinstance(key, np.dtype) else f"Python {key.__name__}"


def result_dtype(keys: Sequence[PromotionKey]) -> np.dtype[Any]:
    """Return ``numpy.result_type`` of dtypes and weak Python scalars."""
    return _result_dtype(tuple(keys))


@cache
def _result_dtype(keys: tuple[PromotionKey, ...]) -> np.dtype[Any]:
    stand_ins = [key if isinstance(key, np.dtype) else key(0) for key in keys]
    return supported_dtype(np.result_type(*stand_ins))


def check_casting(
    operation: str, source: np.dtype[Any], target: np.dtype[Any], casting: str
) -> None:
    """Raise NumPy's error type when ``source`` may not become ``target``.

    Raises:
        DTypeError: The rule forbids the cast.
    """
    if source is not target and not np.can_cast(source, target, casting):  # type: ignore[arg-type]
        raise DTypeError(
            f"{operation}: cannot cast output from {source} to {target} "
            f"with casting rule {casting!r}{here()}\n  ways out: x = x + y instead of x += y; or "
            "cast first, y.astype(x.dtype)"
        )
