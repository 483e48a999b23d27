"""A world's Connectors, of either age, hold each other."""

import pytest

from webmotor_drake.loading import as_scenario
from webmotor_drake.robot import RobotSession

pytestmark = pytest.mark.filterwarnings("ignore::webmotor_drake.MotorWarning")

# A crane's hook and a rail above it; what Connectors point to differs by age: along
# x since R2022a, before along z.
WORLD = """#VRML_SIM {version} utf8
WorldInfo {{ basicTimeStep 8 }}
Solid {{
  name "rail"
  translation 0 0 1
  children [ Connector {{
    name "stop" model "hook" type "passive" rotation 0 1 0 {down}
  }} ]
  boundingObject Box {{ size 1 0.1 0.1 }}
}}
DEF LOAD Robot {{
  name "load"
  translation 0 0 0.9
  controller "<none>"
  supervisor TRUE
  children [ Connector {{
    name "hook" model "hook" type "active" isLocked TRUE
    translation 0 0 0.1 rotation 0 1 0 {up} tensileStrength 50
  }} ]
  boundingObject Box {{ size 0.2 0.2 0.1 }}
  physics Physics {{ density -1 mass 3 }}
}}
"""


@pytest.mark.parametrize(
    ("version", "down", "up"),
    [("R2023b", 1.5708, -1.5708), ("R2021b", 3.14159, 0)],
)
def test_a_load_hangs_on_a_solid_without_a_robot(tmp_path, version, down, up):
    file = tmp_path / "crane.wbt"
    text = WORLD.format(version=version, down=down, up=up)
    if version < "R2022a":
        text = text.replace("WorldInfo {", 'WorldInfo { coordinateSystem "ENU"')
    file.write_text(text)
    scenario = as_scenario(str(file))
    stop = scenario.model_drivers["rail"].devices["stop"]
    assert (stop.type, stop.model) == ("passive", "hook")
    with RobotSession(scenario) as session:
        robot = session.supervisor("load")
        hook, load = robot.getDevice("hook"), robot.getFromDef("LOAD")
        assert hook.isLocked()
        for _ in range(50):
            session.step(8)
        assert load.getPosition()[2] == pytest.approx(0.9, abs=1e-4)
        load.addForce([0, 0, -15], False)  # 44.4 N in all
        session.step(8)
        assert load.getPosition()[2] == pytest.approx(0.9, abs=1e-4)
        for _ in range(10):
            load.addForce([0, 0, -25], False)  # 54.4 N
            session.step(8)
        assert load.getVelocity()[2] < -0.5
