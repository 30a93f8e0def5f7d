"""The command line: ``coverage``."""

from __future__ import annotations

import json

import numpy as np
import pytest

from capture.cli import main
from capture.cli_errors import ExitCode
from tests import coverage_page

DECOMPOSITION = "it decomposes a matrix; compute it outside the scope and pass the result in"
SVD = f"np.linalg.svd: later ({DECOMPOSITION})"


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("np.median", "np.median: supported"),
        ("median", "np.median: supported"),
        ("numpy.linalg.svd", SVD),
        ("svd", SVD),
        ("tanh", "np.tanh: supported"),
        ("abs", "np.absolute: supported"),
        ("zeros", "np.zeros: supported (made inside a scope, the array is captured)"),
        ("as_strided", "np.lib.stride_tricks.as_strided: supported "
         "(code inside a scope sees its captured form)"),
        ("c_", "np.c_: supported"),
        ("ndarray.sort", "ndarray.sort: supported"),
        ("ndarray.tofile", "ndarray.tofile: refused"),
        ("add.reduceat", "np.add.reduceat: supported"),
        ("scipy.special.erf", "scipy.special.erf: supported"),
        ("softmax", "scipy.special.softmax: supported"),
        ("scipy.special.jv", "scipy.special.jv: it has no captured form"),
        ("np.random.normal", "np.random.normal: refused (its numbers would be fixed in the "
         "graph; pass them in, or record capture.random)"),
        ("np.errstate", "np.errstate: not one of the functions that NumPy lets others override: "
         "it runs as it is"),
    ],
)  # fmt: skip
def test_one_name(name: str, line: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["coverage", name]) == ExitCode.OK
    assert capsys.readouterr().out == f"{line}\n"


def test_several_names_keep_their_order(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["coverage", "tanh", "median"]) == ExitCode.OK
    assert capsys.readouterr().out == "np.tanh: supported\nnp.median: supported\n"


@pytest.mark.parametrize(
    ("name", "hint"),
    [("medain", "; did you mean median or mean or nanmedian?"), ("linalg", "")],
)
def test_an_unknown_name_is_told(
    name: str, hint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["coverage", name]) == ExitCode.USAGE
    error = capsys.readouterr().err
    assert error.startswith(f"error: no function {name!r} in NumPy{hint}")


def test_without_a_name_it_counts(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["coverage"]) == ExitCode.OK
    text = capsys.readouterr().out
    assert f" functions and ufuncs of NumPy {np.__version__}: " in text.splitlines()[0]
    assert "\nlater\n" in text
    assert f"  {DECOMPOSITION}\n    np.linalg.cholesky, np.linalg.cond," in text


def test_json_has_the_table_of_the_docs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["coverage", "--json-output"]) == ExitCode.OK
    document = json.loads(capsys.readouterr().out)
    told = {f["name"]: f["status"] for f in document["functions"]}
    assert sum(document["counts"].values()) == len(document["functions"])
    page = {support.name: support.status for _, support in coverage_page.rows()}
    assert {name: page[name] for name in page if name in told} == {
        name: told[name] for name in page if name in told
    }
    assert len(page.keys() & told.keys()) > 400
