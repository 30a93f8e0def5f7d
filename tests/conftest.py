"""Settings shared by all tests."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

# `make test` draws the same examples each time; `make fuzz` draws many new ones.
settings.register_profile("test", derandomize=True, deadline=None)
settings.register_profile(
    "fuzz", max_examples=1000, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("test")
