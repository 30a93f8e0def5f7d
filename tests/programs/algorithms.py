"""Dynamic programming, search, codes and counting."""

import numpy as np


def viterbi(observations):
    """Most likely path through a small hidden Markov model."""
    start = np.log(np.array([0.6, 0.4]))
    trans = np.log(np.array([[0.7, 0.3], [0.4, 0.6]]))
    emit = np.log(np.array([[0.5, 0.4, 0.1], [0.1, 0.3, 0.6]]))
    steps = len(observations)
    score = np.zeros((steps, 2))
    back = np.zeros((steps, 2), dtype=int)
    score[0] = start + emit[:, observations[0]]
    for t in range(1, steps):
        for s in range(2):
            candidates = score[t - 1] + trans[:, s]
            back[t, s] = np.argmax(candidates)
            score[t, s] = np.max(candidates) + emit[s, observations[t]]
    path = np.zeros(steps, dtype=int)
    path[-1] = np.argmax(score[-1])
    for t in range(steps - 2, -1, -1):
        path[t] = back[t + 1, path[t + 1]]
    return path, score[-1].max()


def observations_inputs(k):
    return (np.random.RandomState(k).randint(0, 3, 6),)


def edit_distance(a, b):
    m, n = len(a), len(b)
    table = np.zeros((m + 1, n + 1), dtype=np.int64)
    table[:, 0] = np.arange(m + 1)
    table[0, :] = np.arange(n + 1)
    for i in range(1, m + 1):
        for j in range(1, n + 1):
            cost = (a[i - 1] != b[j - 1]).astype(np.int64)
            table[i, j] = np.minimum(
                np.minimum(table[i - 1, j] + 1, table[i, j - 1] + 1),
                table[i - 1, j - 1] + cost,
            )
    return table[m, n], table


def words_inputs(k):
    r = np.random.RandomState(k)
    return r.randint(0, 3, 5), r.randint(0, 3, 4)


def edit_distance_with_min(a, b):
    """The same with Python's ``min`` over three captured numbers."""
    previous = list(range(len(b) + 1))
    for i, left in enumerate(a):
        current = [i + 1]
        for j, right in enumerate(b):
            substitution = previous[j] + (left != right)
            current.append(min(previous[j + 1] + 1, current[j] + 1, substitution))
        previous = current
    return np.array(previous)


def dtw(x, y):
    """Dynamic time warping."""
    cost = np.abs(x[:, None] - y[None, :])
    acc = np.full((len(x) + 1, len(y) + 1), np.inf)
    acc[0, 0] = 0
    for i in range(len(x)):
        for j in range(len(y)):
            acc[i + 1, j + 1] = cost[i, j] + min(acc[i, j + 1], acc[i + 1, j], acc[i, j])
    return acc[-1, -1], acc


def series_inputs(k):
    r = np.random.RandomState(k)
    return r.randn(5), r.randn(4)


CRC_TABLE = np.zeros(256, dtype=np.uint32)
for _byte in range(256):
    _value = _byte
    for _ in range(8):
        _value = (_value >> 1) ^ 0xEDB88320 if _value & 1 else _value >> 1
    CRC_TABLE[_byte] = _value


def crc32(data):
    """Table-driven checksum of bytes."""
    crc = np.uint32(0xFFFFFFFF)
    for byte in data:
        crc = CRC_TABLE[(crc ^ byte) & np.uint32(0xFF)] ^ (crc >> np.uint32(8))
    return crc ^ np.uint32(0xFFFFFFFF)


def bytes_inputs(k):
    return (np.random.RandomState(k).randint(0, 256, 9).astype(np.uint32),)


def crc8_bits(data):
    """Bit by bit, without a table."""
    crc = np.uint8(0)
    for byte in data:
        crc = crc ^ byte
        for _ in range(8):
            crc = np.where(crc & 0x80, (crc << 1) ^ np.uint8(0x07), crc << 1).astype(np.uint8)
    return crc


def octets_inputs(k):
    return (np.random.RandomState(k).randint(0, 256, 5, dtype=np.uint8),)


def top_k(scores, k=3):
    order = np.argsort(-scores, axis=-1, kind="stable")[:, :k]
    best = np.take_along_axis(scores, order, axis=-1)
    return order, best, np.exp(best) / np.exp(best).sum(-1, keepdims=True)


def scores_inputs(k):
    return (np.random.RandomState(k).randn((3, 1, 5)[k], 8).astype(np.float32),)


def beam_step(log_probs, beam_scores):
    """Expand each beam by each token and keep the best."""
    beams, vocabulary = log_probs.shape
    total = beam_scores[:, None] + log_probs
    flat = total.ravel()
    best = np.argsort(flat, kind="stable")[::-1][:beams]
    parents, tokens = np.divmod(best, vocabulary)
    rows, columns = np.unravel_index(best, total.shape)
    return parents, tokens, flat[best], total[rows, columns]


def beams_inputs(k):
    r = np.random.RandomState(k)
    return np.log(r.dirichlet(np.ones(6), 3)), r.randn(3)


def floyd_warshall(weights):
    dist = weights.copy()
    n = dist.shape[0]
    for k in range(n):
        dist = np.minimum(dist, dist[:, k, None] + dist[None, k, :])
    for k in range(n):
        np.minimum(dist, np.add.outer(dist[:, k], dist[k, :]), out=dist)
    return dist


def graph_inputs(k):
    w = np.random.RandomState(k).randint(1, 20, (5, 5)).astype(float)
    w[np.random.RandomState(k + 9).rand(5, 5) < 0.4] = np.inf
    np.fill_diagonal(w, 0)
    return (w,)


def knapsack(values):
    """Weights are known, values are not."""
    weights, capacity = (1, 3, 4), 7
    best = np.zeros(capacity + 1, dtype=values.dtype)
    for item, weight in enumerate(weights):
        for room in range(capacity, weight - 1, -1):
            best[room] = np.maximum(best[room], best[room - weight] + values[item])
    return best


def values_inputs(k):
    return (np.random.RandomState(k).randint(1, 30, 3),)


def page_rank(links):
    n = links.shape[0]
    out_degree = links.sum(axis=0)
    transition = np.where(out_degree > 0, links / np.maximum(out_degree, 1), 1.0 / n)
    rank = np.ones(n) / n
    for _ in range(5):
        rank = 0.15 / n + 0.85 * transition @ rank
    return rank, rank.argsort()[::-1]


def links_inputs(k):
    return (np.random.RandomState(k).randint(0, 2, (5, 5)),)


def run_lengths(bits):
    """Starts and lengths of runs; their number depends on the data."""
    edges = np.flatnonzero(np.diff(bits)) + 1
    starts = np.concatenate(([0], edges))
    lengths = np.diff(np.append(starts, len(bits)))
    return starts, lengths, bits[starts]


def bits_inputs(k):
    return (np.random.RandomState(k).randint(0, 2, 12),)


def bubble_sort(x):
    """A sorting network with tuple assignment."""
    x = x.copy()
    for i in range(len(x)):
        for j in range(len(x) - 1 - i):
            x[j], x[j + 1] = np.minimum(x[j], x[j + 1]), np.maximum(x[j], x[j + 1])
    return x


def short_inputs(k):
    return (np.random.RandomState(k).randn(5).astype(np.float32),)


def one_hot_counts(labels):
    one_hot = np.eye(4, dtype=np.float32)[labels]
    confusion = np.zeros((4, 4), dtype=int)
    np.add.at(confusion, (labels[:-1], labels[1:]), 1)
    return one_hot, one_hot.sum(0), confusion


def labels_inputs(k):
    return (np.random.RandomState(k).randint(0, 4, 8),)
