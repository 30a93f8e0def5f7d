"""Programs after public bug reports (``tests/cases``), through ONNX Runtime, against NumPy."""

from __future__ import annotations

from typing import TYPE_CHECKING

import case_kit
import numpy as np
import pytest
from handout import HANDOUT

from tests import case_adapter

if TYPE_CHECKING:
    from pathlib import Path

WAITING: dict[str, str] = {}
"""Cases that do not work yet, each with what it waits for; each must still fail."""


def test_the_programs_are_sound() -> None:
    case_kit.verify_plain_numpy(HANDOUT)


def test_waiting_cases_exist() -> None:
    assert set(WAITING) <= {case.id for case in HANDOUT}


@pytest.mark.parametrize("case", HANDOUT, ids=lambda case: case.id)
@pytest.mark.filterwarnings("ignore:.*encountered in:RuntimeWarning")
def test_case(case: case_kit.Case) -> None:
    if case.id not in WAITING:
        case_kit.check(case, case_adapter)
        return
    with pytest.raises(Exception):  # noqa: B017, PT011 - whatever it fails with today
        case_kit.check(case, case_adapter)


def test_the_adapter_names_inputs_as_asked(tmp_path: Path) -> None:
    arrays = np.ones((2, 3), np.float32), np.ones(3, np.float32)
    captured = case_adapter.capture(
        lambda a, b: a + b, arrays, {0: {0: "rows"}}, ["left", "right"]
    )
    captured.save(tmp_path / "sum.onnx", external_data=True)
    assert [value.name for value in captured.to_onnx().graph.input] == ["left", "right"]
    assert captured.run(np.ones((5, 3), np.float32), arrays[1])[0].shape == (5, 3)
