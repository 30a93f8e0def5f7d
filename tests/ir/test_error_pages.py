"""What notebooks show of an error: the user's frames and the message, nothing of ours."""

from __future__ import annotations

import numpy as np
import pytest

from capture import TensorSpec, trace
from capture.errors import ConcreteValueError
from ir.errors import ShapeError


def deciding(x):
    return float(np.tanh(x))


def test_notebooks_show_the_users_frames_only():
    with pytest.raises(ConcreteValueError) as caught:
        trace(deciding, TensorSpec((), np.float32))
    shown = caught.value._render_traceback_()
    frames = [line.rpartition(", in ")[2] for line in shown if line.startswith("  File ")]
    assert frames == ["test_notebooks_show_the_users_frames_only", "deciding"]
    assert "    return float(np.tanh(x))" in shown
    assert shown[-1] == "  see docs/errors.md#concretevalueerror"


def test_causes_are_shown():
    try:
        raise ShapeError("add: what is wrong") from KeyError("why")
    except ShapeError as error:
        shown = "\n".join(error._render_traceback_())
    assert "KeyError: 'why'" in shown
    assert "direct cause" in shown
