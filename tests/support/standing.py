"""Scenarios of free boxes and balls on a floor, as texts."""

from pathlib import Path

LINK = """<robot name="r" xmlns:drake="http://drake.mit.edu"><link name="body">
<inertial><mass value="{mass}"/>
<inertia ixx="{i}" iyy="{i}" izz="{i}" ixy="0" ixz="0" iyz="0"/></inertial>
<collision name="skin"><geometry>{shape}</geometry></collision></link></robot>"""
CUBE = '<box size="0.1 0.1 0.1"/>'
BALL = '<sphere radius="0.1"/>'
FLOOR = '<box size="20 20 0.2"/>'


def write_models(folder: Path) -> None:
    """Writes cube, ball and floor; each body is called "body"."""
    for name, shape in (("cube", CUBE), ("ball", BALL), ("floor", FLOOR)):
        text = LINK.format(mass=1, i=0.00167, shape=shape)
        (folder / f"{name}.urdf").write_text(text)


def scenario_text(step: float, rest: str = "", slope: float = 0.0) -> str:
    """Returns a scenario with a cube on a floor that is turned about y, in degrees.

    Args:
        step: of the plant, s.
        rest: more fields, from column 2 on.
        slope: degrees.
    """
    return f"""Stand:
  simulation_duration: 2.0
  plant_config: {{time_step: {step}}}
  directives:
  - add_model: {{name: floor, file: floor.urdf}}
  - add_weld:
      parent: world
      child: floor::body
      X_PC:
        translation: !Rpy0 [0, 0, 0]
        rotation: !Rpy {{deg: [0, {slope}, 0]}}
  - add_frame:
      name: top
      X_PF: {{base_frame: floor::body, translation: [0, 0, 0.1]}}
  - add_model:
      name: cube
      file: cube.urdf
      default_free_body_pose:
        body: {{base_frame: top, translation: [0, 0, 0.04995]}}
  recorded_bodies: {{cube: [body]}}
  model_drivers:
    floor: !WebotsMotorDriver {{devices: {{gps: !GPS {{}}}}}}
{rest}""".replace("!Rpy0 ", "")
