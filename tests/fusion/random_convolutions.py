"""Convolutions and pooling of random geometry, in every spelling."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

if TYPE_CHECKING:
    from collections.abc import Callable

    Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Geometry:
    """Sizes of images, windows and what lies between them, rows before columns."""

    images: tuple[int, int, int, int]
    outputs: int
    kernel: tuple[int, int]
    strides: tuple[int, int]
    dilations: tuple[int, int]
    pad: int
    weights: Array
    bias: Array

    def padded(self, x: Array) -> Array:
        """Return images with zeros around them."""
        p = self.pad
        return np.pad(x, ((0, 0), (0, 0), (p, p), (p, p))) if p else x

    def windows(self, x: Array) -> Array:
        """Return all windows, ``(images, channels, rows, columns, *kernel)``."""
        reach = [(k - 1) * d + 1 for k, d in zip(self.kernel, self.dilations, strict=True)]
        (sy, sx), (dy, dx) = self.strides, self.dilations
        every = sliding_window_view(self.padded(x), reach, axis=(2, 3))
        return every[:, :, ::sy, ::sx, ::dy, ::dx]

    def counts(self, x: Array) -> tuple[int, int]:
        """Return how many windows there are along rows and columns."""
        sizes = self.padded(x).shape[2:]
        reach = [(k - 1) * d for k, d in zip(self.kernel, self.dilations, strict=True)]
        y, x_ = (
            (n - r - 1) // s + 1 for n, r, s in zip(sizes, reach, self.strides, strict=True)
        )
        return y, x_

    def tap(self, x: Array, row: int, column: int) -> Array:
        """Return one element of every window."""
        (sy, sx), (dy, dx), (height, width) = self.strides, self.dilations, self.counts(x)
        rows = slice(row * dy, row * dy + (height - 1) * sy + 1, sy)
        columns = slice(column * dx, column * dx + (width - 1) * sx + 1, sx)
        return self.padded(x)[:, :, rows, columns]


def random_geometry(rng: np.random.Generator) -> Geometry:
    """Draw a geometry with at least one window."""

    def pair(most: int) -> tuple[int, int]:
        return int(rng.integers(1, most + 1)), int(rng.integers(1, most + 1))

    kernel, strides, dilations = pair(3), pair(3), pair(2)
    reach = [(k - 1) * d + 1 for k, d in zip(kernel, dilations, strict=True)]
    images, channels = int(rng.integers(1, 4)), int(rng.integers(1, 5))
    height, width = (int(rng.integers(r, r + 7)) for r in reach)
    outputs = int(rng.integers(1, 6))
    return Geometry(
        (images, channels, height, width),
        outputs,
        kernel,
        strides,
        dilations,
        int(rng.integers(0, 3)),
        rng.standard_normal((outputs, channels, *kernel)).astype("f4"),
        rng.standard_normal(outputs).astype("f4"),
    )


def by_einsum(g: Geometry, x: Array) -> Any:
    return np.einsum("nchwij,ocij->nohw", g.windows(x), g.weights) + g.bias[:, None, None]


def by_tensordot(g: Geometry, x: Array) -> Any:
    return np.tensordot(g.windows(x), g.weights, axes=([1, 4, 5], [1, 2, 3])) + g.bias


def by_stacked_taps(g: Geometry, x: Array) -> Any:
    places = list(np.ndindex(g.kernel))
    columns = np.stack([g.tap(x, *place) for place in places], axis=2)
    height, width = g.counts(x)
    flat = columns.reshape(x.shape[0], -1, height * width)
    return (g.weights.reshape(g.outputs, -1) @ flat).reshape(-1, g.outputs, height, width)


def by_fancy_indices(g: Geometry, x: Array) -> Any:
    (ky, kx), (sy, sx), (dy, dx) = g.kernel, g.strides, g.dilations
    height, width = g.counts(x)
    channels = x.shape[1]
    rows = np.tile(np.repeat(np.arange(ky) * dy, kx), channels)[:, None]
    columns = np.tile(np.arange(kx) * dx, ky * channels)[:, None]
    rows = rows + np.repeat(np.arange(height) * sy, width)
    columns = columns + np.tile(np.arange(width) * sx, height)
    c = np.repeat(np.arange(channels), ky * kx)[:, None]
    flat = g.padded(x)[:, c, rows, columns].transpose(1, 2, 0).reshape(len(c), -1)
    made = g.weights.reshape(g.outputs, -1) @ flat + g.bias[:, None]
    return made.reshape(g.outputs, height, width, x.shape[0]).transpose(3, 0, 1, 2)


def by_adding_products(g: Geometry, x: Array) -> Any:
    total: Any = 0
    for row, column in np.ndindex(g.kernel):
        weights = g.weights[:, :, row, column]
        total = total + np.einsum("oc,nchw->nohw", weights, g.tap(x, row, column))
    return total + g.bias[:, None, None]


def by_channels_last(g: Geometry, x: Array) -> Any:
    total = np.zeros((x.shape[0], *g.counts(x), g.outputs), x.dtype)
    for row, column in np.ndindex(g.kernel):
        total += g.tap(x, row, column).transpose(0, 2, 3, 1) @ g.weights[:, :, row, column].T
    return np.maximum(total + g.bias, 0)


def by_sum(g: Geometry, x: Array) -> Any:
    products = g.windows(x)[:, None] * g.weights[:, :, None, None]
    return products.sum(axis=(2, 5, 6))


def each_channel(g: Geometry, x: Array) -> Any:
    return (g.windows(x) * g.weights[0][:, None, None]).sum((-1, -2))


def one_kernel(g: Geometry, x: Array) -> Any:
    total: Any = None
    for row, column in np.ndindex(g.kernel):
        part = g.weights[0, 0, row, column] * g.tap(x, row, column)
        total = part if total is None else total - part
    return total


def pooled(g: Geometry, x: Array) -> Any:
    return g.windows(x).max((-1, -2)), g.windows(x).mean((-1, -2))


SPELLINGS: tuple[Callable[[Geometry, Any], Any], ...] = (
    *(by_einsum, by_tensordot, by_stacked_taps, by_fancy_indices),
    *(by_adding_products, by_channels_last, by_sum, each_channel, one_kernel, pooled),
)
