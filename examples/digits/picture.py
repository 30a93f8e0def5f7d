"""A contact sheet of scans with the digit that the model reads in each."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PIL import Image, ImageDraw, ImageFont

if TYPE_CHECKING:
    from pathlib import Path

    import numpy.typing as npt

    from .classifier import Floats
    from .data import Scans

COLUMNS, ROWS = 12, 5
SCAN, CAPTION, GAP = 72, 24, 12
PAPER, INK, RIGHT, WRONG = "#ffffff", "#1c2430", "#2b7a4b", "#c0392b"


def contact_sheet(
    path: Path, scans: Scans, probabilities: Floats, labels: npt.NDArray[np.int64]
) -> None:
    """Save a picture of scans, misread ones first, each with its digit and probability."""
    misread_first = np.argsort(labels == scans.labels, kind="stable")
    width = GAP + COLUMNS * (SCAN + GAP)
    sheet = Image.new("RGB", (width, 2 * GAP + CAPTION + ROWS * (SCAN + CAPTION + GAP)), PAPER)
    draw = ImageDraw.Draw(sheet)
    font = ImageFont.load_default(size=15)
    wrong = int((labels != scans.labels).sum())
    title = (
        f"{len(labels)} held-out scans; {wrong} misread, shown first (true digit in brackets)"
    )
    draw.text((GAP, GAP), title, INK, font)
    for place, row in enumerate(misread_first[: COLUMNS * ROWS]):
        left = GAP + place % COLUMNS * (SCAN + GAP)
        top = 2 * GAP + CAPTION + place // COLUMNS * (SCAN + CAPTION + GAP)
        sheet.paste(_scan_image(scans.pixels[row]), (left, top))
        right = labels[row] == scans.labels[row]
        caption = f"{labels[row]}  {probabilities[row].max():.0%}"
        caption += "" if right else f"  ({scans.labels[row]})"
        middle = (left + SCAN // 2, top + SCAN + 3)
        draw.text(middle, caption, RIGHT if right else WRONG, font, anchor="ma")
    path.parent.mkdir(parents=True, exist_ok=True)
    sheet.quantize(colors=64).save(path, optimize=True)


def _scan_image(pixels: Floats) -> Image.Image:
    grey = 255 - np.clip(pixels.reshape(8, 8) * 16, 0, 255)
    image = Image.fromarray(grey.astype(np.uint8))
    return image.resize((SCAN, SCAN), Image.Resampling.NEAREST)
