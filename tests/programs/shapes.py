"""Programs whose sizes stay open: written for any batch, length and image, as NumPy code is."""

import numpy as np

rng = np.random.RandomState(11)
FEATURES = 8
QUERY, KEY, VALUE = (rng.randn(3, FEATURES, FEATURES) * 0.4).astype(np.float32)


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def causal_attention(x, heads=2):
    batch, time, width = x.shape
    size = width // heads

    def split(w):
        return (x @ w).reshape(batch, time, heads, size).transpose(0, 2, 1, 3)

    scores = split(QUERY) @ split(KEY).swapaxes(-1, -2) / np.sqrt(np.float32(size))
    future = np.triu(np.ones((time, time), bool), k=1)
    scores = np.where(future, np.float32(-1e9), scores)
    mixed = softmax(scores) @ split(VALUE)
    return mixed.transpose(0, 2, 1, 3).reshape(batch, time, width)


def attention_inputs(k):
    batch, time = [(2, 5), (1, 1), (4, 2), (3, 9)][k]
    return (np.random.RandomState(k).randn(batch, time, FEATURES).astype(np.float32),)


def masked_pooling(tokens, lengths):
    """Mean, maximum and last of the first ``lengths`` tokens of each row."""
    time = tokens.shape[1]
    inside = np.arange(time) < lengths[:, None]
    total = np.where(inside[..., None], tokens, 0).sum(1)
    mean = total / np.maximum(lengths, 1)[:, None]
    highest = np.where(inside[..., None], tokens, -np.inf).max(1)
    last = np.take_along_axis(tokens, np.maximum(lengths - 1, 0)[:, None, None], axis=1)
    return np.concatenate([mean, highest, last[:, 0]], axis=-1)


def pooling_inputs(k):
    rows, time = [(3, 6), (1, 1), (5, 2), (2, 11)][k]
    made = np.random.RandomState(k)
    return made.randn(rows, time, 4), made.randint(1, time + 1, rows)


def resize_nearest(image):
    """To twice the height and half the width, rounded up, by index arithmetic."""
    height, width, _ = image.shape
    rows = np.arange(2 * height) // 2
    columns = np.minimum(2 * np.arange((width + 1) // 2), width - 1)
    return image[rows[:, None], columns]


def image_inputs(k):
    height, width = [(4, 6), (1, 1), (3, 5), (7, 2)][k]
    return (np.random.RandomState(k).randint(0, 256, (height, width, 3)).astype(np.uint8),)


def batched_distances(a, b):
    """Distances of every pair in each batch, and the nearest of each ``a``."""
    squares = (a**2).sum(-1)[..., None] + (b**2).sum(-1)[:, None, :]
    distances = np.sqrt(np.maximum(squares - 2 * a @ b.swapaxes(1, 2), 0))
    return distances, distances.argmin(-1), distances.mean((1, 2))


def points_inputs(k):
    batch, n, m = [(2, 3, 4), (1, 1, 1), (3, 5, 2), (0, 2, 3)][k]
    made = np.random.RandomState(k)
    return made.randn(batch, n, 3), made.randn(batch, m, 3)


def windowed_features(signal):
    """Statistics of frames of 8 by 4, and of blocks of 4, which have to divide the length."""
    frames = np.lib.stride_tricks.sliding_window_view(signal, 8)[::4]
    hann = np.hanning(8)
    energy = ((frames - frames.mean(1, keepdims=True)) ** 2 * hann).sum(1)
    crossings = (np.diff(np.signbit(frames), axis=1)).sum(1)
    blocks = signal.reshape(-1, 4)
    peaks = np.stack([blocks.max(1), blocks.min(1), np.ptp(blocks, axis=1)], axis=1)
    return energy, crossings, peaks


def signal_inputs(k):
    return (np.random.RandomState(k).randn([16, 8, 12, 40][k]),)


def joined_streams(left, right):
    """Two streams of one rate: their lengths are known to agree only when they meet."""
    stereo = np.stack([left, right], axis=1)
    mid, side = stereo.mean(1), (left - right) / 2
    return stereo.reshape(-1), np.concatenate([mid[::-1], side]), left @ right


def streams_inputs(k):
    made, size = np.random.RandomState(k), [6, 2, 5, 9][k]
    return made.randn(size), made.randn(size)
