"""Random calls of the Supervisor's API, in random order, with random arguments.

    python benchmarks/fuzz_supervisor.py [--calls N] [--seed S]

Nodes are moved, pushed, stopped, removed and imported, fields set, the simulation
reset, while the robot's devices measure. Every call ends as `fuzz_api.py` has it, and
what it leaves can be simulated.

Numbers for poses, velocities and pushes are those of a room with robots in it: a
force of 1e30 N is legal and takes effect, but no engine goes on from there, and the
run would end with a line that says so.
"""

import sys
from collections import Counter
from pathlib import Path

import numpy as np
from _lib.random_calls import make_calls, plain_arguments, show
from fuzz_api import DAMPED, LEFT_OUT

from webmotor_drake import load_scenario
from webmotor_drake.data import SCENARIOS
from webmotor_drake.robot import Node, RobotSession, Supervisor

# The run would be over.
ENDS = {"simulationQuit"}
# In real time a call takes as long as it simulates.
SLOW = {"simulationSetMode"}

_BOX = "file: package://webmotor_models/small_box.urdf"
WORLD = f"""
simulation_duration: .inf
directives:
- add_model: {{name: ground, file: package://webmotor_models/ground.urdf}}
- add_weld: {{parent: world, child: ground::ground}}
- add_model: {{name: rover, file: package://webmotor_models/rover.urdf}}
- add_model: {{name: arm, file: package://webmotor_models/pendulum.urdf}}
- add_weld:
    parent: world
    child: arm::base
    X_PC: {{translation: [0, 2, 1]}}
- add_model: {{name: crate, {_BOX}}}
- add_model: {{name: box_1, {_BOX}}}
- add_model: {{name: box_2, {_BOX}}}
- add_model: {{name: wall, file: package://webmotor_models/crate.urdf}}
- add_weld: {{parent: world, child: "wall::crate", X_PC: {{translation: [4, 0, 1]}}}}
defs:
  CRATE: crate
  ROBOT: rover
  LINK: "arm::link"
  POLE: "arm::hinge.jointParameters"
  BODY: "crate.physics"
groups: {{THINGS: [crate, wall]}}
spares: {{Box: [box_1, box_2]}}
stock: 3
model_drivers:
  arm: !WebotsMotorDriver
    motors: {{hinge motor: !RotationalMotor {{joint: hinge}}}}
    joints: {{hinge: {{damping_constant: 0.1}}}}
  rover:
    supervisor: true
    commands: []
    battery: [1000, 2000, 5]
    joints:
{DAMPED}
    position_sensors:
      wheel: {{joint: front_left, noise: 0.01}}
    devices:
      gps: !GPS {{accuracy: 0.1}}
      gyro: !Gyro {{}}
      distance: !DistanceSensor {{number_of_rays: 5}}
      touch: !TouchSensor {{}}
      receiver: !Receiver {{}}
"""
NAMES = (
    *("CRATE", "ROBOT.chassis", "LINK", "arm", "hinge", "gps", "nobody"),
    *("POLE", "BODY", "THINGS", "THINGS.wall", "NEW", "FORM", "__init__"),
)
FIELDS = (
    *("translation", "rotation", "name", "customData", "children", "position"),
    *("acceleration", "controlPID", "maxVelocity", "size", "boundingObject"),
    *("physics", "mass", "appearance", "geometry", "baseColor", "radius"),
    *("transparency", "linearVelocity", "maxTorque", "minPosition"),
)
_LOOK = "appearance PBRAppearance { baseColor 1 0 0 transparency 0.5 }"
TEXTS = (
    "DEF NEW Box { translation 1 1 0.5 }",
    "Box { rotation 0 0 1 2 name 'a' }",
    "Box {",
    "Ball { }",
    "DEF NEW Solid { translation 2 1 1 boundingObject DEF FORM Sphere { radius"
    " 0.1 } physics Physics { } }",
    f"Solid {{ translation -1 2 1 children [ Shape {{ {_LOOK} geometry Box {{ size"
    " 0.2 0.3 0.4 } } ] boundingObject Box { size 0.2 0.3 0.4 } physics"
    " Physics { density -1 mass 0.5 } }",
    "Solid { translation 3 3 0.1 boundingObject Group { children [ Box { size 1 1"
    " 0.1 } Pose { translation 0 0 1 children [ Capsule { radius 0.1 height 1 } ] }"
    " ] } }",
    f"DEF NEW Pose {{ children [ Shape {{ {_LOOK} geometry Cylinder {{ radius 0.1"
    " height 0.5 } } ] }",
    "Transform { translation 0 1 1 children [ USE FORM Shape { geometry Cone { } }"
    " ] }",
    "Solid { children [ USE CRATE ] }",
    "Solid { physics Physics { mass -3 inertiaMatrix [ 1 1 1 0 0 0 ] } }",
)


def session() -> RobotSession:
    """Returns a session of a rover that is a supervisor, an arm and boxes."""
    file = SCENARIOS / "rover.scenario.yaml"
    return RobotSession(load_scenario(file, name="Drive", text=WORLD))


def arguments(
    robot: Supervisor, random: np.random.Generator
) -> list[list[object]]:
    """Returns what a call may be given."""
    unit = random.uniform(-1, 1, 6).tolist()
    return [
        *plain_arguments(random),
        # Places (m), velocities (m/s, rad/s), turns and torques (N m).
        *([3 * x for x in unit[:3]], [3 * x for x in unit], unit[:4]),
        *([0.001 * x for x in unit[:3]], unit[:2], [1, 0, 0, 0.5], unit[0]),
        *random.choice(NAMES + FIELDS + TEXTS, 6).tolist(),
        a_node(robot, random),
    ]


def a_node(robot: Supervisor, random: np.random.Generator) -> Node | None:
    """Returns any node, also of those that are not in the world at present."""
    nodes = robot._scene.tree.nodes
    node = nodes[random.integers(len(nodes))]
    return Node(_client=robot._client, _node=node)


def a_thing(robot: Supervisor, random: np.random.Generator) -> object:
    """Returns the supervisor, a node, or a field of one."""
    which = random.integers(4)
    if which == 0:
        return robot
    node = a_node(robot, random)
    count = node.getNumberOfFields()
    if which == 1 or count < 1:
        return node
    return node.getFieldByIndex(int(random.integers(count)))


def fuzz(number: int, seed: int, folder: Path) -> tuple[Counter, list[str]]:
    """Makes random calls; see `make_calls`.

    Args:
        number: how many.
        seed: of their order and arguments.
        folder: where they may write.
    """
    with session() as run:
        robot = run.supervisor("rover")
        for name in "wheel", "gps", "gyro", "distance", "touch", "receiver":
            robot.getDevice(name).enable(8)
        return make_calls(
            number,
            np.random.default_rng(seed),
            choose=lambda random: a_thing(robot, random),
            arguments=lambda random: arguments(robot, random),
            step=robot.step,
            left_out=LEFT_OUT | ENDS | SLOW,
        )


if __name__ == "__main__":
    sys.exit(show(fuzz, __doc__))
