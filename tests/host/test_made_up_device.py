"""A sensor that Webots does not have takes a declaration, a sampler and a class."""

import subprocess
import sys

import pytest
from folders import TEST_SCENARIOS

# As in the three files that CONTRIBUTING names, here in one.
# Declared after the driver whose table holds it: the order of imports is no matter.
PROGRAM = """
import typing
import webmotor_drake
webmotor_drake.WebotsMotorDriver
from webmotor_drake.nodes.device import DeviceNode
from webmotor_drake.nodes.field import field, node
from webmotor_drake.nodes.rules import POSITIVE

@node
class Thermometer(DeviceNode):
    '''Measures how warm it is.'''

    node_type: typing.ClassVar[int] = 2000

    lapse: float = field(6.5e-3, "colder per metre", unit="K/m", rule=POSITIVE)


from webmotor_drake.host.senses.body_sampler import BodySampler, device_for

@device_for(Thermometer)
class ThermometerSampler(BodySampler):
    '''The temperature, K.'''

    blank = float("nan")

    def sensed(self):
        return 288.15 - self.node.lapse * float(self.place.p_WD()[2])


from webmotor_drake.controllers.devices.device import Sensor, newest

class Thermometer(Sensor):
    '''Measures how warm it is, K.'''

    _declared = Thermometer

    def getValue(self):
        return newest(self, "getValue()")


import sys
import webmotor_drake as wm

def session(fields):
    text = "{model_drivers: {arm: {devices: {warmth: !Thermometer " + fields + "}}}}"
    return wm.RobotSession(wm.load_scenario(sys.argv[1], name="Swing", text=text))

with session("{lapse: 2}") as opened:
    robot = opened.robot("arm")
    warmth, gps = robot.getDevice("warmth"), robot.getDevice("gps")
    gps.enable(8)
    warmth.enable(8)
    robot.step(8)
    print(type(warmth).__name__, warmth.getNodeType(), warmth.getValue())
try:
    session("{lapse: 0}")
except wm.InputError as error:
    print(error)
print(Thermometer._declared.__doc__)
"""


@pytest.mark.slow
def test_it_is_read_measured_checked_and_documented():
    done = subprocess.run(
        [
            *(sys.executable, "-c", PROGRAM),
            str(TEST_SCENARIOS / "devices.scenario.yaml"),
        ],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    measured, refused, *documented = done.stdout.splitlines()
    name, number, value = measured.split()
    assert (name, number) == ("Thermometer", "2000")
    # Its frame is the arm's first body, whose origin is 3 m above the ground.
    assert float(value) == pytest.approx(288.15 - 2 * 3)
    assert refused.endswith(
        "devices.warmth.lapse: 0 K/m is not allowed; must be above 0"
    )
    assert "    lapse: colder per metre, K/m (above 0)." in documented
