"""Python controllers and programs that connect, in one run."""

import gc
import math
import os
import signal
import threading

import numpy as np
import pytest
from connected import connected, port_of_instance
from drawn import draws
from robots import controller, scenario
from webots_client import WebotsClient, extern_socket

from webmotor_drake.controllers.in_process.controller_file import (
    ControllerError,
)
from webmotor_drake.controllers.in_process.controller_run import (
    ControlledSimulation,
    run_with_controllers,
)
from webmotor_drake.results.results import Results

SWING = """
    import math
    from controller import Robot
    robot = Robot()
    motor = robot.getDevice("hinge motor")
    sensor = robot.getDevice("hinge sensor")
    sensor.enable({step})
    while robot.step({step}) != -1:
        motor.setPosition(math.sin({rate} * robot.getTime()) + 0.1 * sensor.getValue())
"""
IDLE = """
    from controller import Robot
    robot = Robot()
    steps = 0
    while robot.step(8) != -1:
        steps += 1
    print("steps", steps)
"""


def swing(step: int, rate: float):
    """Returns what commands as SWING does, on the wire."""

    def control(client: WebotsClient) -> None:
        client.enable("hinge sensor", step)
        while client.step(step) != -1:
            wish = math.sin(rate * client.time)
            wish += 0.1 * client.seen["hinge sensor", 1]
            client.motor("hinge motor", 1, wish)
        client.clean_up()

    return control


def idle(client: WebotsClient) -> None:
    while client.step(8) != -1:
        pass
    client.clean_up()


def beside(folder, program: str, robot: str = "first", text: str = "{}"):
    """Returns the two arms, one with a Python controller."""
    arms = scenario("TwoArms", text)
    file = controller(folder, program)
    arms.model_drivers[robot].controller = str(file)
    return arms


def same(one: Results, other: Results) -> bool:
    return all(
        np.array_equal(one[name], values, equal_nan=True)
        for name, values in other.signals.items()
    )


NOISY = (
    "{model_drivers: {second: {position_sensors:"
    " {hinge sensor: {noise: 0.05}}}}}"
)


@pytest.mark.parametrize(
    ("here", "there"), [("first", "second"), ("second", "first")]
)
@pytest.mark.parametrize("steps", [(16, 24), (8, 8)])
def test_it_is_the_same_to_the_bit_as_with_python_alone(
    tmp_path, here, there, steps
):
    words = {"first": (steps[0], 3.0), "second": (steps[1], 5.0)}
    files = {
        robot: controller(
            tmp_path, SWING.format(step=step, rate=rate), f"{robot}_a.py"
        )
        for robot, (step, rate) in words.items()
    }
    alone = run_with_controllers(scenario("TwoArms", NOISY), files)
    step, rate = words[here]
    arms = beside(tmp_path, SWING.format(step=step, rate=rate), here, NOISY)
    mixed = connected(arms, **{there: swing(*words[there])}).results
    assert same(mixed, alone)


def test_each_goes_on_when_the_other_has_ended(tmp_path, capsys):
    def short(client):
        client.step(80)
        client.clean_up()

    connected(beside(tmp_path, IDLE), second=short)
    assert capsys.readouterr().out == "steps 125\n"
    steps = []

    def long(client):
        while client.step(8) != -1:
            steps.append(client.time)
        client.clean_up()

    connected(beside(tmp_path, "pass"), second=long)
    assert len(steps) == 125


@pytest.mark.slow
def test_clients_that_are_killed_leave_the_controller_alone(tmp_path, capsys):
    random = np.random.default_rng(3)

    def control(client):
        port = port_of_instance()
        for _ in range(draws(10, 200)):
            client.send(int(random.integers(2)) * 8)
            if random.integers(2):
                client._read()
            client.close()
            client = WebotsClient(local=extern_socket(port, "second"))
        client.clean_up()

    seconds = draws(2, 20)
    text = f"{{simulation_duration: {seconds}}}"
    descriptors = []
    for _ in range(2):  # the first opens what stays open
        connected(beside(tmp_path, IDLE, text=text), second=control)
        gc.collect()  # controllers' folders
        descriptors.append(len(os.listdir("/proc/self/fd")))
    assert descriptors[0] == descriptors[1]
    assert capsys.readouterr().out == f"steps {125 * seconds}\n" * 2


def test_a_controller_that_fails_ends_the_run_and_programs_know_it(tmp_path):
    ended = []

    def control(client):
        idle(client)
        ended.append(client.quit)

    text = """
        from controller import Robot
        robot = Robot()
        robot.step(80)
        raise RuntimeError("broken")
    """
    with pytest.raises(ControllerError, match=r"at 0\.08 s .* broken"):
        connected(beside(tmp_path, text), second=control)
    assert ended == [True]


def test_ctrl_c_ends_both(tmp_path, capsys):
    def control(client):
        client.step(80)
        os.kill(os.getpid(), signal.SIGINT)
        idle(client)

    arms = beside(tmp_path, IDLE, text="{simulation_duration: .inf}")
    with pytest.raises(KeyboardInterrupt):
        connected(arms, second=control)
    assert "steps" in capsys.readouterr().out


def test_programs_alone_are_waited_for_there_too():
    steps = []

    def control():
        client = WebotsClient(local=extern_socket(port_of_instance(), "arm"))
        while client.step(80) != -1:
            steps.append(client.time)
        client.clean_up()

    arm = scenario()
    arm.model_drivers["arm"].controller = "<extern>"
    simulation = ControlledSimulation(arm, port=0)
    thread = threading.Thread(target=control, daemon=True)
    thread.start()
    simulation.run()
    thread.join(20)
    assert len(steps) == 50


SUPERVISOR = """
    from controller import Supervisor
    robot = Supervisor()
    for _ in range(3):
        robot.step(8)
    {call}
    robot.step(8)
    print(f"time {{robot.getTime():.3f}}")
    while robot.step(8) != -1:
        pass
"""
SUPERVISED = (
    "{model_drivers: {first: {supervisor: true}, second: {supervisor: true}}}"
)


def test_a_reset_by_the_controller_is_told_to_the_program(tmp_path):
    times = []

    def control(client):
        while client.step(8) != -1:
            times.append(round(client.time, 3))
        client.clean_up()

    text = SUPERVISOR.format(call="robot.simulationReset()")
    connected(beside(tmp_path, text, text=SUPERVISED), second=control)
    assert times[:6] == [0.008, 0.016, 0.024, 0.0, 0.008, 0.016]


def test_a_program_restarts_the_controller_beside(tmp_path, capsys):
    text = """
        from controller import Robot
        robot = Robot()
        print(f"from {robot.getTime():.3f}")
        while robot.step(8) != -1:
            pass
    """

    def control(client):
        client.step(80)
        node = client.from_def("first")
        client.command("", bytes([68]) + node.to_bytes(4, "little"))
        client.step(0)
        idle(client)

    connected(beside(tmp_path, text, text=SUPERVISED), second=control)
    told = capsys.readouterr().out.splitlines()
    assert told[0] == "from 0.000"
    assert told[1] in ("from 0.080", "from 0.088")


def test_a_program_has_all_start_again(tmp_path, capsys):
    seen = []

    def control(client):
        client.step(80)
        client.command("", bytes([52]))
        assert client.step(8) == -1
        client.clean_up()
        again = WebotsClient(local=extern_socket(port_of_instance(), "second"))
        again.step(8)
        seen.append(again.time)
        idle(again)

    text = "print('begins')\n" + IDLE.replace("\n    ", "\n")
    connected(beside(tmp_path, text, text=SUPERVISED), second=control)
    assert capsys.readouterr().out.count("begins") == 2
    assert seen == [0.008]
