"""A run again, and robots that stand still, in a page of ours."""

import contextlib
import json
import time

import numpy as np
import pytest
from page_client import LONG, connected

import webmotor_drake as wm
from webmotor_drake.view.puppet import Puppet
from webmotor_drake.view.replay_page import replay_messages, replay_page
from webmotor_drake.view.still_page import StillPage


@pytest.fixture(scope="module")
def arm():
    """Returns a run of an arm with two motors."""
    text = "{simulation_duration: 1.5}"
    return wm.run(wm.load_scenario("package:two_link_arm", text=text))


def numbers(frame, paths, motors):
    """Returns time and motors' rows of a frame."""
    start = np.frombuffer(frame, "<f8", 1, 4)[0]
    rows = np.frombuffer(frame, "<f4", 8 * motors, 20 + 64 * paths)
    return start, rows.reshape(motors, 8)


def test_a_replay_has_the_runs_frames_and_signals(arm):
    with (
        contextlib.closing(replay_page(arm)) as server,
        connected(server) as client,
    ):
        about = client.told[0]
        assert about["kind"] == "replay"
        assert about["duration"] == arm.time[-1]
        assert about["rate"] == 1  # as fast as it was
        names = [f"{m['robot']}/{m['name']}" for m in about["motors"]]
        (samples,) = client.samples
        frames = client.frames
        times = [numbers(f, len(about["paths"]), 2)[0] for f in frames]
    assert names == arm.motors
    # Thirty pictures per second, but sixty in all, the first and the last among them.
    assert times[0] == 0
    assert times[-1] == arm.time[-1]
    assert 30 * arm.time[-1] < len(times) == pytest.approx(60, abs=2)
    for k, name in enumerate(names):
        position = arm[f"{name}/position"]
        plotted = np.frombuffer(samples, "<f4", offset=4).reshape(-1, 17)
        np.testing.assert_array_equal(
            plotted[:, 1 + 8 * k], position.astype("<f4")
        )
        at = np.searchsorted(arm.time, times[20] - 1e-9)
        row = numbers(frames[20], len(about["paths"]), 2)[1][k]
        assert row[0] == pytest.approx(position[at], rel=1e-6)


def test_a_ghost_of_a_replay_is_where_the_targets_are(arm):
    messages = replay_messages(arm, show=["targets"])
    about, *_ = (json.loads(m) for m in messages if isinstance(m, str))
    (samples,) = (m for m in messages if m[:2] == b"\xc1\2")
    plotted = np.frombuffer(samples, "<f4", offset=4).reshape(-1, 17)
    frames = [m for m in messages if m[:2] == b"\xc1\0"]
    paths = about["paths"]
    bodies = [i for i, path in enumerate(paths) if path.startswith("/drake/g")]
    assert len(bodies) == len(about["ghosts"])
    plant = Puppet(wm.load_scenario("package:two_link_arm")).plant
    context = plant.CreateDefaultContext()
    time = plotted[:, 0]
    for frame in (frames[3], frames[-1]):
        now = numbers(frame, len(paths), 2)[0]
        row = np.searchsorted(time, now - 1e-5)
        targets = plotted[row, [5, 13]]
        plant.SetPositions(context, targets)
        for i in bodies:
            name = paths[i].rpartition("/")[2]
            X_WB = plant.GetBodyByName(name).EvalPoseInWorld(context)
            pose = np.frombuffer(frame, "<f4", 16, 20 + 64 * i)
            np.testing.assert_allclose(
                pose.reshape(4, 4).T, X_WB.GetAsMatrix4(), atol=1e-5
            )


def test_results_without_positions_are_refused(arm):
    bare = wm.Results(time=arm.time, signals=arm.signals, metadata=arm.metadata)
    with pytest.raises(wm.InputError, match="no positions"):
        replay_page(bare)


def test_a_slider_moves_the_joint_of_robots_that_stand_still():
    scenario = wm.load_scenario("package:two_link_arm")
    with (
        contextlib.closing(StillPage(scenario)) as page,
        connected(page) as client,
    ):
        about = client.told[0]
        assert about["kind"] == "still"
        client.send(set=[1, 0.5])
        client.send(set=[7, 0.5])  # there is no such joint
        client.send(set=["x"])
        end = time.monotonic() + LONG
        paths, motors = len(about["paths"]), len(about["motors"])
        while time.monotonic() < end:
            page.update()
            time.sleep(0.01)
            if client.frames and (
                numbers(client.frames[-1], paths, motors)[1][1, 0]
                == pytest.approx(0.5)
            ):
                break
        else:
            pytest.fail("the joint did not move")
        # No time passes.
        assert numbers(client.frames[-1], paths, motors)[0] == 0


def test_a_slider_ends_at_the_stops():
    scenario = wm.load_scenario("package:six_axis")
    with contextlib.closing(StillPage(scenario)) as page:
        (*_, (low, high)) = [
            (m["offers"][0]["low"], m["offers"][0]["high"])
            for m in page._about()
        ]
        last = len(page._joints) - 1
        page._do({"set": [last, 100.0]})
        assert page._rows()[last, 0] == high
        page._do({"set": [last, -100.0]})
        assert page._rows()[last, 0] == low
