"""Errors in NumPy's own words: its type, its message to the letter, and the user's line."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from capture import TensorSpec, trace

Program = Callable[[Any], Any]
X = np.arange(12, dtype=np.uint8).reshape(3, 4)
PROGRAMS: list[Program] = [
    lambda x: x + 300,
    lambda x: np.add(x, -1),
    lambda x: np.sum(x, axis=5),
    lambda x: x.sum(axis=5),
    lambda x: x[0, 0, 0],
    lambda x: x[..., ...],
    lambda x: np.sum(x, axes=2),
    lambda x: np.concatenate([x, x], axis=2),
    lambda x: x.astype("float33"),
    lambda x: np.expand_dims(x, 7),
    lambda x: x.T.argmax(axis=3),
    lambda x: np.stack([x, x], axis=9),
    lambda x: np.linalg.norm(x[0], axis=4),
    lambda x: x.__setitem__((0, 0, 0), 1),
]
IN_OTHER_WORDS: list[Program] = [
    lambda x: x.mean(axes=2),
    lambda x: x.transpose(0, 0),
    lambda x: np.moveaxis(x, 5, 0),
    lambda x: np.squeeze(x, axis=0),
    lambda x: np.swapaxes(x, 0, 9),
]


def raised(program: Program, x: Any) -> Exception:
    with pytest.raises(Exception) as caught:  # noqa: PT011  NumPy says which
        program(x)
    error: Exception = caught.value
    return error


@pytest.mark.parametrize("program", [*PROGRAMS, *IN_OTHER_WORDS])
def test_type_and_message_are_those_of_numpy_and_the_line_is_told(program: Program) -> None:
    expected = raised(program, X)
    error = raised(lambda x: trace(program, x), TensorSpec((3, 4), np.uint8))
    assert isinstance(error, type(expected))
    assert str(error) == str(expected) or program in IN_OTHER_WORDS
    told = [*str(error).splitlines(), *getattr(error, "__notes__", ())]
    lines = [line for line in told if line.startswith("  at ")]
    assert len(lines) == 1
    assert f"{__file__}:{program.__code__.co_firstlineno}: " in lines[0]


def test_the_line_stands_right_below_the_message() -> None:
    error = raised(lambda x: trace(lambda x: x + 300, x), TensorSpec((3,), np.uint8))
    message, line = traceback.format_exception_only(error)
    assert message == "OverflowError: Python integer 300 out of bounds for uint8\n"
    assert line.startswith(f"  at {__file__}:")


def test_an_error_of_the_users_own_code_is_left_alone() -> None:
    def row(values: Any) -> Any:
        raise KeyError("mine")

    def program(x: Any) -> Any:
        return np.apply_along_axis(row, 0, x)

    error = raised(lambda x: trace(program, x), TensorSpec((3, 4), np.uint8))
    assert not getattr(error, "__notes__", ())
