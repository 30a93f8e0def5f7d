"""``einsum`` in every form."""

from __future__ import annotations

import numpy as np

from tests.samples.base import ALL_DTYPES, BFLOAT16, Sample, values

SIZES = dict(zip("abcdijklmn", (2, 3, 4, 5, 3, 4, 2, 5, 3, 2), strict=True))


def _arrays(subscripts: str, dtype="f4") -> tuple:
    inputs = subscripts.partition("->")[0].replace(" ", "").split(",")
    return tuple(
        values(*(SIZES[letter] for letter in term), dtype=dtype, seed=i)
        for i, term in enumerate(inputs)
    )


def _open(subscripts: str, letter: str) -> dict:
    """Leave every axis with one letter open."""
    inputs = subscripts.partition("->")[0].replace(" ", "").split(",")
    return {
        i: {axis: "n" for axis, other in enumerate(term) if other == letter}
        for i, term in enumerate(inputs)
        if letter in term
    }


FORMS = (
    "i->i",
    "i->",
    "ij->ji",
    "ij->ij",
    "ij->i",
    "ij->j",
    "ij->",
    "ii->i",
    "ii->",
    "ii",
    "iii->i",
    "iijj->ij",
    "iijj->ji",
    "iji->j",
    "iij->ij",
    "iij->i",
    "ijk->kij",
    "ijk->ik",
    "ba",
    "ab",
    "i,i->",
    "i,i->i",
    "i,j->ij",
    "i,j->ji",
    "i,j->",
    "ij,j->i",
    "ij,j->ij",
    "ij,ij->ij",
    "ij,ij->i",
    "ij,ij->",
    "ij,jk->ik",
    "ij,jk->ki",
    "ij,jk->i",
    "ij,jk",
    "ij,kj->ik",
    "ji,jk->ik",
    "aij,ajk->aik",
    "aij,ajk->ika",
    "aij,jk->aik",
    "abij,abjk->abik",
    "abij,acij->bc",
    "ijkl,klm->ijm",
    "ijk,jil->kl",
    "ijk,ijl->kl",
    "ii,i->i",
    "ii,jj->ij",
    "ii,ij->j",
    "ij,ji->",
    "ij,k->jk",
    "i,->i",
    "ij,jk,kl->il",
    "ij,jk,kl",
    "i,ij,j->",
    "i,j,k->ijk",
    "ij,ik,il->jkl",
    "i,i,i->i",
    "ai,bi,ci->abc",
    "abc,bd,cd,ae->e".replace("e", "m"),
    "ij,jk,kl,lm->im",
)

SAMPLES = [
    *(
        Sample(
            f"einsum-{form}",
            lambda *x, f=form: np.einsum(f, *x),
            _arrays(form),
            (np.einsum,),
            rtol=1e-5,
            atol=1e-5,
        )
        for form in FORMS
    ),
    *(
        Sample(
            f"einsum-{form}-open-{letter}",
            lambda *x, f=form: np.einsum(f, *x),
            _arrays(form),
            (np.einsum,),
            rtol=1e-5,
            atol=1e-5,
            symbolic=_open(form, letter),
        )
        for form in FORMS
        for letter in sorted(set(form) & set("abcdijklmn"))
    ),
    *(
        Sample(
            f"einsum-optimize-{form}",
            lambda *x, f=form: np.einsum(f, *x, optimize=True),
            _arrays(form),
            (np.einsum,),
            rtol=1e-5,
            atol=1e-5,
            symbolic=_open(form, "j"),
        )
        for form in FORMS
    ),
    *(
        Sample(
            f"einsum-{form}-{d}",
            lambda *x, f=form: np.einsum(f, *x),
            _arrays(form, d),
            (np.einsum,),
            rtol=1e-2 if d.itemsize == 2 else 1e-5,
            atol=1e-2 if d.itemsize == 2 else 1e-5,
        )
        for form in ("ij->i", "ii->", "ij,jk->ik", "ij,ij->i", "i,ij,j->")
        for d in ALL_DTYPES
        if d != BFLOAT16
    ),
]
