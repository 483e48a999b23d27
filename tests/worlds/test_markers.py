"""Supervisors move what only looks: a Pose with a DEF name and Shapes."""

import pytest

from webmotor_drake.loading import as_scenario
from webmotor_drake.robot import RobotSession

pytestmark = pytest.mark.filterwarnings("ignore::webmotor_drake.MotorWarning")

WORLD = """#VRML_SIM R2023b utf8
WorldInfo { basicTimeStep 8 }
DEF GOAL Pose {
  translation 1 2 0
  children [ Shape { geometry Cylinder { height 0.002 radius 0.1 } } ]
}
DEF AROUND Transform {
  translation 0 0 1
  children [
    Shape { geometry Sphere { radius 0.1 } }
    DEF IN Solid { translation 0.5 0 0 boundingObject Sphere { radius 0.1 } }
  ]
}
DEF BALL Solid {
  translation -1 0 0.1
  children [ DEF LOOKS Shape { geometry DEF ROUND Sphere { radius 0.1 } } ]
  boundingObject USE ROUND
  physics Physics {}
}
Robot { name "referee" controller "<none>" supervisor %s }
"""


def _scenario(folder, supervisor="TRUE"):
    path = folder / "world.wbt"
    path.write_text(WORLD % supervisor)
    return as_scenario(str(path))


def test_a_supervisor_moves_a_marker(tmp_path):
    with RobotSession(_scenario(tmp_path)) as session:
        referee = session.supervisor("referee")
        goal = referee.getFromDef("GOAL")
        assert goal.getPosition() == pytest.approx([1, 2, 0])
        goal.getField("translation").setSFVec3f([0.5, -0.5, 0.001])
        referee.step(8)
        assert goal.getPosition() == pytest.approx([0.5, -0.5, 0.001])
        solid = referee.getFromDef("AROUND.IN")
        assert solid.getPosition() == pytest.approx([0.5, 0, 1])


def test_without_a_supervisor_a_marker_is_scenery(tmp_path):
    for supervisor, known in {"TRUE": ["scenery::GOAL"], "FALSE": []}.items():
        nodes = _scenario(tmp_path, supervisor).source.nodes
        (goal,) = (node for node in nodes if node.definition == "GOAL")
        assert goal.stands_for == known
