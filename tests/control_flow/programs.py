"""Programs that decide on values, written as NumPy users write them."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def iou(box: Array, others: Array) -> Array:
    """Overlap of a box (x0, y0, x1, y1) with others."""
    low = np.maximum(box[:2], others[:, :2])
    high = np.minimum(box[2:], others[:, 2:])
    sides = np.maximum(high - low, 0)
    overlap = sides[:, 0] * sides[:, 1]
    area = (box[2] - box[0]) * (box[3] - box[1])
    areas = (others[:, 2] - others[:, 0]) * (others[:, 3] - others[:, 1])
    return overlap / (area + areas - overlap)


def greedy_nms(boxes: Array, scores: Array) -> tuple[Array, Any]:
    """Keep the best box, drop what overlaps it, again and again."""
    alive = scores > 0.1
    keep = np.zeros(len(scores), dtype=bool)
    kept = 0
    while alive.any():
        best = np.argmax(np.where(alive, scores, -np.inf))
        keep[best] = True
        kept += 1
        alive = alive & (iou(boxes[best], boxes) <= 0.5)
        alive[best] = False
    return keep, np.int64(kept)


def newton(a: Any) -> tuple[Any, Any]:
    """Square root by Newton's iteration, with its number of steps."""
    if a < 0:
        return a * np.nan, np.int64(-1)
    if a == 0:
        return a * 1.0, np.int64(0)
    x, steps = a, 0
    while abs(x * x - a) > 1e-10 * a and steps < 100:
        x = 0.5 * (x + a / x)
        steps += 1
    return x, np.int64(steps)


END = 0
STEPS = 12


class Decoder:
    """One attention head that writes tokens until it writes the end token."""

    def __init__(self, seed: int, width: int = 8, tokens: int = 11) -> None:
        generator = np.random.default_rng(seed)
        self.table = generator.normal(size=(tokens, width)).astype(np.float32)
        self.wq, self.wk, self.wv = generator.normal(size=(3, width, width)).astype(np.float32)
        self.width = width

    def run(self, prompt: Array) -> tuple[Array, Any]:
        """Return the tokens, padded with -1, and how many there are."""
        keys = np.zeros((STEPS + 1, self.width), np.float32)
        values = np.zeros((STEPS + 1, self.width), np.float32)
        tokens = np.full(STEPS, -1)
        token = prompt[0]
        length = 0
        for t in range(STEPS):
            x = self.table[token]
            keys[t] = x @ self.wk
            values[t] = x @ self.wv
            scores = keys @ (x @ self.wq)
            scores = np.where(np.arange(STEPS + 1) <= t, scores, -np.inf)
            weights = np.exp(scores - scores.max())
            mixed = weights @ values / weights.sum()
            token = np.argmax(self.table @ mixed)
            if token == END:
                break
            tokens[t] = token
            length += 1
        return tokens, np.int64(length)


def crc32(data: Array) -> Any:
    """CRC-32 of bytes, bit by bit."""
    crc = np.int64(0xFFFFFFFF)
    for byte in data:
        crc = crc ^ byte.astype(np.int64)
        for _ in range(8):
            if crc & 1:  # noqa: SIM108 - as users write it
                crc = (crc >> 1) ^ 0xEDB88320
            else:
                crc = crc >> 1
    return crc ^ 0xFFFFFFFF


def edit_distance(a: Array, b: Array) -> Any:
    """Levenshtein distance: dynamic programming, one row at a time."""
    row = np.arange(len(b) + 1)
    for i in range(len(a)):
        previous = row.copy()
        row[0] = i + 1
        for j in range(len(b)):
            cost = 0 if a[i] == b[j] else 1
            row[j + 1] = min(previous[j + 1] + 1, row[j] + 1, previous[j] + cost)
    return row[-1]


def tax(income: Any) -> Any:
    """A piecewise function with early returns."""
    if income <= 0:
        return income * 0.0
    if income <= 10_000:
        return income * 0.1
    if 10_000 < income <= 50_000:
        base = 1_000.0
        return base + (income - 10_000) * 0.2
    rate = 0.3 if income <= 200_000 else 0.4
    return 9_000.0 + (income - 50_000) * rate


def flood(grid: Array, mask: Array) -> tuple[Array, Any]:
    """Nested loops with a mask: the best neighbour above and to the left, and a count."""
    out = np.zeros_like(grid)
    blocked = 0
    for i in range(grid.shape[0]):
        for j in range(grid.shape[1]):
            if not mask[i, j]:
                blocked += 1
                continue
            best = grid[i, j]
            if i > 0 and out[i - 1, j] > best:
                best = out[i - 1, j]
            if j > 0 and out[i, j - 1] > best:
                best = out[i, j - 1]
            out[i, j] = best
    return out, np.int64(blocked)


def collatz(start: Any) -> tuple[Any, Any]:
    """A loop of integers that ends when it ends."""
    n, steps, top = start, 0, start
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        top = max(top, n)
        steps += 1
    return np.int64(steps), top


def simulate(position: Array, velocity: Array) -> tuple[Array, Array]:
    """A thousand steps of a ball that bounces."""
    for _ in range(1000):
        velocity = velocity - 0.01
        position = position + velocity * 0.01
        if (position < 0).any():
            velocity = np.where(position < 0, -velocity * 0.9, velocity)
            position = np.maximum(position, 0)
    return position, velocity


def running_best(x: Array) -> tuple[Any, Any]:
    """The first row that is better than all before by far, or the best one."""
    best, where = x[0].sum(), 0
    for i, row in enumerate(x):
        total = row.sum()
        if total > best + 10:
            return total, np.int64(i)
        if total > best:
            best, where = total, i
    return best, np.int64(where)


def bisect(values: Array, wanted: Any) -> Any:
    """Binary search."""
    low, high = 0, len(values)
    while low < high:
        middle = (low + high) // 2
        if values[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return np.int64(low)
