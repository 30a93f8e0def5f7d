"""The coverage page is fresh and leaves nothing unclassified."""

from __future__ import annotations

import numpy as np
import pytest

import capture
from tests import coverage_page


def test_the_page_is_fresh():
    assert coverage_page.PAGE.read_text() == coverage_page.page()


def test_nothing_is_unclassified():
    rows = coverage_page.rows()
    assert not [line for line, support in rows if support.status == "unclassified"]


def test_most_of_the_list_is_resolved():
    assert len(coverage_page.rows()) > 400


@pytest.mark.parametrize(
    ("function", "status"),
    [
        (np.median, "supported"),
        (np.tanh, "supported"),
        (np.zeros, "supported"),
        (np.linalg.svd, "later"),
        (np.loadtxt, "refused"),
    ],
)
def test_supported_answers_at_run_time(function, status):
    support = capture.supported(function)
    assert support.status == status
    assert bool(support) == (status == "supported")
    assert status in str(support)


def test_supported_refuses_what_is_no_function():
    with pytest.raises(TypeError, match="takes a function or its name, got int"):
        capture.supported(3)


@pytest.mark.parametrize(
    ("asked", "name", "status"),
    [
        (np.ndarray.sort, "ndarray.sort", "supported"),
        (np.ndarray.T, "ndarray.T", "supported"),
        (np.ones(3).sum, "ndarray.sum", "supported"),
        (np.ndarray.byteswap, "ndarray.byteswap", "refused"),
        (np.add.reduce, "np.add.reduce", "supported"),
        ("np.median", "np.median", "supported"),
        ("linalg.norm", "np.linalg.norm", "supported"),
        ("ndarray.sort", "ndarray.sort", "supported"),
        ("scipy.special.erf", "scipy.special.erf", "supported"),
    ],
)
def test_methods_and_names_are_answered_too(asked, name, status):
    found = capture.supported(asked)
    assert (found.name, found.status) == (name, status)


def test_what_is_no_function_is_told():
    with pytest.raises(LookupError, match="did you mean median"):
        capture.supported("np.medain")
