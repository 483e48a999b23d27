"""Two robots with two controllers: in lockstep, and out of each other's way."""

import re
import threading

import numpy as np
import pytest
from robots import controller, scenario

from webmotor_drake.controllers.in_process.controller_file import (
    load_controller,
)
from webmotor_drake.controllers.in_process.controller_run import (
    run_controllers,
    run_with_controllers,
)
from webmotor_drake.host import stepped_simulation
from webmotor_drake.simulation.simulation import Simulation

SWING = """
    import math, random
    from controller import Robot
    robot = Robot()
    motor = robot.getDevice("hinge motor")
    sensor = robot.getDevice("hinge sensor")
    sensor.enable({step})
    motor.enableTorqueFeedback({step})
    while robot.step({step}) != -1:
        wish = math.sin({rate} * robot.getTime()) + 0.1 * sensor.getValue()
        motor.setPosition(wish + 1e-3 * motor.getTorqueFeedback())
"""


@pytest.fixture(autouse=True, params=["anywhere", "at home"])
def _simulated(request, monkeypatch):
    """Runs every test twice: a simulation that draws stays in its thread."""
    drawn = request.param == "at home"
    monkeypatch.setattr(
        stepped_simulation, "is_drawn", lambda simulation: drawn
    )


@pytest.mark.slow
def test_ten_runs_give_the_same_bits(tmp_path):
    files = {
        "first": controller(tmp_path, SWING.format(step=16, rate=3), "a.py"),
        "second": controller(tmp_path, SWING.format(step=24, rate=5), "b.py"),
    }
    noisy = scenario(
        "TwoArms",
        "{model_drivers: {second: {position_sensors:"
        " {hinge sensor: {noise: 0.05}}}}}",
    )
    runs = [run_with_controllers(noisy, files) for _ in range(10)]
    for results in runs[1:]:
        for name, values in runs[0].signals.items():
            assert np.array_equal(results[name], values, equal_nan=True), name
    assert runs[0]["first/hinge motor/position"].std() > 0.1
    assert runs[0]["second/hinge motor/position"].std() > 0.1


def test_turns_follow_time_and_the_order_of_the_scenario(tmp_path, capsys):
    text = """
        import sys
        from controller import Robot
        robot = Robot()
        print(robot.getName(), 0)
        while robot.step(int(sys.argv[1])) != -1:
            print(robot.getName(), round(robot.getTime() * 1000))
        print(robot.getName(), "over")
    """
    file = controller(tmp_path, text)
    # The order of the dictionary is not the order of the robots.
    controllers = {
        "second": load_controller(file, ["16"]),
        "first": load_controller(file, ["24"]),
    }
    config = scenario("TwoArms", "{simulation_duration: 0.056}")
    run_controllers(Simulation(config), controllers)
    # Both have the same name: their lines begin with the robot's.
    told = capsys.readouterr().out.splitlines()
    assert all(re.match(r"\[(\w+)\] \1 ", line) for line in told)
    assert [line.partition("] ")[2] for line in told] == [
        "first 0",
        "second 0",
        "second 16",
        "first 24",
        "second 32",
        "first 48",
        "second 48",
        "first over",
        "second over",
    ]


def test_each_has_its_own_folder_helpers_and_globals(tmp_path, capsys):
    text = """
        import os, sys
        import shared_name
        import __main__
        from controller import Robot
        robot = Robot()
        mine = robot.getName()
        sys.stderr = sys.stdout
        for _ in range(3):
            robot.step(8)
            import shared_name as again
            assert again is shared_name
            assert shared_name.NAME == os.path.basename(os.getcwd())
            assert __main__.mine == mine == robot.getName()
            assert os.path.dirname(__file__) == os.getcwd() == sys.path[0]
            assert sys.modules["__main__"] is __main__
            assert sys.argv[0] == __file__
        print(mine, shared_name.NAME)
    """
    files = {}
    for robot in ("first", "second"):
        folder = tmp_path / f"of_{robot}"
        folder.mkdir()
        (folder / "shared_name.py").write_text(f"NAME = 'of_{robot}'\n")
        files[robot] = controller(folder, text)
    run_with_controllers(scenario("TwoArms"), files)
    output = capsys.readouterr()
    assert output.out.splitlines() == [
        "[first] first of_first",
        "[second] second of_second",
    ]
    assert not output.err


def test_the_same_file_serves_two_robots(tmp_path):
    (tmp_path / "state_of_it.py").write_text("calls = []\n")
    file = controller(
        tmp_path,
        """
        import state_of_it
        from controller import Robot
        robot = Robot()
        state_of_it.calls.append(robot.getName())
        robot.step(8)
        state_of_it.calls.append(robot.getName())
        assert state_of_it.calls == [robot.getName()] * 2
        robot.getDevice("hinge motor").setPosition(
            0.5 if robot.getName() == "first" else -0.5
        )
        robot.step(8)
        """,
    )
    results = run_with_controllers(
        scenario("TwoArms"), {"first": file, "second": file}
    )
    assert results["first/hinge motor/target_position"][-1] == 0.5
    assert results["second/hinge motor/target_position"][-1] == -0.5


def test_a_robot_without_a_controller_holds_its_place(tmp_path):
    file = controller(tmp_path, SWING.format(step=16, rate=3))
    results = run_with_controllers(scenario("TwoArms"), {"second": file})
    assert np.ptp(results["first/hinge motor/position"]) < 1e-6
    assert np.ptp(results["second/hinge motor/position"]) > 0.3


def test_when_one_ends_the_other_goes_on(tmp_path, capsys):
    short = controller(
        tmp_path,
        """
        from controller import Robot
        Robot().step(80)
        print("short")
        """,
        "short.py",
    )
    long = controller(
        tmp_path,
        """
        from controller import Robot
        robot = Robot()
        while robot.step(40) != -1:
            last = robot.getTime()
        print("long", last)
        """,
        "long.py",
    )
    run_with_controllers(scenario("TwoArms"), {"first": long, "second": short})
    told = capsys.readouterr().out
    assert told == "[short] short\n[long] long 1.0\n"


def test_a_camera_that_goes_on_midway_keeps_the_simulation_in_its_thread(
    tmp_path, monkeypatch
):
    advance, threads = stepped_simulation.SteppedSimulation.advance, []

    def noted(self, step, listen=None):
        threads.append((self.drawn, threading.current_thread()))
        advance(self, step, listen)

    monkeypatch.setattr(stepped_simulation.SteppedSimulation, "advance", noted)
    text = """
        from controller import Robot
        robot = Robot()
        robot.step(80)
        robot._client.host.stepped.stay_in_thread()
        while robot.step(8) != -1:
            pass
    """
    file = controller(tmp_path, text)
    run_with_controllers(scenario("TwoArms"), {"first": file, "second": file})
    there = {thread for drawn, thread in threads if drawn}
    assert there == {threading.current_thread()}
