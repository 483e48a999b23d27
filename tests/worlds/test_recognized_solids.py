"""A world brings Solid.model and Solid.recognitionColors along."""

import pytest

from webmotor_drake.loading import as_scenario
from webmotor_drake.robot import RobotSession

WORLD = """#VRML_SIM R2023b utf8
WorldInfo { basicTimeStep 8 }
DEF APPLE Solid {
  translation 1 0 0
  name "fruit"
  model "apple"
  recognitionColors [ 1 0 0, 0 2 0 ]
  boundingObject Sphere { radius 0.1 }
}
Solid { name "wall" boundingObject Box { size 1 1 1 } }
Robot {
  name "finder"
  model "PM-1"
  supervisor TRUE
  children [
    GPS { name "gps" model "Acme GPS" }
    Camera { recognition Recognition { } }
  ]
}
"""


@pytest.fixture
def scenario(tmp_path):
    file = tmp_path / "garden.wbt"
    file.write_text(WORLD)
    return as_scenario(str(file))


def test_solids_with_colours_stay_apart_and_keep_them(scenario):
    (fruit,) = scenario.bodies["fruit"].values()
    assert fruit.model == "apple"
    # Clipped, as in Webots.
    assert fruit.recognition_colors == [[1, 0, 0], [0, 1, 0]]


def test_models_of_robots_devices_and_solids_are_those_of_the_file(scenario):
    with RobotSession(scenario) as session:
        robot = session.supervisor("finder")
        assert robot.getModel() == "PM-1"
        assert robot.getDevice("gps").getModel() == "Acme GPS"
        apple = robot.getFromDef("APPLE")
        assert apple.getField("model").getSFString() == "apple"
        assert apple.getField("recognitionColors").getCount() == 2
