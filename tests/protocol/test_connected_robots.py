"""Robots that are controlled over the wire, by a client of our own."""

import contextlib
import gc
import math
import os
import signal
import socket
import struct
import threading
import time

import numpy as np
import pytest
from connected import connected, port_of_instance
from drawn import draws
from robots import controller, run, scenario, with_driver
from webots_client import FIRST, EndedError, WebotsClient, extern_socket

from webmotor_drake.controllers.in_process.controller_run import (
    run_with_controllers,
)
from webmotor_drake.protocol import connected_robots, connection
from webmotor_drake.protocol.server import Server
from webmotor_drake.runner import ready
from webmotor_drake.scenario.robot_controllers import make_extern
from webmotor_drake.simulation.simulation import Simulation


def idle(client: WebotsClient) -> None:
    while client.step(8) != -1:
        pass
    client.clean_up()


def test_the_handshake_says_what_robot_it_is():
    told = {}

    def look(client):
        told.update(vars(client))
        idle(client)

    connected(scenario(), arm=look)
    assert told["name"] == "arm"
    assert told["devices"] == {
        "hinge motor": (1, 57),
        "hinge sensor": (2, 52),
        "hinge brake": (3, 37),
    }
    assert (told["basic_time_step"], told["controller"]) == (8.0, "<extern>")
    assert (told["supervisor"], told["synchronization"]) == (0, 1)
    assert (told["version"], told["window"], told["remote"]) == ("", "", "")
    motor = told["seen"]["hinge motor", 0]
    assert motor[:6] == (0, -2, 2, 8, 40, 10)
    assert motor[6:9] == (10, 0, 0)
    assert motor[9:11] == (0.25, 8)
    assert motor[11:] == (1, [])


PROGRAM = """
    from controller import Robot
    robot = Robot()
    motor, sensor = robot.getDevice("hinge motor"), robot.getDevice("hinge sensor")
    brake = robot.getDevice("hinge brake")
    sensor.enable(16)
    motor.enableTorqueFeedback(8)
    for k in range(40):
        motor.setPosition(0.9 if k % 20 < 10 else -0.5)
        motor.setVelocity(3.0)
        if k == 5:
            motor.setControlPID(8, 0.5, 0.1)
            motor.setAcceleration(20)
        if k == 12:
            motor.setAvailableTorque(6)
            brake.setDampingConstant(0.2)
        if k == 30:
            motor.setTorque(0.3)
        robot.step(8)
        print(repr(sensor.getValue()), repr(motor.getTorqueFeedback()))
"""


def same_on_the_wire(printed: list):
    def control(client: WebotsClient) -> None:
        motor = "hinge motor"
        client.enable("hinge sensor", 16)
        client.command(motor, struct.pack("<HH", 5, 8))
        for k in range(40):
            client.motor(motor, 1, 0.9 if k % 20 < 10 else -0.5)
            client.motor(motor, 2, 3.0)
            if k == 12:
                client.motor(motor, 3, 6)
                client.command("hinge brake", struct.pack("<Bd", 2, 0.2))
            if k == 30:
                client.motor(motor, 4, 0.3)
            if k == 5:
                client.motor(motor, 6, 20)
                client.motor(motor, 7, 8, 0.5, 0.1)
            assert client.step(8) == 0
            value = client.seen.get(("hinge sensor", 1), math.nan)
            printed.append(f"{value!r} {client.seen[motor, 5]!r}")
        client.clean_up()

    return control


@pytest.mark.parametrize("tcp", [False, True])
def test_it_is_the_same_to_the_bit_as_the_python_api(tmp_path, capsys, tcp):
    in_process = run(tmp_path, PROGRAM)
    expected = capsys.readouterr().out.splitlines()
    printed: list[str] = []
    wire = connected(scenario(), tcp, arm=same_on_the_wire(printed)).results
    assert printed == expected
    for name, values in in_process.signals.items():
        np.testing.assert_array_equal(wire.signals[name], values, err_msg=name)


def test_a_change_of_gains_is_told_once():
    def control(client):
        client.motor("hinge motor", 7, 5, 0, 0)
        client.step(8)
        assert client.seen["hinge motor", 0][6:9] == (5, 0, 0)
        assert [m[:2] for m in client.messages] == [("", 4), ("hinge motor", 0)]
        client.motor("hinge motor", 7, 5, 0, 0)
        client.step(8)
        assert [m[:2] for m in client.messages] == [("", 4)]
        client.clean_up()

    connected(scenario(), arm=control)


def test_a_wait_for_a_key_ends_with_the_key_or_the_time():
    robot = scenario()
    held, events = [], []

    def control(client):
        client.command("", struct.pack("<BH", 34, 8))
        for timeout in (50, 60_000):
            client.command("", struct.pack("<Bii", 80, 4, timeout))
            if timeout > 50:
                threading.Timer(0.1, held.append, [65]).start()
            client.step(0)
            events.append((client.seen["", 80], client.seen.get(("", 6))))
        client.clean_up()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Simulation, "held_keys", lambda *_: list(held))
        connected(robot, arm=control)
    assert events == [(0, None), (4, [65])]


def test_questions_are_answered_while_time_stands_still():
    def control(client):
        client.command("hinge motor", struct.pack("<HH", 8, 52))
        client.command("hinge sensor", struct.pack("<BH", 2, 57))
        client.command("hinge brake", struct.pack("<BdH", 6, 0.0, 57))
        client.command("", struct.pack("<BH", 46, 1) + b"\0")
        client.command("", struct.pack("<BH", 35, 8))
        client.command("", struct.pack("<Bii", 80, 4, 20))
        assert client.step(0) == 0
        seen = client.seen
        assert seen["hinge motor", 8] == 2
        assert seen["hinge sensor", 2] == seen["hinge brake", 4] == 1
        assert "<robot" in seen["", 46]
        assert seen["", 3] == (-1, -1, -1)
        assert seen["", 80] == 0
        assert ("", 4) not in seen
        assert client.step(0) == 0  # an empty one
        assert client.raw == b""
        idle(client)

    connected(scenario(), arm=control)


def test_coupled_motors_are_told_by_tag_and_move_together():
    def control(client):
        assert client.seen["grip::left", 0][-1] == [2]
        assert client.seen["grip::right", 0][11:] == (-2, [1])
        client.motor("grip::left", 1, 0.02)
        idle(client)

    results = connected(scenario("Pair"), gripper=control).results
    assert results["gripper/grip::right/target_position"][-1] == -0.04


def test_a_longer_step_then_a_shorter_is_late_as_in_webots():
    def control(client):
        assert [client.step(ms) for ms in (64, 32, 32, 8)] == [0, 32, 0, 24]
        client.clean_up()

    connected(scenario(), arm=control)


@pytest.mark.parametrize("tcp", [False, True])
def test_the_end_is_told_by_quit(tcp):
    steps = []

    def control(client):
        while client.step(8) != -1:
            steps.append(client.time)
        assert client.quit
        client.clean_up()

    connected(scenario(text="{simulation_duration: 0.096}"), tcp, arm=control)
    assert len(steps) == 12


def test_last_commands_act_and_the_robot_holds_them(capsys):
    def control(client):
        client.step(8)
        client.motor("hinge motor", 1, 0.7)
        client.clean_up()

    results = connected(scenario(), arm=control).results
    assert results["arm/hinge motor/position"][-1] == pytest.approx(
        0.7, abs=0.1
    )
    assert results.time[-1] == pytest.approx(4)
    assert "no longer" not in capsys.readouterr().err


def test_two_robots_step_together_whoever_asks_first():
    times = {"first": [], "second": []}

    def control(ms):
        def controller(client):
            client.enable("hinge sensor", 8)
            while client.step(ms) != -1:
                times[client.name].append(client.time)
            client.clean_up()

        return controller

    connected(scenario("TwoArms"), first=control(8), second=control(32))
    assert len(times["first"]) == 125
    assert times["second"] == times["first"][3::4]


def next_one(tcp: bool = False) -> WebotsClient:
    """Returns the next client of the arm, once the one before has gone."""
    port = port_of_instance()
    local = None if tcp else extern_socket(port, "arm")
    return WebotsClient(local=local, port=port, robot="arm")


def hang_up(client: WebotsClient) -> None:
    """Closes one's own half only."""
    client.socket.shutdown(socket.SHUT_WR)


STEP = struct.pack("<II", 8, 8)
WAYS = {
    "closed": b"",
    "closed with an unread answer": STEP,
    "two steps": STEP * 2,
    "half a request": STEP[:5],
    "a step and the last word": STEP + bytes(4),
    "a step without an end": struct.pack("<II", 8, 2**31),
    "garbage": b"\xff" * 40,
}


@pytest.mark.parametrize(
    ("way", "end"),
    [*((way, ".inf") for way in WAYS), ("closed", "4"), ("two steps", "4")],
)
def test_the_next_client_is_served_however_one_has_gone(capsys, way, end):
    def control(client):
        client.step(8)
        client.socket.sendall(WAYS[way])
        if way == "two steps":
            hang_up(client)
            threading.Event().wait(0.1)
        client.close()
        with contextlib.closing(next_one(tcp="step" in way)) as following:
            assert 0.008 <= following.time < 4
            assert following.step(8) == 0
            following.clean_up() if end == "4" else interrupted(following)

    def interrupted(client):
        os.kill(os.getpid(), signal.SIGINT)
        client.step(8)

    pace = "simulator_config: {target_realtime_rate: 8}"
    robot = scenario(text=f"{{simulation_duration: {end}, {pace}}}")
    stopped = (
        contextlib.nullcontext()
        if end == "4"
        else pytest.raises(KeyboardInterrupt)
    )
    with stopped:
        results = connected(robot, arm=control).results
        assert results.time[-1] == pytest.approx(4)
    if way != "a step and the last word":
        assert "waits for the next" in capsys.readouterr().err


def test_a_last_word_that_a_look_at_all_sockets_brings_is_the_last(monkeypatch):
    wait = Server.wait

    def wait_late(server, seconds):
        time.sleep(0.1)
        return wait(server, seconds)

    def control(client):
        client.step(8)
        client.socket.sendall(bytes(4))
        client.close()

    # Each look comes in time for the word; before, the run waited for ever after it.
    monkeypatch.setattr(connected_robots, "_DIRECTLY", 0)
    monkeypatch.setattr(Server, "wait", wait_late)
    robot, late = scenario(), threading.Timer(20, os.abort)
    robot.simulation_duration = 0.08
    late.start()
    results = connected(robot, arm=control).results
    late.cancel()
    assert results.time[-1] == pytest.approx(0.08)


def test_a_run_goes_on_once_its_controller_has_ended_and_serves_another_one():
    def control(client):
        client.step(80)
        client.clean_up()
        other = next_one()
        assert other.time >= 0.08
        other.step(8)
        other.clean_up()

    paced = {"simulator_config": {"target_realtime_rate": 8}}
    results = connected(scenario(text=str(paced)), arm=control).results
    assert results.time[-1] == pytest.approx(4)


@pytest.mark.parametrize(
    "junk", [b"\x07\0\0\0", b"\xff" * 40, FIRST[:9] + b"\xff" * 8]
)
def test_garbage_ends_the_connection_not_the_run(capsys, junk):
    def control(client):
        client.step(8)
        client.socket.sendall(junk)
        with pytest.raises((EndedError, ConnectionError)):
            client.socket.settimeout(5)
            client._exactly(1)
        next_one().clean_up()

    connected(scenario(), arm=control)
    assert "no longer connected" in capsys.readouterr().err


def test_garbage_in_blocks_is_told_once_and_skipped(capsys):
    random = np.random.default_rng(7)

    def control(client):
        for _ in range(draws(200, 5000)):
            for device in client.devices:
                size = int(random.integers(1, 30))
                client.command(device, random.bytes(size))
            client.queue[9] = b"?"
            client.send(0)
            client._read()
        client.clean_up()

    results = connected(scenario(), arm=control).results
    assert np.isfinite(results["arm/hinge motor/position"]).all()
    told = capsys.readouterr().err.splitlines()
    assert any("there is no device 9" in line for line in told)


def test_a_client_that_stops_reading_is_left_and_the_run_goes_on(
    capsys, monkeypatch
):
    monkeypatch.setattr(connection, "_UNREAD", 0.2)

    def control(client):
        client.command("", struct.pack("<BH", 46, 1) + b"\0")  # a long answer
        asked = next(iter(client.queue.values()))
        block = struct.pack("<Hi", 0, len(asked)) + asked
        request = struct.pack("<II", 8 + len(block), 0) + block
        client.socket.settimeout(20)
        with pytest.raises((ConnectionError, BrokenPipeError)):
            while True:  # until both sockets are full, and then nobody hears
                client.socket.sendall(request)
        next_one().clean_up()

    results = connected(scenario(), arm=control).results
    assert results.time[-1] == pytest.approx(4)
    assert "it has not read its answers for 0.2 s" in capsys.readouterr().err


def test_what_no_library_sends_is_refused(capsys):
    def control(client):
        client.motor("hinge motor", 1, math.nan)
        client.motor("hinge motor", 6, -3)
        client.motor("hinge motor", 7, 0, 0, 0)
        assert client.step(8) == 0
        idle(client)

    connected(scenario(), arm=control)
    assert "is ignored" in capsys.readouterr().err


def test_a_second_client_is_turned_away_and_the_first_goes_on():
    def control(client):
        port = port_of_instance()
        with socket.socket(socket.AF_UNIX) as second:
            second.connect(str(extern_socket(port, "arm")))
            second.settimeout(5)
            client.step(8)
            assert second.recv(1) == b""
        # Only while the run waits are newcomers answered.
        for hello, answer in (
            (b"CTR\nRobot-Name: arm", b"FORBIDDEN"),
            (b"CTR", b"FORBIDDEN"),
            (b"CTR\nRobot-Name: leg", b"FAILED"),
            (b"GET / HTTP/1.1\r\n\r\n", b""),
        ):
            with socket.create_connection(("127.0.0.1", port)) as other:
                other.settimeout(5)
                other.sendall(hello)
                assert other.recv(10) == answer
        idle(client)

    connected(scenario(), arm=control)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("guests", "answer"), [((), b"FORBIDDEN"), (("127.0.0.2",), b"CONNECTED")]
)
def test_another_machine_connects_only_where_it_may(guests, answer):
    with contextlib.closing(Server({"arm": "extern"}, 0, guests)) as server:
        other = socket.socket()
        other.bind(("127.0.0.2", 0))  # all of 127 is this machine
        other.settimeout(20)
        with other:
            other.connect(("127.0.0.1", server.port))
            other.sendall(b"CTR")
            server.wait(20)
            server.wait(1)
            assert other.recv(10) == answer


def test_tcp_can_be_closed_to_all_users_of_this_machine():
    server = Server({"arm": "extern"}, 0, ["none"])
    with contextlib.closing(server), socket.socket() as other:
        other.connect(("127.0.0.1", server.port))
        other.settimeout(20)
        server.wait(20)
        assert other.recv(10) == b"FORBIDDEN"


def test_by_default_it_listens_on_this_machine_alone():
    def listening(port: int) -> set[str]:
        with open("/proc/self/net/tcp") as file:
            rows = [line.split() for line in file][1:]
        wanted = f":{port:04X}"
        return {row[1] for row in rows if row[1].endswith(wanted)}

    for guests, place in (((), "0100007F"), (("10.0.0.7",), "00000000")):
        with contextlib.closing(Server({"arm": "extern"}, 0, guests)) as server:
            assert listening(server.port) == {f"{place}:{server.port:04X}"}
            folder = server.folder.stat()
            assert folder.st_mode & 0o077 == 0  # nor do other users come


def test_another_client_may_come_when_one_has_left_a_run_without_an_end():
    endless = scenario(text="{simulation_duration: .inf}")
    make_extern(endless)
    simulation = ready(endless, port=0)
    seen, failed = [], []

    def clients():
        try:
            port = port_of_instance()
            for _ in range(3):
                client = WebotsClient(local=extern_socket(port, "arm"))
                client.step(80)
                seen.append(client.time)
                client.close()
            client = WebotsClient(port=port)
            client.step(8)
            seen.append(client.time)
            os.kill(os.getpid(), signal.SIGINT)
            client.step(8)
            assert client.quit
            client.close()
        except BaseException as error:
            failed.append(error)
            os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=clients)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        simulation.run()
    thread.join(20)
    assert not failed
    assert seen == pytest.approx([0.08, 0.16, 0.24, 0.248])


def test_no_descriptor_is_left_after_clients_that_are_killed():
    def count():
        gc.collect()  # what tests before have left
        return len(os.listdir("/proc/self/fd"))

    def control(client):
        client.step(8)
        port = port_of_instance()
        strangers = [
            socket.create_connection(("127.0.0.1", port))
            for _ in range(draws(100, 1000) if first else 100)
        ]
        client.step(8)
        for stranger in strangers:
            stranger.close()
        client.close()
        next_one().clean_up()

    first = True
    connected(scenario(text="{simulation_duration: 0.096}"), arm=control)
    first, before = False, count()
    for _ in range(draws(3, 200)):
        connected(scenario(text="{simulation_duration: 0.096}"), arm=control)
    assert count() == before


SENSORS = """
  devices:
    gps: !GPS {frame: link}
    gyro: !Gyro {frame: link}
    accelerometer: !Accelerometer {frame: link}
    compass: !Compass {frame: link}
    unit: !InertialUnit {frame: link}
    altimeter: !Altimeter {frame: link}
    distance: !DistanceSensor {frame: link, type: sonar}
    light: !LightSensor {frame: link}
    led: !LED {}
    display: !Display {}
    pen: !Pen {}
    speaker: !Speaker {}
    connector: !Connector {}
    gripper: !VacuumGripper {}
    radar: !Radar {}
    skin: !Skin {}
    emitter: !Emitter {channel: 3, baud_rate: 8000}
    receiver: !Receiver {allowed_channels: [0, 2]}
"""


def with_sensors():
    return with_driver(_flow(SENSORS))


def _flow(block: str) -> str:
    lines = [line.strip() for line in block.strip().splitlines()]
    return f"{lines[0]} {{{', '.join(lines[1:])}}}"


PYTHON_SENSORS = """
    from controller import Robot
    robot = Robot()
    names = "gyro accelerometer compass".split()
    for name in [*names, "gps", "unit", "altimeter", "distance", "light"]:
        robot.getDevice(name).enable(16)
    robot.getDevice("hinge motor").setPosition(1.0)
    for _ in range(10):
        robot.step(8)
    for name in names:
        print(repr(tuple(robot.getDevice(name).getValues())))
    gps = robot.getDevice("gps")
    print(repr((*gps.getValues(), gps.getSpeed(), *gps.getSpeedVector())))
    print(repr(tuple(robot.getDevice("unit").getQuaternion())))
    for name in "altimeter distance light".split():
        print(repr(robot.getDevice(name).getValue()))
"""


def test_sensors_measure_what_the_python_api_measures(tmp_path, capsys):
    file = controller(tmp_path, PYTHON_SENSORS)
    run_with_controllers(with_sensors(), {"arm": file})
    expected = capsys.readouterr().out.splitlines()
    found = []

    def control(client):
        messages = {
            "gyro": 53, "accelerometer": 51, "compass": 52, "gps": 2, "unit": 54,
            "altimeter": 1, "distance": 50, "light": 55,
        }  # fmt: skip
        for name in messages:
            client.enable(name, 16)
        client.motor("hinge motor", 1, 1.0)
        for _ in range(10):
            client.step(8)
        found.extend(repr(client.seen[pair]) for pair in messages.items())
        client.clean_up()

    connected(with_sensors(), arm=control)
    assert found == expected


def test_devices_are_configured_as_their_clients_need_it():
    def control(client):
        seen = client.seen
        assert seen["unit", 0] == (0, "ENU")
        assert seen["gps", 0] == 0
        assert seen["distance", 0][:4] == (2, 0, 1000, 1.5708)
        assert seen["distance", 0][4] == [(0, 0, 0), (0.1, 1000, 0)]
        assert seen["gyro", 0] == ([],)
        assert seen["emitter", 0] == (-1, 3, 1.0, -1, -1, [])
        assert seen["receiver", 0] == (-1, 0, [0, 2])
        assert seen["display", 0] == (64, 64)
        # A message to these would crash a client.
        assert not {"led", "pen", "altimeter"} & {name for name, _ in seen}
        idle(client)

    connected(with_sensors(), arm=control)


def test_what_is_not_simulated_is_said_once_and_the_client_lives_on(capsys):
    def control(client):
        client.command("led", struct.pack("<Bi", 1, 5))
        for _ in range(2):
            client.command("skin", struct.pack("<BH4dB", 1, 0, 0, 0, 0, 1, 1))
            client.step(8)
        assert client.messages == [("", 4, client.time)]
        idle(client)

    devices = "devices: {led: !LED {}, skin: !Skin {}}"
    connected(with_driver(devices), arm=control)
    told = capsys.readouterr().err
    assert told.count("Skin 'skin': not simulated here") == 1
    assert "LED" not in told


def test_the_battery_and_custom_data_are_known():
    def control(client):
        assert client.custom_data == "first"
        client.command("", struct.pack("<BH", 31, 8))
        client.command("", struct.pack("<BH", 37, 7) + b"second\0")
        client.step(8)
        assert client.seen["", 5] == pytest.approx(100, abs=1)
        client.clean_up()

    connected(
        with_driver("battery: [100, 100, 0], custom_data: first"), arm=control
    )


EYES = """
  devices:
    eye: !Camera {frame: base, width: 6, height: 4, pose: {translation: [-2, 0, 1]}}
    depth: !RangeFinder {frame: base, width: 6, height: 4, max_range: 5}
    lidar: !Lidar {frame: base, horizontal_resolution: 8, number_of_layers: 2}
"""
PYTHON_EYES = """
    import struct
    from controller import Robot
    robot = Robot()
    eyes = [robot.getDevice(name) for name in ("eye", "depth", "lidar")]
    for eye in eyes:
        eye.enable(8)
    for _ in range(2):
        robot.step(8)
    print(eyes[0].getImage().hex())
    for eye in eyes[1:]:
        image = eye.getRangeImage()
        print(struct.pack(f"<{len(image)}f", *image).hex())
"""


@pytest.mark.slow  # draws
@pytest.mark.parametrize("tcp", [False, True])
def test_images_are_those_of_the_python_api(tmp_path, capsys, tcp):
    file = controller(tmp_path, PYTHON_EYES)
    run_with_controllers(with_driver(_flow(EYES)), {"arm": file})
    expected = capsys.readouterr().out.splitlines()
    found = []

    def control(client):
        for name in ("eye", "depth", "lidar"):
            client.enable(name, 8)
        client.step(0)
        pixels = client.images if tcp else client.maps
        assert pixels["eye"][:8] == b"\0\0\0\xff" * 2  # there is one at once
        client.command("lidar", b"\x11")
        for _ in range(2):
            client.step(8)
        for name, size in (("eye", 96), ("depth", 96), ("lidar", 64)):
            found.append(pixels[name][:size].hex())
        assert len(pixels["lidar"]) == 24 * 16
        client.clean_up()

    connected(with_driver(_flow(EYES)), tcp, arm=control)
    assert found == expected


@pytest.mark.parametrize("tcp", [False, True])
def test_two_robots_of_one_name_are_told_apart_by_their_models(tcp):
    made, seen = scenario("TwoArms"), {}
    for driver in made.model_drivers.values():
        driver.robot_name = "robot"

    def swing(target):
        def control(client):
            client.enable("hinge sensor", 8)
            client.motor("hinge motor", 1, target)
            for _ in range(20):
                client.step(8)
            seen[target] = client.name, client.seen["hinge sensor", 1]
            idle(client)

        return control

    connected(made, tcp, first=swing(0.5), second=swing(-0.5))
    assert [name for name, _ in seen.values()] == ["robot", "robot"]
    assert seen[-0.5][1] < 0 < seen[0.5][1]
