"""A Connector over the wire does what the Python API's does."""

import struct

from connected import connected
from loaded import loaded

from webmotor_drake.robot import run_with_controllers

SCENARIO = """
World:
  plant_config: {time_step: 0.008}
  simulation_duration: 2
  directives:
  - add_model: {name: arm, file: package://webmotor_models/pendulum.urdf}
  - add_weld: {parent: world, child: arm::base}
  initial_position: {arm: {hinge: [1.0]}}
  model_drivers:
    arm: !WebotsMotorDriver
      drive: implicit
      joints: {hinge: {damping_constant: 0.01}}
      position_sensors: {sensor: {joint: hinge}}
      devices:
        tip: !Connector {frame: link, type: active, number_of_rotations: 0,
          distance_tolerance: 10, axis_tolerance: 3.14159, snap: false}
        hook: !Connector {frame: world, type: passive}
"""
# Locked, it stays where it is; unlocked, it swings.
PYTHON = """
from controller import Robot
robot = Robot()
tip, sensor = robot.getDevice("tip"), robot.getDevice("sensor")
sensor.enable(8)
tip.enablePresence(8)
found = []
for step in range(30):
    if step == 5:
        tip.lock()
    if step == 20:
        tip.unlock()
    robot.step(8)
    found.append((sensor.getValue(), tip.getPresence()))
for one in found:
    print(repr(one))
"""


def test_the_wire_locks_and_unlocks_to_the_same_bits(tmp_path, capsys):
    file = tmp_path / "world.scenario.yaml"
    file.write_text(SCENARIO)
    (tmp_path / "tip.py").write_text(PYTHON)
    scenario = loaded(file, "World", "{}")
    run_with_controllers(scenario, {"arm": tmp_path / "tip.py"})
    expected = capsys.readouterr().out.splitlines()
    found = []

    def control(client):
        assert client.seen["tip", 0] == 0  # not locked
        client.enable("sensor", 8)
        client.enable("tip", 8)
        for step in range(30):
            if step in (5, 20):
                order = 2 if step == 5 else 3
                client.command("tip", struct.pack("<B", order))
            client.step(8)
            found.append((client.seen["sensor", 1], client.seen["tip", 1]))
        client.clean_up()

    connected(scenario, arm=control)
    assert [repr(one) for one in found] == expected
    angles = [angle for angle, _ in found]
    assert abs(angles[19] - angles[6]) < 1e-4
    assert abs(angles[29] - angles[19]) > 0.01
    assert {presence for _, presence in found} == {1}
