"""Devices that are declared are known by their names."""

import typing

import pytest

from webmotor_drake.nodes import device
from webmotor_drake.nodes.device import DEVICES, DeviceNode
from webmotor_drake.nodes.field import node


@pytest.fixture
def known(monkeypatch):
    monkeypatch.setattr(device, "DEVICES", dict(DEVICES))
    return device.DEVICES


def test_a_device_with_a_number_is_known_and_one_without_is_not(known):
    @node
    class Barometer(DeviceNode):
        """Measures pressure."""

        node_type: typing.ClassVar[int] = 2001

    @node
    class Unnumbered(DeviceNode):
        """A base of others."""

    assert known["Barometer"] is Barometer
    assert Barometer.node_type == 2001
    assert "Unnumbered" not in known
    assert known["GPS"].node_type == device.TYPES["GPS"]
