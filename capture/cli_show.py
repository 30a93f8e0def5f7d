"""``graph-capture show``: a graph to read, whole or in part."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from capture.cli_describe import Described, symbols_text
from capture.cli_errors import CommandError, ExitCode, UsageError
from capture.cli_files import existing, read_graph
from capture.cli_program import capture_program
from ir.errors import DimError

if TYPE_CHECKING:
    import argparse

    from capture.cli_console import Console
    from ir.dims import DimLike
    from ir.graph import Graph

_NOT_IN_ONNX = (
    "--node, --symbols and --cost need a .json file or a program: a .onnx file lacks lines and "
    "limits"
)


def show(options: argparse.Namespace, console: Console) -> ExitCode:
    """Print a graph, its counts, one value or its symbols."""
    if options.program.endswith(".onnx"):
        document, text = _onnx(options)
    else:
        document, text = _graph(options, console)
    if options.json_output:
        console.result_json(document)
    else:
        console.graph(text)
    return ExitCode.OK


def _graph(options: argparse.Namespace, console: Console) -> tuple[Any, str]:
    if options.program.endswith(".json"):
        graph = read_graph(options.program)
    else:
        graph = capture_program(options, console)
    if options.stats:
        stats = graph.stats()
        return stats._asdict(), str(stats)
    if options.cost:
        return _cost(graph)
    described = Described(graph)
    if options.symbols:
        rows = described.symbols()
        return {"symbols": rows}, symbols_text(rows)
    if options.node is not None:
        value = described.find(options.node)
        return described.value(value), described.value_text(value)
    return (described.document(), "") if options.json_output else (None, str(graph))


def _cost(graph: Graph) -> tuple[Any, str]:
    cost, chain = graph.cost(), graph.critical_path()
    try:
        peak = graph.memory_peak()
    except DimError:
        peak = None

    def plain(count: DimLike) -> int | str:
        return count if isinstance(count, int) else str(count)

    document = {
        "flops": plain(cost.flops),
        "bytes": plain(cost.bytes),
        "parameters": cost.parameters,
        "by_op": {
            n: {k: plain(v) for k, v in c._asdict().items()} for n, c in cost.by_op.items()
        },
        "trips": list(cost.trips),
        "memory_peak": None if peak is None else plain(peak.bytes),
        "constant_bytes": graph.stats().constant_bytes,
        "longest_chain": [node.op.name for node in chain.nodes],
    }
    memory = peak or "depends on the sizes in too many ways"
    return document, f"{cost}\nmemory: {memory}\nlongest chain: {len(chain.nodes)} nodes"


def _onnx(options: argparse.Namespace) -> tuple[Any, str]:
    from exporters.onnx.summary import NotOnnxError, summarize

    if options.node is not None or options.symbols or options.cost:
        raise UsageError(_NOT_IN_ONNX)
    try:
        summary = summarize(existing(options.program, ".onnx"))
    except NotOnnxError as error:
        raise CommandError(str(error)) from None
    document = summary._asdict() | {"nodes": summary.nodes}
    del document["text"]
    if options.stats:
        return document, str(summary)
    oldest = summary.minimal_runtime
    needs = f"\n# opset {summary.opset}, needs {oldest} or later" if oldest else ""
    return document, f"{summary.text}{needs}"
