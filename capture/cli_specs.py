"""Inputs, static values and open axes as they are written on the command line."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from capture.cli_errors import UsageError
from capture.inputs import TensorSpec
from ir.dims import Dim, parse_dim, substitute, symbols_of
from ir.errors import DimError, UnsupportedDTypeError
from ir.types import DTYPES_BY_NAME, supported_dtype

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_INPUT = re.compile(r"(?P<name>\w+):(?P<dtype>\w+)(?:\[(?P<shape>.*)\])?")
_DYNAMIC = re.compile(r"(?P<name>\w+):(?P<axis>-?\d+)=(?P<size>.+)")
_BOUND = re.compile(r"(?P<name>[\w.]+)=(?P<min>\d*):(?P<max>\d*)")
_BY_LONG_NAME = {dtype.name: dtype for dtype in DTYPES_BY_NAME.values()}


def parse_inputs(
    texts: Sequence[str], dynamic: Sequence[str] = (), bounds: Sequence[str] = ()
) -> dict[str, TensorSpec]:
    """Return the inputs by parameter name.

    Args:
        texts: ``x:float32[batch,784]``, or ``x=example.npy`` for an array like one in a file.
        dynamic: ``x:0=batch`` names an axis; ``all`` opens every axis of a fixed size.
        bounds: ``batch=1:64`` limits a symbol; either end may be left out.

    Raises:
        UsageError: A text is malformed; the message shows the right form.
    """
    specs: dict[str, TensorSpec] = {}
    for text in texts:
        name, spec = _example(text) if _is_example(text) else _typed(text)
        if name in specs:
            raise UsageError(f"--input {text}: {name!r} is given twice")
        specs[name] = spec
    for part in (part for text in dynamic for part in text.split(",")):
        _open_axes(specs, part.strip())
    return _bounded(specs, bounds) if bounds else specs


def parse_static(texts: Sequence[str]) -> dict[str, Any]:
    """Return static values by parameter name: Python literals, anything else as text.

    Raises:
        UsageError: A text has no ``=`` or a name comes twice.
    """
    values: dict[str, Any] = {}
    for text in texts:
        name, equals, literal = text.partition("=")
        if not equals or not name.isidentifier():
            raise UsageError(f"--arg {text}: expected name=value, as in --arg k=3")
        if name in values:
            raise UsageError(f"--arg {text}: {name!r} is given twice")
        try:
            values[name] = ast.literal_eval(literal)
        except (SyntaxError, ValueError):
            values[name] = literal
    return values


def _is_example(text: str) -> bool:
    return "=" in text and ":" not in text.partition("=")[0]


def _typed(text: str) -> tuple[str, TensorSpec]:
    match = _INPUT.fullmatch(text)
    if match is None or not match["name"].isidentifier():
        raise UsageError(
            f"--input {text}: expected name:dtype[shape], as in --input x:float32[batch,784] "
            "(quote it in a shell that expands brackets), or name=example.npy"
        )
    shape = tuple(_dim(f"--input {text}", size) for size in _sizes(match["shape"] or ""))
    return match["name"], TensorSpec(shape, _dtype(text, match["dtype"]))


def _example(text: str) -> tuple[str, TensorSpec]:
    name, _, path = text.partition("=")
    if not name.isidentifier() or not path.endswith(".npy"):
        raise UsageError(f"--input {text}: expected name:dtype[shape] or name=example.npy")
    if not Path(path).is_file():
        raise UsageError(f"--input {text}: there is no file {path}")
    try:
        array = np.load(path, mmap_mode="r", allow_pickle=False)
        return name, TensorSpec(array.shape, supported_dtype(array.dtype))
    except (ValueError, EOFError, UnsupportedDTypeError) as error:
        raise UsageError(f"--input {text}: {error}") from None


def _dtype(text: str, name: str) -> np.dtype[Any]:
    dtype = DTYPES_BY_NAME.get(name) or _BY_LONG_NAME.get(name)
    if dtype is not None:
        return dtype
    try:
        return supported_dtype(name)
    except UnsupportedDTypeError as error:
        raise UsageError(f"--input {text}: {error}") from None
    except TypeError:
        known = ", ".join(_BY_LONG_NAME)
        raise UsageError(f"--input {text}: no dtype {name!r}; dtypes are {known}") from None


def _sizes(text: str) -> list[str]:
    """Split a shape at its commas, but not inside ``max(n, 3)``."""
    sizes, depth, start = [], 0, 0
    for position, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if character == "," and not depth:
            sizes.append(text[start:position])
            start = position + 1
    rest = text[start:]
    return [size.strip() for size in ([*sizes, rest] if rest.strip() else sizes)]


def _dim(text: str, size: str) -> int | Dim | None:
    """Return a size; ``?`` is one of its own."""
    if size == "?":
        return None
    try:
        dim = parse_dim(size)
    except DimError as error:
        raise UsageError(f"{text}: {error}") from None
    if isinstance(dim, int) and dim < 0:
        raise UsageError(f"{text}: the size {dim} is negative; write ? for an unknown size")
    return dim


def _open_axes(specs: dict[str, TensorSpec], text: str) -> None:
    if text == "all":
        for name, spec in specs.items():
            sizes = (
                Dim(f"{name}_{axis}") if isinstance(size, int) else size
                for axis, size in enumerate(spec.shape)
            )
            specs[name] = spec._replace(shape=tuple(sizes))
        return
    match = _DYNAMIC.fullmatch(text)
    if match is None:
        raise UsageError(
            f"--dynamic {text}: expected input:axis=symbol, as in --dynamic x:0=batch, or all"
        )
    name, axis = match["name"], int(match["axis"])
    if name not in specs:
        raise UsageError(f"--dynamic {text}: no --input is called {name!r}")
    shape = list(specs[name].shape)
    if not -len(shape) <= axis < len(shape):
        raise UsageError(f"--dynamic {text}: {name!r} has {len(shape)} axes")
    shape[axis] = _dim(f"--dynamic {text}", match["size"])
    specs[name] = specs[name]._replace(shape=tuple(shape))


def _bounded(specs: Mapping[str, TensorSpec], texts: Sequence[str]) -> dict[str, TensorSpec]:
    """Give symbols their limits, the same everywhere."""
    sizes = [size for spec in specs.values() for size in spec.shape if size is not None]
    known = {symbol.name for symbol in symbols_of(sizes)}
    limits: dict[str, Dim] = {}
    for text in texts:
        match = _BOUND.fullmatch(text)
        if match is None:
            raise UsageError(
                f"--bound {text}: expected symbol=min:max, as in --bound batch=1:64"
            )
        name = match["name"]
        if name not in known:
            listed = ", ".join(sorted(known)) or "none"
            raise UsageError(f"--bound {text}: no input has this symbol; symbols are {listed}")
        most = int(match["max"]) if match["max"] else None
        try:
            limits[name] = Dim(name, min=int(match["min"] or 0), max=most)
        except DimError as error:
            raise UsageError(f"--bound {text}: {error}") from None
    return {
        name: spec._replace(
            shape=tuple(
                None if size is None else substitute(size, limits) for size in spec.shape
            )
        )
        for name, spec in specs.items()
    }
