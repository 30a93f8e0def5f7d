"""The public names of the packages and of what users hold: they change on purpose, or not at all.

A failure here is a question: is the name meant for users, documented, and worth keeping for ever?
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import capture
import exporters
import ir

PACKAGES: dict[ModuleType, str] = {
    capture: """
        CaptureClient CaptureDevice CaptureError CaptureScope CustomOp GraphBindings Interception
        NumpyDevice SymbolicInt Tensor TensorSpec backward capture_scope cond constant
        control_flow custom_op detach dispatched errors explain fori_loop from_inner function grad
        grad_remove implements inner name_scope random requires_grad scan supported switch trace
        while_loop
    """,
    ir: """
        Dim Graph GraphBuilder IRError Location Node Op QuantizedDType Symbol TensorType Value
        check ops passes
    """,
    exporters: """
        ExportError HtmlExporter JsonExporter JsonFormatError LoadedModel OnnxExporter SvgExporter
        VerificationReport from_json load_json load_onnx lowers to_json to_onnx verify
    """,
}
"""What ``__all__`` lists."""

BESIDE = {capture: {"map"}}
"""Public, but left out of ``__all__`` so that a star import hides no builtin."""

CLASSES: dict[type, str] = {
    capture.CaptureClient: """
        create_empty_handle device drop dtype_usage execute_graph flush read record register_alias
        register_and_execute_graph register_constant seed sync
    """,
    capture.CaptureDevice: """
        active_scope bool_dtype capture_scope constant float_dtype from_id graph input int_dtype
        output seed to_id
    """,
    capture.CaptureScope: """
        complete constant device dim graph input is_closed output relative_graph snapshot
    """,
    capture.NumpyDevice: "generator seed",
    ir.Graph: """
        ancestors bind_arguments constants constraints cost critical_path descendants
        describe_symbols diff free_symbols inputs is_isomorphic memory_peak metadata name nodes
        output_names outputs stats subgraph symbols to_dot to_html to_mermaid
        to_networkx to_svg values
    """,
    ir.Node: "inputs location op outputs scope",
    ir.Value: "data index name producer type",
    ir.TensorType: "count dtype index is_static rank shape",
}
"""What objects offer beside operators."""

PARAMETERS: dict[Callable[..., Any], str] = {
    capture.capture_scope: "device exporters name metadata intercept control_flow",
    capture.custom_op: "name infer pure",
    capture.dispatched: "function",
    capture.explain: "function args intercept kwargs",
    capture.implements: "function",
    capture.trace: "function args dynamic name exporters device intercept control_flow kwargs",
    exporters.HtmlExporter: "path limit",
    exporters.JsonExporter: "path inline_limit",
    exporters.OnnxExporter: """
        path opset target optimize external_data verify metadata doc_strings keep_unused_inputs
    """,
    exporters.SvgExporter: "path limit",
    exporters.from_json: "document",
    exporters.load_json: "path memory_map",
    exporters.load_onnx: "model outputs shapes name",
    exporters.lowers: "ops since",
    exporters.to_json: "graph",
    exporters.to_onnx: "graph opset target optimize metadata doc_strings keep_unused_inputs",
    exporters.verify: """
        subject inputs reference opset optimize weights rtol atol seed ranges evaluator
        raise_on_mismatch
    """,
    ir.check: "graph nested",
}
"""What functions take."""


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.__name__)
def test_the_names_of_a_package(package: ModuleType) -> None:
    assert sorted(package.__all__) == sorted(PACKAGES[package].split())
    for name in (*package.__all__, *BESIDE.get(package, ())):
        public = getattr(package, name)
        assert inspect.getdoc(public), f"{package.__name__}.{name} says nothing of itself"


@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)
def test_the_attributes_of_a_class(kind: type) -> None:
    offered = [name for name in dir(kind) if not name.startswith("_")]
    assert offered == sorted(CLASSES[kind].split())


@pytest.mark.parametrize("function", PARAMETERS, ids=lambda function: function.__name__)
def test_the_parameters_of_a_function(function: Callable[..., Any]) -> None:
    assert list(inspect.signature(function).parameters) == PARAMETERS[function].split()


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.__name__)
def test_type_checkers_are_told(package: ModuleType) -> None:
    (folder,) = package.__path__
    assert Path(folder, "py.typed").is_file()
