"""SciPy's special functions: every way to import them, and what is refused."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import scipy
import scipy.special as special
from scipy.special import softmax

from capture import CaptureDevice, capture_scope, explain, trace
from capture.errors import UnsupportedError
from tests.capture.interception_kit import run

ROOT = Path(__file__).parents[2]
X = np.array([[1.0, 2, 4], [0, -1, 3]])


def _imported_in_the_body(x):
    from scipy.special import softmax as other

    return other(x, axis=1)


def _package_imported_in_the_body(x):
    import scipy

    return scipy.special.softmax(x, axis=1)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: softmax(x, axis=1),
        lambda x: special.softmax(x, axis=1),
        lambda x: scipy.special.softmax(x, axis=1),
        _imported_in_the_body,
        _package_imported_in_the_body,
    ],
)
def test_every_spelling_is_captured(function):
    np.testing.assert_allclose(run(function, X), function(X), rtol=1e-13)


def test_modules_and_functions_are_put_back():
    before = (special, softmax, scipy)
    with capture_scope(CaptureDevice()):
        assert special is not before[0]
        assert scipy.special is special
        np.testing.assert_array_equal(softmax(X), before[1](X))
    assert (special, softmax, scipy) == before


def test_ufuncs_look_into_lists():
    def function(x):
        return special.expit([x[0], x[1]]), special.digamma((x[0, 0], 2.0))

    for got, want in zip(run(function, X), function(X), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-13)


def test_a_large_sum_does_not_overflow():
    x = np.array([1000.0, 999, -1000])
    np.testing.assert_allclose(run(lambda a: special.logsumexp(a), x), special.logsumexp(x))


@pytest.mark.parametrize(
    ("function", "name"),
    [
        (lambda x: special.comb(x, 2), "comb"),
        (lambda x: special.zeta(x), "zeta"),
        (lambda x: special.jv(1, x), "jv"),
        (lambda x: special.multigammaln(x, 2), "multigammaln"),
    ],
)
def test_others_are_refused_by_name(function, name):
    with pytest.raises(UnsupportedError) as caught:
        trace(function, X)
    first, second, *_ = str(caught.value).splitlines()
    assert first == f"scipy.special.{name}: has no captured form yet"
    assert Path(__file__).name in second


def test_the_nearest_is_one_of_scipys():
    with pytest.raises(UnsupportedError, match=r"nearest supported: scipy\.special\.gammaln"):
        trace(lambda x: special.multigammaln(x, 2), X)


def test_explaining_goes_on_after_a_refusal():
    found = explain(lambda x: softmax(special.comb(x, 2), axis=1), X)
    assert len(found.refusals) == 1


@pytest.mark.parametrize(
    "setup", ["import scipy", "import scipy.special as special", "from scipy import special"]
)
def test_scipy_may_come_late(setup, tmp_path):
    module = tmp_path / "late.py"
    module.write_text(
        "import numpy as np\n"
        "import capture\n"
        "import sys\n"
        "assert 'scipy' not in sys.modules\n"
        f"{setup}\n"
        "x = np.arange(3.0)\n"
        "def body(x):\n"
        f"    {setup}\n"
        f"    return {'scipy.' if setup == 'import scipy' else ''}special.softmax(x)\n"
        "graph = capture.trace(body, x)\n"
        "np.testing.assert_allclose(graph(x), body(x))\n"
        "def outer(x):\n"
        f"    return {'scipy.' if setup == 'import scipy' else ''}special.softmax(x)\n"
        "np.testing.assert_allclose(capture.trace(outer, x)(x), outer(x))\n"
    )
    done = subprocess.run(
        [sys.executable, str(module)],
        env={"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
