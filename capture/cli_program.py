"""The user's program: found by name, given its inputs, captured."""

from __future__ import annotations

import difflib
import importlib
import importlib.util
import inspect
import os
import sys
import warnings
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from capture.cli_errors import UsageError, program_failure
from capture.cli_specs import parse_inputs, parse_static
from capture.explaining import Explanation, explain
from capture.tracing import trace

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator
    from types import ModuleType

    from capture.cli_console import Console
    from ir.graph import Graph

Made = TypeVar("Made")
_TRACE_PARAMETERS = frozenset(inspect.signature(trace).parameters) - {"args", "kwargs"}


def capture_program(options: argparse.Namespace, console: Console) -> Graph:
    """Return the graph of the program that the command line names.

    Raises:
        UsageError: The program is not found or its inputs do not fit its parameters.
        CommandError: It cannot be imported or captured; the message names the user's line.
    """
    if options.name is not None and not options.name.isidentifier():
        raise UsageError(f"--name {options.name}: a graph's name is an identifier")
    with _program(options, console) as program:
        with console.step(f"capturing {program.title}") as say:
            graph = program.run(trace, name=options.name)
            say(f"captured {program.title}: {_signature(graph)}")
        return graph


def explain_program(options: argparse.Namespace, console: Console) -> Explanation:
    """Return everything that stands in the way of capturing the program.

    Raises:
        UsageError: The program is not found or its inputs do not fit its parameters.
        CommandError: It cannot be imported, or raises an error of its own.
    """
    with _program(options, console) as program, console.step(f"running {program.title}"):
        return program.run(explain)


class _Program(NamedTuple):
    """A function with what it is called and the arguments that the command line gives."""

    function: Callable[..., Any]
    title: str
    args: list[Any]
    kwargs: dict[str, Any]

    def run(self, how: Callable[..., Made], **options: Any) -> Made:
        """Hand the program to ``trace`` or ``explain``."""
        try:
            return how(self.function, *self.args, **options, **self.kwargs)
        except (Exception, SystemExit) as error:
            raise program_failure(self.title, error, self.function) from error


@contextmanager
def _program(options: argparse.Namespace, console: Console) -> Iterator[_Program]:
    specs = parse_inputs(options.input, options.dynamic, options.bound)
    static = parse_static(options.arg)
    both = sorted(specs.keys() & static.keys())
    if both:
        raise UsageError(f"{both[0]!r} is given by --input and by --arg")
    with _users_modules(), console.programs_output(), _warnings(console):
        function, title = _load(options.program)
        args, kwargs = _arguments(function, title, {**specs, **static})
        yield _Program(function, title, args, kwargs)


def _signature(graph: Graph) -> str:
    inputs = ", ".join(f"{value.name} {value.type}" for value in graph.inputs)
    pairs = zip(graph.output_names, graph.outputs, strict=True)
    outputs = ", ".join(f"{name} {value.type}" for name, value in pairs)
    nodes = "1 node" if len(graph.nodes) == 1 else f"{len(graph.nodes)} nodes"
    return f"{inputs or 'no inputs'} -> {outputs or 'no outputs'}, {nodes}"


@contextmanager
def _users_modules() -> Iterator[None]:
    """Find modules from the current folder, as ``python -m`` does."""
    before = list(sys.path)
    sys.path.insert(0, os.getcwd())
    importlib.invalidate_caches()
    try:
        yield
    finally:
        sys.path[:] = before


@contextmanager
def _warnings(console: Console) -> Iterator[None]:
    """Print warnings as one line each, without the machinery's file names."""
    with warnings.catch_warnings(record=True) as caught:
        for category in (UserWarning, RuntimeWarning):
            warnings.simplefilter("always", category)
        try:
            yield
        finally:
            for message in dict.fromkeys(str(warning.message) for warning in caught):
                console.warning(message)


def _load(program: str) -> tuple[Callable[..., Any], str]:
    """Return the function behind ``module:function`` or ``file.py:function``."""
    module_name, colon, path = program.rpartition(":")
    if not colon or not module_name or not path:
        if program.endswith(".onnx"):
            raise UsageError(
                f"{program}: is a model already; graph-capture show prints it, and drawings are "
                "of a .json file or of module:function"
            )
        raise UsageError(f"{program}: expected module:function, as in model:predict")
    is_file = module_name.endswith(".py")
    found: Any = _file_module(module_name) if is_file else _module(module_name)
    for name in path.split("."):
        try:
            found = getattr(found, name)
        except AttributeError:
            raise UsageError(f"{program}: {_no_such_name(found, name)}") from None
    if not callable(found):
        raise UsageError(f"{program}: {path} is a {type(found).__name__}, not a function")
    return found, path


def _module(name: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{name}.".startswith(f"{error.name}."):
            raise program_failure(f"importing {name}", error) from error
        raise UsageError(
            f"no module {error.name!r} in {os.getcwd()} or among the installed packages"
            + _near(error.name, [path.stem for path in Path().glob("*.py")])
        ) from None
    except (Exception, SystemExit) as error:
        raise program_failure(f"importing {name}", error) from error


def _file_module(path: str) -> ModuleType:
    if not Path(path).is_file():
        raise UsageError(f"there is no file {path}")
    sys.path.insert(0, str(Path(path).resolve().parent))
    spec = importlib.util.spec_from_file_location(Path(path).stem, Path(path).resolve())
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules.setdefault(spec.name, module)
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        raise program_failure(f"importing {path}", error) from error
    return module


def _no_such_name(owner: Any, name: str) -> str:
    what = "module" if inspect.ismodule(owner) else "object"
    callables = [n for n, v in vars(owner).items() if callable(v) and not n.startswith("_")]
    return f"the {what} has no {name!r}{_near(name, callables)}"


def _near(name: str, names: list[str]) -> str:
    matches = difflib.get_close_matches(name, names, n=3, cutoff=0.5)
    return f"; did you mean {' or '.join(matches)}?" if matches else ""


def _arguments(
    function: Callable[..., Any], title: str, given: dict[str, Any]
) -> tuple[list[Any], dict[str, Any]]:
    """Sort the given values into positional and keyword arguments.

    Positional as long as none is left out: then no name meets one of ``trace``'s own.
    """
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        raise UsageError(f"{title}: has no signature that Python can read") from None
    parameters = signature.parameters
    kinds = {parameter.kind for parameter in parameters.values()}
    unknown = [name for name in given if name not in parameters]
    if unknown and inspect.Parameter.VAR_KEYWORD not in kinds:
        raise UsageError(f"{title}{signature} has no parameter {unknown[0]!r}")
    rest = dict(given)
    args: list[Any] = []
    positional = True
    for name, parameter in parameters.items():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        if name not in given and parameter.default is parameter.empty:
            raise UsageError(
                f"{title}{signature}: nothing is given for {name!r}; for an array "
                f"--input '{name}:float32[batch,4]', for a fixed value --arg {name}=3"
            )
        positional &= name in given and parameter.kind is not parameter.KEYWORD_ONLY
        if positional:
            args.append(rest.pop(name))
    clash = sorted(rest.keys() & _TRACE_PARAMETERS)
    if clash:
        raise UsageError(
            f"{title}{signature}: {clash[0]!r} cannot be given by keyword, it means something "
            "to the tracer; wrap the function in one that calls it otherwise"
        )
    return args, rest
