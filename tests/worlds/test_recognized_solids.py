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
    fruit = scenario.bodies["scenery"]["fruit"]
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


def test_each_solid_with_colours_is_recognized_also_where_two_are_one_body(
    tmp_path,
):
    file = tmp_path / "tree.wbt"
    file.write_text("""#VRML_SIM R2023b utf8
    WorldInfo { gravity 0 }
    Solid { translation 1 0 0 name "tree" physics Physics { mass 3 density -1 }
      recognitionColors [ 0 1 0 ] model "tree" children [
        DEF S Shape { geometry Sphere { radius 0.1 } }
        Solid { translation 0 0.3 0 name "one" model "apple" recognitionColors [ 1 0 0 ]
          children USE S }
        Solid { translation 0 -0.3 0 name "two" model "pear" recognitionColors [ 1 1 0 ]
          children USE S physics Physics { mass 1 density -1 } }
      ] }
    Robot { name "eye" controller "<none>" children Camera {
      width 64 height 64 fieldOfView 1.2 recognition Recognition { } } }
    """)
    with RobotSession(str(file)) as session:
        robot = session.robot("eye")
        camera = robot.getDevice("camera")
        camera.enable(32)
        camera.recognitionEnable(32)
        robot.step(32)
        seen = {one.getModel(): one for one in camera.getRecognitionObjects()}
    assert seen.keys() == {"tree", "apple", "pear"}
    assert list(seen["pear"].getColors()) == [1, 1, 0]
    assert list(seen["pear"].getPosition()) == pytest.approx([1, -0.3, 0])
    assert len({one.getId() for one in seen.values()}) == 3
