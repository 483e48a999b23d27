"""The handshake of the description's example, byte for byte."""

import struct

from loaded import loaded
from webots_client import FIRST

from webmotor_drake.host.robot_host import robot_hosts
from webmotor_drake.host.stepped_simulation import SteppedSimulation
from webmotor_drake.protocol.framing import Request, Requests, local_answer
from webmotor_drake.protocol.wire_robot import WireRobot
from webmotor_drake.simulation.simulation import Simulation

SCENARIO = """
Example:
  plant_config: {time_step: 0.032}
  directives:
  - add_model: {name: robot, file: package://webmotor_models/pendulum.urdf}
  - add_weld: {parent: world, child: robot::base}
  model_drivers:
    robot: !WebotsMotorDriver
      motors:
        motor: !RotationalMotor {joint: hinge}
      position_sensors:
        sensor: {joint: hinge}
"""
# As recorded of a client of R2025a, with the version "" for "R2025a": the check is off.
HANDSHAKE = """
    ba 00 00 00  00 00 00 00
    00 00 00
    72 6f 62 6f 74 00   00
    00 01   03 00   22 00   00 00 00 00 00 00 00 00
    39 00 6d 6f 74 6f 72 00 00   34 00 73 65 6e 73 6f 72 00 00
    00 00 00 00 00 00 40 40
    00 00 00 00 00   3c 65 78 74 65 72 6e 3e 00   00
    00 00   02 00 00 00
    01 00 00  00 00 00 00
    00 00 00 00 00 00 00 00   00 00 00 00 00 00 00 00
    00 00 00 00 00 00 24 40   00 00 00 00 00 00 f0 bf   00 00 00 00 00 00 24 40
    00 00 00 00 00 00 24 40   00 00 00 00 00 00 00 00   00 00 00 00 00 00 00 00
    00 00 00 00 00 00 00 00   00 00 00 00 00 00 24 40
    00 00 00 00 00 00 f0 3f   00 00 00 00
    02 00 00  00 00 00 00
"""
STEP = """
    21 00 00 00  20 00 00 00
    01 00  0a 00 00 00  01 00  00 00 00 00 00 00 f0 3f
    02 00  03 00 00 00  01  20 00
"""


def test_handshake_and_step_are_those_of_the_example(tmp_path):
    file = tmp_path / "example.scenario.yaml"
    file.write_text(SCENARIO)
    scenario = loaded(file, "Example", "{}")
    scenario.source = None
    stepped = SteppedSimulation(Simulation(scenario))
    host = robot_hosts(stepped)["robot"]
    robot = WireRobot(host, "<extern>")
    requests = Requests()
    requests.feed(FIRST + bytes.fromhex(STEP))
    robot.carry_out(requests.next())
    assert local_answer(0, robot.handshake()) == bytes.fromhex(HANDSHAKE)

    step = requests.next()
    assert step.milliseconds == 32
    robot.carry_out(step)
    stepped.advance(robot.exchange.due(32))
    told, images = robot.answer()
    assert images == ()
    assert told[:14].hex() == "0000 04 fca9f1d24d62a03f 0200 01".replace(
        " ", ""
    )
    assert len(told) == 22


SEEN = """
Seen:
  plant_config: {time_step: 0.032}
  directives:
  - add_model: {name: robot, file: package://webmotor_models/pendulum.urdf}
  - add_weld: {parent: world, child: robot::base}
  model_drivers:
    robot: !WebotsMotorDriver
      motors: {motor: !RotationalMotor {joint: hinge}}
      devices: {eye: !Lidar {frame: base}}
"""


def test_what_nobody_has_here_is_told_once(tmp_path, capsys):
    file = tmp_path / "seen.scenario.yaml"
    file.write_text(SEEN)
    stepped = SteppedSimulation(Simulation(loaded(file, "Seen", "{}")))
    robot = WireRobot(robot_hosts(stepped)["robot"], "")
    robot.handshake()
    # Mouse, joystick, remote control; the lidar's frequency.
    own = struct.pack("<BHBHB", 36, 8, 35, 8, 32)
    eye = struct.pack("<Bd", 16, 5.0)
    for _ in range(2):
        robot.carry_out(Request(0, ((0, own), (2, eye))))
    told = capsys.readouterr().err.splitlines()
    for missing in ("mouse", "joystick", "remote control"):
        assert told.count(f"Warning: robot: there is no {missing} here") == 1
    assert "Warning: Lidar 'eye': its frequency changes nothing here" in told
    assert len(told) == 4
    number, *joystick = struct.unpack("<Biii", robot.answer()[0][2:15])
    assert (number, joystick) == (3, [-1, -1, -1])  # none is connected
