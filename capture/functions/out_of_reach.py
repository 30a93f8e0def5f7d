"""What a graph of real numbers cannot hold: refused by name, each with a reason.

Two kinds: ``NEVER`` is refused for good, ``LATER`` waits for a capability of its own.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.fft
import numpy.lib.recfunctions
import numpy.lib.scimath

from capture.functions.registry import REFUSALS

NEVER: dict[Any, str] = {}
"""Refused functions with the reason."""

LATER: dict[Any, str] = {}
"""Functions that have no captured form yet, with what they wait for."""


def _classify(table: dict[Any, str], module: Any, names: str, reason: str) -> None:
    for name in names.split():
        table[getattr(module, name)] = reason


_OUT = "\n  ways out: "
_FILES = (
    f"it reads or writes files{_OUT}load data before the scope and pass it in; save what the "
    "finished graph returns, or declare it with scope.output"
)
TEXT = f"it makes or reads text; a graph holds numbers{_OUT}print(x) shows a tensor's type"
_DATES = f"it works on dates{_OUT}pass days or seconds as int64"
_RECORDS = f"structured records are not captured{_OUT}pass the fields as separate arrays"
_MEMORY = (
    f"memory is laid out by the runtime, not by the graph{_OUT}x.base tells whether a tensor is a "
    "view"
)

_classify(NEVER, np, "fromfile genfromtxt loadtxt save savetxt savez savez_compressed", _FILES)
_classify(NEVER, np, "array2string array_repr array_str", TEXT)
_classify(NEVER, np, "busday_count busday_offset datetime_as_string is_busday isnat", _DATES)
_classify(NEVER, np, "may_share_memory shares_memory", _MEMORY)
for _name in numpy.lib.recfunctions.__all__:
    if callable(getattr(numpy.lib.recfunctions, _name, None)):
        NEVER[getattr(numpy.lib.recfunctions, _name)] = _RECORDS
_COMPLEX = (
    f"complex numbers are not captured yet{_OUT}work on real and imaginary parts as two arrays"
)
_FFT = (
    f"Fourier transforms are not captured yet{_OUT}transform outside the scope and pass the real "
    "and imaginary parts in; a short one is two products: x @ np.fft.fft(np.eye(n)).real and .imag"
)
_classify(
    LATER,
    numpy.fft,
    "fft fft2 fftn hfft ifft ifft2 ifftn ihfft irfft irfft2 irfftn rfft rfft2 rfftn",
    _FFT,
)
for _name in numpy.lib.scimath.__all__:
    LATER[getattr(numpy.lib.scimath, _name)] = _COMPLEX
LATER[np.sort_complex] = f"complex numbers are not captured yet{_OUT}np.sort sorts real ones"

REFUSALS.update(NEVER)
REFUSALS.update(LATER)
