"""Devices that are declared are known by their names."""

import typing

import pytest

from webmotor_drake.errors import InputError
from webmotor_drake.nodes import device
from webmotor_drake.nodes.body_sensors import GPS
from webmotor_drake.nodes.device import DEVICES, DeviceNode, Pose
from webmotor_drake.nodes.field import node


@pytest.fixture
def known(monkeypatch):
    monkeypatch.setattr(device, "DEVICES", dict(DEVICES))
    monkeypatch.setattr(device, "_holders", [])
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


def test_a_turn_needs_an_axis_and_no_turn_needs_none():
    with pytest.raises(InputError, match="the axis is 0"):
        Pose(rotation=[0.0, 0.0, 0.0, 1.0]).check()
    Pose(rotation=[0.0, 0.0, 0.0, 0.0]).check()
    Pose(rotation=[0.0, 1.0, 0.0, 1.0]).check()


@pytest.mark.parametrize(
    ("latitude", "is_there"), [(84.0, True), (84.5, False)]
)
def test_a_gps_counts_degrees_where_utm_is(latitude, is_there):
    gps = GPS(coordinate_system="WGS84", reference=[latitude, 7.0, 0.0])
    if is_there:
        gps.check()
    else:
        with pytest.raises(InputError, match="degrees"):
            gps.check()
