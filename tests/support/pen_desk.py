"""A desk to write on: a white plate with its top at 0, and a hand with a Pen above."""

import webmotor_drake as wm

PLATE = '<box size="2 2 0.1"/>'
_FLOOR = """<robot name="floor"><link name="floor">
  <visual><geometry>{shape}</geometry>
    <material><color rgba="1 1 1 1"/></material></visual>
</link></robot>
"""
_HAND = """<robot name="hand"><link name="hand">
  <inertial><mass value="1"/><inertia ixx="0.0067" iyy="0.0067" izz="0.0067"
    ixy="0" ixz="0" iyz="0"/></inertial>
  <collision><geometry><box size="0.2 0.2 0.2"/></geometry></collision>
</link></robot>
"""
_SCENARIO = """
Desk:
  plant_config: {{time_step: 0.008}}
  gravity: [0, 0, 0]
  directives:
  - add_model: {{name: floor, file: {folder}/floor.urdf}}
  - add_weld:
      parent: world
      child: floor::floor
      X_PC: {{translation: [0, 0, -0.05]}}
  - add_model:
      name: hand
      file: {folder}/hand.urdf
      default_free_body_pose: {{hand: {{translation: [0, 0, {height}]}}}}
  model_drivers:
    hand: !WebotsMotorDriver
      supervisor: true
      devices:
        pen: !Pen {{{pen}}}
{devices}"""


def pen_desk(folder, pen, *, height, shape=PLATE, devices=""):
    """Returns the scenario of the desk, whose files are written to a folder.

    Args:
        folder: folder for the files.
        pen: fields of the Pen.
        height: height of the hand, m.
        shape: shape of the plate, as a URDF has it.
        devices: further devices of the hand, lines of YAML.
    """
    (folder / "floor.urdf").write_text(_FLOOR.format(shape=shape))
    (folder / "hand.urdf").write_text(_HAND)
    file = folder / "desk.scenario.yaml"
    values = {"height": height, "pen": pen, "devices": devices}
    file.write_text(_SCENARIO.format(folder=folder, **values))
    return wm.load_scenario(file)
