"""Emitter and Receiver between two robots, and the LED."""

import math
import struct

import numpy as np
import pytest
from folders import TEST_SCENARIOS
from loaded import loaded
from robots import controller

from webmotor_drake.controllers.devices.radio import Emitter, Receiver
from webmotor_drake.controllers.in_process.controller_run import (
    run_with_controllers,
)
from webmotor_drake.controllers.session import RobotSession
from webmotor_drake.errors import InputError

FILE = TEST_SCENARIOS / "devices.scenario.yaml"


def talk(text: str = "{}"):
    return loaded(FILE, "Talk", text)


class Pair:
    """Two robots 2 m apart along x; the second is turned to the left."""

    def __init__(self, text: str = "{}"):
        self.session = RobotSession(talk(text))
        self.a, self.b = map(self.session.robot, "ab")
        self.emitter = self.a.getDevice("emitter")
        self.receiver = self.b.getDevice("receiver")
        self.receiver.enable(8)
        self.step()

    def step(self, milliseconds: int = 8):
        self.a.step(milliseconds)


@pytest.fixture
def pair():
    return Pair()


def test_what_is_sent_in_a_step_is_there_at_its_end(pair):
    pair.emitter.send("hello")
    assert pair.receiver.getQueueLength() == 0
    pair.step()
    assert pair.receiver.getQueueLength() == 1
    assert pair.receiver.getString() == "hello"
    assert pair.receiver.getDataSize() == 5
    pair.step()
    assert pair.receiver.getQueueLength() == 1  # until nextPacket
    pair.receiver.nextPacket()
    assert pair.receiver.getQueueLength() == 0


def test_a_receiver_gets_it_at_its_own_period(pair):
    pair.receiver.enable(24)
    pair.emitter.send(b"1")
    pair.step()
    pair.emitter.send(b"2")
    pair.step()
    assert pair.receiver.queue_length == 0
    pair.step()
    assert pair.receiver.queue_length == 2
    assert pair.receiver.getBytes() == b"1"


def test_packets_of_a_long_step_are_all_there(pair):
    receiver = pair.b.getDevice("all")
    receiver.enable(8)
    for k in range(3):
        pair.emitter.send([k])
    pair.step(40)
    assert [packet.data for packet in receiver._device.packets] == [
        struct.pack("i", k) for k in range(3)
    ]


@pytest.mark.closed_form("Receiver")
def test_strength_and_direction_are_seen_from_the_receiver(pair):
    pair.emitter.send("x")
    pair.step()
    assert pair.receiver.getSignalStrength() == pytest.approx(1 / 2**2)
    # It looks along y; the emitter is to its left.
    assert pair.receiver.getEmitterDirection() == pytest.approx(
        [0, 1, 0], abs=1e-12
    )


@pytest.mark.parametrize(
    ("message", "read", "expected"),
    [
        ("text", Receiver.getString, "text"),
        ("grüße", Receiver.getString, "grüße"),
        (b"\x00\x01", Receiver.getBytes, b"\x00\x01"),
        ([1.5, -2.0], Receiver.getFloats, (1.5, -2.0)),
        ((7, -1), Receiver.getInts, (7, -1)),
        (b"\x01\x00", Receiver.getBools, (True, False)),
    ],
)
def test_texts_bytes_and_numbers_come_back(pair, message, read, expected):
    pair.emitter.send(message)
    pair.step()
    assert read(pair.receiver) == expected


def test_old_names_still_work(pair, capsys):
    pair.emitter.send("x")
    pair.step()
    assert pair.receiver.getData() == "x" and pair.receiver.data == b"x"
    assert pair.receiver.data_size == 1 and pair.receiver.string == "x"
    assert "DEPRECATION" in capsys.readouterr().err


def test_old_programs_unpack_what_they_get(capsys):
    receiver = "receiver: !Receiver {data_as_bytes: true}"
    pair = Pair(f"{{model_drivers: {{b: {{devices: {{{receiver}}}}}}}}}")
    pair.emitter.send(struct.pack("if", 7, 0.5))
    pair.step()
    assert struct.unpack("if", pair.receiver.getData()) == (7, 0.5)
    assert not capsys.readouterr().err


def test_channels_have_to_match_or_be_all(pair):
    everything = pair.b.getDevice("all")
    everything.enable(8)
    pair.step()
    pair.emitter.setChannel(2)
    pair.emitter.send("two")
    pair.emitter.setChannel(Emitter.CHANNEL_BROADCAST)
    pair.emitter.send("to all")
    pair.step()
    assert everything.getQueueLength() == 2
    assert [p.data for p in pair.receiver._device.packets] == [b"to all"]
    pair.receiver.setChannel(2)
    pair.emitter.setChannel(2)
    pair.emitter.send("heard")
    pair.step()
    assert pair.receiver.getChannel() == 2
    assert pair.receiver.getQueueLength() == 2


def test_wrong_channels_are_ignored_with_an_error(pair, capsys):
    pair.emitter.setChannel(-2)
    picky = pair.b.getDevice("picky")
    picky.setChannel(5)
    picky.channel = 4
    assert pair.emitter.channel == 1 and picky.channel == 4
    error = capsys.readouterr().err
    assert "setChannel(-2): ignored; -1 (all)" in error
    assert "setChannel(5): ignored; allowed_channels are 3, 4" in error


def test_range_is_that_of_the_send_and_of_the_emitter(pair, capsys):
    pair.emitter.setRange(1.9)
    pair.emitter.send("too far")
    pair.emitter.setRange(2.1)
    pair.emitter.send("near")
    pair.emitter.setRange(0.1)
    pair.step()
    assert [p.data for p in pair.receiver._device.packets] == [b"near"]
    pair.emitter.setRange(-1)
    assert pair.emitter.getRange() == 50  # max_range
    pair.emitter.range = 60
    assert pair.emitter.range == 50
    pair.emitter.setRange(-3)
    assert pair.emitter.range == 50
    assert "setRange(-3): ignored" in capsys.readouterr().err


def test_a_full_buffer_loses_packets(pair, capsys):
    assert pair.emitter.getBufferSize() == 100
    pair.emitter.send(b"x" * 90)
    pair.emitter.send(b"x" * 20)
    assert "the buffer of 100 bytes is full" in capsys.readouterr().err
    pair.step()
    assert pair.receiver.getQueueLength() == 0  # it has room for 20
    for _ in range(3):
        pair.emitter.send(b"x" * 8)
    pair.step()
    assert pair.receiver.getQueueLength() == 2


def test_the_baud_rate_spreads_packets_over_steps():
    # 8000 baud of 8 bits are a byte per millisecond, 8 per step.
    pair = Pair(
        "{model_drivers: {a: {devices: {emitter: !Emitter"
        " {channel: 1, baud_rate: 8000}}}}}"
    )
    for _ in range(3):
        pair.emitter.send(b"12345678")
    arrived = []
    for _ in range(4):
        pair.step()
        arrived.append(pair.receiver.getQueueLength())
    # The receiver's buffer has room for two.
    assert arrived == [1, 2, 2, 2]


def test_a_robot_does_not_hear_itself_and_one_that_is_off_nothing(pair):
    own = pair.a.getDevice("receiver")
    own.setChannel(1)
    own.enable(8)
    deaf = pair.b.getDevice("deaf")
    pair.step()
    pair.emitter.send("x")
    pair.step()
    assert own.getQueueLength() == 0
    deaf.enable(8)
    pair.step()
    assert deaf.getQueueLength() == 0


def test_an_empty_queue_and_a_receiver_that_is_off_say_so(pair, capsys):
    receiver = pair.receiver
    assert receiver.getBytes() == b"" and receiver.getString() == ""
    assert receiver.getFloats() == () and receiver.getDataSize() == -1
    assert math.isnan(receiver.getSignalStrength())
    assert receiver.getEmitterDirection() is None
    receiver.nextPacket()  # nothing, as in Webots
    error = capsys.readouterr().err
    assert error.count("the queue is empty") == 6
    receiver.disable()
    assert receiver.getQueueLength() == 0
    assert "the sensor is off" in capsys.readouterr().err


def test_what_cannot_be_sent_is_told(pair, capsys):
    for message in ([], "", b"", None, {"a": 1}, ["a"]):
        pair.emitter.send(message)
    pair.emitter.send(b"12", 5)
    pair.emitter.send(b"1234", 2)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 7
    assert "there are 2 bytes, not 5" in lines[-1]
    pair.step()
    assert [p.data for p in pair.receiver._device.packets] == [b"12", b"12"]
    with pytest.raises(struct.error):
        pair.emitter.send([1, "a"])


def test_noise_is_a_part_of_the_strength_and_of_the_distance():
    pair = Pair(
        "{model_drivers: {b: {devices: {receiver: !Receiver {channel: 1,"
        " signal_strength_noise: 0.1, direction_noise: 0.1}}}}}"
    )
    strengths, directions = [], []
    for _ in range(300):
        pair.emitter.send("x")
        pair.step()
        strengths.append(pair.receiver.getSignalStrength())
        directions.append(pair.receiver.getEmitterDirection())
        pair.receiver.nextPacket()
    # Four standard errors of a deviation from 300 numbers.
    assert np.std(strengths) == pytest.approx(0.025, rel=4 / math.sqrt(600))
    assert np.linalg.norm(directions, axis=1) == pytest.approx(np.ones(300))
    assert np.std([d[0] for d in directions]) == pytest.approx(0.1, rel=0.2)


def test_infra_red_needs_its_own_kind_and_a_free_line_of_sight():
    text = (
        "{{model_drivers: {{a: {{devices: {{emitter: !Emitter {{channel: 1,"
        " type: infra-red, aperture: {aperture}}}}}}}}}, directives: ["
        "{{add_model: {{name: a, file: package://webmotor_models/pendulum.urdf}}}},"
        "{{add_weld: {{parent: world, child: a::base}}}},"
        "{{add_model: {{name: b, file: package://webmotor_models/pendulum.urdf}}}},"
        "{{add_weld: {{parent: world, child: b::base,"
        " X_PC: {{translation: [2, 0.1, 0]}}}}}}{more}]}}"
    )
    wall = (
        ", {add_model: {name: wall, file: package://webmotor_models/small_box.urdf,"
        " default_free_body_pose: {box: {translation: [1, 0.05, 0]}}}}"
    )
    for aperture, more, heard in (
        (-1, "", 1),
        (0.2, "", 1),  # 0.05 rad off the axis
        (0.09, "", 0),
        (-1, wall, 0),
    ):
        pair = Pair(text.format(aperture=aperture, more=more))
        eye = pair.b.getDevice("eye")
        eye.enable(8)
        pair.step()
        pair.emitter.send("x")
        pair.step()
        assert eye.getQueueLength() == heard, (aperture, more)
        assert pair.receiver.getQueueLength() == 0


def test_two_controllers_talk(tmp_path):
    one = controller(
        tmp_path,
        """
        from controller import Robot
        robot = Robot()
        emitter = robot.getDevice("emitter")
        robot.step(8)  # the other is on by then
        emitter.send("ping")
        while robot.step(8) != -1:
            pass
        """,
    )
    other = controller(
        tmp_path,
        """
        from controller import Robot
        robot = Robot()
        receiver = robot.getDevice("receiver")
        receiver.enable(8)
        times = []
        while robot.step(8) != -1:
            if receiver.getQueueLength():
                print(receiver.getString(), robot.getTime())
                receiver.nextPacket()
        """,
        "controller_b.py",
    )
    import contextlib
    import io

    with contextlib.redirect_stdout(io.StringIO()) as out:
        run_with_controllers(
            talk("{simulation_duration: 0.08}"), {"a": one, "b": other}
        )
    assert out.getvalue() == "[controller_b] ping 0.016\n"


def test_an_led_keeps_what_it_was_set_to(pair):
    led = pair.a.getDevice("led")
    assert led.get() == 0
    led.set(1)
    assert led.get() == 1
    led.value = 3
    assert led.value == 3
    with pytest.raises(TypeError, match="not a whole number"):
        led.set(0.5)


@pytest.mark.parametrize(
    ("text", "place", "problem"),
    [
        ("!Emitter {type: radoi}", "type", "did you mean radio?"),
        ("!Emitter {channel: -2}", "channel", "-1 (all) or"),
        ("!Emitter {aperture: 7}", "aperture", "0 to 6.28"),
        ("!Emitter {byte_size: 7}", "byte_size", "from 8 on"),
        ("!Emitter {buffer_size: 0}", "buffer_size", "from 1 on"),
        ("!Emitter {range: 5, max_range: 4}", "range", "beyond the max_range"),
        (
            "!Receiver {allowed_channels: [2]}",
            "channel",
            "not one of the allowed",
        ),
        ("!Receiver {direction_noise: -1}", "direction_noise", "at least 0"),
        ("!LED {color: [[1, 0]]}", "color[0]", "red, green, blue"),
        ("!LED {color: [[1, 0, 2]]}", "color[0][2]", "0 to 1"),
    ],
)
def test_what_cannot_be_is_told_with_its_place(text, place, problem):
    with pytest.raises(InputError) as raised:
        talk(f"{{model_drivers: {{a: {{devices: {{led: {text}}}}}}}}}")
    assert f"devices.led.{place}: " in str(raised.value)
    assert problem in str(raised.value)


def test_robots_without_a_body_hear_each_other_and_not_themselves():
    radio = """
    {model_drivers: {
      north: !WebotsMotorDriver
        {supervisor: true, devices: {out: !Emitter {}, in: !Receiver {}}},
      south: !WebotsMotorDriver
        {supervisor: true, devices: {out: !Emitter {}, in: !Receiver {}}}}}
    """
    with RobotSession(talk(radio)) as session:
        north, south = session.robot("north"), session.robot("south")
        for robot in north, south:
            robot.getDevice("in").enable(8)
        north.step(8)
        north.getDevice("out").send("here is the north")
        north.step(8)
        assert south.getDevice("in").getString() == "here is the north"
        assert north.getDevice("in").getQueueLength() == 0
