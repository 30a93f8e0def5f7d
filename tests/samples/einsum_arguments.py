"""``einsum``: spellings, arguments, views and layouts."""

from __future__ import annotations

import numpy as np

from tests.samples.base import Sample, normal, values

WRITTEN = {
    "diagonal": lambda y: np.einsum("ii->i", y).__setitem__(slice(None), 0),
    "transpose": lambda y: np.einsum("ij->ji", y).__setitem__(0, 5),
    "copy": lambda y: np.einsum("ij->i", y).__setitem__(0, 5),
    "layout": lambda y: np.einsum("ij,ij->ji", y, y).reshape(-1).__setitem__(0, 9),
}


def _written(write):
    def program(a):
        y = a * 1
        write(y)
        return y

    return program


def _layouts(a, b):
    made = []
    for form in ("ij,jk->ki", "ij,jk->ik", "ij,ik->kij", "ji,jk->ik"):
        y = np.einsum(form, a, b)
        y.reshape(-1)[0] = 9
        z = np.einsum(form, a.T, b, optimize=True)
        z.reshape(-1)[0] = 9
        made += [y, z]
    return tuple(made)


A, B, C = normal(3, 3), normal(3, 4, seed=1), normal(4, 3, seed=2)


def _first_set(x):
    x.reshape(-1)[0] = 9  # seen where the layout makes it a view
    return x


SAMPLES = [
    *(
        Sample(f"einsum-written-{name}", _written(write), (A,), (np.einsum,))
        for name, write in WRITTEN.items()
    ),
    Sample(
        "einsum-written-symbolic",
        _written(WRITTEN["diagonal"]),
        (np.ones((3, 3), "f4"),),
        (np.einsum,),
        symbolic={0: {0: "n", 1: "n"}},
    ),
    Sample("einsum-layout", _layouts, (A, A + 1), (np.einsum,), rtol=1e-5),
    *(
        Sample(
            f"einsum-ellipsis-{form}",
            lambda a, b, f=form: np.einsum(f, a, b),
            (normal(2, 1, 3, 4), normal(5, 4, 2)),
            (np.einsum,),
            rtol=1e-5,
            atol=1e-5,
        )
        for form in ("...ij,...jk->...ik", "...ij,...jk", "...j,kja->...ka", "a...j,kja->k...")
    ),
    Sample(
        "einsum-ellipsis-one",
        lambda a: (
            np.einsum("...i->...", a),
            np.einsum("i...->...i", a),
            np.einsum("...ii->...i", a),
            np.einsum("...", a),
            np.einsum("...ij->i...", a),
            np.einsum("...->...", a),
        ),
        (normal(2, 3, 3),),
        (np.einsum,),
        rtol=1e-5,
        atol=1e-6,
        symbolic={0: {0: "n"}},
    ),
    Sample(
        "einsum-ellipsis-ranks",
        lambda a, b: (np.einsum("...i,...i", a, b), np.einsum("...,i...->i...", a[0, 0], b)),
        (normal(2, 3, 4), normal(3, 4)),
        (np.einsum,),
        rtol=1e-5,
        atol=1e-6,
    ),
    Sample(
        "einsum-ellipsis-summed",
        lambda a: np.einsum("...i->i", a, optimize=True),
        (normal(2, 3, 4),),
        (np.einsum,),
        rtol=1e-5,
    ),
    Sample(
        "einsum-sublists",
        lambda a, b: (
            np.einsum(a, [0, 1], b, [1, 2]),
            np.einsum(a, [0, 1], b, [1, 2], [2, 0]),
            np.einsum(a, [1, 0]),
            np.einsum(a, [Ellipsis, 3], [3, Ellipsis]),
            np.einsum(a, [51, 0], b, [0, 7], optimize=True),
        ),
        (B, C),
        (np.einsum,),
        rtol=1e-5,
        atol=1e-6,
    ),
    Sample(
        "einsum-spaces",
        lambda a, b: np.einsum(" i j , j k -> k i ", a, b),
        (B, C),
        (np.einsum,),
        rtol=1e-5,
        atol=1e-6,
    ),
    Sample(
        "einsum-broadcast-ones",
        lambda a, b: (
            np.einsum("ij,ij->ij", a, b),
            np.einsum("ij,jk->ik", a, b.T),
            np.einsum("ij,ij->", a, b),
            np.einsum("ij,ij->ji", a[:, :1], b[:1]),
        ),
        (normal(1, 3), normal(2, 3)),
        (np.einsum,),
        rtol=1e-5,
        atol=1e-6,
    ),
    Sample(
        "einsum-ones-kept",
        lambda a: (
            np.einsum("ij->ji", a * 2),
            np.einsum("ij,ij->ij", a, a),
            np.einsum("ij->j", a),
        ),
        (normal(1, 1),),
        (np.einsum,),
    ),
    Sample(
        "einsum-empty",
        lambda a, b: (
            np.einsum("ij,jk->ik", a, b),
            np.einsum("ij->", a),
            np.einsum("ij->i", a),
        ),
        (np.zeros((3, 0)), np.zeros((0, 2))),
        (np.einsum,),
    ),
    Sample(
        "einsum-scalars",
        lambda a: (
            np.einsum("i,->i", a, 2.0),
            np.einsum("i,->i", a, 3),
            np.einsum(",->", a[0], a[1]),
            np.einsum(",i", 2, a),
            np.einsum("->", a[0]),
        ),
        (normal(3),),
        (np.einsum,),
    ),
    Sample(
        "einsum-0d",
        lambda a, b: (
            np.einsum("->", a),
            np.einsum(",", a, b),
            np.einsum("i,i", [1, 2], [a, b]),
        ),
        (np.array(2.5), np.array(1.5)),
        (np.einsum,),
    ),
    Sample(
        "einsum-promotes",
        lambda a, b: (np.einsum("ij,jk->ik", a, b), np.einsum("ij,jk->ik", a, a.T)),
        (values(2, 3, dtype="i2"), normal(3, 2)),
        (np.einsum,),
        rtol=1e-6,
    ),
    Sample(
        "einsum-dtype",
        lambda a: (
            np.einsum("ij->i", a, dtype=np.float64),
            np.einsum("ij,ij->i", a, a, dtype="f8"),
            np.einsum("ij->i", a, dtype="f2", casting="same_kind"),
            np.einsum("ij,kj->ik", a, a, dtype="f8", optimize=True),
        ),
        (B,),
        (np.einsum,),
        rtol=1e-2,
    ),
    Sample(
        "einsum-casting",
        lambda a: np.einsum("ij->i", a * 9, dtype="i4", casting="unsafe"),
        (B,),
        (np.einsum,),
    ),
    Sample(
        "einsum-out",
        lambda a: (
            np.einsum("ij->i", a, out=np.zeros_like(a[:, 0])),
            np.einsum("ij,ij->", a, a, out=np.zeros_like(a[0, 0, ...]), optimize=True),
        ),
        (B,),
        (np.einsum,),
        rtol=1e-5,
    ),
    Sample(
        "einsum-out-wide",
        lambda a: np.einsum("i,i->", a, a, out=np.zeros_like(a[0, ...], dtype="i8")),
        (np.full(2, 100, "i1"),),
        (np.einsum,),
    ),
    Sample(
        "einsum-wraps",
        lambda a: (
            np.einsum("i,i->", a, a),
            np.einsum("i->", a),
            np.einsum("i,i,i->", a, a, a),
        ),
        (np.full(3, 100, "i1"),),
        (np.einsum,),
    ),
    Sample(
        "einsum-mixed-path",
        lambda a, v: (
            np.einsum("ij,jk,k->i", a, a, v),
            np.einsum("ij,jk,k->i", a, a, v, optimize=["einsum_path", (0, 1), (0, 1)]),
        ),
        (np.arange(9, dtype="i1").reshape(3, 3) * 20, normal(3)),
        (np.einsum,),
        rtol=1e-5,
    ),
    Sample(
        "einsum-paths",
        lambda a, b: (
            np.einsum("ij,jk,kl->il", a, b, a, optimize="optimal"),
            np.einsum("ij,jk,kl->il", a, b, a, optimize=("greedy", 10)),
            np.einsum(
                "ij,jk,kl->il", a, b, a, optimize=np.einsum_path("ij,jk,kl->il", a, b, a)[0]
            ),
            np.einsum("ij,jk,kl->il", a, b, a, optimize=["einsum_path", (0, 1, 2)]),
        ),
        (B, C),
        (np.einsum, np.einsum_path),
        rtol=1e-5,
        atol=1e-6,
    ),
    Sample(
        "einsum-bools-beside-size-1",  # the axis of size 1 keeps the bools' axis from being ored
        lambda a, b, c, d: np.einsum("bda,ede,ad,bde", a, b, c, d, optimize=True),
        (
            np.ones((1, 2, 2)),
            np.ones((3, 2, 3), "i4"),
            np.ones((2, 2), bool),
            np.ones((2, 2, 3), bool),
        ),
        (np.einsum,),
    ),
    Sample(
        "einsum-layout-of-many",
        lambda a, b, c, d: _first_set(
            np.einsum("ceb...,e...,da,dab->ca...bd", a, b, c.T, d, optimize="greedy")
        ),
        (
            np.ones((1, 1, 3, 1, 1), "u1"),
            np.ones(1, "i4"),
            np.ones((1, 2), "i4"),
            np.ones((2, 1, 1), "i4"),
        ),
        (np.einsum,),
    ),
    Sample(
        "einsum-order",
        lambda a: (np.einsum("ij,jk->ik", a, a, order="F"), np.einsum("ij->ji", a, order="C")),
        (A,),
        (np.einsum,),
        rtol=1e-5,
    ),
    Sample(
        "einsum-edges",
        lambda a, b: (
            np.einsum("i,i->i", a, b),
            np.einsum("i->", a),
            np.einsum("ii->i", np.outer(a, b)),
        ),
        (np.array([0.0, -0.0, np.nan, np.inf, 1]), np.array([-1.0, 2, 1, 3, -0.0])),
        (np.einsum,),
    ),
    Sample(
        "einsum-attention",
        lambda q, k, v: np.einsum("bhqk,bkhd->bqhd", np.einsum("bqhd,bkhd->bhqk", q, k), v),
        (normal(2, 3, 2, 4), normal(2, 5, 2, 4, seed=1), normal(2, 5, 2, 4, seed=2)),
        (np.einsum,),
        rtol=1e-4,
        atol=1e-5,
        symbolic={0: {0: "b", 1: "q"}, 1: {0: "b", 1: "k"}, 2: {0: "b", 1: "k"}},
    ),
]
