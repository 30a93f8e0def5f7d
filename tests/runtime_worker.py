"""Run stored models in this interpreter's ONNX Runtime; needs NumPy and ml_dtypes, nothing of ours.

``python runtime_worker.py FILE START`` prints a line of JSON before each model and, for one that
does not give what NumPy gave, a line after it. A process that ends early names the last model.
"""

from __future__ import annotations

import ctypes
import json
import pickle
import sys
from typing import Any

import ml_dtypes
import numpy as np
import onnxruntime

BFLOAT16 = np.dtype(ml_dtypes.bfloat16)
BFLOAT16_NUMBER = 16
TOLERANCE = {"float16": 2e-3, "bfloat16": 2e-2, "float32": 2e-5, "float64": 1e-11}


def to_runtime(array: Any) -> Any:
    values = onnxruntime.OrtValue
    if array.dtype == BFLOAT16:
        bits = np.ascontiguousarray(array).view(np.uint16).reshape(array.shape)
        return values.ortvalue_from_numpy_with_onnx_type(bits, BFLOAT16_NUMBER)
    return values.ortvalue_from_numpy(np.ascontiguousarray(array).reshape(array.shape))


def from_runtime(value: Any) -> Any:
    if value.element_type() != BFLOAT16_NUMBER:
        return np.asarray(value.numpy())
    size = int(np.prod(value.shape(), dtype=np.int64))
    bits = (ctypes.c_uint16 * size).from_address(value.data_ptr()) if size else ()
    return np.array(bits, np.uint16).view(BFLOAT16).reshape(tuple(value.shape()))


def difference(got: Any, want: Any, rtol: float, atol: float) -> str | None:
    if (got.dtype, got.shape) != (want.dtype, want.shape):
        return f"{got.dtype}{got.shape} for {want.dtype}{want.shape}"
    tolerance = TOLERANCE.get(want.dtype.name)
    if tolerance is None:
        wrong = got != want
    else:
        g, w = got.astype(np.float64), want.astype(np.float64)
        with np.errstate(all="ignore"):
            near = abs(g - w) <= max(tolerance, rtol) * abs(w) + atol
        wrong = ~((g == w) | (np.isnan(g) & np.isnan(w)) | (np.isfinite(w) & near))
    if not wrong.any():
        return None
    where = np.nonzero(np.atleast_1d(wrong))
    shown = f"{np.atleast_1d(got)[where][:3]} for {np.atleast_1d(want)[where][:3]}"
    return f"{int(wrong.sum())} of {wrong.size} differ: {shown}"


def problems(record: dict[str, Any], optimize: bool) -> list[str]:
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    levels = onnxruntime.GraphOptimizationLevel
    options.graph_optimization_level = (
        levels.ORT_ENABLE_ALL if optimize else levels.ORT_DISABLE_ALL
    )
    feeds = {name: to_runtime(array) for name, array in record["feeds"].items()}
    try:
        session = onnxruntime.InferenceSession(
            record["model"], options, providers=["CPUExecutionProvider"]
        )
        results = session.run_with_ort_values(None, feeds)
    except Exception as error:
        return [str(error)[:200]]
    pairs = zip(map(from_runtime, results), record["results"], strict=True)
    found = (difference(got, want, record["rtol"], record["atol"]) for got, want in pairs)
    return [text for text in found if text is not None]


def release(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split(".")[:3])


def main(path: str, start: int) -> None:
    ours = release(onnxruntime.__version__)
    with open(path, "rb") as file:
        for index, record in enumerate(iter(lambda: pickle.load(file), None)):
            if index < start or record["needs"] is None or release(record["needs"]) > ours:
                continue
            print(json.dumps([index, record["name"], None]), flush=True)
            for optimize in (True, False):
                for text in problems(record, optimize):
                    shown = f"{text} (optimize={optimize})"
                    print(json.dumps([index, record["name"], shown]), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
