"""Sessions beside whose robots are robots that programs command."""

import contextlib
import threading

import numpy as np
import pytest
from connected import port_of_instance
from robots import scenario, with_driver
from test_programs import program
from webots_client import WebotsClient, extern_socket

from webmotor_drake.controllers.session import RobotSession
from webmotor_drake.errors import InputError
from webmotor_drake.results.results import Results


@contextlib.contextmanager
def client(robot: str, control):
    """Runs a client of a robot beside; what it raises is raised at the end."""
    errors = []

    def run():
        try:
            socket = extern_socket(port_of_instance(), robot)
            with contextlib.closing(WebotsClient(local=socket)) as made:
                control(made)
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    yield
    thread.join(60)
    assert not thread.is_alive()
    if errors:
        raise errors[0]


def wave(step: int, times: list):
    """Returns what commands a square wave, and notes when it was answered."""

    def control(client: WebotsClient) -> None:
        client.enable("hinge sensor", step)
        while client.step(step) != -1:
            times.append((client.time, client.seen["hinge sensor", 1]))
            wish = 0.5 if len(times) % 10 < 5 else -0.5
            client.motor("hinge motor", 1, wish)
        client.clean_up()

    return control


def in_process(step: int) -> tuple[Results, list]:
    """Returns what a session alone makes of the same commands."""
    times: list = []
    with RobotSession(scenario("TwoArms")) as session:
        first, second = session.robot("first"), session.robot("second")
        motor, sensor = (
            second.getDevice(f"hinge {n}") for n in ("motor", "sensor")
        )
        sensor.enable(step)
        first.getDevice("hinge motor").setPosition(1.0)
        while second.step(step) != -1:
            times.append((second.getTime(), sensor.getValue()))
            motor.setPosition(0.5 if len(times) % 10 < 5 else -0.5)
        return session.results(), times


@pytest.mark.parametrize(("here", "there"), [(8, 32), (40, 8), (32, 32)])
def test_a_program_steps_along_and_reads_and_moves_the_same_bits(here, there):
    times: list = []
    session = RobotSession(
        scenario("TwoArms"), extern=["second"], extern_port=0
    )
    with client("second", wave(there, times)), session:
        robot = session.robot("first")
        robot.getDevice("hinge motor").setPosition(1.0)
        while robot.step(here) != -1:
            assert not times or times[-1][0] <= robot.getTime() + 1e-9
    expected, alone = in_process(there)
    assert times == alone
    for name, values in expected.signals.items():
        np.testing.assert_array_equal(session.results()[name], values, name)


def test_a_session_steps_where_programs_command_all_robots():
    times: list = []
    session = RobotSession(scenario(), extern="arm", extern_port=0)
    with client("arm", wave(16, times)), session:
        assert session.extern_port == port_of_instance()
        with pytest.raises(InputError, match=r"'arm' is extern"):
            session.robot("arm")
        with pytest.raises(InputError, match="above 0"):
            session.step(0)
        for _ in range(10):
            assert session.step(48) == 0
        assert session.time == pytest.approx(0.48)
        while session.step() != -1:
            pass
        assert session.step() == -1
    assert len(times) == 250
    assert session.results().time[-1] == pytest.approx(4)


def test_a_program_leaves_and_the_session_goes_on(capsys):
    def short(client: WebotsClient) -> None:
        client.motor("hinge motor", 1, 0.4)
        client.step(80)

    session = RobotSession(
        scenario("TwoArms"), extern=["second"], extern_port=0
    )
    with client("second", short), session:
        while session.step() != -1:
            pass
    assert "no longer connected at 0.08 s" in capsys.readouterr().err
    assert session.results()["second/hinge motor/position"][-1] > 0.3


def test_another_episode_is_told_by_the_time_and_repeats_the_first():
    times: list = []
    noisy = with_driver("position_sensors: {hinge sensor: {noise: 0.1}}")

    def look(client: WebotsClient) -> None:
        client.enable("hinge sensor", 8)
        while client.step(8) != -1:
            times.append((client.time, client.seen["hinge sensor", 1]))
        client.clean_up()

    with (
        client("arm", look),
        RobotSession(noisy, extern="arm", extern_port=0) as session,
    ):
        for seed in (3, 3, 4):
            session.reset(seed)
            for _ in range(10):
                session.step(8)
    first, second, third = times[:10], times[10:20], times[20:]
    assert first == second
    assert [t for t, _ in first] == [t for t, _ in third]
    assert first != third


@pytest.mark.slow  # starts a process
def test_the_programs_of_a_scenario_are_started(tmp_path):
    file = program(
        tmp_path,
        """
        client = WebotsClient(local=socket)
        client.motor("hinge motor", 1, 0.6)
        while client.step(8) != -1:
            pass
        client.clean_up()
        """,
    )
    arm = scenario(text="{simulation_duration: 0.4}")
    arm.model_drivers["arm"].controller = str(file)
    with RobotSession(arm, extern="arm", extern_port=0) as session:
        while session.step() != -1:
            pass
    target = session.results()["arm/hinge motor/target_position"][-1]
    assert target == 0.6


def test_a_robot_that_is_not_there_is_refused():
    with pytest.raises(InputError, match=r"leg.*arm"):
        RobotSession(scenario(), extern=["leg"])
