"""The language between NumPy and every exporter: a typed SSA graph."""

from ir import ops, passes
from ir.builder import GraphBuilder
from ir.check import check
from ir.dims import Dim, Symbol
from ir.errors import IRError
from ir.graph import Graph, Location, Node, Value
from ir.ops import Op
from ir.types import QuantizedDType, TensorType

__all__ = [
    "Dim",
    "Graph",
    "GraphBuilder",
    "IRError",
    "Location",
    "Node",
    "Op",
    "QuantizedDType",
    "Symbol",
    "TensorType",
    "Value",
    "check",
    "ops",
    "passes",
]
