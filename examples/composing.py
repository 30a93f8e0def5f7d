"""A published model and the NumPy around it as one file: the bytes of a file in, its type out."""

import json
from pathlib import Path

import magika
import numpy as np
import onnxruntime
import sklearn.datasets

from capture import TensorSpec, trace
from exporters import OnnxExporter, load_onnx

FOLDER = Path(magika.__file__).parent / "models" / "standard_v3_3"
CONFIG = json.loads((FOLDER / "config.min.json").read_text())
LABELS = CONFIG["target_labels_space"]
BLOCK, WIDTH, PADDING = CONFIG["block_size"], CONFIG["beg_size"], CONFIG["padding_token"]
SPACES = np.array(list(b" \t\n\r\v\f"), np.int32)
LEAST = np.array([CONFIG["thresholds"].get(label, 0.5) for label in LABELS], np.float32)

model = load_onnx(FOLDER / "model.onnx", name="magika")


def features(content):
    """Return the first and last bytes, without white space at the ends, as the model takes them."""
    content = content.astype(np.int32)
    head, tail = content[:BLOCK], content[-BLOCK:]
    text, text_at_end = ~np.isin(head, SPACES), ~np.isin(tail, SPACES)[::-1]
    start = np.where(text.any(), text.argmax(), head.size) + np.arange(WIDTH)
    first = np.where(start < head.size, head[np.minimum(start, head.size - 1)], PADDING)
    stop = np.where(text_at_end.any(), tail.size - text_at_end.argmax(), 0)
    stop = stop - WIDTH + np.arange(WIDTH)
    last = np.where(stop >= 0, tail[np.maximum(stop, 0)], PADDING)
    return np.concatenate([first, last])[np.newaxis]


def decide(scores):
    """Return the best label's number, its score, and whether that is enough for this label."""
    best = scores.argmax()
    return best, scores.max(), scores.max() >= LEAST[best]


def detect(content):
    """Return what ``decide`` makes of the model's answer."""
    return decide(model(features(content))[0])


def main():
    """Export, then compare one file with the three steps run apart, and with the package itself."""
    graph = trace(detect, TensorSpec(("n",), np.uint8, "content"))
    OnnxExporter("detect.onnx", verify=True).export(graph)
    whole = onnxruntime.InferenceSession("detect.onnx")
    alone = onnxruntime.InferenceSession(FOLDER / "model.onnx")
    package = magika.Magika()

    data = Path(sklearn.datasets.__file__).parent
    for name in ("images/china.jpg", "data/iris.csv", "data/digits.csv.gz", "_base.py"):
        content = np.fromfile(data / name, np.uint8)
        got = whole.run(None, {"content": content})
        (scores,) = alone.run(None, {"bytes": features(content)})
        same = all(np.allclose(a, b) for a, b in zip(got, decide(scores[0]), strict=True))
        named = package.identify_bytes(content.tobytes()).dl.label == LABELS[got[0]]
        print(
            f"{name:<18} {LABELS[got[0]]:<6} {got[1]:.3f}, same as NumPy: {same}, "
            f"as the package: {named}"
        )


if __name__ == "__main__":
    main()
