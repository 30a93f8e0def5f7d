"""Guards of ``np.random``: this thread or task, user code only, and always undone."""

import asyncio
import threading
import types

import numpy as np
import numpy.random as random_module
import pytest

from capture import CaptureDevice, capture_scope
from capture.errors import RandomnessError


def picture():
    return {name: getattr(random_module, name) for name in dir(random_module)}


@pytest.fixture(autouse=True)
def unchanged():
    before = picture()
    yield
    assert picture() == before


def test_identical_before_and_after():
    before = picture()
    with capture_scope(CaptureDevice()):
        pass
    assert picture() == before


def test_identical_after_an_exception():
    before = picture()
    with pytest.raises(ZeroDivisionError), capture_scope(CaptureDevice()):
        _ = 1 / 0
    assert picture() == before


def test_identical_after_nested_scopes():
    before = picture()
    with capture_scope(CaptureDevice()):
        with capture_scope(CaptureDevice()):
            pass
        with pytest.raises(RandomnessError):  # the outer scope still guards
            np.random.rand()
    assert picture() == before


def test_identical_after_an_inner_scope_fails():
    before = picture()
    with capture_scope(CaptureDevice()):
        with pytest.raises(ZeroDivisionError), capture_scope(CaptureDevice()):
            _ = 1 / 0
        with pytest.raises(RandomnessError):
            np.random.rand()
    assert picture() == before


def test_identical_after_scopes_in_threads():
    before = picture()
    barrier, errors = threading.Barrier(4), []

    def work():
        with capture_scope(CaptureDevice()):
            barrier.wait()
            try:
                np.random.rand()
            except RandomnessError as error:
                errors.append(error)
            barrier.wait()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(errors) == 4
    assert picture() == before


def test_identical_after_interleaved_tasks():
    before = picture()
    errors = []

    async def work(pauses):
        with capture_scope(CaptureDevice()):
            for _ in range(pauses):
                await asyncio.sleep(0)
            try:
                np.random.rand()
            except RandomnessError as error:
                errors.append(error)

    async def main():
        await asyncio.gather(*map(work, (5, 1, 3)))

    asyncio.run(main())
    assert len(errors) == 3
    assert picture() == before


def test_other_threads_are_untouched():
    drawn = []

    def draw():
        np.random.seed(3)
        drawn.append(np.random.rand())
        drawn.append(np.random.RandomState(3).rand())
        drawn.append(np.random.default_rng(3).random())

    with capture_scope(CaptureDevice()):
        thread = threading.Thread(target=draw)
        thread.start()
        thread.join()
    assert drawn[0] == drawn[1]
    assert drawn[2] == np.random.default_rng(3).random()


def test_other_tasks_are_untouched():
    drawn = []

    async def capture_slowly(entered, leave):
        with capture_scope(CaptureDevice()):
            entered.set()
            await leave.wait()

    async def draw(entered, leave):
        await entered.wait()
        drawn.append(np.random.default_rng(3).random())
        leave.set()

    async def main():
        entered, leave = asyncio.Event(), asyncio.Event()
        await asyncio.gather(capture_slowly(entered, leave), draw(entered, leave))

    asyncio.run(main())
    assert drawn == [np.random.default_rng(3).random()]


def library(name):
    module = types.ModuleType(name)
    exec(
        "import numpy as np\ndef draw(): return np.random.RandomState(3).rand()",
        module.__dict__,
    )
    module.__dict__["__name__"] = name
    return module


@pytest.mark.parametrize("name", ["sklearn.utils", "scipy.stats", "torch", "pandas.core"])
def test_library_callers_are_untouched(name):
    module = library(name)
    with capture_scope(CaptureDevice()):
        inside = module.draw()
    assert inside == np.random.RandomState(3).rand()


def test_user_modules_are_guarded():
    module = library("somebodys_features")
    with capture_scope(CaptureDevice()), pytest.raises(RandomnessError):
        module.draw()


def test_scikit_learn_itself_draws_inside_a_scope():
    from sklearn.utils import check_random_state

    with capture_scope(CaptureDevice()):
        inside = check_random_state(3).rand()
    assert inside == np.random.RandomState(3).rand()


def test_isinstance_of_the_guarded_class_works_inside():
    state, generator = np.random.RandomState(3), np.random.default_rng(3)
    with capture_scope(CaptureDevice()):
        assert isinstance(state, np.random.RandomState)
        assert not isinstance(generator, np.random.RandomState)
        assert isinstance(generator, np.random.Generator)
        assert issubclass(type(state), np.random.RandomState)


def test_objects_made_before_the_scope_draw_inside():
    state, generator = np.random.RandomState(3), np.random.default_rng(3)
    with capture_scope(CaptureDevice()):
        inside = state.rand(), generator.random()
    assert inside == (np.random.RandomState(3).rand(), np.random.default_rng(3).random())


def test_the_state_may_be_asked_for():
    with capture_scope(CaptureDevice()):
        kind = np.random.get_state()[0]
    assert kind == "MT19937"


def test_a_guard_imported_inside_passes_through_afterwards():
    with capture_scope(CaptureDevice()):
        from numpy.random import rand, seed

        with pytest.raises(RandomnessError):
            rand()
    seed(3)
    assert rand() == np.random.RandomState(3).rand()


def test_intercept_false_leaves_np_random_alone():
    with capture_scope(CaptureDevice(), intercept=False):
        inside = picture()
        np.random.rand()
    assert inside == picture()


def test_a_thread_that_captures_does_not_guard_one_that_does_not():
    entered, leave = threading.Event(), threading.Event()

    def capture_slowly():
        with capture_scope(CaptureDevice()):
            entered.set()
            leave.wait(10)

    thread = threading.Thread(target=capture_slowly)
    thread.start()
    entered.wait(10)
    try:
        drawn = np.random.RandomState(3).rand()
    finally:
        leave.set()
        thread.join()
    assert drawn == np.random.RandomState(3).rand()


def test_drawing_is_free_again_after_complete():
    with capture_scope(CaptureDevice()) as scope:
        scope.complete()
        assert 0 <= np.random.default_rng().random() < 1


def test_a_task_that_outlives_its_scope_is_free_again():
    async def late(go):
        await go.wait()
        return np.random.RandomState(3).rand()

    async def main():
        go = asyncio.Event()
        with capture_scope(CaptureDevice()):
            task = asyncio.create_task(late(go))
            await asyncio.sleep(0)
        with capture_scope(CaptureDevice(), intercept=True) as other:
            other.complete()
            go.set()
            return await task

    assert asyncio.run(main()) == np.random.RandomState(3).rand()
