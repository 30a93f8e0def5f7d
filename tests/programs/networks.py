"""Hand-written networks: transformers, recurrent cells, convolutions, normalisations."""

import math
from dataclasses import dataclass, field

import numpy as np
from numpy import einsum, exp, float32, newaxis, sqrt, tanh

rng = np.random.RandomState(7)


def softmax(x, axis=-1):
    e = np.exp(x - np.max(x, axis=axis, keepdims=True))
    return e / np.sum(e, axis=axis, keepdims=True)


def gelu(x):
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


def layer_norm(x, g, b, eps: float = 1e-5):
    mean = np.mean(x, axis=-1, keepdims=True)
    variance = np.var(x, axis=-1, keepdims=True)
    return g * (x - mean) / np.sqrt(variance + eps) + b


def linear(x, w, b):
    return x @ w + b


WIDTH, HEADS, VOCABULARY, CONTEXT = 12, 3, 20, 16


def _weights(*shape):
    return (rng.randn(*shape) * 0.3).astype(np.float32)


PARAMS = {
    "wte": _weights(VOCABULARY, WIDTH),
    "wpe": _weights(CONTEXT, WIDTH),
    "ln_f": {"g": np.ones(WIDTH, np.float32), "b": np.zeros(WIDTH, np.float32)},
    "blocks": [
        {
            "ln_1": {"g": _weights(WIDTH), "b": _weights(WIDTH)},
            "attn": {
                "c_attn": {"w": _weights(WIDTH, 3 * WIDTH), "b": _weights(3 * WIDTH)},
                "c_proj": {"w": _weights(WIDTH, WIDTH), "b": _weights(WIDTH)},
            },
            "ln_2": {"g": _weights(WIDTH), "b": _weights(WIDTH)},
            "mlp": {
                "c_fc": {"w": _weights(WIDTH, 4 * WIDTH), "b": _weights(4 * WIDTH)},
                "c_proj": {"w": _weights(4 * WIDTH, WIDTH), "b": _weights(WIDTH)},
            },
        }
        for _ in range(2)
    ],
}


def attention(q, k, v, mask):
    return softmax(q @ k.T / np.sqrt(q.shape[-1]) + mask) @ v


def multi_head(x, c_attn, c_proj, n_head):
    x = linear(x, **c_attn)
    qkv = np.split(x, 3, axis=-1)
    qkv_heads = list(map(lambda part: np.split(part, n_head, axis=-1), qkv))  # noqa: C417
    causal_mask = (1 - np.tri(x.shape[0], dtype=x.dtype)) * -1e10
    out_heads = [attention(q, k, v, causal_mask) for q, k, v in zip(*qkv_heads, strict=True)]
    return linear(np.hstack(out_heads), **c_proj)


def transformer_block(x, mlp, attn, ln_1, ln_2, n_head):
    x = x + multi_head(layer_norm(x, **ln_1), **attn, n_head=n_head)
    hidden = gelu(linear(layer_norm(x, **ln_2), **mlp["c_fc"]))
    return x + linear(hidden, **mlp["c_proj"])


def gpt(inputs, wte, wpe, blocks, ln_f, n_head):
    x = wte[inputs] + wpe[: inputs.shape[0]]
    for block in blocks:
        x = transformer_block(x, **block, n_head=n_head)
    return layer_norm(x, **ln_f) @ wte.T


def gpt_logits(tokens):
    return gpt(tokens, **PARAMS, n_head=HEADS)


def gpt_inputs(k):
    return (np.random.RandomState(k).randint(0, VOCABULARY, (5, 9, 2, 1)[k]),)


class CachedAttention:
    """One decoding step: keys and values of earlier tokens come from a cache."""

    def __init__(self, width, heads, max_len):
        self.heads, self.head_dim = heads, width // heads
        self.wq, self.wk, self.wv, self.wo = (_weights(width, width) for _ in range(4))
        self.max_len = max_len

    def __call__(self, x, cache_k, cache_v, start):
        batch, length, _ = x.shape
        q = (x @ self.wq).reshape(batch, length, self.heads, self.head_dim)
        k = (x @ self.wk).reshape(batch, length, self.heads, self.head_dim)
        v = (x @ self.wv).reshape(batch, length, self.heads, self.head_dim)
        cache_k[:batch, start : start + length] = k
        cache_v[:batch, start : start + length] = v
        keys = cache_k[:batch, : start + length]
        values = cache_v[:batch, : start + length]
        scores = (
            q.transpose(0, 2, 1, 3) @ keys.transpose(0, 2, 3, 1) / math.sqrt(self.head_dim)
        )
        mixed = softmax(scores) @ values.transpose(0, 2, 1, 3)
        return mixed.transpose(0, 2, 1, 3).reshape(batch, length, -1) @ self.wo


CACHED = CachedAttention(8, 2, 6)


def kv_cache_step(x, cache_k, cache_v):
    y = CACHED(x, cache_k, cache_v, 3)
    return y, cache_k, cache_v


def kv_cache_inputs(k):
    r = np.random.RandomState(k)
    return tuple(
        r.randn(*s).astype(np.float32) for s in [(2, 2, 8), (2, 6, 2, 4), (2, 6, 2, 4)]
    )


def masked_attention(x, lengths):
    """Batched causal self-attention with a padding mask; batch and sequence vary."""
    s, d = x.shape[1:]
    scores = einsum("bqd,bkd->bqk", x, x) / sqrt(float32(d))
    causal = np.tril(np.ones((s, s), dtype=bool))
    valid = np.arange(s)[newaxis, :] < lengths[:, newaxis]
    scores = np.where(causal[newaxis] & valid[:, newaxis, :], scores, -np.inf)
    scores = scores - scores.max(axis=-1, keepdims=True)
    weights = exp(scores)
    weights /= weights.sum(axis=-1, keepdims=True)
    return weights @ x, weights.argmax(-1)


def masked_attention_inputs(k):
    b, s = [(2, 4), (3, 7), (1, 1)][k]
    r = np.random.RandomState(k)
    return r.randn(b, s, 6).astype(np.float32), r.randint(1, s + 1, b)


def precompute_freqs(head_dim, max_len, theta=10000.0):
    inv_freq = 1.0 / (theta ** (np.arange(0, head_dim, 2)[: head_dim // 2] / head_dim))
    freqs = np.outer(np.arange(max_len), inv_freq)
    return np.cos(freqs), np.sin(freqs)


def rope(xq, xk):
    """Rotary position embedding on pairs of features."""
    cos, sin = precompute_freqs(xq.shape[-1], xq.shape[1])
    out = []
    for x in (xq, xk):
        pairs = x.reshape((*x.shape[:-1], -1, 2))
        even, odd = np.split(pairs, 2, axis=-1)
        even, odd = even.squeeze(-1), odd.squeeze(-1)
        c, s = cos[None, :, None, :], sin[None, :, None, :]
        rotated = np.stack([even * c - odd * s, even * s + odd * c], axis=-1)
        out.append(rotated.reshape((*rotated.shape[:-2], -1)).astype(x.dtype))
    return out[0], out[1]


def rope_inputs(k):
    r = np.random.RandomState(k)
    return tuple(r.randn(2, 5, 2, 6).astype(np.float32) for _ in range(2))


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


@dataclass
class LSTM:
    hidden: int
    features: int
    W: dict = field(init=False)

    def __post_init__(self):
        z = self.hidden + self.features
        self.W = {gate: _weights(self.hidden, z) for gate in "figo"}
        self.b = {gate: np.zeros((self.hidden, 1), np.float32) for gate in "figo"}

    def step(self, x, h, c):
        z = np.vstack((h, x))
        f = sigmoid(np.dot(self.W["f"], z) + self.b["f"])
        i = sigmoid(np.dot(self.W["i"], z) + self.b["i"])
        g = tanh(np.dot(self.W["g"], z) + self.b["g"])
        o = sigmoid(np.dot(self.W["o"], z) + self.b["o"])
        c = f * c + i * g
        return o * tanh(c), c

    def forward(self, xs):
        h = np.zeros((self.hidden, 1), dtype=np.float32)
        c = np.zeros_like(h)
        hs = {-1: h}
        for t in range(len(xs)):
            hs[t], c = self.step(xs[t].reshape(-1, 1), hs[t - 1], c)
        return np.array([hs[t].ravel() for t in range(len(xs))]), c


CELL = LSTM(4, 3)


def lstm(xs):
    return CELL.forward(xs)


def sequence_inputs(k):
    return (np.random.RandomState(k).randn(5, 3).astype(np.float32),)


def make_gru(n_in, n_out):
    wz, wr, wh = (_weights(n_in, n_out) for _ in range(3))
    uz, ur, uh = (_weights(n_out, n_out) for _ in range(3))

    def step(h, x):
        z = sigmoid(x @ wz + h @ uz)
        r = sigmoid(x @ wr + h @ ur)
        candidate = np.tanh(x @ wh + (r * h) @ uh)
        return (1 - z) * h + z * candidate

    return step


GRU_STEP = make_gru(3, 4)


def gru_states(xs, h):
    """A generator yields each state in turn."""
    for x in xs:
        h = GRU_STEP(h, x)
        yield h


def gru(xs):
    states = list(gru_states(xs, np.zeros(4, np.float32)))
    return np.stack(states), states[-1]


def get_im2col_indices(shape, fh, fw, padding=1, stride=1):
    _, channels, height, width = shape
    out_h = (height + 2 * padding - fh) // stride + 1
    out_w = (width + 2 * padding - fw) // stride + 1
    i0 = np.tile(np.repeat(np.arange(fh), fw), channels)
    i1 = stride * np.repeat(np.arange(out_h), out_w)
    j0 = np.tile(np.arange(fw), fh * channels)
    j1 = stride * np.tile(np.arange(out_w), out_h)
    i = i0.reshape(-1, 1) + i1.reshape(1, -1)
    j = j0.reshape(-1, 1) + j1.reshape(1, -1)
    k = np.repeat(np.arange(channels), fh * fw).reshape(-1, 1)
    return k, i, j


KERNELS = _weights(4, 2, 3, 3)


def conv_im2col(x):
    p, stride = 1, 2
    n, _, h, w = x.shape
    padded = np.pad(x, ((0, 0), (0, 0), (p, p), (p, p)), mode="constant")
    k, i, j = get_im2col_indices(x.shape, 3, 3, p, stride)
    cols = padded[:, k, i, j].transpose(1, 2, 0).reshape(3 * 3 * x.shape[1], -1)
    out = KERNELS.reshape(len(KERNELS), -1) @ cols
    out_h, out_w = (h + 2 * p - 3) // stride + 1, (w + 2 * p - 3) // stride + 1
    return out.reshape(len(KERNELS), out_h, out_w, n).transpose(3, 0, 1, 2)


def images_inputs(k):
    return (np.random.RandomState(k).randn(2, 2, 6, 6).astype(np.float32),)


def image_batch_inputs(k):
    return (np.random.RandomState(k).randn((2, 1, 5)[k], 2, 6, 6).astype(np.float32),)


def conv_loops(x):
    n, _, h, w = x.shape
    f = KERNELS.shape[0]
    out = np.zeros((n, f, h - 2, w - 2), dtype=x.dtype)
    for row in range(h - 2):
        for col in range(w - 2):
            window = x[:, :, row : row + 3, col : col + 3]
            for c in range(f):
                out[:, c, row, col] = np.sum(window * KERNELS[c], axis=(1, 2, 3))
    return np.maximum(out, 0)


def pooling_by_reshape(x):
    n, c, h, w = x.shape
    blocks = x.reshape(n, c, h // 2, 2, w // 2, 2)
    return blocks.max(axis=(3, 5)), blocks.mean(axis=5).mean(axis=3)


class BatchNorm:
    def __init__(self, channels):
        self.gamma, self.beta = _weights(channels), _weights(channels)
        self.running_mean = _weights(channels)
        self.running_var = np.abs(_weights(channels)) + 1

    def __call__(self, x):
        shape = (1, -1) + (1,) * (x.ndim - 2)
        scale = self.gamma / np.sqrt(self.running_var + 1e-5)
        shift = self.beta - self.running_mean * scale
        return x * scale.reshape(shape) + shift.reshape(shape)


def batchnorm(x):
    return NORM(x)


NORM = BatchNorm(2)


class Perceptron:
    layers = ((3, 5), (5, 2))

    def __init__(self):
        self.weights = [_weights(*shape) for shape in self.layers]
        self.biases = [_weights(1, shape[1]) for shape in self.layers]

    def predict(self, x):
        a = x
        for w, b in zip(self.weights, self.biases, strict=True):
            a = a.dot(w)
            a += b
            a[a < 0] = 0
        return a, np.argmax(a, axis=1)


def perceptron(x):
    return MODEL.predict(x)


MODEL = Perceptron()


def rows_inputs(k):
    return (np.random.RandomState(k).randn((4, 1, 7)[k], 3).astype(np.float32),)


class Embedding:
    """Looks rows up in a table that the object holds."""

    def __init__(self, table):
        self.table = table

    def __call__(self, tokens):
        return self.table[tokens]


EMBED = Embedding(_weights(10, 4))


def pooled_embedding(tokens, weights):
    vectors = EMBED(tokens)
    mask = (tokens != 0)[..., None]
    total = (vectors * mask * weights[..., None]).sum(1)
    return total / np.maximum(mask.sum(1), 1)


def pooled_embedding_inputs(k):
    r = np.random.RandomState(k)
    b, s = ((2, 5), (1, 3), (4, 8))[k]
    return r.randint(0, 10, (b, s)), r.rand(b, s).astype(np.float32)
