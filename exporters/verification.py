"""Proof that an ONNX model gives the reference's numbers in ONNX Runtime."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
import onnx
import onnx.checker
import onnx.helper
import onnx.shape_inference

from exporters.errors import ExportError, VerificationError
from exporters.onnx import to_onnx
from exporters.onnx.fusion.engine import fuse
from exporters.onnx.legality import Legality, Optimize
from exporters.running import Evaluation, ModelSession, run_model
from exporters.verification_comparison import (
    Difference,
    Tolerance,
    difference,
    excerpt,
    table,
)
from exporters.verification_inputs import Ranges, model_samples
from exporters.verification_precision import tolerances
from ir.errors import EvaluationError
from ir.graph import Graph, Node, Value
from ir.interpreter import run
from ir.progress import tell

__all__ = ["VerificationReport", "run_model", "verify"]

Array: TypeAlias = np.ndarray[Any, Any]
Reference: TypeAlias = Callable[..., Array | tuple[Array, ...] | None]
Model: TypeAlias = onnx.ModelProto | bytes | str | os.PathLike[str]


@dataclass(frozen=True)
class VerificationReport:
    """What was compared, and how it came out.

    Attributes:
        ok: Whether every output agreed.
        compared: What the model was compared with.
        differences: One row per output and run.
        first_divergence: The first node whose result differs, and its source line.
    """

    ok: bool
    compared: str
    differences: tuple[Difference, ...] = field(repr=False)
    first_divergence: str | None = None

    def __str__(self) -> str:
        verdict = "agrees with" if self.ok else "DIFFERS from"
        rows = [row.cells for row in self.differences]
        lines = [
            f"ONNX Runtime {verdict} {self.compared}",
            table(("output", "type", "max abs", "max rel", "verdict"), rows),
        ]
        if self.first_divergence is not None:
            lines.append(f"first divergence: {self.first_divergence}")
        return "\n".join(lines)


def verify(
    subject: Graph | Model,
    *inputs: Any,
    reference: Reference | None = None,
    opset: int = 20,
    optimize: Optimize = 1,
    weights: Mapping[str, Array] | None = None,
    rtol: float | None = None,
    atol: float | None = None,
    seed: int = 0,
    ranges: Ranges | None = None,
    evaluator: bool = False,
    raise_on_mismatch: bool = True,
) -> VerificationReport:
    """Check a model and run it in ONNX Runtime, with and without the runtime's optimisations.

    The model passes the ONNX checker and strict shape inference first. Its outputs are
    compared with the reference: for a graph its interpreter, for a model alone its own
    unoptimised run. Integers, bools, dtypes and shapes must agree exactly, floats to a
    tolerance by dtype.

    Args:
        subject: A graph (exported for the purpose), a model, its bytes or its path.
        *inputs: Arrays by position; left out, they are made up to fit dtypes and symbols.
        reference: A graph or function to compare with; a graph is its own by default.
        opset: The opset to export a graph in.
        optimize: How far to fuse a graph, see :func:`exporters.onnx.to_onnx`.
        weights: Arrays for initializers that a model in memory only refers to.
        rtol: Relative tolerance instead of the dtype's (of a graph: of the coarsest dtype that
            the output was computed in).
        atol: Absolute tolerance, of outputs scaled to 1, instead of the dtype's.
        seed: For made-up inputs.
        ranges: The least and the largest value of made-up inputs, as ``{"pixels": (0, 255)}``;
            else integers are small and floats between -2 and 2.
        evaluator: Whether the reference evaluator of onnx runs the model too; it is slow, and
            it has faults of its own.
        raise_on_mismatch: Whether a difference raises; errors of the runtime always do.

    Returns:
        What was compared; print it for a table.

    Raises:
        VerificationError: The model is invalid, does not run, or gives other numbers.
    """
    model: Model
    if isinstance(subject, Graph):
        model = to_onnx(subject, opset=opset, optimize=optimize)
        reference = subject if reference is None else reference
    else:
        model = subject
    proto = _loaded(model)
    _check(proto)
    tolerance = None
    if rtol is not None or atol is not None:
        tolerance = Tolerance(rtol or 0.0, atol or 0.0)
    sessions: dict[str, ModelSession | Evaluation] = {
        "optimised": _session(model, weights, optimize=True),
        "plain": _session(model, weights, optimize=False),
    }
    if evaluator:
        sessions["evaluator"] = _evaluation(model, weights)
    names = [value.name for value in proto.graph.output]
    allowed = [tolerance] * len(names)
    if tolerance is None and isinstance(reference, Graph):
        known = tolerances(reference)
        allowed = [known.get(value) for value in reference.outputs]
    feeds = _feeds(proto, inputs, reference, seed, ranges)
    expected = _expected(sessions["plain"], feeds, reference)
    differences: list[Difference] = []
    for number, (label, session) in enumerate(sessions.items()):
        tell(f"running {label}", number, len(sessions))
        got = _run(session, feeds)
        if len(got) != len(expected):
            raise VerificationError(
                f"the model has {len(got)} outputs, the reference {len(expected)}"
            )
        differences += [
            difference(f"{name} ({label})", want, array, limit)
            for name, want, array, limit in zip(names, expected, got, allowed, strict=True)
        ]
    ok = all(row.ok for row in differences)
    divergence = None
    if not ok and isinstance(reference, Graph):
        divergence = first_divergence(
            reference, feeds, opset=opset, optimize=optimize, tolerance=tolerance
        )
    report = VerificationReport(ok, _describe(reference), tuple(differences), divergence)
    if raise_on_mismatch and not ok:
        raise VerificationError(str(report))
    return report


def first_divergence(
    graph: Graph,
    feeds: Mapping[str, Array],
    *,
    opset: int = 20,
    optimize: Optimize = 1,
    tolerance: Tolerance | None = None,
) -> str | None:
    """Return the first node whose result differs in ONNX Runtime, with its line and values.

    The graph is fused as for the export; then every intermediate result becomes an output of
    one model, so that one run finds it.
    """
    graph = fuse(graph, optimize, Legality("onnxruntime", opset))
    nodes: list[Node] = []
    results: list[Array] = []
    known: dict[Value, Array] = {value: feeds[str(value.name)] for value in graph.inputs}
    known.update((value, value.data) for value in graph.constants if value.data is not None)

    def observe(node: Node, arrays: tuple[Array, ...]) -> None:
        nodes.extend(node for _ in arrays)
        results.extend(arrays)
        known.update(zip(node.outputs, arrays, strict=True))

    run(graph, feeds, observe)
    outputs = tuple(value for node in graph.nodes for value in node.outputs)
    probe = Graph(
        graph.inputs,
        graph.constants,
        graph.nodes,
        outputs,
        tuple(f"result {number}" for number in range(len(outputs))),
        symbols=graph.symbols,
    )
    try:
        got = ModelSession(to_onnx(probe, opset=opset, optimize=0), optimize=False).run(feeds)
    except Exception:  # a help in reporting must not hide what it reports
        return None
    known_tolerances = tolerances(graph)
    for node, want, array in zip(nodes, results, got, strict=True):
        limit = tolerance or known_tolerances.get(node.outputs[0])
        if not difference(node.op.name, want, array, limit).ok:
            operands = ", ".join(str(value.type) for value in node.inputs)
            at = f" at {node.location}" if node.location else ""
            shown = [f"  operand {excerpt(known[value])}" for value in node.inputs]
            shown += [f"  expected {excerpt(want)}", f"  got {excerpt(array)}"]
            return "\n".join([f"{node.op}: {operands}{at}", *shown])
    return None


def _loaded(model: Model) -> onnx.ModelProto:
    """Return the model, without reading external weights."""
    if isinstance(model, onnx.ModelProto):
        return model
    if isinstance(model, bytes):
        return onnx.load_from_string(model)
    return onnx.load(os.fspath(model), load_external_data=False)


def _check(model: onnx.ModelProto) -> None:
    """Run the checker and strict shape inference on a copy without external weights."""
    proto = onnx.ModelProto()
    proto.CopyFrom(model)
    _declare_external(proto.graph)
    try:
        onnx.checker.check_model(proto, full_check=True)
        onnx.shape_inference.infer_shapes(proto, check_type=True, strict_mode=True)
    except (onnx.checker.ValidationError, onnx.shape_inference.InferenceError) as error:
        raise VerificationError(f"the model is not valid ONNX: {error}") from error


def _declare_external(graph: onnx.GraphProto) -> None:
    """Turn initializers whose bytes are elsewhere into inputs, which need only a type."""
    kept = []
    for tensor in graph.initializer:
        if tensor.data_location == onnx.TensorProto.EXTERNAL:
            graph.input.append(
                onnx.helper.make_tensor_value_info(tensor.name, tensor.data_type, tensor.dims)
            )
        else:
            kept.append(tensor)
    if len(kept) < len(graph.initializer):
        del graph.initializer[:]
        graph.initializer.extend(kept)


def _session(
    model: Model, weights: Mapping[str, Array] | None, *, optimize: bool
) -> ModelSession:
    try:
        return ModelSession(model, optimize=optimize, weights=weights)
    except Exception as error:
        raise VerificationError(f"ONNX Runtime does not load the model: {error}") from error


def _evaluation(model: Model, weights: Mapping[str, Array] | None) -> Evaluation:
    try:
        return Evaluation(model, weights or {})
    except Exception as error:
        raise VerificationError(
            f"{Evaluation.name} does not load the model: {error}"
        ) from error


def _run(session: ModelSession | Evaluation, feeds: Mapping[str, Array]) -> list[Array]:
    try:
        return session.run(feeds)
    except Exception as error:
        raise VerificationError(f"{session.name} does not run the model: {error}") from error


def _feeds(
    proto: onnx.ModelProto,
    inputs: tuple[Any, ...],
    reference: Reference | None,
    seed: int,
    ranges: Ranges | None,
) -> dict[str, Array]:
    """Return the given inputs by name, or made-up ones that the reference accepts."""
    if isinstance(reference, Graph) and (inputs or not reference.inputs):
        return reference.bind_arguments(inputs, {})
    if inputs:
        defaults = {tensor.name for tensor in proto.graph.initializer}
        names = [value.name for value in proto.graph.input if value.name not in defaults]
        return {name: np.asarray(array) for name, array in zip(names, inputs, strict=True)}
    problem: Exception | None = None
    for feeds in model_samples(proto, reference, seed, ranges):
        if reference is None:
            return feeds
        try:
            if isinstance(reference, Graph):
                feeds = reference.bind_arguments((), feeds)
            reference(*feeds.values())
        except EvaluationError as error:
            problem = error
        else:
            return feeds
    raise VerificationError(f"no made-up inputs suit the reference, pass some: {problem}")


def _expected(
    plain: ModelSession | Evaluation, feeds: Mapping[str, Array], reference: Reference | None
) -> list[Array]:
    if reference is None:
        return _run(plain, feeds)
    try:
        results = reference(*feeds.values())
    except EvaluationError as error:
        raise ExportError(f"the reference does not take these inputs: {error}") from error
    if results is None:
        return []
    return list(results) if isinstance(results, tuple) else [np.asarray(results)]


def _describe(reference: Reference | None) -> str:
    if reference is None:
        return "its own unoptimised run"
    if isinstance(reference, Graph):
        return f"the interpreter of {reference.name!r}"
    return getattr(reference, "__name__", "the reference")
