"""Random requests to a supervisor with all devices: none raises, the robot answers."""

import copy

import numpy as np
import pytest
from drawn import draws
from folders import TEST_SCENARIOS
from loaded import loaded

from webmotor_drake.host.robot_host import robot_hosts
from webmotor_drake.host.stepped_simulation import SteppedSimulation
from webmotor_drake.protocol.framing import Request, Requests
from webmotor_drake.protocol.reader import BadRequestError
from webmotor_drake.protocol.wire_robot import WireRobot
from webmotor_drake.simulation.simulation import Simulation

SUPERVISOR = [*range(50, 79), *range(82, 104)]


class Rhythm:
    """Ends and starts nothing."""

    def reload(self):
        pass

    def restart(self, robot):
        return False


@pytest.fixture(scope="module")
def robot(tmp_path_factory):
    scenario = copy.deepcopy(
        loaded(TEST_SCENARIOS / "devices.scenario.yaml", "See")
    )
    scenario.model_drivers["rover"].supervisor = True
    scenario.source = None
    stepped = SteppedSimulation(Simulation(scenario))
    made = WireRobot(robot_hosts(stepped)["rover"], 0, "", Rhythm())
    made.exchange.image_folder = tmp_path_factory.mktemp("images")
    made.handshake()
    yield made
    made.leave()


def field(random: np.random.Generator) -> bytes:
    """Returns a few bytes that may be a field: small, extreme or random."""
    kind = random.integers(6)
    if kind == 0:
        return int(random.integers(12)).to_bytes(4, "little")
    if kind == 1:
        return random.standard_normal(int(random.integers(1, 5))).tobytes()
    if kind == 2:
        return b"translation\0"
    if kind == 3:
        return b"\xff" * 4
    if kind == 4:
        return bytes([random.integers(3)])
    return random.bytes(int(random.integers(1, 9)))


def block(random: np.random.Generator, numbers: list[int]) -> bytes:
    """Returns some commands with fields of any kind."""
    return b"".join(
        bytes([random.choice(numbers)])
        + b"".join(field(random) for _ in range(random.integers(5)))
        for _ in range(random.integers(1, 4))
    )


@pytest.mark.parametrize("has_protos", [False, True, None])
def test_a_supervisor_that_asks_nonsense_is_answered(robot, has_protos, capsys):
    random = np.random.default_rng([7, int(has_protos or 0)])
    view = robot._supervisor._view
    for number in range(draws(400, 8_000)):
        view.has_protos = has_protos
        data = block(random, SUPERVISOR)
        robot.carry_out(Request(0, ((0, data),)))
        told, _ = robot.answer()
        assert isinstance(told, bytes)
        if number % 100 == 0:
            stepped = robot.exchange.host.stepped
            stepped.advance(stepped.now + 1)
    capsys.readouterr()


def test_devices_that_are_sent_nonsense_answer(robot, capsys):
    random = np.random.default_rng(8)
    tags = [device.tag for device in robot.exchange.devices]
    numbers = [*range(20), *range(32, 38), *range(64, 70)]
    for _ in range(draws(400, 8_000)):
        tag = int(random.choice(tags))
        robot.carry_out(Request(0, ((tag, block(random, numbers)),)))
        told, _ = robot.answer()
        assert isinstance(told, bytes)
    capsys.readouterr()


def test_a_stream_of_nonsense_is_refused_or_split():
    random = np.random.default_rng(9)
    for _ in range(draws(2000, 100_000)):
        requests = Requests()
        try:
            for _ in range(4):
                size = int(random.integers(0, 40))
                head = b"" if random.integers(2) else bytes([size, 0, 0, 0])
                requests.feed(head + random.bytes(size) or b"\0")
                while (request := requests.next()) is not None:
                    assert request.milliseconds >= 0
        except BadRequestError:
            pass
