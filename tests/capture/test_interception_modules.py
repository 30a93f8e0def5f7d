"""What user modules see inside a scope, and that all is as before after it."""

import asyncio
import builtins
import copy
import math
import pickle
import sys
import threading
import types

import numpy as np
import pytest

from capture import CaptureDevice, TensorSpec, capture_scope, trace
from capture.interception import Interception
from capture.tensor import Tensor
from tests.capture.interception_kit import run

TABLE = np.arange(12.0).reshape(4, 3)
X = TensorSpec((3,), np.float32)
EMPTY_LIKE = {"make": np.zeros, "join": np.concatenate, "table": np.arange(5.0)}
HERE = sys.modules[__name__]


def picture():
    """Everything that must be the same before and after."""
    namespaces = {
        "np": dict(vars(np)),
        "linalg": dict(vars(np.linalg)),
        "here": dict(globals()),
    }
    namespaces["math"] = dict(vars(math))
    namespaces["tricks"] = dict(vars(np.lib.stride_tricks))
    namespaces["builtins"] = dict(vars(builtins))
    for name in set(namespaces["np"]) - {"lib", "linalg", "random"}:
        if isinstance(namespaces["np"][name], types.ModuleType):
            del namespaces["np"][name]  # NumPy loads some of its modules when first asked for
    return {key: {n: id(v) for n, v in space.items()} for key, space in namespaces.items()}


@pytest.fixture(autouse=True)
def unchanged():
    before = picture()
    table = dict(EMPTY_LIKE)
    yield
    assert picture() == before
    assert all(EMPTY_LIKE[key] is table[key] for key in table)
    assert type(TABLE) is np.ndarray


def test_restored_after_exceptions_and_nesting():
    def nested():
        with capture_scope(CaptureDevice()):
            with capture_scope(CaptureDevice()):
                assert type(np.zeros(3)) is Tensor
            assert type(np.zeros(3)) is Tensor
            return 1 / 0

    before = picture()
    with pytest.raises(ZeroDivisionError):
        nested()
    assert picture() == before
    assert type(np.zeros(3)) is np.ndarray


def test_arrays_belong_to_the_innermost_scope():
    with capture_scope(CaptureDevice()) as outer:
        with capture_scope(CaptureDevice()) as inner:
            assert np.zeros(3)._recorder is inner._recorder
        assert np.zeros(3)._recorder is outer._recorder


def test_scopes_that_close_out_of_order():
    first, second = CaptureDevice(), CaptureDevice()
    a, b = capture_scope(first), capture_scope(second)
    scope_a, scope_b = a.__enter__(), b.__enter__()
    a.__exit__(None, None, None)
    assert np.ones(2)._recorder is scope_b._recorder
    assert scope_a.is_closed
    b.__exit__(None, None, None)
    assert type(np.ones(2)) is np.ndarray


def test_other_threads_are_untouched():
    seen = {}

    def other():
        import numpy as local

        seen["made"] = type(np.zeros(3)), type(local.array([1])), type(np.array(TABLE))
        seen["math"] = math.sqrt(4.0)
        seen["max"] = max(3, 4)
        seen["row"] = TABLE[1].copy()
        seen["held"] = EMPTY_LIKE["make"](2)

    with capture_scope(CaptureDevice()):
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
    assert seen["made"] == (np.ndarray,) * 3
    assert (seen["math"], seen["max"]) == (2.0, 4)
    assert type(seen["held"]) is np.ndarray
    np.testing.assert_array_equal(seen["row"], [3.0, 4.0, 5.0])


def test_scopes_in_many_threads_at_once():
    results = {}

    def work(number):
        def program(x):
            total = np.zeros(3)
            for row in TABLE:
                total += row * x
            return total + number

        graph = trace(program, X)
        results[number] = graph(np.ones(3, np.float32))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number in range(8):
        np.testing.assert_allclose(results[number], TABLE.sum(0) + number)


def test_tasks_are_apart():
    async def inside(started, go):
        with capture_scope(CaptureDevice()):
            started.set()
            await go.wait()
            return type(np.zeros(2))

    async def main():
        started, go = asyncio.Event(), asyncio.Event()
        task = asyncio.create_task(inside(started, go))
        await started.wait()
        outside = type(np.zeros(2))
        go.set()
        return outside, await task

    assert asyncio.run(main()) == (np.ndarray, Tensor)


def test_intercept_false():
    with capture_scope(CaptureDevice(), intercept=False) as scope:
        assert type(np.zeros(3)) is np.ndarray
        assert type(TABLE) is np.ndarray
        x = scope.input("x", (3,))
        scope.output("y", x + np.ones(3, np.float32))
    with capture_scope(CaptureDevice()):
        with capture_scope(CaptureDevice(), intercept=False):
            assert type(np.zeros(3)) is np.ndarray
        assert type(np.zeros(3)) is Tensor


@pytest.mark.parametrize(
    ("rules", "kind"),
    [
        (Interception(skip=(__name__,)), np.ndarray),
        (Interception(skip=(__name__.partition(".")[0],)), np.ndarray),
        (Interception(only=("nothing.here",)), np.ndarray),
        (Interception(only=(__name__,)), Tensor),
        (Interception(skip=("another",)), Tensor),
    ],
)
def test_rules(rules, kind):
    with capture_scope(CaptureDevice(), intercept=rules):
        assert type(np.zeros(3)) is kind
    with capture_scope(CaptureDevice()):  # the outer scope rewrites, the inner one has a say
        with capture_scope(CaptureDevice(), intercept=rules):
            assert type(np.zeros(3)) is kind
        assert type(np.zeros(3)) is Tensor


def module(name, source):
    made = types.ModuleType(name)
    sys.modules[name] = made
    exec(source, made.__dict__)
    return made


@pytest.fixture
def helper():
    made = module(
        "helper_of_interception_tests",
        "from numpy import zeros, array, stack as pile\n"
        "from numpy.lib.stride_tricks import as_strided\n"
        "import numpy, numpy.linalg as la, math\n"
        "from math import sqrt, ceil\n"
        "WEIGHTS = numpy.arange(6.0).reshape(2, 3)\n"
        "def fill(x):\n"
        "    out = zeros((2, 3))\n"
        "    out[0] = x\n"
        "    out[1] = array([x[0], x[1], 2.0])\n"
        "    return pile([out[0], out[1]]) + WEIGHTS\n"
        "def root(x): return sqrt(x[0]) + ceil(x[1]) + max(x[0], x[1])\n",
    )
    yield made
    del sys.modules[made.__name__]


def test_names_bound_in_other_modules(helper):
    before = dict(vars(helper))
    x = np.array([4.0, 2.5, 1.0])
    np.testing.assert_array_equal(run(helper.fill, x), helper.fill(x))
    np.testing.assert_array_equal(run(helper.root, x), helper.root(x))
    assert dict(vars(helper)) == before
    assert vars(helper).keys() == before.keys()


def test_modules_imported_inside_a_scope(tmp_path, monkeypatch):
    (tmp_path / "late_module_of_tests.py").write_text(
        "import numpy as np\nimport numpy.linalg as la\nfrom numpy import zeros\n"
        "from math import sin\nROW = zeros(3)\nONES = np.ones(2)\n"
        "def f(x):\n    y = zeros(3)\n    y[0] = x[0]\n    return y + sin(x[1])\n"
    )
    monkeypatch.syspath_prepend(tmp_path)

    def program(x):
        import late_module_of_tests

        return late_module_of_tests.f(x)

    x = np.array([1.0, 2.0, 3.0])
    got = run(program, x)
    late = sys.modules.pop("late_module_of_tests")
    assert late.np is np
    assert late.la is np.linalg
    assert late.zeros is np.zeros
    assert late.sin is math.sin
    np.testing.assert_allclose(got, late.f(x))


def test_imports_inside_functions():
    def program(x):
        import math as m

        import numpy as xp
        import numpy.linalg as la
        from numpy import ones, stack
        from numpy.lib.stride_tricks import as_strided

        out = xp.zeros(3)
        out[1:] = ones(2)
        out[0] = m.exp(x[0])
        windows = as_strided(out, (2, 2), (8, 8))
        return stack([out, x]), la.norm([x[0], x[1]]), windows

    x = np.array([0.5, 1.5, 2.5])
    for got, want in zip(run(program, x), program(x), strict=True):
        np.testing.assert_allclose(got, want)


def test_import_hook_of_somebody_else_survives(monkeypatch):
    calls = []
    before = builtins.__import__
    with capture_scope(CaptureDevice()):
        ours = builtins.__import__

        def theirs(name, *args, **kwargs):
            calls.append(name)
            return ours(name, *args, **kwargs)

        builtins.__import__ = theirs
    assert builtins.__import__ is theirs
    import json  # noqa: F401

    import numpy as again

    assert again is np
    assert "json" in calls
    builtins.__import__ = before


def test_proxies_behave_as_what_they_stand_for():

    with capture_scope(CaptureDevice()):
        assert np.__name__ == "numpy"
        assert np.add == HERE.np.add
        assert np.add.nin == 2
        assert repr(np.add) == "<ufunc 'add'>"
        assert pickle.loads(pickle.dumps(np.add)) == np.add
        assert copy.copy(np.pi) == math.pi
        assert np.random.__name__ == "numpy.random"
        assert np.testing.assert_allclose is not None
        assert np.fft.fft([1.0, 2.0]).shape == (2,)
        np.our_own_mark = 5
    assert np.our_own_mark == 5
    del np.our_own_mark


def test_names_rebound_inside_stay():
    namespace = module(
        "rebinding_of_interception_tests", "import numpy as np\nW = np.ones(3)\n"
    )
    try:
        with capture_scope(CaptureDevice()):
            namespace.W = "mine"
            namespace.V = np.zeros  # the stand-in, bound under a new name
        assert namespace.W == "mine"
        assert namespace.V is np.zeros
    finally:
        del sys.modules[namespace.__name__]


def test_functions_made_inside_stay_usable():
    with capture_scope(CaptureDevice()):
        make = np.zeros
        root = np.sqrt
        spread = np.vectorize(lambda a: a + 1)
        longest = max
    assert type(make(3)) is np.ndarray
    assert root(4.0) == 2.0
    assert spread([1, 2]).tolist() == [2, 3]
    assert longest([1, 3]) == 3
