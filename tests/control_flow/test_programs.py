"""Whole programs, captured once: the same results as NumPy on data that takes every path."""

from __future__ import annotations

import zlib

import numpy as np
import pytest

from capture import control_flow, trace
from tests.control_flow import programs
from tests.control_flow.ways import assert_captures

F64 = np.float64


def boxes(seed, count):
    generator = np.random.default_rng(seed)
    low = generator.uniform(0, 20, (count, 2))
    sized = np.concatenate([low, low + generator.uniform(5, 10, (count, 2))], axis=1)
    return sized, generator.uniform(0, 1, count)


def test_greedy_nms_as_a_loop():
    cases = [boxes(seed, count) for seed, count in ((0, 12), (1, 30), (2, 1))]
    cases.append((cases[0][0], cases[0][1] * 0))
    open_axes = {0: {0: "n"}, 1: {0: "n"}}
    assert_captures(control_flow(programs.greedy_nms), *cases, dynamic=open_axes)


def test_newton_iteration_to_convergence():
    numbers = [2.0, 9.0, 1e12, 1e-9, 0.0, -4.0]
    assert_captures(control_flow(programs.newton), *[(F64(number),) for number in numbers])


def test_a_decoding_loop_stops_at_an_end_token():
    decoder = programs.Decoder(seed=5)
    starts = [np.array([token]) for token in range(11)]
    lengths = {int(decoder.run(start)[1]) for start in starts}
    assert len(lengths) > 2
    assert_captures(
        lambda prompt: decoder.run(prompt), *[(start,) for start in starts], control_flow=True
    )


def test_a_class_may_be_decorated_itself():
    class Decoder(programs.Decoder):
        run = control_flow(programs.Decoder.run)

    cases = [(np.array([token]),) for token in (1, 4)]
    assert_captures(Decoder(3).run, *cases)


def test_crc_over_a_byte_string():
    texts = [b"123456789", b"a", b"", bytes(range(40))]
    cases = [(np.frombuffer(text, np.uint8),) for text in texts]
    graph = assert_captures(
        control_flow(programs.crc32), *cases, dynamic={0: {0: "bytes"}}, onnx=False
    )
    assert [int(graph(case[0])) for case in cases] == [zlib.crc32(text) for text in texts]
    assert_captures(control_flow(programs.crc32), *cases, dynamic={0: {0: "bytes"}})


def test_rows_of_dynamic_programming():
    words = [("kitten", "sitting"), ("a", "xyz"), ("same", "same"), ("", "ab"), ("abc", "")]
    cases = [tuple(np.array([ord(c) for c in w], np.int64) for w in pair) for pair in words]
    open_axes = {0: {0: "n"}, 1: {0: "m"}}
    assert_captures(control_flow(programs.edit_distance), *cases, dynamic=open_axes)


def test_a_piecewise_function_with_early_returns():
    amounts = [-5.0, 0.0, 500.0, 10_000.0, 30_000.0, 70_000.0, 1e6]
    assert_captures(control_flow(programs.tax), *[(F64(amount),) for amount in amounts])


def test_nested_loops_with_a_mask():
    generator = np.random.default_rng(0)
    cases = [
        (generator.normal(size=shape), generator.random(shape) > 0.3)
        for shape in ((3, 4), (1, 5), (5, 1), (0, 3))
    ]
    cases.append((cases[0][0], np.zeros((3, 4), bool)))
    open_axes = {argument: {0: "rows", 1: "columns"} for argument in (0, 1)}
    assert_captures(control_flow(programs.flood), *cases, dynamic=open_axes)


def test_integers_until_one():
    cases = [(np.int64(start),) for start in (6, 27, 1)]
    assert_captures(control_flow(programs.collatz), *cases)


@pytest.mark.parametrize("unroll", [False, 10])
def test_a_thousand_steps_stay_one_loop(unroll):
    cases = [(np.array([1.0, 0.1]), np.array([0.0, 2.0])), (np.zeros(2), np.ones(2))]
    turned = control_flow(unroll=unroll)(programs.simulate)
    graph = assert_captures(turned, *cases)
    assert len(graph.nodes) < 5


def test_a_known_range_is_unrolled_by_default():
    def program(x):
        for i in range(5):
            x = x * i if (x > 0).all() else x + 1
        return x

    graph = assert_captures(control_flow(program), (np.ones(2),), (-np.ones(2),))
    assert sum(node.op.name == "if" for node in graph.nodes) == 5


def test_the_first_row_that_is_much_better():
    generator = np.random.default_rng(0)
    rows = generator.normal(size=(6, 3))
    late = rows.copy()
    late[4] += 20
    open_rows = {0: {0: ir_rows()}}
    assert_captures(
        control_flow(programs.running_best), (rows,), (late,), (rows[:1],), dynamic=open_rows
    )


def ir_rows():
    from ir import Dim

    return Dim("rows", min=1)


def test_binary_search():
    values = np.array([1.0, 2.0, 4.0, 4.0, 9.0])
    cases = [(values, F64(wanted)) for wanted in (0, 4, 5, 99)]
    cases.append((values[:0], F64(1)))
    assert_captures(control_flow(programs.bisect), *cases, dynamic={0: {0: "n"}})


def test_the_programs_are_refused_without_the_decorator():
    from capture.errors import ConcreteValueError

    with pytest.raises(ConcreteValueError, match=r"@capture\.control_flow on tax"):
        trace(programs.tax, F64(1))
    with pytest.raises(ConcreteValueError, match=r"capture\.control_flow on newton"):
        trace(programs.newton, F64(2))
