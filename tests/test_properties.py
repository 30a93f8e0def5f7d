"""Random calls of every family of functions: equal to NumPy, its errors, or a known refusal."""

from __future__ import annotations

import importlib
import pkgutil

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from tests.properties import families
from tests.properties.calls import check

FAMILIES = [
    importlib.import_module(f"{families.__name__}.{module.name}")
    for module in pkgutil.iter_modules(families.__path__)
]
by_family = pytest.mark.parametrize(
    "family", FAMILIES, ids=lambda family: family.__name__.rpartition(".")[2]
)
quick = settings(suppress_health_check=list(HealthCheck))


@by_family
@given(data=st.data())
@settings(quick, max_examples=40)
def test_calls(family, data):
    event(check(data.draw(family.CALLS), family.REFUSED))


@by_family
@given(data=st.data())
@settings(quick, max_examples=15)
def test_calls_with_open_axes(family, data):
    event(check(data.draw(family.CALLS), family.REFUSED, opened=True))


@pytest.mark.slow
@by_family
@given(data=st.data(), opened=st.booleans())
@settings(quick, max_examples=3000)
def test_many_calls(family, data, opened):
    event(check(data.draw(family.CALLS), family.REFUSED, opened))
