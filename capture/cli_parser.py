"""The grammar of the command line, with the help texts."""

from __future__ import annotations

import argparse
import difflib
import re
from importlib import metadata
from typing import NoReturn

from capture.cli_errors import UsageError

_EXIT_CODES = """\
exit codes:
  0    done, and everything agrees
  1    failed: numbers or graphs differ, a file is unreadable or malformed, a run fails
  2    usage: the command line is wrong, or names something that is not there
  3    the program cannot be captured
  4    the graph has no exact form in the asked format, opset or target
  130  interrupted
"""
_TOP = f"""\
examples:
  graph-capture export model:predict --input 'x:float32[batch,784]' -o model.onnx
  graph-capture show model:predict --input 'x:float32[batch,784]'
  graph-capture verify model.onnx --reference model.json
  graph-capture COMMAND --help

{_EXIT_CODES}"""
_PROGRAM = """\
inputs and values:
  --input 'x:float32[batch,784]'   dtype and shape; a name is an axis that stays open
  --input 'x:f32[n,2*n,?]'         sizes may be sums and products; ? is one of its own
  --input 'k:int64'                a scalar array (no axes)
  --input x=example.npy            dtype and shape of the array in a file
  --dynamic x:0=batch              opens one axis (several: x:0=batch,y:0=batch)
  --dynamic all                    opens every axis that has a fixed size
  --bound batch=1:64               the least and greatest size (either may be left out)
  --arg k=3                        a fixed Python value, not an input of the graph
"""
_EXPORT = f"""\
examples:
  graph-capture export model:predict --input 'x:float32[batch,784]' -o model.onnx
  graph-capture export model:predict --input x=scan.npy --dynamic x:0=batch \\
      -o model.onnx --json model.json --verify
  graph-capture export filters.py:smooth --input 'x:f64[n]' --bound n=8: --arg width=5 \\
      -o smooth.onnx --opset 18 --target standard

{_PROGRAM}"""
_SHOW = f"""\
examples:
  graph-capture show model.json
  graph-capture show model.json --stats
  graph-capture show model.json --cost
  graph-capture show model.json --node 3
  graph-capture show model.onnx
  graph-capture show model:predict --input 'x:float32[batch,784]' --symbols

{_PROGRAM}"""
_VERIFY = """\
A .json file is exported in memory and compared with its interpreter. A .onnx file is compared
with --reference; without it with the .json of the same name beside it; without that with its
own run without the runtime's optimisations. Inputs are made up unless --inputs gives them.

examples:
  graph-capture verify model.onnx --reference model.json
  graph-capture verify model.onnx --inputs samples.npz --json-output
  graph-capture verify model.json --opset 18
"""
_RUN = """\
A .json file runs in the NumPy interpreter, a .onnx file in ONNX Runtime.

examples:
  graph-capture run model.onnx --inputs samples.npz -o scores.npz
  graph-capture run model.json --inputs samples.npz
"""
_CONVERT = """\
examples:
  graph-capture convert model.json model.onnx
  graph-capture convert model.json model.onnx --opset 18 --verify
"""
_DIFF = """\
Inner names and lines of the program do not count. The exit code is 1 if there are differences.

examples:
  graph-capture diff before.json after.json
  graph-capture diff before.json after.json --json-output
"""
_EXPLAIN = f"""\
The program runs on example arrays; where capture would refuse, the refusal is noted and the
example's value is used to go on. The exit code is 3 if there are refusals.

examples:
  graph-capture explain model:predict --input 'x:float32[batch,784]'

{_PROGRAM}"""
_DRAW = f"""\
examples:
  graph-capture draw model.json -o model.svg
  graph-capture draw model:predict --input 'x:float32[batch,784]' -o model.html
  graph-capture draw model.json --format mermaid

SVG and HTML need the layout engine: pip install 'graph-capture[drawing]'

{_PROGRAM}"""
_COMPLETION = """\
examples:
  source <(graph-capture completion bash)       in ~/.bashrc
  source <(graph-capture completion zsh)        in ~/.zshrc
  graph-capture completion fish | source        in ~/.config/fish/config.fish
"""
_COVERAGE = """\
Without names: how many functions of the installed NumPy are captured, and why the others are not.

examples:
  graph-capture coverage
  graph-capture coverage np.median linalg.svd ndarray.sort add.reduce scipy.special.erf
  graph-capture coverage --json-output
"""
_DOCTOR = """\
examples:
  graph-capture doctor
  graph-capture doctor --json-output
"""


_CHOICE = re.compile(r"invalid choice: '(.*)' \(choose from (.*)\)")
_WORD = re.compile(r"[\w-]+")


class Parser(argparse.ArgumentParser):
    """A parser whose complaints are errors of the command line like any other."""

    def error(self, message: str) -> NoReturn:
        """Raise what is wrong, with a word that is near to a wrong one.

        Raises:
            UsageError: Always.
        """
        wrong = _CHOICE.search(message)
        near = difflib.get_close_matches(wrong[1], _WORD.findall(wrong[2])) if wrong else []
        hint = f"; did you mean {' or '.join(near)}?" if near else ""
        raise UsageError(f"{message}{hint}\n  see {self.prog} --help")


def parser() -> argparse.ArgumentParser:
    """Return the parser of the whole command line."""
    top = Parser(
        prog="graph-capture",
        description="Write NumPy, ship ONNX: capture a NumPy function as a typed graph.",
        epilog=_TOP,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("--version", action="version", version=f"graph-capture {version()}")
    _add_general(top)
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def command(name: str, summary: str, epilog: str) -> argparse.ArgumentParser:
        sub = commands.add_parser(
            name,
            help=summary,
            description=f"{summary[0].upper()}{summary[1:]}.",
            epilog=epilog,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        _add_general(sub)
        return sub

    _add_export(command("export", "capture a function and write it as ONNX or JSON", _EXPORT))
    _add_show(command("show", "print a graph, its counts, one node or its symbols", _SHOW))
    _add_draw(command("draw", "write a graph as SVG, HTML, DOT or Mermaid", _DRAW))
    _add_explain(
        command("explain", "list everything that stands in the way of a capture", _EXPLAIN)
    )
    _add_verify(command("verify", "compare ONNX Runtime with the reference", _VERIFY))
    _add_run(command("run", "run a file on arrays", _RUN))
    _add_convert(command("convert", "write a JSON graph as ONNX", _CONVERT))
    _add_diff(command("diff", "show what changed between two JSON graphs", _DIFF))
    shells = command("completion", "print a script that completes commands", _COMPLETION)
    shells.add_argument("shell", choices=("bash", "zsh", "fish"))
    command("doctor", "print versions and what the runtime supports", _DOCTOR)
    _add_coverage(command("coverage", "say which NumPy functions are captured", _COVERAGE))
    return top


def version() -> str:
    """Return the installed version, or say that this is a bare checkout."""
    try:
        return metadata.version("graph-capture")
    except metadata.PackageNotFoundError:
        return "(not installed)"


def _add_general(to: argparse.ArgumentParser) -> None:
    """Options that stand before or after the command."""
    for flags, text in (
        (("-q", "--quiet"), "no progress and status"),
        (("--debug",), "show tracebacks of errors"),
        (("--json-output",), "print JSON, for scripts"),
    ):
        to.add_argument(*flags, action="store_true", default=argparse.SUPPRESS, help=text)


def _add_program(to: argparse.ArgumentParser) -> None:
    group = to.add_argument_group("the program")
    for flag, metavar, text in (
        ("--input", "NAME:DTYPE[SHAPE]", "an array parameter; repeat for each"),
        ("--arg", "NAME=VALUE", "a parameter with a fixed Python value"),
        ("--dynamic", "all|NAME:AXIS=SYMBOL", "axes that stay open"),
        ("--bound", "SYMBOL=MIN:MAX", "limits of an open axis"),
    ):
        group.add_argument(flag, action="append", default=[], metavar=metavar, help=text)
    group.add_argument("--name", help="the graph's name (default: the function's)")


def _add_onnx(to: argparse.ArgumentParser) -> None:
    group = to.add_argument_group("ONNX")
    group.add_argument(
        "--opset", type=int, default=20, help="operator-set version (default: 20)"
    )
    group.add_argument(
        "--target",
        choices=("onnxruntime", "standard"),
        default="onnxruntime",
        help="exact detours where ONNX Runtime lacks a kernel, or the plain form "
        "(default: onnxruntime)",
    )
    group.add_argument(
        "--optimize",
        type=int,
        choices=(0, 1, 2),
        default=1,
        help="fuse ops: 0 none, 1 where every value stays what it was, 2 also where only NaN, "
        "infinities or the sign of zero may change (default: 1)",
    )
    group.add_argument(
        "--external-data",
        choices=("auto", "always", "never"),
        default="auto",
        help="weights in a .data file beside the model (default: auto, by size)",
    )
    group.add_argument(
        "--verify", action="store_true", help="compare with NumPy before the file is written"
    )


def _add_export(sub: argparse.ArgumentParser) -> None:
    sub.add_argument(
        "program", metavar="MODULE:FUNCTION", help="found from the current folder"
    )
    sub.add_argument("-o", "--output", metavar="MODEL.onnx", help="the ONNX file to write")
    sub.add_argument("--json", metavar="MODEL.json", help="the JSON file to write")
    sub.add_argument("--to", metavar="EXPORTER", help="write -o with an installed exporter")
    _add_program(sub)
    _add_onnx(sub)


def _add_show(sub: argparse.ArgumentParser) -> None:
    sub.add_argument(
        "program", metavar="FILE|MODULE:FUNCTION", help=".json, .onnx or a function"
    )
    what = sub.add_mutually_exclusive_group()
    what.add_argument("--stats", action="store_true", help="only counts")
    what.add_argument(
        "--cost", action="store_true", help="operations, bytes, memory, longest chain"
    )
    what.add_argument("--node", metavar="NAME", help="one value: its op, operands, line, uses")
    what.add_argument("--symbols", action="store_true", help="only symbolic sizes")
    _add_program(sub)


def _add_draw(sub: argparse.ArgumentParser) -> None:
    sub.add_argument("program", metavar="FILE|MODULE:FUNCTION", help=".json or a function")
    sub.add_argument("-o", "--output", metavar="FILE", help="where it goes (else: printed)")
    sub.add_argument(
        "--format",
        choices=("dot", "html", "mermaid", "svg"),
        help="the form (default: by the name of the file, or dot)",
    )
    _add_program(sub)


def _add_explain(sub: argparse.ArgumentParser) -> None:
    sub.add_argument(
        "program", metavar="MODULE:FUNCTION", help="found from the current folder"
    )
    _add_program(sub)


def _add_diff(sub: argparse.ArgumentParser) -> None:
    sub.add_argument("before", metavar="BEFORE.json")
    sub.add_argument("after", metavar="AFTER.json")


def _add_verify(sub: argparse.ArgumentParser) -> None:
    sub.add_argument("file", metavar="FILE", help=".onnx or .json")
    sub.add_argument("--reference", metavar="MODEL.json", help="what a .onnx should compute")
    sub.add_argument("--inputs", metavar="IN.npz", help="arrays by input name")
    sub.add_argument(
        "--opset", type=int, default=20, help="to export a .json in (default: 20)"
    )
    sub.add_argument("--rtol", type=float, help="relative tolerance instead of the dtype's")
    sub.add_argument("--atol", type=float, help="absolute tolerance instead of the dtype's")


def _add_run(sub: argparse.ArgumentParser) -> None:
    sub.add_argument("file", metavar="FILE", help=".json or .onnx")
    sub.add_argument("--inputs", metavar="IN.npz", help="arrays by input name")
    sub.add_argument(
        "-o", "--output", metavar="OUT.npz", help="where outputs go (else: printed)"
    )


def _add_coverage(sub: argparse.ArgumentParser) -> None:
    sub.add_argument("names", metavar="NAME", nargs="*", help="np.median, or just median")


def _add_convert(sub: argparse.ArgumentParser) -> None:
    sub.add_argument("source", metavar="MODEL.json")
    sub.add_argument("output", metavar="MODEL.onnx")
    _add_onnx(sub)
