"""The live page: what it is told, what it may do, and who may not."""

import contextlib
import functools
import gc
import http.client
import socket
import struct
import time

import numpy as np
import pytest
import websockets.sync.client as sync
from page_client import LONG, connected
from websockets.exceptions import InvalidStatus

import webmotor_drake as wm
from webmotor_drake.data import SCENARIOS
from webmotor_drake.errors import SimulationError
from webmotor_drake.interrupts import RunEnded
from webmotor_drake.robot import set_controller
from webmotor_drake.runner import ready
from webmotor_drake.view.live_page import LivePage
from webmotor_drake.view.page_pull import Pull


def lift(duration=0.4, **driver):
    text = f"{{simulation_duration: {duration}}}"
    return wm.load_scenario("package:pendulum", name="Lift", text=text)


@contextlib.contextmanager
def live(scenario, **options):
    """Gives a page and a simulation that is attached to it."""
    with contextlib.closing(LivePage(rate=0, **options)) as page:
        yield (
            page,
            page.attach(functools.partial(ready, scenario, by_hand=True)),
        )


def until(page, happened):
    """Has the page read what it is sent until something has happened."""
    end = time.monotonic() + LONG
    while not happened():
        assert time.monotonic() < end
        page._read()
        time.sleep(0.001)


def test_a_page_gets_the_scene_and_frames_of_the_run():
    with live(lift(2.0)) as (page, simulation), connected(page) as client:
        page.wait_for_browser()
        simulation.run()
        about = client.told[0]
        (motor,) = about["motors"]
        assert motor["name"] == "hinge motor"
        assert [o["unit"] for o in motor["offers"]] == ["rad", "rad/s", "N·m"]
        assert about["paths"] == ["/drake/shapes/arm/link"]
        assert client.drawn.wait(LONG)
        frame = client.frames[-1]
        now, bodies, force = struct.unpack("<dIf", frame[4:20])
        assert bodies == 1
        assert force == 0
        assert 0 <= now <= 2.0
        position = np.frombuffer(frame, "<f4", 1, 20 + 64)[0]
        pose = np.frombuffer(frame, "<f4", 16, 20).reshape(4, 4).T
        # The pendulum turns about y: its pose says the same angle.
        turned = np.arctan2(pose[0, 2], pose[0, 0])
        assert abs(turned) == pytest.approx(abs(position), abs=1e-5)


def test_a_page_that_only_looks_changes_no_bit():
    with live(lift()) as (page, simulation), connected(page):
        page.wait_for_browser()
        seen = simulation.run()
    alone = wm.run(lift())
    for name in alone.signals:
        np.testing.assert_array_equal(seen[name], alone[name])


def test_a_slider_commands_its_motor_and_is_noted():
    with (
        live(lift(), waits=False) as (page, simulation),
        connected(page) as client,
    ):
        client.send(set=[0, -0.7])
        client.send(set=[9, 1.0])  # there is no such motor
        client.send(set=["x"])
        inbox = page._server.inbox
        end = time.monotonic() + LONG
        while {"set": ["x"]} not in [*inbox]:
            assert time.monotonic() < end
            time.sleep(0.001)
        results = simulation.run()  # The scenario's own command comes first.
        (command,) = simulation.live_commands
        assert command["motor"] == "arm/hinge motor"
        assert command["set_position"] == -0.7
        assert results["arm/hinge motor/target_position"][-1] == -0.7


def test_a_parameter_is_changed_for_all_pages_and_noted(tmp_path):
    file = tmp_path / "lift.scenario.yaml"
    file.write_bytes((SCENARIOS / "pendulum.scenario.yaml").read_bytes())
    scenario = wm.load_scenario(file, name="Lift")
    with (
        live(scenario, waits=False) as (page, simulation),
        connected(page) as client,
        connected(page) as other,
    ):
        names = [p["name"] for p in client.told[0]["motors"][0]["parameters"]]
        at = names.index("max_velocity")
        client.send(bench=[0, at, 0.5])
        until(page, lambda: "offers" in other.told[-1])
        index, offers = other.told[-1]["offers"]
        assert index == 0
        assert offers[1]["high"] == 0.5
        assert other.told[-1]["bench"]["file"] == [[0, at, 10.0]]
        client.send(bench="save")
        until(page, lambda: "saved" in str(other.told[-1]["bench"]["told"]))
        assert "max_velocity: 0.5" in file.read_text()
        client.send(bench=[0, at, -float("inf")])
        client.send(bench=[7, at, 1.0])
        client.send(bench="undo")
        until(page, lambda: other.told[-1]["bench"]["undo"] == 0)
        results = simulation.run()
    (change, undone) = results.metadata["live_commands"]
    assert change["motor"] == "arm/hinge motor"
    assert change["change"] == {"max_velocity": 0.5}
    assert undone["change"] == {"max_velocity": 10.0}


def test_keys_reach_the_simulation_and_go_with_the_page():
    with live(lift(), waits=False) as (page, simulation):
        with connected(page) as client:
            client.send(keys=[315, 65])
            until(page, lambda: simulation.keys == [315, 65])
        until(page, lambda: simulation.keys == [])


def test_a_body_is_let_go_by_who_holds_it_and_when_that_page_closes():
    held = {"path": "/drake/shapes/arm/link", "point": [0, 0, 0]}
    with live(lift(), waits=False) as (page, simulation):
        pull = page._drawing._pull
        with connected(page) as client:
            client.send(pull={**held, "target": [1, 0, "here"]})
            client.send(pull={**held, "target": [1, 0, float("nan")]})
            client.send(pull={**held, "target": [1, 0, 0]})
            client.send(keys=[65])
            until(page, lambda: simulation.keys == [65])
            assert pull.body is not None
            with connected(page):  # another one, which holds nothing
                pass
            until(page, lambda: len(page._server._clients) == 1)
            assert simulation.keys == [65] and pull.body is not None
        until(page, lambda: (simulation.keys, pull.body) == ([], None))
    targets = [c["pull"] for c in simulation.live_commands]
    assert targets[0]["target"] == [1, 0, 0] and targets[1:] == [None]


def waits(duration):
    text = f"{{simulation_duration: {duration}}}"
    return wm.load_scenario("package:controller_waits", text=text)


@pytest.mark.parametrize("scenario", [lift, waits])
@pytest.mark.parametrize("button", ["stop", "reset"])
def test_stop_and_reset_end_a_run_with_or_without_a_controller(
    scenario, button
):
    with (
        live(scenario(100.0)) as (page, simulation),
        connected(page) as client,
    ):
        client.send(run=button)
        with pytest.raises(RunEnded):
            simulation.run()
        assert page.ended == button
        assert not simulation.failed


def test_the_end_of_a_run_comes_after_its_last_lines():
    with live(lift()) as (page, simulation), connected(page) as client:
        simulation.run()
        with page.listening():
            print("it was late")
        page.at_end()
        client.after("over")
        said = [line for m in client.told for line in m.get("said", [])]
        assert "it was late" in str(said)


def test_at_its_end_a_run_waits_and_goes_on_by_a_step(monkeypatch):
    with live(lift()) as (page, simulation), connected(page) as client:
        end = simulation.run().time[-1]
        page.at_end()
        client.after("over")
        client.send(run="step")

        def stop(now):
            if now > end:
                page._press("stop")

        monkeypatch.setattr(page._drawing, "send", stop)
        with pytest.raises(RunEnded):
            page.run_on()
        assert page.ended == "stop"
        assert simulation.time == pytest.approx(end + 0.008, abs=0.001)
        page.at_end(goes_on=False)
        client.after("ended")


def test_a_run_that_has_failed_can_be_reset(monkeypatch):
    with live(lift()) as (page, simulation), connected(page) as client:
        monkeypatch.setattr(type(simulation), "failed", True)
        page.at_end()
        client.after("failed")
        client.send(run="reset")
        with pytest.raises(RunEnded):
            page.wait()
        assert page.ended == "reset"


FAILS = """
from controller import Robot
robot = Robot()
motor = robot.getDevice("shoulder motor")
motor.setPosition(1.0)
for _ in range(10):
    robot.step(32)
motor.setPostion(0.0)
"""


def test_a_failed_run_shows_its_last_moment_to_pages_that_come_then_too(
    tmp_path,
):
    scenario, file = waits(5.0), tmp_path / "fails.py"
    file.write_text(FAILS)
    set_controller(scenario, str(file))
    with live(scenario) as (page, simulation), connected(page) as client:
        page.wait_for_browser()
        with pytest.raises(SimulationError):
            simulation.run()
        page.at_end()
        client.after("failed")
        (failure,) = {m["failure"] for m in client.told if m.get("failure")}
        assert failure.startswith("at 0.32 s the controller fails.py of arm")
        until(page, lambda: last_time(client) == pytest.approx(0.32))
        last = np.frombuffer(client.samples[-1][4:], "<f4")
        rows = last.reshape(-1, 1 + 8 * 2)
        assert rows[-1, 0] == pytest.approx(0.32)
        position = simulation.results()["arm/shoulder motor/position"][-1]
        assert rows[-1, 1] == pytest.approx(position, abs=1e-6)
        with connected(page) as late:
            assert late.told[-1]["failure"] == failure
            until(page, lambda: page._server.pages == 2)
            page._drawing.send(page._now)
            until(page, lambda: late.frames)
            assert last_time(late) == pytest.approx(0.32)


def last_time(client):
    return struct.unpack("<d", client.frames[-1][4:12])[0]


def test_a_run_that_diverged_keeps_the_last_moment_that_is_finite():
    with live(lift()) as (page, simulation), connected(page) as client:
        page.wait_for_browser()
        context = simulation.simulator.get_mutable_context()
        own = simulation.plant.GetMyMutableContextFromRoot(context)
        # Drake refuses it from outside; a step that diverges leaves it there.
        state = own.get_mutable_discrete_state_vector()
        state.SetFromVector(np.full(state.size(), np.nan))
        page._drawing.send(0.0)
        page.at_end()
        client.after("over")
        assert client.frames == []


@pytest.mark.parametrize("origin", ["http://example.org", "null"])
def test_a_foreign_page_is_refused(origin):
    with live(lift()) as (page, _):
        with (
            pytest.raises(InvalidStatus) as refused,
            sync.connect(
                page.address.replace("http", "ws") + "/socket", origin=origin
            ),
        ):
            pass
        assert refused.value.response.status_code == 403


@pytest.mark.parametrize(
    ("host", "path", "status"),
    [
        (None, "/", 200),
        ("example.org", "/", 403),
        (None, "/../pyproject.toml", 404),
    ],
)
def test_only_the_page_is_served_and_only_to_this_machine(host, path, status):
    with live(lift()) as (page, _):
        asked = http.client.HTTPConnection("127.0.0.1", page._server.port)
        with contextlib.closing(asked):
            asked.request("GET", path, headers={"Host": host} if host else {})
            assert asked.getresponse().status == status


def test_what_is_no_message_ends_that_page_alone():
    with live(lift(), waits=False) as (page, simulation):
        for text in ("no json", "[1]", "{}", '{"pull": {"path": "x"}}'):
            with connected(page) as odd:
                odd.ws.send(text)
        with connected(page):
            pass
        assert simulation.run().time[-1] == pytest.approx(0.4)


def test_a_page_that_reads_nothing_is_cut_off_and_the_run_goes_on():
    with live(lift(2.0)) as (page, simulation), connected(page) as client:
        page.wait_for_browser()
        with unread(page):
            until(page, lambda: page._server.pages == 2)
            clients = list(page._server._clients)
            waiting = []
            for told in range(1, 301):
                page._server.tell(f"[{' ' * 50_000}]")
                until(page, lambda: client.told.count([]) == told)  # noqa: B023
                waiting.append(sum(c.behind for c in clients))
            assert simulation.run().time[-1] == pytest.approx(2.0)
            assert client.frames
        # 15 MB in all; the other page got each of them.
        assert max(waiting) < 5e6
        assert page._server.pages == 1


@contextlib.contextmanager
def unread(page):
    """Gives nothing: a page that says it has the scene, and reads nothing more."""
    with sync.connect(
        page.address.replace("http", "ws") + "/socket",
        origin=page.address,
        max_size=None,
        max_queue=1,
        close_timeout=0.1,
    ) as client:
        client.send('{"loaded": true}')
        yield


def test_a_run_waits_while_no_page_shows_it():
    with live(lift()) as (page, simulation):
        with connected(page):
            page.wait_for_browser()
        until(page, lambda: page._pace.paused)
        with connected(page):  # one that is there again goes on
            assert simulation.run().time[-1] == pytest.approx(0.4)


def test_a_pull_moves_a_body_as_a_spring_does():
    # A carriage of 2 kg on a rail along z, held by nothing: a spring k and a damper d
    # bring it to where the spring carries its weight, m g / k below the target.
    text = (
        "{simulation_duration: 6, model_drivers: {lift: {commands: [],"
        " motors: {mast motor: !LinearMotor {max_force: 0}}}}}"
    )
    scenario = wm.load_scenario("package:vertical_lift", text=text)
    simulation = ready(scenario, by_hand=True)
    plant = simulation.plant
    pull = Pull(simulation)
    body = plant.GetBodyByName("carriage")
    context = plant.GetMyContextFromRoot(simulation.simulator.get_context())
    start = plant.EvalBodyPoseInWorld(context, body).translation()
    target = start + [0, 0, 0.5]
    pull.hold(body, np.zeros(3), target)
    simulation.simulator.set_monitor(lambda root: pull.act() and None)
    simulation.run()
    end = plant.EvalBodyPoseInWorld(context, body).translation()
    expected = target[2] - 2 * 9.81 / pull._k
    assert end[2] == pytest.approx(expected, abs=1e-3)
    pull.release()
    assert pull.act() == 0


def test_a_session_is_shown_in_a_page_that_does_not_end_it():
    with contextlib.closing(
        LivePage(rate=0, waits=False, can_end=False)
    ) as page:
        session = wm.RobotSession(lift(), page=page)
        with session, connected(page) as client:
            client.send(run="stop")
            until(page, lambda: not page._server.inbox)
            robot = session.robot("arm")
            robot.step(32)
            assert client.told[0]["title"] == "Lift"
            # A step ends just before the next one begins.
            assert 0.02 < session.simulation.time <= 0.032


def test_a_supervisor_pauses_a_run_until_somebody_has_it_go_on(monkeypatch):
    held = []

    def wait(page):
        """Presses the button at the third look of a run that waits."""
        held.append(page._now)
        page._pace.paused = len(held) < 3

    with contextlib.closing(LivePage(rate=0, waits=False)) as page:
        supervised = wm.load_scenario(
            "package:pendulum",
            name="Lift",
            text="{model_drivers: {arm: {supervisor: true}}}",
        )
        monkeypatch.setattr(LivePage, "_look", wait)
        with wm.RobotSession(supervised, page=page) as session:
            robot = session.supervisor("arm")
            robot.step(32)
            held.clear()
            robot.simulationSetMode(robot.SIMULATION_MODE_PAUSE)
            assert robot.step(32) == 0
            assert robot.simulationGetMode() != robot.SIMULATION_MODE_PAUSE
    assert len(held) >= 3
    assert held[0] == held[2] < 0.06


def test_a_port_that_is_taken_is_told():
    with (
        contextlib.closing(LivePage()) as page,
        pytest.raises(wm.InputError, match="is taken"),
    ):
        LivePage(port=page._server.port)


@pytest.mark.slow
def test_ctrl_c_ends_a_run_with_controllers_that_waits(start, tmp_path):
    line = "run package:controller_radio --page --no_wait --quiet --out out"
    command = start(*line.split())
    with connected(command) as client:
        client.send(run="pause")
        client.after("paused")
    assert command.interrupt() == 130, command.told
    assert (tmp_path / "out" / "run.npz").exists()


HELD = {"path": "/drake/shapes/arm/link", "point": [0, 0, 0]}


@pytest.mark.parametrize(
    "message",
    [
        {"mode": float("inf")},
        {"mode": float("nan")},
        {"mode": "0"},
        {"set": [float("inf"), 0]},
        {"set": [0, float("nan")]},
        {"set": [0, 10**400]},
        {"set": {"a": 1}},
        {"rate": float("nan")},
        {"rate": "NaN"},
        {"keys": [float("inf")]},
        {"keys": [1e300]},
        {"keys": {"a": 65}},
        {"pull": {**HELD, "target": [1e300, 0, 0]}},
        {"pull": {**HELD, "target": [[0, 0], [0]]}},
        {"pull": {**HELD, "point": [1e300, 0, 0], "target": [0, 0, 0]}},
        {"pull": 5},
    ],
    ids=str,
)
def test_what_no_page_of_ours_sends_is_refused_and_the_run_goes_on(message):
    with live(lift(0.05), waits=False) as (page, simulation):
        page._server.inbox.append(message)
        simulation.run()
        assert not simulation.failed
        assert simulation.live_commands == [] and simulation.keys == []
        assert page._pace.rate == 0


def test_a_page_that_nobody_closes_ends_with_its_object():
    # The first free port, which is the default, other tests' pages would take at once.
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    page = LivePage(port=port)
    page.attach(functools.partial(ready, lift()))
    thread = page._server._thread
    assert page._server.port == port
    del page
    gc.collect()
    thread.join(LONG)
    assert not thread.is_alive()
    with contextlib.closing(LivePage(port=port)):
        pass
