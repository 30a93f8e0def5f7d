"""Random programs of nested branches and loops: equal to NumPy, or refused for shared memory."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from capture import control_flow
from capture.errors import AliasingError
from tests.control_flow.random_programs import inputs, load
from tests.control_flow.ways import assert_captures

UNHURRIED = settings(deadline=None, suppress_health_check=list(HealthCheck))


def check(seed: int, *, onnx: bool) -> None:
    program, source = load(seed)
    open_axis = {0: {0: "n"}} if seed % 2 else None
    try:
        assert_captures(control_flow(program), *inputs(seed), dynamic=open_axis, onnx=onnx)
    except AliasingError:
        pass
    except Exception as error:
        error.add_note(source)
        raise


@given(st.integers(0, 10**9))
@settings(UNHURRIED, max_examples=12)
def test_a_few_random_programs(seed: int) -> None:
    check(seed, onnx=True)


@given(st.integers(0, 10**9))
@settings(UNHURRIED, max_examples=25)
def test_random_programs_in_the_interpreter(seed: int) -> None:
    check(seed, onnx=False)


@pytest.mark.slow
@given(st.integers(0, 10**9))
@settings(UNHURRIED, max_examples=1000)
def test_many_random_programs(seed: int) -> None:
    check(seed, onnx=True)
