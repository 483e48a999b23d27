"""Devices that move or feel nothing are there all the same."""

import math

import pytest
from world_files import plant_of, world_file

from webmotor_drake.controllers.session import RobotSession
from webmotor_drake.loading import as_scenario, report_of
from webmotor_drake.simulation.diagram import build_diagram

pytestmark = pytest.mark.filterwarnings("ignore::webmotor_drake.MotorWarning")

TEXT = """
WorldInfo { basicTimeStep 8 }
Robot {
  name "robot"
  children [
    TouchSensor { name "blind" }
    TouchSensor { name "numb" type "force" }
    HingeJoint {
      jointParameters HingeJointParameters { position 0.3 }
      device [
        RotationalMotor { name "free" }
        PositionSensor { name "read" }
      ]
    }
    SliderJoint { device [ LinearMotor { name "slide" } ] }
    HingeJoint {
      jointParameters HingeJointParameters { position 0.2 axis 0 1 0 }
      device [ PositionSensor { name "stuck" } ]
      endPoint Solid { name "flag" boundingObject Box { size 0.1 0.1 0.1 } }
    }
    HingeJoint {
      jointParameters HingeJointParameters { axis 0 1 0 }
      device [
        RotationalMotor { name "first" }
        RotationalMotor { name "second" }
      ]
      endPoint Solid {
        name "arm" boundingObject Box { size 0.1 0.1 0.1 } physics Physics { }
      }
    }
  ]
  boundingObject Box { size 0.1 0.1 0.1 }
  physics Physics { }
}
Solid { translation 0 0 -0.55 boundingObject Box { size 9 9 1 } }
"""


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    return world_file(tmp_path_factory.mktemp("project"), TEXT)


def test_controllers_find_them_and_they_answer(file):
    with RobotSession(file) as session:
        robot = session.robot("robot")
        for name in ("blind", "numb", "read", "stuck"):
            robot.getDevice(name).enable(8)
        robot.getDevice("free").setPosition(1.0)
        robot.getDevice("slide").setPosition(0.5)
        robot.getDevice("second").setPosition(2.0)
        robot.step(400)
        assert robot.getDevice("blind").getValue() == 0
        assert robot.getDevice("blind").getType() == 0
        # 10 per N, of what weighs a milligram.
        assert robot.getDevice("numb").getValue() < 1e-3
        assert robot.getDevice("read").getValue() == pytest.approx(1, abs=1e-6)
        assert robot.getDevice("stuck").getValue() == pytest.approx(
            0.2, abs=1e-9
        )
        assert robot.getDevice("first").getTargetPosition() == 0
        assert math.isfinite(robot.getDevice("second").getTargetPosition())


def test_they_weigh_next_to_nothing_and_are_noted(file):
    plant, context, scenario = plant_of(file)
    mass = plant.CalcTotalMass(context, [plant.GetModelInstanceByName("robot")])
    assert mass == pytest.approx(2.0, abs=1e-5)
    notes = {e.name: e.text for e in report_of(scenario).of_kind("note")}
    assert notes["free"] == "its joint moves nothing"
    assert notes["second"].startswith("another motor stands before it")


BUMPERS = """
WorldInfo { basicTimeStep 8 }
Robot {
  translation 0 0 0.05
  supervisor TRUE
  children [
    TouchSensor {
      translation 0.04 0 -0.04 name "under" boundingObject Sphere { radius 0.03 }
    }
    TouchSensor {
      translation 0 0 0.06 name "over" boundingObject Sphere { radius 0.03 }
    }
    TouchSensor {
      translation 0.5 0 0 name "aside" boundingObject Sphere { radius 0.03 }
    }
  ]
  boundingObject Box { size 0.1 0.1 0.1 }
  physics Physics { density -1 mass 0.1 }
}
DEF BALL Solid {
  translation 0 0 0.25
  name "ball"
  boundingObject Sphere { radius 0.02 }
  physics Physics { density -1 mass 0.01 }
}
Solid { translation 0 0 -0.5 boundingObject Box { size 9 9 1 } }
"""


@pytest.mark.filterwarnings("error:.*point contact")
def test_a_flat_bumper_that_only_feels_is_not_warned_of(tmp_path):
    flat = BUMPERS.replace("Sphere { radius 0.03 }", "Box { size 0.1 0.1 0.1 }")
    build_diagram(as_scenario(str(world_file(tmp_path, flat))))


def test_a_bumper_without_physics_feels_and_does_not_lift_its_robot(tmp_path):
    with RobotSession(world_file(tmp_path, BUMPERS)) as session:
        robot = session.robot("robot")
        names = "under", "over", "aside"
        for name in names:
            robot.getDevice(name).enable(8)
        robot.step(24)
        felt = [robot.getDevice(name).getValue() for name in names]
        assert felt == [1, 0, 0]
        # The ball falls through the upper one, and onto the robot.
        felt = []
        for _ in range(40):
            robot.step(8)
            felt.append(robot.getDevice("over").getValue())
        assert felt[0] == 0
        assert felt[-1] == 1
        own = robot.getSelf().getPosition()[2]
        ball = robot.getFromDef("BALL").getPosition()[2]
    # Contacts yield by less than a millimetre.
    assert own == pytest.approx(0.05, abs=1e-3)
    assert ball == pytest.approx(0.12, abs=2e-3)
