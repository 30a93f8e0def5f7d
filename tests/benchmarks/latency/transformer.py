"""GPT-2's stack: three blocks of width 192, tokens in, scores of the next token out."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from tests.benchmarks.latency.workload import Input, Workload, model, node

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import onnx

rng = np.random.default_rng(6)
LAYERS, WIDTH, HEADS, VOCABULARY, LENGTH = 3, 192, 6, 1000, 64
EPSILON = 1e-5


def _weights(*shape: int) -> np.ndarray:
    return (rng.standard_normal(shape) / shape[0] ** 0.5).astype(np.float32)


def _norm() -> dict[str, np.ndarray]:
    return {"g": rng.uniform(0.5, 1.5, WIDTH).astype(np.float32), "b": _weights(WIDTH)}


def _linear(into: int, out: int) -> dict[str, np.ndarray]:
    return {"w": _weights(into, out), "b": _weights(out) / 10}


EMBEDDING, POSITIONS = _weights(VOCABULARY, WIDTH), _weights(LENGTH, WIDTH)
BLOCKS = [
    {
        "norm1": _norm(),
        "attention": _linear(WIDTH, 3 * WIDTH),
        "projection": _linear(WIDTH, WIDTH),
        "norm2": _norm(),
        "up": _linear(WIDTH, 4 * WIDTH),
        "down": _linear(4 * WIDTH, WIDTH),
    }
    for _ in range(LAYERS)
]
LAST = _norm()
MASK = (1 - np.tri(LENGTH, dtype=np.float32)) * np.float32(-1e10)
INPUTS = (Input("tokens", (LENGTH,), rng.integers(0, VOCABULARY, LENGTH, np.int32)),)


def gelu(x):
    return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def softmax(x):
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / np.sum(e, axis=-1, keepdims=True)


def layer_norm(x, g, b):
    mean = np.mean(x, axis=-1, keepdims=True)
    variance = np.var(x, axis=-1, keepdims=True)
    return g * (x - mean) / np.sqrt(variance + EPSILON) + b


def linear(x, w, b):
    return x @ w + b


def attend(x, block):
    q, k, v = np.split(linear(x, **block["attention"]), 3, axis=-1)
    q, k, v = (a.reshape(LENGTH, HEADS, -1).transpose(1, 0, 2) for a in (q, k, v))
    scores = q @ k.transpose(0, 2, 1) / np.sqrt(np.float32(q.shape[-1])) + MASK
    mixed = (softmax(scores) @ v).transpose(1, 0, 2).reshape(LENGTH, WIDTH)
    return linear(mixed, **block["projection"])


def program(tokens):
    x = EMBEDDING[tokens] + POSITIONS
    for block in BLOCKS:
        x = x + attend(layer_norm(x, **block["norm1"]), block)
        x = x + linear(
            gelu(linear(layer_norm(x, **block["norm2"]), **block["up"])), **block["down"]
        )
    return layer_norm(x, **LAST) @ EMBEDDING.T


def _block(i: int) -> Iterator[onnx.NodeProto]:
    """One block over the value ``x{i}``; the next is ``x{i + 1}``."""
    norm = {"axis": -1, "epsilon": EPSILON}
    yield node("LayerNormalization", f"x{i} norm1_g{i} norm1_b{i}", f"n{i}", **norm)
    yield node("Gemm", f"n{i} attention_w{i} attention_b{i}", f"qkv{i}")
    yield node("Reshape", f"qkv{i} split_heads", f"heads{i}")
    yield node("Split", f"heads{i}", f"qs{i} ks{i} vs{i}", axis=1, num_outputs=3)
    for name, order in (("q", [1, 2, 0, 3]), ("k", [1, 2, 3, 0]), ("v", [1, 2, 0, 3])):
        yield node("Transpose", f"{name}s{i}", f"{name}{i}", perm=order)
    yield node("MatMul", f"q{i} k{i}", f"dots{i}")
    yield node("Add", f"dots{i} mask", f"masked{i}")
    yield node("Softmax", f"masked{i}", f"weights{i}", axis=-1)
    yield node("MatMul", f"weights{i} v{i}", f"mixed{i}")
    yield node("Transpose", f"mixed{i}", f"back{i}", perm=[2, 0, 1, 3])
    yield node("Reshape", f"back{i} join_heads", f"joined{i}")
    yield node("Gemm", f"joined{i} projection_w{i} projection_b{i}", f"projected{i}")
    yield node("Add", f"x{i} projected{i}", f"mid{i}")
    yield node("LayerNormalization", f"mid{i} norm2_g{i} norm2_b{i}", f"m{i}", **norm)
    yield node("Gemm", f"m{i} up_w{i} up_b{i}", f"up{i}")
    yield node("Gelu", f"up{i}", f"gelu{i}", approximate="tanh")
    yield node("Gemm", f"gelu{i} down_w{i} down_b{i}", f"down{i}")
    yield node("Add", f"mid{i} down{i}", f"x{i + 1}")


def hand_written() -> onnx.ModelProto:
    """The scale of the scores is in the weights of the queries."""
    weights = {
        f"{part}_{name}{i}": array.copy()
        for i, block in enumerate(BLOCKS)
        for part, arrays in block.items()
        for name, array in arrays.items()
    }
    for i in range(LAYERS):
        for name in (f"attention_w{i}", f"attention_b{i}"):
            weights[name][..., :WIDTH] /= np.float32((WIDTH // HEADS) ** 0.5)
    weights |= {"embedding": EMBEDDING, "positions": POSITIONS, "mask": MASK}
    weights |= {"last_g": LAST["g"], "last_b": LAST["b"], "unembedding": EMBEDDING.T.copy()}
    weights["split_heads"] = np.array([LENGTH, 3, HEADS, WIDTH // HEADS])
    weights["join_heads"] = np.array([LENGTH, WIDTH])
    last = f"x{LAYERS} last_g last_b"
    return model(
        INPUTS,
        {"y": (np.float32, (LENGTH, VOCABULARY))},
        [
            node("Gather", "embedding tokens", "embedded"),
            node("Add", "embedded positions", "x0"),
            *(one for i in range(LAYERS) for one in _block(i)),
            node("LayerNormalization", last, "normed", axis=-1, epsilon=EPSILON),
            node("MatMul", "normed unembedding", "y"),
        ],
        weights,
    )


def torch_module() -> Any:
    import torch
    from torch.nn import functional

    def tensors(arrays: dict[str, np.ndarray]) -> dict[str, torch.Tensor]:
        return {name: torch.from_numpy(array) for name, array in arrays.items()}

    blocks = [{part: tensors(arrays) for part, arrays in block.items()} for block in BLOCKS]
    last, embedding, positions = tensors(LAST), *map(torch.from_numpy, (EMBEDDING, POSITIONS))

    def norm(x: torch.Tensor, g: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return functional.layer_norm(x, (WIDTH,), g, b, EPSILON)

    def layer(x: torch.Tensor, w: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return functional.linear(x, w.T, b)

    class Stack(torch.nn.Module):
        def forward(self, tokens: torch.Tensor) -> torch.Tensor:
            x = functional.embedding(tokens, embedding) + positions
            for block in blocks:
                qkv = layer(norm(x, **block["norm1"]), **block["attention"]).chunk(3, -1)
                q, k, v = (a.view(1, LENGTH, HEADS, -1).transpose(1, 2) for a in qkv)
                mixed = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
                joined = mixed.transpose(1, 2).reshape(LENGTH, WIDTH)
                x = x + layer(joined, **block["projection"])
                up = layer(norm(x, **block["norm2"]), **block["up"])
                x = x + layer(functional.gelu(up, approximate="tanh"), **block["down"])
            return norm(x, **last) @ embedding.T

    return Stack()


def jax_function() -> Callable[..., Any]:
    import jax
    import jax.numpy as jnp

    def norm(x, g, b):
        mean, variance = jnp.mean(x, -1, keepdims=True), jnp.var(x, -1, keepdims=True)
        return (x - mean) * jax.lax.rsqrt(variance + EPSILON) * g + b

    def attend_jax(x, block):
        q, k, v = jnp.split(linear(x, **block["attention"]), 3, axis=-1)
        q, k, v = (a.reshape(LENGTH, HEADS, -1).transpose(1, 0, 2) for a in (q, k, v))
        scores = q @ k.transpose(0, 2, 1) / q.shape[-1] ** 0.5 + MASK
        mixed = (jax.nn.softmax(scores) @ v).transpose(1, 0, 2).reshape(LENGTH, WIDTH)
        return linear(mixed, **block["projection"])

    def forward(tokens):
        x = jnp.asarray(EMBEDDING)[tokens] + POSITIONS
        for block in BLOCKS:
            x = x + attend_jax(norm(x, **block["norm1"]), block)
            up = linear(norm(x, **block["norm2"]), **block["up"])
            x = x + linear(jax.nn.gelu(up), **block["down"])
        return norm(x, **LAST) @ EMBEDDING.T

    return forward


def ndonnx_function() -> Callable[..., Any]:
    import ndonnx as ndx

    def layer(x, w, b):
        return x @ ndx.asarray(w) + ndx.asarray(b)

    def norm(x, g, b):
        centred = x - ndx.mean(x, axis=-1, keepdims=True)
        variance = ndx.mean(centred * centred, axis=-1, keepdims=True)
        return centred / ndx.sqrt(variance + EPSILON) * ndx.asarray(g) + ndx.asarray(b)

    def attend_ndx(x, block):
        qkv = ndx.reshape(layer(x, **block["attention"]), (LENGTH, 3, HEADS, WIDTH // HEADS))
        q, k, v = (ndx.permute_dims(qkv[:, i, :, :], (1, 0, 2)) for i in range(3))
        scores = q @ ndx.permute_dims(k, (0, 2, 1)) / (WIDTH // HEADS) ** 0.5
        scores = scores + ndx.asarray(MASK)
        e = ndx.exp(scores - ndx.max(scores, axis=-1, keepdims=True))
        mixed = ndx.permute_dims(e / ndx.sum(e, axis=-1, keepdims=True) @ v, (1, 0, 2))
        return layer(ndx.reshape(mixed, (LENGTH, WIDTH)), **block["projection"])

    def forward(tokens):
        rows = ndx.astype(tokens, ndx.int64)
        x = ndx.take(ndx.asarray(EMBEDDING), rows, axis=0) + ndx.asarray(POSITIONS)
        for block in BLOCKS:
            x = x + attend_ndx(norm(x, **block["norm1"]), block)
            up = layer(norm(x, **block["norm2"]), **block["up"])
            inner = math.sqrt(2 / math.pi) * (up + 0.044715 * up * up * up)
            x = x + layer(0.5 * up * (1 + ndx.tanh(inner)), **block["down"])
        return norm(x, **LAST) @ ndx.asarray(EMBEDDING.T.copy())

    return forward


WORKLOAD = Workload(
    "GPT-2 stack",
    program,
    INPUTS,
    hand_written,
    {"torch.onnx": torch_module, "jax2onnx": jax_function, "ndonnx": ndonnx_function},
    {"skl2onnx": "no estimator computes this"},
)
