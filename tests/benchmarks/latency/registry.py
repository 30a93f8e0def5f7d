"""The workloads, in the order of the tables."""

from __future__ import annotations

from tests.benchmarks.latency import (
    boxes,
    convolution,
    image,
    mlp,
    normalising,
    scaler,
    transformer,
)

WORKLOADS = (
    mlp.WORKLOAD,
    transformer.WORKLOAD,
    normalising.WORKLOAD,
    image.WORKLOAD,
    scaler.WORKLOAD,
    convolution.WORKLOAD,
    boxes.WORKLOAD,
)
