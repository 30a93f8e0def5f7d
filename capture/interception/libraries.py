"""Whose code is intercepted: the user's, never a numerical library's own."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

_MACHINERY = frozenset(
    """
    PIL _pytest attr attrs builtins capture cffi click coverage cv2 cycler cython dask
    dateutil debugpy exporters google hypothesis importlib_metadata ipykernel IPython ir jax
    jaxlib jinja2 joblib jsonschema jupyter_client keras kiwisolver llvmlite markdown
    matplotlib ml_dtypes mpmath nbclient nbformat networkx numba numexpr numpy onnx
    onnxruntime onnxscript packaging pandas pip pluggy polars psutil py pyarrow pydantic
    pydantic_core pygments pytest rich safetensors scipy setuptools skimage sklearn
    sortedcontainers statsmodels sympy tensorflow threadpoolctl torch torchvision tornado
    tqdm traitlets typer typing_extensions xarray xdist yaml zmq
    """.split()  # noqa: SIM905 - one name a line would fill two pages
)
LIBRARIES = _MACHINERY | frozenset(sys.stdlib_module_names) - {"__main__"}
"""Top-level packages whose own calls are never intercepted."""


@dataclass(frozen=True)
class Interception:
    """Which modules see tracked creation, coercion and ``math`` while a scope is open.

    Args:
        skip: Further top-level packages (or dotted modules) to leave alone.
        only: When given, nothing but these is intercepted.
    """

    skip: tuple[str, ...] = ()
    only: tuple[str, ...] | None = None

    def covers(self, module: str) -> bool:
        """Whether a module is intercepted."""
        package = module.partition(".")[0]
        if self.only is not None:
            return any(module == name or module.startswith(name + ".") for name in self.only)
        if package in LIBRARIES or not package:
            return False
        return not any(module == name or module.startswith(name + ".") for name in self.skip)


class UserModules:
    """The loaded modules that rules cover, decided once for each name."""

    def __init__(self) -> None:
        self._decided: dict[Interception, tuple[set[str], list[str]]] = {}

    def __call__(self, rules: Interception) -> Iterator[ModuleType]:
        """Yield the modules."""
        decided, covered = self._decided.setdefault(rules, (set(), []))
        new = sys.modules.keys() - decided
        decided |= new
        covered.extend(name for name in new if rules.covers(name))
        for name in covered:
            module = sys.modules.get(name)
            if module is not None:
                yield module


EVERYBODY = Interception()
"""The rules of a scope that was given none: all user code."""
