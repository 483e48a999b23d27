"""Random requests to a supervisor with all devices: what is answered can be read.

A client reads answers blindly: a byte too many or too few, and nothing that follows
has a meaning. So each answer is read by the stand-in for libController.
"""

import contextlib
import copy
import struct
from unittest.mock import ANY

import pytest
from drawn import draws
from folders import TEST_SCENARIOS
from hypothesis import HealthCheck, given, settings, strategies as st
from loaded import loaded
from webots_client import ROBOT, Stream, WebotsClient

from webmotor_drake.host.robot_host import robot_hosts
from webmotor_drake.host.stepped_simulation import SteppedSimulation
from webmotor_drake.protocol.framing import BadRequestError, Requests
from webmotor_drake.protocol.wire_robot import WireRobot
from webmotor_drake.simulation.simulation import Simulation

OF_ROBOTS = [30, 31, *range(33, 47), 80, 81]
OF_SUPERVISORS = [*range(50, 79), *range(82, 104)]
OF_DEVICES = [*range(20), *range(32, 38), *range(64, 70)]


class Rhythm:
    """Ends and starts nothing."""

    def reload(self):
        return ""

    def restart(self, robot):
        return False


class Nodes(dict):
    """Any node may be asked for, known or not."""

    def __contains__(self, number):
        return True

    def __delitem__(self, number):
        self.pop(number, None)


class Reading(WebotsClient):
    """The client's reading of answers, without a connection."""

    def __init__(self, handshake: bytes):
        self.devices, self._by_tag = {}, {0: ("", ROBOT)}
        self.seen, self.messages, self.quit = {}, [], False
        self.maps, self.images = {}, {}
        self.nodes, self.asked_field, self.has_protos = Nodes(), "asked", True
        self.asked_proto = ANY
        stream = Stream(handshake)
        assert stream.fields("HB") == (0, 0)
        self._configure(stream)
        self._parse(stream)

    def read(self, told: bytes) -> None:
        self._parse(Stream(told))


@pytest.fixture
def robot(tmp_path):
    scenario = copy.deepcopy(
        loaded(TEST_SCENARIOS / "devices.scenario.yaml", "See")
    )
    scenario.model_drivers["rover"].supervisor = True
    scenario.source = None
    stepped = SteppedSimulation(Simulation(scenario))
    stepped.rhythm = Rhythm()
    made = WireRobot(robot_hosts(stepped)["rover"], "")
    made.exchange.image_folder = tmp_path
    yield made
    made.leave()


@pytest.fixture
def client(robot):
    return Reading(robot.handshake())


def packed(layout: str, values: st.SearchStrategy) -> st.SearchStrategy:
    return values.map(lambda value: struct.pack(f"<{layout}", value))


# What may be a field of a command, or a part of one: small, extreme, or anything.
FIELDS = st.one_of(
    packed("I", st.integers(0, 60)),
    packed("i", st.sampled_from([-1, -(2**31), 2**31 - 1])),
    packed("H", st.integers(0, 70)),
    packed("d", st.floats()),
    packed("d", st.floats(-2, 2)),
    st.sampled_from([b"translation\0", b"BALL\0", b"\0", b"\1", b"\2"]),
    st.binary(min_size=1, max_size=9),
)


def commands(numbers: list[int], layout: str = "B") -> st.SearchStrategy:
    """Draws commands, whose fields may be those of others."""
    head = packed(layout, st.sampled_from(numbers))
    command = st.tuples(head, st.lists(FIELDS, max_size=4).map(b"".join))
    return st.lists(command.map(b"".join), min_size=1, max_size=3).map(b"".join)


NODES = st.integers(0, 40)


def asked(layout: str, numbers: list[int], *fields) -> st.SearchStrategy:
    """Draws requests of a supervisor as they should be."""
    number = st.sampled_from(numbers)
    return st.tuples(number, *fields).map(
        lambda values: struct.pack(f"<B{layout}", *values)
    )


FLOATS = [st.floats(-3, 3) | st.floats() for _ in range(6)]
WHOLE = st.one_of(
    asked("I", [67, 77, 83, 90, 91, 93, 95, 96, 97], NODES),
    asked("II", [92], NODES, NODES),
    asked("IB", [65, 94], NODES, st.integers(0, 1)),
    asked("IiIB", [64], NODES, st.just(-1), NODES, st.just(0)),
    asked("IiIB", [88], NODES, st.just(-1), NODES, st.just(0)),
    asked("IIIidddd", [62], NODES, NODES, NODES, st.just(-1), *FLOATS[:4]),
    asked("I6d", [66], NODES, *FLOATS),
    asked("I3dB", [71, 73], NODES, *FLOATS[:3], st.integers(0, 1)),
    asked("I6dB", [72], NODES, *FLOATS, st.integers(0, 1)),
    asked("IdI", [76], NODES, FLOATS[0], st.integers(0, 3)),
    asked("IIBi", [102], st.just(0), NODES, st.just(1), st.just(8)),
)
BLOCKS = st.one_of(
    st.tuples(st.just(0), WHOLE),
    st.tuples(st.just(0), commands(OF_ROBOTS + OF_SUPERVISORS)),
    st.tuples(st.integers(1, 20), commands(OF_DEVICES)),
    st.tuples(st.integers(1, 20), commands(list(range(1, 9)), "H")),
)


def request(blocks: list[tuple[int, bytes]]) -> bytes:
    body = b"".join(
        struct.pack("<Hi", tag, len(data)) + data for tag, data in blocks
    )
    return struct.pack("<II", 8 + len(body), 0) + body


REQUESTS = st.lists(BLOCKS, max_size=3).map(request)


DATA = REQUESTS | st.binary(max_size=40)


def ours(few: int, many: int) -> settings:
    return settings(
        max_examples=draws(few, many),
        deadline=None,
        suppress_health_check=[HealthCheck.function_scoped_fixture],
    )


def answers(robot, data: bytes, cut: int, *, has_protos: bool | None):
    """Yields what the robot answers to bytes that come in two parts."""
    robot._supervisor.has_protos = has_protos
    requests = Requests()
    requests.feed(data[:cut])
    requests.feed(data[cut:])
    with contextlib.suppress(BadRequestError):
        while (asked := requests.next()) is not None:
            assert asked.milliseconds >= 0
            robot.carry_out(asked)
            yield robot.answer()[0]
    stepped = robot.exchange.host.stepped
    if cut % 20 == 0:
        stepped.advance(stepped.now + 1)


@pytest.mark.slow
@ours(400, 100_000)
@given(data=DATA, cut=st.integers(0, 60))
def test_what_is_asked_is_answered_so_that_a_client_can_read_it(
    robot, client, capsys, data, cut
):
    for told in answers(robot, data, cut, has_protos=True):  # as R2025a asks
        client.read(told)
    capsys.readouterr()


@pytest.mark.slow
@ours(400, 16_000)
@given(
    has_protos=st.sampled_from([False, None]), data=DATA, cut=st.integers(0, 60)
)
def test_clients_that_know_no_protos_are_answered(
    robot, capsys, has_protos, data, cut
):
    for told in answers(robot, data, cut, has_protos=has_protos):
        assert isinstance(told, bytes)
    capsys.readouterr()
