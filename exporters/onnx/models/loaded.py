"""A loaded model as a function of arrays."""

from __future__ import annotations

import inspect
import keyword
import re
from collections import namedtuple
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import onnx

from exporters.onnx.models.graphs import keep_only
from exporters.onnx.models.op import OnnxModel
from exporters.onnx.models.signature import declared_text, match, parsed
from exporters.onnx.models.tensors import DTYPES
from ir.types import type_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from exporters.onnx.models.parts import Parts

    Array = np.ndarray[Any, Any]


class LoadedModel:
    """An ONNX model: one node of a graph on captured arrays, a run of the model on others.

    Made by :func:`exporters.load_onnx`.

    Attributes:
        name: What the model is called.
        metadata: The file's own metadata: labels, a licence, what its maker wrote down.
    """

    def __init__(self, name: str, parts: Parts) -> None:
        self.name = name
        self.__name__ = name
        self.metadata = {p.key: p.value for p in parts.proto.metadata_props}
        self._parts = parts
        self._ops: dict[tuple[str, ...], tuple[OnnxModel, tuple[Array, ...]]] = {}

    @cached_property
    def inputs(self) -> dict[str, str]:
        """Declared types of the inputs that have to be given."""
        inputs = self._parts.proto.graph.input[: len(self._parts.inputs)]
        return {value.name: declared_text(value) for value in inputs}

    @cached_property
    def optional_inputs(self) -> tuple[str, ...]:
        """Names of inputs that may be given, by name; else the model has a value for them."""
        return self._parts.defaults

    @cached_property
    def outputs(self) -> dict[str, str]:
        """Declared types of the outputs."""
        return {value.name: declared_text(value) for value in self._parts.proto.graph.output}

    @property
    def nbytes(self) -> int:
        """Bytes of the weights that are constants of a graph."""
        return sum(array.nbytes for array in self._parts.weights.values())

    def __call__(self, *arrays: Any, **named: Any) -> Any:
        """Apply the model.

        Args:
            *arrays: Inputs by position, of exactly the dtypes it takes; Python numbers and lists
                take the input's.
            **named: Inputs by name; those whose name is no Python name go in ``**{name: array}``.

        Returns:
            One array, or a named tuple of them in the order of the outputs.

        Raises:
            TypeError: An input is missing, unknown or given twice.
            DTypeError: An input has another dtype than declared.
            ShapeError: An input has another rank, or a size that cannot be the declared one.
            EvaluationError: ONNX Runtime does not run the model.
        """
        given = self._bound(arrays, named)
        extra = tuple(name for name in self._parts.defaults if name in given)
        op, weights = self._op(extra)
        names = (*self._parts.inputs, *extra)
        types = [value.type.tensor_type.elem_type for value in parsed(op.model).graph.input]
        operands = [
            _operand(given[name], DTYPES[number])
            for name, number in zip(names, types, strict=False)
        ]
        if not any(hasattr(type(value), "__capture_record__") for value in operands):
            match(op.model, op.title, tuple(map(type_of, (*operands, *weights))))
        made = op(*operands, *weights)
        return self._result_type(*made) if isinstance(made, tuple) else made

    def __repr__(self) -> str:
        inputs = ", ".join(f"{name}: {type_}" for name, type_ in self.inputs.items())
        outputs = ", ".join(f"{name}: {type_}" for name, type_ in self.outputs.items())
        return f"<ONNX model {self.name!r}: ({inputs}) -> ({outputs}), {self.nbytes:,} bytes>"

    @property
    def __signature__(self) -> inspect.Signature:
        """The inputs as parameters, so that tracing the model names its inputs so."""
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        return inspect.Signature(
            [inspect.Parameter(name, kind) for name in _python_names(self.inputs)]
        )

    @cached_property
    def _result_type(self) -> Any:
        """A named tuple whose fields are the outputs, spelled as Python names."""
        made = namedtuple("Outputs", _python_names(self.outputs))  # type: ignore[misc]
        made.__doc__ = f"Outputs of {self.name}: {', '.join(self.outputs)}."
        return made

    def _bound(self, arrays: tuple[Any, ...], named: dict[str, Any]) -> dict[str, Any]:
        """Return the inputs by name."""
        wanted, optional = self._parts.inputs, self._parts.defaults
        if len(arrays) > len(wanted):
            raise TypeError(f"{self.name}: takes {self._takes()}, got {len(arrays)} arrays")
        given = dict(zip(wanted, arrays, strict=False))
        for name, array in named.items():
            if name in given:
                raise TypeError(f"{self.name}: input {name!r} was given twice")
            if name not in wanted and name not in optional:
                raise TypeError(f"{self.name}: no input {name!r}; it takes {self._takes()}")
            given[name] = array
        missing = [name for name in wanted if name not in given]
        if missing:
            raise TypeError(
                f"{self.name}: input {missing[0]!r} is missing: takes {self._takes()}"
            )
        return given

    def _takes(self) -> str:
        inputs = [f"{name}: {type_}" for name, type_ in self.inputs.items()]
        return (
            ", ".join([*inputs, *(f"[{name}]" for name in self._parts.defaults)]) or "nothing"
        )

    def _op(self, extra: tuple[str, ...]) -> tuple[OnnxModel, tuple[Array, ...]]:
        """Return the op for the optional inputs given, and the weights among its operands."""
        made = self._ops.get(extra)
        if made is None:
            made = self._ops[extra] = self._made(extra)
        return made

    def _made(self, extra: tuple[str, ...]) -> tuple[OnnxModel, tuple[Array, ...]]:
        proto, names, _, weights = self._parts
        left = {name: array for name, array in weights.items() if name not in extra}
        if extra:
            proto = _with_inputs(proto, len(names), extra)
        model = proto.SerializeToString(deterministic=True)
        return OnnxModel(self.name, model, len(left)), tuple(left.values())


def _operand(value: Any, dtype: np.dtype[Any]) -> Any:
    """Return an operand; plain Python numbers and lists take a dtype that keeps them."""
    if hasattr(type(value), "__capture_record__") or type(value) is np.ndarray:
        return value
    if isinstance(value, np.ndarray | np.generic):
        return np.asarray(value)
    if not isinstance(value, bool | int | float | list | tuple):
        return value
    array = np.asarray(value)
    are_integers = array.dtype.kind in "iu" and dtype.kind in "iu"
    if are_integers or np.can_cast(array.dtype, dtype, "same_kind"):
        return np.asarray(value, dtype)
    return array


def _python_names(names: Iterable[str]) -> list[str]:
    """Return different identifiers for names: ``output.1`` becomes ``output_1``."""
    found: dict[str, None] = {}
    for position, name in enumerate(names):
        spelled = re.sub(r"\W", "_", name).lstrip("_0123456789") or f"value_{position}"
        if keyword.iskeyword(spelled) or spelled in found:
            spelled = f"{spelled}_{position}"
        found[spelled] = None
    return list(found)


def _with_inputs(
    proto: onnx.ModelProto, position: int, names: tuple[str, ...]
) -> onnx.ModelProto:
    """Return a model whose initializers of some names are inputs, after its other inputs."""
    made = onnx.ModelProto()
    made.CopyFrom(proto)
    graph = made.graph
    by_name = {value.name: value for value in graph.input}
    for tensor in graph.initializer:
        if tensor.name in names:
            value = by_name[tensor.name] = onnx.ValueInfoProto(name=tensor.name)
            value.type.tensor_type.elem_type = tensor.data_type
            for size in tensor.dims:
                value.type.tensor_type.shape.dim.add().dim_value = size
    order = [value.name for value in graph.input]
    rest = [name for name in order[position:] if name not in names]
    keep_only(graph.input, [by_name[name] for name in (*order[:position], *names, *rest)])
    keep_only(graph.initializer, [t for t in graph.initializer if t.name not in names])
    return made
