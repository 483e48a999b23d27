"""Robots that supervisors import: their controllers start as they come."""

import contextlib
import threading
import time

import numpy as np
import pytest
from connected import port_of_instance
from webots_client import EndedError, WebotsClient, extern_socket

from webmotor_drake.drive.torque_motors import TorqueMotors
from webmotor_drake.loading import load_scenario
from webmotor_drake.runner import ready
from webmotor_drake.scenario.robot_controllers import EXTERN

SCENARIO = """
Spawn:
  simulation_duration: 0.96
  plant_config: {time_step: 0.008}
  directives:
  - add_model: {name: arm, file: package://webmotor_models/pendulum.urdf}
  spares: {Robot: [arm]}
  model_drivers:
    arm: !WebotsMotorDriver
      motors: {motor: !RotationalMotor {joint: hinge}}
      position_sensors: {sensor: {joint: hinge}}
    referee: !WebotsMotorDriver {supervisor: true, controller: referee.py}
"""
# It is there from 0.16 s to 0.4 s, and again from 0.56 s on, or from a reset.
REFEREE = """
from controller import Supervisor
me = Supervisor()
children = me.getRoot().getField("children")

def spawn(z):
    children.importMFNodeFromString(-1, f"DEF ARM Robot {{ translation 0 0 {z} }}")
    node = me.getFromDef("ARM")
    print("at", me.getTime(), node.getPosition()[2], node.getTypeName())
    return node

me.step(160)
assert me.getFromDef("ARM") is None
arm = spawn(1)
me.step(240)
LEAVES
me.step(160)
assert me.getFromDef("ARM") is None
spawn(2)
while me.step(8) != -1:
    pass
"""
ARM = """
from controller import Robot
robot = Robot()
start, sensor, seen = robot.getTime(), robot.getDevice("sensor"), []
sensor.enable(8)
robot.getDevice("motor").setPosition(0.5)
while robot.step(8) != -1:
    seen.append(sensor.getValue())
print("arm", start, seen[:20])
"""
REMOVED = "arm.remove()"
RESET = "me.simulationReset()"


def spawning(folder, leaves=REMOVED):
    """Returns the scenario, whose arm has no controller, in a folder."""
    (folder / "referee.py").write_text(REFEREE.replace("LEAVES", leaves))
    (folder / "arm.py").write_text(ARM)
    file = folder / "spawn.scenario.yaml"
    file.write_text(SCENARIO)
    return load_scenario(file)


def lives(text):
    """Returns when each life of the arm began, and what it saw."""
    lines = [
        ln.partition("arm ")[2] for ln in text.splitlines() if "arm " in ln
    ]
    return [eval(line.replace(" [", ", [")) for line in lines]


def test_the_controller_starts_with_its_robot_and_ends_with_it(
    tmp_path, capsys
):
    scenario = spawning(tmp_path)
    scenario.model_drivers["arm"].controller = "arm.py"
    ready(scenario).run()
    out = capsys.readouterr().out
    assert "at 0.16 1.0 Robot" in out
    assert "at 0.56 2.0 Robot" in out
    (start, first), (again, second) = lives(out)
    assert (start, again) == (0.16, 0.56)
    # It is as at the start each time: to the last bit, and it moves.
    assert first == second
    assert first[-1] > 0.1


@pytest.mark.parametrize("tcp", [False, True])
def test_programs_that_connect_find_it_while_it_is_there(tmp_path, capsys, tcp):
    seen = []

    def live(client):
        client.enable("sensor", 8)
        client.motor("motor", 1, 0.5)
        values = []
        while client.step(8) != -1:
            values.append(client.seen["sensor", 1])
        client.clean_up()
        seen.append(values)

    def control():
        port = port_of_instance()
        local = None if tcp else extern_socket(port, "arm")
        while len(seen) < 2:  # as libController tries again
            with contextlib.suppress(OSError, EndedError):
                live(WebotsClient(local=local, port=port, robot="arm"))
            time.sleep(0.01)

    scenario = spawning(tmp_path)
    scenario.model_drivers["arm"].controller = EXTERN
    thread = threading.Thread(target=control, daemon=True)
    thread.start()
    ready(scenario, port=0).run()
    thread.join(60)
    first, second = seen
    assert len(first) == 30
    assert first[:20] == second[:20]
    # What a Python controller of the same orders sees.
    capsys.readouterr()
    scenario = spawning(tmp_path)
    scenario.model_drivers["arm"].controller = "arm.py"
    ready(scenario).run()
    assert lives(capsys.readouterr().out)[0][1] == first[:20]


def test_a_reset_takes_it_away(tmp_path, capsys):
    scenario = spawning(tmp_path, RESET)
    scenario.model_drivers["arm"].controller = "arm.py"
    ready(scenario).run()
    (_, first), (_, second) = lives(capsys.readouterr().out)
    assert first == second


def test_motors_of_a_robot_that_waits_do_nothing(tmp_path, monkeypatch):
    stepped, step = [], TorqueMotors._step

    def noted(self, context, *arguments):
        stepped.append(context.get_time())
        step(self, context, *arguments)

    monkeypatch.setattr(TorqueMotors, "_step", noted)
    scenario = spawning(tmp_path)
    scenario.model_drivers["arm"].controller = "arm.py"
    results = ready(scenario).run()
    # Steps of 8 ms from 0.16 to 0.4 s, and from 0.56 s to the one that the end begins.
    assert len(stepped) == 30 + 51
    times, effort = results.time, results["arm/motor/effort"]
    there = (times > 0.161) & (times < 0.401) | (times > 0.561)
    assert not effort[~there].any()
    assert np.count_nonzero(effort[there]) >= 79
