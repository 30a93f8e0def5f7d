"""Finish: exporters on a clean exit, all of them; warnings for what is unused."""

import warnings

import pytest

import ir
from capture import CaptureDevice, capture_scope
from capture.errors import BoundaryError, ScopeError
from capture.scope import UnusedInputWarning
from ir.exporter import ExportError
from tests.capture.telling import HERE, line_text, this_line, told, told_error


class Keeper:
    """An exporter that remembers what it was given."""

    def __init__(self):
        self.graphs = []

    def export(self, graph):
        self.graphs.append(graph)


class Failing:
    """An exporter that fails."""

    def __init__(self, error):
        self.error = error

    def export(self, graph):
        raise self.error


def test_exporters_run_on_a_clean_exit():
    keeper = Keeper()
    with capture_scope(CaptureDevice(), exporters=[keeper]) as scope:
        scope.output("y", scope.input("x") + 1)
        assert keeper.graphs == []
    assert keeper.graphs == [scope.graph]


def test_exporters_do_not_run_when_the_body_raises():
    keeper = Keeper()
    with pytest.raises(ZeroDivisionError), capture_scope(CaptureDevice(), [keeper]) as scope:  # noqa: PT012
        scope.output("y", scope.input("x") + 1)
        _ = 1 / 0
    assert keeper.graphs == []


def test_exporters_do_not_run_when_the_boundaries_do_not_fit():
    keeper = Keeper()
    with pytest.raises(BoundaryError), capture_scope(CaptureDevice(), [keeper]) as scope:
        scope.output("y", scope.client.create_empty_handle() + 1)
    assert keeper.graphs == []


def test_each_exporter_is_tried_and_failures_come_as_one_group():
    first, last = Keeper(), Keeper()
    exporters = [first, Failing(OSError("disk full")), Failing(ValueError("bad")), last]
    with (
        pytest.raises(ExceptionGroup) as caught,
        capture_scope(CaptureDevice(), exporters) as scope,
    ):
        scope.output("y", scope.input("x") + 1)
    assert caught.value.message == "2 of 4 exporters failed"
    assert [(type(error), str(error)) for error in caught.value.exceptions] == [
        (ExportError, "Failing: OSError: disk full"),
        (ExportError, "Failing: ValueError: bad"),
    ]
    assert isinstance(caught.value.exceptions[0].__cause__, OSError)
    assert first.graphs == last.graphs == [scope.graph]


def test_failures_of_our_exporters_are_export_errors_and_leave_no_file(tmp_path):
    from exporters.json import JsonExporter

    good, bad = tmp_path / "good.json", tmp_path / "missing" / "bad.json"
    with (
        pytest.raises(ExceptionGroup) as caught,
        capture_scope(CaptureDevice(), [JsonExporter(bad), JsonExporter(good)]) as scope,
    ):
        scope.output("y", scope.input("x") + 1)
    assert [isinstance(error, ExportError) for error in caught.value.exceptions] == [True]
    assert [path.name for path in tmp_path.iterdir()] == ["good.json"]


def test_the_graph_of_an_open_scope_is_refused():
    with capture_scope(CaptureDevice()) as scope, pytest.raises(ScopeError) as caught:
        _ = scope.graph
    assert told(caught) == (
        f"graph: the scope is still open\n{HERE}\n  ways out: leave the with block, call "
        "complete(), or take a snapshot()"
    )


def test_unused_inputs_stay_with_a_warning():
    with pytest.warns(UnusedInputWarning) as caught:  # noqa: PT031, SIM117
        with capture_scope(CaptureDevice()) as scope:
            x = scope.input("x", (2,))
            scope.input("spare", (2,))
            scope.output("y", x + 1)
    (warning,) = caught
    assert (
        str(warning.message)
        == "input 'spare' is not used by any output; it stays in the graph"
    )
    text = line_text(warning.filename, warning.lineno)
    assert text.endswith(": with capture_scope(CaptureDevice()) as scope:")
    assert [value.name for value in scope.graph.inputs] == ["x", "spare"]


def test_the_warning_names_the_line_of_complete():
    with capture_scope(CaptureDevice()) as scope:
        x = scope.input("x", (2,))
        scope.input("spare", (2,))
        with pytest.warns(UnusedInputWarning) as caught:
            scope.complete(outputs=[x])
        where = this_line(-1)
    assert line_text(caught[0].filename, caught[0].lineno) == where


def test_an_input_used_only_for_its_size_is_used():
    with warnings.catch_warnings(), capture_scope(CaptureDevice()) as scope:
        warnings.simplefilter("error")
        x = scope.input("x", ("n", 2))
        scope.output("y", x.sum() * 0 + x.shape[0])


def test_output_order_is_declaration_order():
    with capture_scope(CaptureDevice()) as scope:
        x = scope.input("x", (2,))
        late = x * 3
        for name in ("c", "a", "b"):
            scope.output(name, x + 1 if name == "a" else late * 1)
    assert scope.graph.output_names == ("c", "a", "b")


def test_a_graph_without_outputs_is_legal():
    with capture_scope(CaptureDevice()) as scope:
        _ = scope.input("x", (2,)) + 1
    assert (len(scope.graph.inputs), scope.graph.outputs, scope.graph.nodes) == (1, (), ())
    ir.check(scope.graph)


def test_exporting_a_graph_without_outputs_to_onnx_is_not(tmp_path):
    from exporters import OnnxExporter

    path = tmp_path / "model.onnx"
    with (
        pytest.raises(ExceptionGroup) as caught,
        capture_scope(CaptureDevice(), [OnnxExporter(path)]),
    ):
        pass
    (error,) = caught.value.exceptions
    assert isinstance(error, ExportError)
    assert told_error(error) == "graph: a graph without outputs cannot be an ONNX model"
    assert list(tmp_path.iterdir()) == []
