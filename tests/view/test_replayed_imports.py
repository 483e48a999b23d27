"""Replays and films show what a supervisor imports."""

import json
import struct

import numpy as np
import pytest
from folders import TEST_SCENARIOS
from loaded import loaded

from webmotor_drake.host.senses import renderer
from webmotor_drake.results.results import Results
from webmotor_drake.robot import RobotSession
from webmotor_drake.simulation.imports import imported_nodes
from webmotor_drake.view.film import Film
from webmotor_drake.view.replay import _frame_rate, replay, rows_of
from webmotor_drake.view.replay_page import replay_page

FILE = TEST_SCENARIOS / "supervised.scenario.yaml"
G, H = 9.81, 0.008
BALL = """Solid {
  translation 0 0.3 %g
  children [ Shape {
    appearance PBRAppearance { baseColor %s }
    geometry DEF FORM Sphere { radius 0.1 }
  } ]
  boundingObject USE FORM
  physics Physics { mass 1 }
}"""
RED, GREEN = "1 0 0", "0 1 0"
MARK = "Pose { translation 0 0 2 children [ Shape { geometry Box { size 1 1 1 } } ] }"

drawn = pytest.mark.skipif(
    not renderer.can_render(), reason="nothing to draw with (libegl1, libgl1)"
)


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """A run, from its folder: a red ball from 0.16 to 0.32 s, then a green one."""
    scenario = loaded(FILE, "World", "{simulation_duration: .inf, stock: 4}")
    with RobotSession(scenario) as session:
        supervisor = session.supervisor("arm")
        children = supervisor.getRoot().getField("children")
        supervisor.step(160)
        children.importMFNodeFromString(-1, BALL % (1.5, RED))
        supervisor.step(160)
        children.getMFNode(-1).remove()
        supervisor.step(160)
        children.importMFNodeFromString(-1, BALL % (1.0, GREEN))
        children.importMFNodeFromString(-1, MARK)
        supervisor.step(160)
        supervisor.simulationReset()
        supervisor.step(160)
        folder = tmp_path_factory.mktemp("run")
        session.results().save(folder)
    return Results.load(folder)


def test_a_folder_says_what_was_there_and_when(results):
    red, green, mark = imported_nodes(results.metadata)
    # The reset comes with the end of the step after 0.64 s.
    for node, came, left in ((red, 0.16, 0.32), (green, 0.48, 0.648)):
        here = [t for t in results.time if node.is_here(t)]
        assert here[0] == pytest.approx(came, abs=1e-9)
        assert here[-1] == pytest.approx(left - H, abs=1e-9)
    assert mark.is_here(0.6) and not mark.is_here(0.7)
    assert list(red.shapes[0].rgba.rgba) == [1, 0, 0, 1]
    assert mark.pose(results.positions[0]).IsExactlyIdentity()
    assert mark.shapes[0].pose.translation().tolist() == [0, 0, 2]


def test_it_is_where_it_fell(results):
    red, green, _ = imported_nodes(results.metadata)
    for node, start, height in ((red, 0.16, 1.5), (green, 0.48, 1.0)):
        for k in (0, 1, 10, 19):
            row = round(start / H) + k
            place = node.pose(results.positions[row]).translation()
            # Drake's discrete steps of H: G H^2 k (k + 1) / 2, plus rounding.
            fallen = G * H**2 * k * (k + 1) / 2
            np.testing.assert_allclose(
                place, [0, 0.3, height - fallen], atol=1e-9
            )


def test_a_page_shows_it_while_it_was_there(results):
    server = replay_page(results, scenario=the_scenario())
    try:
        welcome = server._welcome()
    finally:
        server.close()
    about = json.loads(welcome[0])
    path = "/drake/imported/0"
    rate = _frame_rate(results.time[-1])
    times = [results.time[row] for row in rows_of(results.time)]
    seen = {
        times[at]: value
        for at, own, name, value in about["changes"]
        if own == path and name == "visible"
    }
    assert [*seen.values()] == [False, True, False]
    _, came, left = seen
    assert 0.16 <= came < 0.16 + 2 / rate
    assert 0.32 <= left < 0.32 + 2 / rate
    place = about["paths"].index(path)
    frames = [m for m in welcome if isinstance(m, bytes) and m[:2] == b"\xc1\0"]
    frame = frames[times.index(came)]
    time = struct.unpack_from("<d", frame, 4)[0]
    pose = np.frombuffer(frame, "<f4", 16, 20 + 64 * place).reshape(4, 4)
    node = imported_nodes(results.metadata)[0]
    row = np.searchsorted(results.time, time - 1e-9)
    expected = node.pose(results.positions[row]).translation()
    np.testing.assert_allclose(pose[3, :3], expected, atol=1e-6)


def the_scenario():
    return loaded(FILE, "World", "{simulation_duration: .inf, stock: 4}")


def test_meshcat_plays_it(results, meshcat):
    replay(results, meshcat, scenario=the_scenario())
    assert meshcat.HasPath("/drake/imported/2/0")


@drawn
def test_a_film_shows_it_while_it_was_there(results):
    film = Film(results, the_scenario(), size=(160, 120))

    def pixels(time, channel):
        picture = film.picture(np.searchsorted(results.time, time)).astype(int)
        others = np.delete(picture, channel, axis=2).max(axis=2)
        return np.count_nonzero(picture[..., channel] > others + 100)

    before = pixels(0.1, 1)
    assert pixels(0.6, 1) > before + 20
    assert pixels(0.7, 1) == before
