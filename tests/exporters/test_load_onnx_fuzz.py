"""Random models in random programs: branches, loops and functions around models with branches."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import onnx
import pytest

import capture
import exporters
from exporters import load_onnx
from exporters.running import ModelSession, run_model
from tests.exporters.model_kit import graph_of, parsed, spec

Array = Any
UNARY = ["Relu", "Tanh", "Sigmoid", "Neg", "Softsign", "Elu", "Identity", "Abs"]
BRANCH = """c{i} = ReduceMax<keepdims=0>({x})
    z{i} = Constant<value=float {{0.5}}>()
    g{i} = Greater(c{i}, z{i})
    {out} = If(g{i}) <
      then_branch = t () => (float[n,16] o) {{ o = {one}({x}) }},
      else_branch = e () => (float[n,16] o) {{ p = {other}({x}) o = Neg(p) }}
    >"""


def random_model(rnd: random.Random) -> onnx.ModelProto:
    """Return a model of an old or new opset, with names that other models use too."""
    opset = rnd.choice([9, 11, 13, 15, 17, 18, 20, 21])
    rng = np.random.default_rng(rnd.randrange(5))  # some models share weights
    lines, arrays, names = [], {}, ["x"]
    for i in range(rnd.randint(1, 5)):
        x, out = names[-1], f"{rnd.choice('hvt')}{i}"
        forms = ["product", "product", "bias", "softmax", "skip", "unary"]
        form = rnd.choice(forms + ["branch"] * (opset >= 11))
        if form == "product":
            arrays[f"w{i}"] = (rng.normal(size=(16, 16)) * 0.3).astype(np.float32)
            lines.append(f"{out} = MatMul({x}, w{i})")
        elif form == "bias":
            arrays[f"b{i}"] = rng.normal(size=16).astype(np.float32)
            lines.append(f"{out} = Add({x}, b{i})")
        elif form == "softmax":
            lines.append(f"{out} = Softmax<axis=1>({x})")
        elif form == "skip":
            lines.append(f"{out} = Add({x}, {rnd.choice(names)})")
        elif form == "unary":
            lines.append(f"{out} = {rnd.choice(UNARY)}({x})")
        else:
            one, other = rnd.choices(UNARY, k=2)
            lines.append(BRANCH.format(i=i, x=x, out=out, one=one, other=other))
        names.append(out)
    more = f", float[n,16] {rnd.choice(names[1:])}" if rnd.random() < 0.4 else ""
    body = "\n".join([*lines, f"y = Identity({names[-1]})"])
    return parsed(
        f'<ir_version: 7, opset_import: ["": {opset}]> '
        f"m{rnd.randint(0, 2)} (float[n,16] x) => (float[n,16] y{more}) {{ {body} }}",
        **arrays,
    )


class Flow(NamedTuple):
    """Control flow of a program, captured or plain."""

    cond: Callable[..., Array]
    repeat: Callable[[Callable[[Array], Array], Array], Array]
    function: Callable[[Callable[[Array], Array]], Callable[[Array], Array]]


CAPTURED = Flow(
    capture.cond,
    lambda step, x: capture.fori_loop(0, 2, lambda _, h: step(h), x),
    capture.function,
)
PLAIN = Flow(
    lambda flag, one, other: one() if flag else other(),
    lambda step, x: step(step(x)),
    lambda function: function,
)


def program(
    plan: list[tuple[str, int]], models: list[Callable[..., Any]], flow: Flow, x: Array
) -> Array:
    def first(index: int, x: Array) -> Array:
        made = models[index](x)
        return made[0] if isinstance(made, tuple) else made

    for kind, k in plan:
        if kind == "call":
            x = first(k, x)
        elif kind == "both":
            made = models[k](x)
            x = made[0] + made[-1] * np.float32(0.5) if isinstance(made, tuple) else made + x
        elif kind == "cond":
            x = flow.cond(
                x.sum() > 0,
                lambda k=k, x=x: first(k, x),
                lambda k=k, x=x: first(k, x * 2) + 1,
            )
        elif kind == "loop":
            x = flow.repeat(lambda h, k=k: first(k, h) * np.float32(0.5) + h, x)
        else:
            x = flow.function(lambda h, k=k: first(k, h) - 1)(x)
    return x


def original(proto: onnx.ModelProto) -> Callable[[Array], Any]:
    session = ModelSession(proto, optimize=False)

    def run(x: Array) -> Any:
        results = session.run({"x": x})
        return tuple(results) if len(results) > 1 else results[0]

    return run


def check(seed: int) -> None:
    rnd = random.Random(seed)
    protos = [random_model(rnd) for _ in range(rnd.randint(1, 3))]
    kinds = ["call", "call", "both", "cond", "loop", "function"]
    plan = [(rnd.choice(kinds), rnd.randrange(len(protos))) for _ in range(rnd.randint(1, 4))]
    x = np.random.default_rng(seed).normal(size=(3, 16)).astype(np.float32)
    wanted = program(plan, [original(proto) for proto in protos], PLAIN, x)

    models = [load_onnx(proto) for proto in protos]
    graph = graph_of(lambda x: program(plan, models, CAPTURED, x), spec("n", 16))
    np.testing.assert_allclose(graph(x), wanted, 1e-4, 1e-5)
    assert exporters.from_json(exporters.to_json(graph)) == graph
    for opset in (17, 20, 22):
        written = exporters.to_onnx(graph, opset=opset)
        onnx.checker.check_model(written, full_check=True)
        for optimize in (True, False):
            (got,) = run_model(written, {"x": x}, optimize=optimize)
            np.testing.assert_allclose(got, wanted, 1e-4, 1e-5)


@pytest.mark.parametrize("seed", range(6))
def test_random_programs_of_random_models(seed: int) -> None:
    check(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6, 80))
def test_many_random_programs_of_random_models(seed: int) -> None:
    check(seed)
