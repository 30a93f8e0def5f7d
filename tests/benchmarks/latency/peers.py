"""Models written by other tools: ``python -m tests.benchmarks.latency.peers FOLDER SLUG``.

Runs in an interpreter that has them, which need not be the one that has this project: nothing
here or in the workloads imports it. What is not importable is left out.
"""

from __future__ import annotations

import argparse
import io
import logging
import warnings
from contextlib import redirect_stdout
from functools import partial
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from tests.benchmarks.latency.notes import Notes
from tests.benchmarks.latency.registry import WORKLOADS
from tests.benchmarks.latency.workload import OPSET

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import onnx

    from tests.benchmarks.latency.workload import Workload


def by_torch(module: Any, workload: Workload) -> onnx.ModelProto:
    import torch

    tensors = tuple(torch.from_numpy(one.array) for one in workload.inputs)
    symbols = {size for one in workload.inputs for size in one.shape if isinstance(size, str)}
    dims = {name: torch.export.Dim(name) for name in sorted(symbols)}
    shapes = tuple(
        {axis: dims[size] for axis, size in enumerate(one.shape) if isinstance(size, str)}
        for one in workload.inputs
    )
    program = torch.onnx.export(
        module.eval(),
        tensors,
        dynamic_shapes=shapes if symbols else None,
        opset_version=OPSET,
        verbose=False,
    )
    return program.model_proto


def by_jax(function: Any, workload: Workload) -> onnx.ModelProto:
    import jax
    from jax import export
    from jax2onnx import to_onnx

    scope = export.SymbolicScope()
    specifications = [
        jax.ShapeDtypeStruct(
            export.symbolic_shape(",".join(map(str, one.shape)), scope=scope), one.array.dtype
        )
        for one in workload.inputs
    ]
    return to_onnx(function, specifications)


def by_ndonnx(function: Any, workload: Workload) -> onnx.ModelProto:
    import ndonnx

    arguments = {
        one.name: ndonnx.argument(shape=one.shape, dtype=getattr(ndonnx, one.array.dtype.name))
        for one in workload.inputs
    }
    results = function(*arguments.values())
    results = results if isinstance(results, tuple) else (results,)
    return ndonnx.build(arguments, {f"y{i}": result for i, result in enumerate(results)})


def by_skl2onnx(estimator: Any, workload: Workload) -> onnx.ModelProto:
    from skl2onnx import convert_sklearn
    from skl2onnx.common.data_types import FloatTensorType

    (x,) = workload.inputs
    types = [(x.name, FloatTensorType([None, *x.shape[1:]]))]
    options = (
        {id(estimator): {"zipmap": False}} if hasattr(estimator, "predict_proba") else None
    )
    return convert_sklearn(estimator, initial_types=types, options=options)


class Peer(NamedTuple):
    """A tool that writes ONNX.

    Attributes:
        package: Its distribution.
        imported: What must be importable.
        convert: Turns what a workload builds for it into a model.
    """

    package: str
    imported: tuple[str, ...]
    convert: Callable[[Any, Workload], onnx.ModelProto]


PEERS = {
    "torch.onnx": Peer("torch", ("torch", "onnxscript"), by_torch),
    "jax2onnx": Peer("jax2onnx", ("jax", "jax2onnx"), by_jax),
    "ndonnx": Peer("ndonnx", ("ndonnx",), by_ndonnx),
    "skl2onnx": Peer("skl2onnx", ("sklearn", "skl2onnx"), by_skl2onnx),
}


def write(notes: Notes, slugs: Sequence[str]) -> None:
    """Write every model that the installed peers can make."""
    present = {
        name: peer
        for name, peer in PEERS.items()
        if all(find_spec(module) for module in peer.imported)
    }
    notes.absent = sorted(PEERS.keys() - present.keys())
    notes.versions = {name: metadata.version(peer.package) for name, peer in present.items()}
    for workload in (one for one in WORKLOADS if one.slug in slugs):
        for variant, build in workload.peers.items():
            peer = present.get(variant.split(",")[0])
            if peer is not None:
                notes.write(workload, variant, partial(convert, peer, build, workload))


def convert(peer: Peer, build: Callable[[], Any], workload: Workload) -> onnx.ModelProto:
    """Make one model, silently."""
    with redirect_stdout(io.StringIO()):
        return peer.convert(build(), workload)


def main() -> None:
    """Write into the folder that the command names."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("slugs", nargs="+", help="which workloads")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    logging.disable()
    notes = Notes(options.folder)
    write(notes, options.slugs)
    notes.save()


if __name__ == "__main__":
    main()
