"""The kernel tables: they parse, hold known facts, and agree with the runtime installed."""

from __future__ import annotations

import random
import subprocess
import sys
from importlib import metadata

import ml_dtypes
import numpy as np
import pytest

from exporters.onnx.kernels import KernelTable, kernel_table, kernel_versions
from exporters.onnx.kernels.probes import DTYPES, OLDEST_OPSET, DType, probes

VERSIONS = kernel_versions()


def dtype(name: str) -> DType:
    return {known.name: known for known in DTYPES}[name]


@pytest.fixture(params=VERSIONS)
def table(request: pytest.FixtureRequest) -> KernelTable:
    version: str = request.param
    return kernel_table(version)


def test_versions_ascend_by_number_not_by_text() -> None:
    numbers = [tuple(map(int, version.split("."))) for version in VERSIONS]
    assert numbers == sorted(numbers)
    assert len(VERSIONS) >= 5


def test_every_table_answers_for_every_probe_of_today(table: KernelTable) -> None:
    assert table.oldest_opset == OLDEST_OPSET
    assert table.newest_opset >= 20
    assert list(table.operators) == list(probes())


def test_no_table_claims_an_opset_that_its_runtime_refuses(table: KernelTable) -> None:
    loaded = sum(1 << o for o in range(table.oldest_opset, table.newest_opset + 1))
    for opsets_by_dtype in table.operators.values():
        for opsets in opsets_by_dtype.values():
            assert opsets & ~loaded == 0
    assert not table.supports("Add", dtype("float32"), table.newest_opset + 1)
    assert not table.supports("Add", dtype("float32"), table.oldest_opset - 1)


@pytest.mark.parametrize(
    ("op_type", "runs", "refused"),
    [
        ("Max", "int32 uint32 float16 float64", "int16 uint16 bool bfloat16"),
        ("Neg", "int8 int16 int64 float32", "uint8 uint16 uint32 uint64"),
        ("Tan", "float16 float32", "float64 bfloat16 int32"),
        ("Pow:int64", "int32 int64 float32", "int8 int16 uint32"),
        ("Identity", "bool uint64 bfloat16", ""),
        ("Mod", "int8 uint64", "float32 float64"),
        ("Mod:fmod", "int8 float64", "bool"),
        ("ScatterND:add", "int16 float64", "float16 bfloat16"),
    ],
)
def test_known_kernels(table: KernelTable, op_type: str, runs: str, refused: str) -> None:
    assert all(table.supports(op_type, dtype(name), 20) for name in runs.split())
    assert not any(table.supports(op_type, dtype(name), 20) for name in refused.split())


def test_releases_differ() -> None:
    assert not kernel_table("1.23.2").supports("Max", dtype("int8"), 20)
    assert kernel_table("1.26.0").supports("Max", dtype("int8"), 20)
    assert not kernel_table("1.28.0").supports("Cos", dtype("float64"), 20)
    assert kernel_table("1.31.1").supports("Cos", dtype("float64"), 20)


def test_an_operator_starts_at_the_opset_that_defines_it(table: KernelTable) -> None:
    float32 = dtype("float32")
    for op_type, since in (("Gelu", 20), ("ScatterND:max", 18), ("Pad:wrap", 19)):
        assert not table.supports(op_type, float32, since - 1)
        assert table.supports(op_type, float32, since)


def test_casts_are_keyed_by_source_and_target(table: KernelTable) -> None:
    assert table.supports_cast(np.dtype(np.int64), np.dtype(ml_dtypes.bfloat16), 17)
    assert table.supports_cast(dtype("float64"), dtype("bool"), 20)
    assert not table.supports_cast(dtype("float64"), np.dtype(np.complex64), 20)
    assert not table.supports_cast(np.dtype(np.complex64), dtype("float64"), 20)


def test_an_operator_nobody_probed_is_an_error_not_a_no() -> None:
    with pytest.raises(KeyError, match=r"Madd: not in the kernel table of onnxruntime 1\."):
        kernel_table().supports("Madd", dtype("float32"), 20)


def test_a_version_without_a_table_takes_the_newest_before_it() -> None:
    assert kernel_table("99.0").runtime == f"onnxruntime {VERSIONS[-1]}"
    assert kernel_table(f"{VERSIONS[0]}.1").runtime == f"onnxruntime {VERSIONS[0]}"
    assert kernel_table(f"{VERSIONS[1]}.dev3+cpu").runtime == f"onnxruntime {VERSIONS[1]}"
    with pytest.raises(LookupError, match=f"onnxruntime 1.2: the oldest is for {VERSIONS[0]}"):
        kernel_table("1.2")


def test_the_installed_runtime_decides_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    def install(version: str | None) -> KernelTable:
        def answer(name: str) -> str:
            if version is None:
                raise metadata.PackageNotFoundError(name)
            return version

        kernel_table.cache_clear()
        monkeypatch.setattr(metadata, "version", answer)
        return kernel_table()

    assert install(VERSIONS[1]).runtime == f"onnxruntime {VERSIONS[1]}"
    assert install(None).runtime == f"onnxruntime {VERSIONS[-1]}"
    assert install("1.2").runtime == f"onnxruntime {VERSIONS[0]}"
    kernel_table.cache_clear()


def test_reading_a_table_does_not_import_the_runtime(pytestconfig: pytest.Config) -> None:
    code = (
        "import sys; from exporters.onnx.kernels.table import kernel_table; kernel_table();"
        "assert 'onnxruntime' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], cwd=pytestconfig.rootpath, check=True)


def test_the_installed_runtime_agrees_with_its_table() -> None:
    runtime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    if runtime.__version__ not in VERSIONS:
        pytest.skip(f"onnxruntime {runtime.__version__} has no table to compare with")
    from exporters.onnx.kernels.generate import failure, newest_opset

    table = kernel_table(runtime.__version__)
    assert newest_opset() == table.newest_opset
    pick = random.Random(0)
    every = probes()
    for _ in range(40):
        key = pick.choice(list(every))
        picked = pick.choice(DTYPES)
        opset = pick.randint(every[key].since, table.newest_opset)
        reason = failure(every[key], picked, opset)
        assert table.supports(key, picked, opset) == (reason is None), (key, picked, opset)
