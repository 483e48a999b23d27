"""Controllers count a world's devices in the order of the file."""

import pytest
from connected import connected

import webmotor_drake as wm
from webmotor_drake.errors import InputError
from webmotor_drake.loading import load_scenario
from webmotor_drake.robot import RobotSession

pytestmark = pytest.mark.filterwarnings("ignore::webmotor_drake.MotorWarning")

WORLD = """#VRML_SIM R2023b utf8
Robot {
  name "r"
  children [
    GPS { name "g" }
    HingeJoint {
      device [ PositionSensor { name "s" } RotationalMotor { name "m" } ]
      endPoint Solid {
        children [ LED { name "inside" } ]
        boundingObject Sphere { radius 0.1 }
        physics Physics { }
      }
    }
    Gyro { name "last" }
  ]
}
"""
ORDER = ["g", "s", "m", "inside", "last"]


@pytest.fixture
def scenario(tmp_path):
    file = tmp_path / "w.wbt"
    file.write_text(WORLD)
    return load_scenario(file, text="{simulation_duration: 0.1}")


def test_in_process(scenario):
    with RobotSession(scenario) as session:
        robot = session.robot("r")
        count = robot.getNumberOfDevices()
        names = [robot.getDeviceByIndex(i).getName() for i in range(count)]
        assert names == list(robot.devices) == ORDER


def test_over_the_wire(scenario):
    seen = []

    def control(client):
        seen.extend(client.devices)
        client.clean_up()

    assert not connected(scenario, r=control).errors
    assert seen == ORDER


def test_a_device_that_is_not_there_is_refused_with_its_place():
    text = "{model_drivers: {arm: {device_order: [hinge moter]}}}"
    with pytest.raises(InputError, match=r"device_order\[0\]: unknown device"):
        wm.build_diagram(
            load_scenario("package:pendulum", name="Lift", text=text)
        )
