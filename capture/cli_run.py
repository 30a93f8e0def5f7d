"""``graph-capture run``: a file on arrays, in the interpreter or in ONNX Runtime."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from capture.cli_errors import CommandError, ExitCode
from capture.cli_files import existing, read_arrays, read_graph, writable, write_arrays
from ir.interpreter import run as interpret
from ir.types import FLOATING, type_of

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping
    from pathlib import Path
    from types import ModuleType

    from capture.cli_console import Console

    Array = np.ndarray[Any, Any]

_SHOWN_ELEMENTS = 100


def run(options: argparse.Namespace, console: Console) -> ExitCode:
    """Run a graph or a model; write its outputs or print them."""
    path = existing(options.file, ".json", ".onnx")
    target = None if options.output is None else writable(options.output, ".npz")
    arrays = {} if options.inputs is None else read_arrays(options.inputs)
    run_file = _run_json if path.suffix == ".json" else _run_onnx
    with console.step(f"running {path}") as say:
        outputs = run_file(str(path), arrays)
        say(f"ran {path}")
    if target is not None:
        write_arrays(target, outputs)
        console.status(f"wrote {target}: {', '.join(outputs) or 'no outputs'}")
    if options.json_output:
        console.result_json(_document(outputs, target))
    elif target is None:
        for name, array in outputs.items():
            text = np.array2string(array, threshold=_SHOWN_ELEMENTS)
            console.result(f"{name}: {type_of(array)}\n{text}")
    return ExitCode.OK


def _document(outputs: Mapping[str, Array], target: Path | None) -> dict[str, Any]:
    """Return the outputs for scripts; their numbers too, unless they went to a file."""
    rows = []
    for name, array in outputs.items():
        row: dict[str, Any] = {"name": name, "type": str(type_of(array))}
        if target is None:
            row["values"] = _plain(array)
        rows.append(row)
    return {"written": None if target is None else str(target), "outputs": rows}


def _plain(array: Array) -> Any:
    """Return nested lists; JSON has no NaN and no infinity, so those are text."""
    if array.dtype not in FLOATING:
        return array.tolist()
    plain = array.astype(np.float64).tolist()
    return plain if np.isfinite(array).all() else _spelled(plain)


def _spelled(plain: Any) -> Any:
    if isinstance(plain, list):
        return [_spelled(item) for item in plain]
    return plain if math.isfinite(plain) else str(plain)


def _run_json(path: str, arrays: Mapping[str, Array]) -> dict[str, Array]:
    graph = read_graph(path)
    missing = [v.name for v in graph.inputs if v.data is None and v.name not in arrays]
    if missing and arrays.keys() <= {value.name for value in graph.inputs}:
        raise _missing(path, str(missing[0]))
    results = interpret(graph, graph.bind_arguments((), arrays))
    return dict(zip(graph.output_names, results, strict=True))


def _run_onnx(path: str, arrays: Mapping[str, Array]) -> dict[str, Array]:
    running = runtime()
    try:
        session = running.ModelSession(path)
    except Exception as error:  # the runtime's own classes share no root
        raise CommandError(
            f"{path}: ONNX Runtime does not load it: {first_line(error)}"
        ) from error
    names = [*session.input_names, *session.default_names]
    for name in arrays:
        if name not in names:
            raise CommandError(f"{path}: no input {name!r}; inputs are {names}")
    missing = [name for name in session.input_names if name not in arrays]
    if missing:
        raise _missing(path, missing[0])
    try:
        results = session.run(arrays)
    except Exception as error:
        raise CommandError(
            f"{path}: ONNX Runtime does not run it: {first_line(error)}"
        ) from error
    return dict(zip(session.output_names, results, strict=True))


def _missing(path: str, name: str) -> CommandError:
    return CommandError(f"{path}: nothing is given for input {name!r}: --inputs in.npz")


def runtime() -> ModuleType:
    """Return the module that runs models.

    Raises:
        CommandError: ONNX Runtime is not installed.
    """
    try:
        from exporters import running
    except ImportError:
        raise CommandError(
            "onnxruntime is not installed, and running a .onnx file needs it: "
            "pip install 'graph-capture[runtime]'"
        ) from None
    return running


def first_line(error: Exception) -> str:
    """Return what matters of the runtime's long messages."""
    return str(error).strip().partition("\n")[0] or type(error).__name__
