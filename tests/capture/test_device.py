"""The device: identity, defaults, and one active scope at a time."""

import asyncio
import gc
import threading

import numpy as np
import pytest

from capture import CaptureDevice, NumpyDevice, capture_scope
from capture.errors import AlreadyActiveError, InvalidDeviceError
from tests.capture.telling import HERE, told


def test_a_device_is_reusable():
    device = CaptureDevice()
    graphs = []
    for _ in range(2):
        with capture_scope(device) as scope:
            scope.output("y", scope.input("x", (2,)) + 1)
        graphs.append(scope.graph)
    first, second = graphs
    assert [str(v.type) for v in first.inputs] == [str(v.type) for v in second.inputs]
    assert first is not second


def test_a_device_is_hashable():
    device, other = CaptureDevice(), CaptureDevice()
    assert {device: 1, other: 2}[device] == 1
    assert device != other


def test_ids_rise_and_are_never_reused():
    first = CaptureDevice().to_id()
    gc.collect()
    second = CaptureDevice().to_id()
    assert second > first


def test_ids_stay_unique_across_threads():
    made = []

    def make():
        made.extend([CaptureDevice() for _ in range(50)])

    threads = [threading.Thread(target=make) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({device.to_id() for device in made}) == 200


def test_an_id_leads_back_to_its_device():
    device = CaptureDevice()
    assert CaptureDevice.from_id(device.to_id()) is device


def test_the_id_of_a_released_device_leads_nowhere():
    number = CaptureDevice().to_id()
    gc.collect()
    with pytest.raises(InvalidDeviceError) as caught:
        CaptureDevice.from_id(number)
    assert told(caught) == (
        f"from_id: no living capture device has the id {number}\n{HERE}\n"
        "  ways out: keep the device alive as long as its id is used"
    )


def test_default_dtypes():
    device = CaptureDevice()
    assert device.float_dtype == np.float32
    assert device.int_dtype == np.int64
    assert device.bool_dtype == np.bool_


def test_inputs_take_the_default_dtype():
    with capture_scope(CaptureDevice(float_dtype=np.float64)) as scope:
        assert scope.input("x").dtype == np.float64
    with capture_scope(CaptureDevice()) as scope:
        assert scope.input("x").dtype == np.float32


def test_one_active_scope_per_device():
    device = CaptureDevice()
    with capture_scope(device) as scope:
        with pytest.raises(AlreadyActiveError) as caught, capture_scope(device):
            pass
        assert not scope.is_closed
    assert told(caught) == (
        f"capture_scope: <CaptureDevice {device.to_id()} (recording)> has an active scope "
        f"already\n{HERE}\n"
        "  ways out: leave it or call its complete() first; or use another device"
    )


def test_one_active_scope_per_device_across_threads():
    device = CaptureDevice()
    errors = []

    def enter():
        try:
            with capture_scope(device):
                pass
        except AlreadyActiveError as error:
            errors.append(error)

    with capture_scope(device):
        thread = threading.Thread(target=enter)
        thread.start()
        thread.join()
    assert len(errors) == 1


def test_scopes_on_different_devices_nest():
    outer_device, inner_device = CaptureDevice(), CaptureDevice()
    with capture_scope(outer_device) as outer:
        x = outer.input("x", (2,))
        with capture_scope(inner_device) as inner:
            inner.output("b", inner.input("a", (3,)) * 2)
        outer.output("y", x + 1)
    assert [node.op.name for node in inner.graph.nodes] == ["multiply"]
    assert [node.op.name for node in outer.graph.nodes] == ["add"]


def test_scopes_on_different_devices_run_in_threads():
    barrier = threading.Barrier(4)
    graphs = {}

    def work(number):
        with capture_scope(CaptureDevice()) as scope:
            barrier.wait()
            x = scope.input("x", (number,))
            for _ in range(number):
                x = x * 2
            barrier.wait()
            scope.output("y", x)
        graphs[number] = scope.graph

    threads = [threading.Thread(target=work, args=(number,)) for number in (1, 2, 3, 4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {n: len(graph.nodes) for n, graph in graphs.items()} == {1: 1, 2: 2, 3: 3, 4: 4}


def test_scopes_on_different_devices_run_in_tasks():
    async def work(number):
        with capture_scope(CaptureDevice()) as scope:
            x = scope.input("x", (2,))
            for _ in range(number):
                x = x * 2
                await asyncio.sleep(0)
            scope.output("y", x)
        return len(scope.graph.nodes)

    async def main():
        return await asyncio.gather(*map(work, (3, 1, 2)))

    assert asyncio.run(main()) == [3, 1, 2]


@pytest.mark.parametrize("device", ["cpu", 0, None, NumpyDevice()], ids=repr)
def test_a_device_that_is_no_capture_device_is_refused(device):
    with pytest.raises(InvalidDeviceError) as caught, capture_scope(device):
        pass
    assert told(caught) == (
        f"capture_scope: {device!r} is no capture device\n{HERE}\n"
        "  ways out: make one with CaptureDevice()"
    )


def test_repr_tells_the_state():
    device = CaptureDevice()
    assert repr(device) == f"<CaptureDevice {device.to_id()} (idle)>"
    with capture_scope(device):
        assert repr(device) == f"<CaptureDevice {device.to_id()} (recording)>"
