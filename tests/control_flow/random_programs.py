"""Random programs of nested branches and loops, as source text."""

from __future__ import annotations

import linecache
import random
from typing import Any

import numpy as np

CONDITIONS = (
    "a > 1",
    "v.sum() < 4",
    "n % 2 == 0",
    "v[0] > a and n < 5",
    "n > 2 or v[1] < 0",
    "not v.max() > 2",
    "0 < a <= 3",
    "v[n % 3] > 0",
)
ASSIGNMENTS = (
    "a = a * 0.5 + 1",
    "a = float(v[0]) - a",
    "a = min(a, 3.0)",
    "n = n + 1",
    "n += 2",
    "n = int(a) if a > 0 else n",
    "v = v * 0.5 + a",
    "v = np.where(v > a, a, v)",
    "v = v + n",
    "v[n % 3] = a",
    "v += 1",
    "v[1:] = v[:-1] * 0.5",
    "w = v * 2\n{pad}v = w - a",
    "u[0] = v[2]",
    "u = v",
    "u = v.copy()",
    "v = u - 1",
)


class Writer:
    """Writes one program."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.lines: list[str] = []
        self.loops = 0
        self.left = 14

    def program(self) -> str:
        self.lines = [
            "def program(x, s):",
            "    v = x.copy()",
            "    u = x",
            "    a = float(s)",
            "    n = 0",
        ]
        self.block(1, in_loop=False)
        self.lines.append("    return v, u, x, np.float64(a), np.int64(n)")
        return "import numpy as np\n" + "\n".join(self.lines) + "\n"

    def block(self, depth: int, in_loop: bool) -> None:
        pad = "    " * depth
        for _ in range(self.random.randint(1, 3)):
            self.left -= 1
            kind = self.random.random() if self.left > 0 and depth < 5 else 1.0
            if kind < 0.3:
                self.branch(depth, in_loop)
            elif kind < 0.42:
                self.loops += 1
                name = f"c{self.loops}"
                self.lines.append(f"{pad}{name} = 0")
                condition = self.random.choice(CONDITIONS)
                self.lines.append(f"{pad}while ({condition}) and {name} < 3:")
                self.lines.append(f"{pad}    {name} += 1")
                self.block(depth + 1, True)
            elif kind < 0.54:
                self.loops += 1
                bound = self.random.choice(
                    ("n % 4", "len(x)", "3", "max(n % 5, 2)", "min(n, 3)")
                )
                self.lines.append(f"{pad}for i{self.loops} in range({bound}):")
                self.lines.append(f"{pad}    n = n + i{self.loops}")
                self.block(depth + 1, True)
                if self.random.random() < 0.2:
                    self.lines.append(f"{pad}else:")
                    self.lines.append(f"{pad}    a = a + 0.25")
            elif kind < 0.6:
                self.lines.append(f"{pad}for r in x:")
                self.lines.append(f"{pad}    a = a * 0.5 + float(r)")
                self.block(depth + 1, True)
            else:
                text = self.random.choice(ASSIGNMENTS).format(pad=pad)
                self.lines.append(pad + text)

    def branch(self, depth: int, in_loop: bool) -> None:
        pad = "    " * depth
        self.lines.append(f"{pad}if {self.random.choice(CONDITIONS)}:")
        self.side(depth + 1, in_loop)
        if self.random.random() < 0.3:
            self.lines.append(f"{pad}elif {self.random.choice(CONDITIONS)}:")
            self.side(depth + 1, in_loop)
        if self.random.random() < 0.5:
            self.lines.append(f"{pad}else:")
            self.side(depth + 1, in_loop)

    def side(self, depth: int, in_loop: bool) -> None:
        pad = "    " * depth
        if self.random.random() < 0.7:
            self.block(depth, in_loop)
        kind = self.random.random()
        if kind < 0.15:
            self.lines.append(f"{pad}return v, u, x, np.float64(a), np.int64(n)")
        elif in_loop and kind < 0.3:
            self.lines.append(f"{pad}break")
        elif in_loop and kind < 0.45:
            self.lines.append(f"{pad}continue")
        else:
            self.lines.append(f"{pad}a = a - 0.125")


def load(seed: int) -> Any:
    """Return a random program as a function, and its source."""
    source = Writer(seed).program()
    filename = f"<random program {seed}>"
    linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)
    namespace: dict[str, Any] = {"__name__": "random_program"}
    exec(compile(source, filename, "exec"), namespace)
    return namespace["program"], source


def inputs(seed: int) -> list[tuple[np.ndarray[Any, Any], np.float64]]:
    """Return data that takes different ways through a program."""
    generator = np.random.default_rng(seed)
    return [
        (generator.normal(size=4) * scale, np.float64(generator.normal() * scale))
        for scale in (1.0, 4.0, 0.3)
    ]
