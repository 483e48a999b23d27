"""The ink of Pens is seen on the page while a run goes on, in replays and in films."""

import contextlib
import json
import time

import numpy as np
import pytest
from browser import page_in, started_browser
from live_command import until
from page_client import LONG, connected
from pen_desk import pen_desk

import webmotor_drake as wm
from webmotor_drake.view import video
from webmotor_drake.view.film import Film
from webmotor_drake.view.replay_page import replay_page

pytest.importorskip("PIL.Image")


def desk(folder, lead=0.4):
    """Returns a scenario whose pen can write on a white plate of 2 by 2 m."""
    ink = "write: false, ink_density: 1, ink_color: [1, 0, 0]"
    return pen_desk(folder, f"{ink}, lead_size: {lead}", height=0.2)


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """A run from its folder: ink at x = .6 m from .2 s on, until a reset at .5 s."""
    folder = tmp_path_factory.mktemp("desk")
    scenario = desk(folder)
    with wm.RobotSession(scenario) as session:
        boss = session.supervisor("hand")
        place = boss.getFromDef("hand").getField("translation")
        place.setSFVec3f([0.6, 0, 0.2])
        session.step(200)
        boss.getDevice("pen").write(True)
        session.step(8)
        boss.getDevice("pen").write(False)
        session.step(288)
        boss.simulationReset()
        session.step(200)
        session.results().save(folder / "run")
    return wm.Results.load(folder / "run"), scenario


def red(picture):
    """Returns how many pixels are red, and where their middle is, in shares."""
    picture = np.asarray(picture, int)
    found = picture[..., 0] > picture[..., 1:].max(axis=2) + 60
    if not found.any():
        return 0, None
    return found.sum(), np.argwhere(found).mean(axis=0) / found.shape


def test_a_film_by_vtk_tells_that_it_shows_no_ink(written):
    results, scenario = written
    with pytest.warns(wm.MotorWarning, match="do not show the ink of Pens"):
        Film(results, scenario, size=(16, 12))


def told_ink(client):
    return [m["ink"] for m in client.told if "ink" in m]


def test_a_live_page_is_told_each_stroke_once(tmp_path):
    scenario = desk(tmp_path, lead=0.1)
    scenario.simulation_duration = np.inf
    with (
        contextlib.closing(wm.LivePage(rate=0)) as page,
        wm.RobotSession(scenario, page=page) as session,
        connected(page) as client,
    ):
        page.wait_for_browser()
        boss = session.supervisor("hand")
        place = boss.getFromDef("hand").getField("translation")
        assert told_ink(client) == [[]]

        def steps_until(happened):
            end = time.monotonic() + LONG
            while not happened():
                assert time.monotonic() < end
                session.step(8)

        boss.getDevice("pen").write(True)
        for x in (-0.49, 0.01, 0.51):
            place.setSFVec3f([x, 0, 0.2])
            number = len(told_ink(client))
            steps_until(lambda n=number: len(told_ink(client)) > n)
        messages = told_ink(client)[1:]
        numbers = []
        for ((sheet,),) in zip(messages, strict=True):
            assert sheet["since"] == len(numbers)
            assert (sheet["body"], sheet["pixels"]) == ("floor::floor", 128)
            numbers += sheet["strokes"]
        strokes = np.reshape(numbers, (-1, 8))
        # Rows run along -y, columns along x, from the middle of 128 pixels per 2 m.
        assert sorted(set(strokes[:, 2])) == [32, 64, 96]
        assert set(strokes[:, 1]) == {64}
        with connected(page) as late:  # who comes later is told all
            (said,) = told_ink(late)[0]
            assert said["strokes"] == numbers
        boss.simulationReset()
        boss.getDevice("pen").write(False)
        steps_until(lambda: told_ink(client)[-1] == [])


@pytest.mark.slow
def test_a_browser_draws_it_when_it_was_there(written):
    results, scenario = written
    with (
        contextlib.closing(replay_page(results, scenario=scenario)) as server,
        started_browser() as browser,
        page_in(browser, width=700, height=400) as shown,
    ):
        page = shown.page
        page.goto(server.address)
        until(lambda: page.evaluate("window.webmotor?.replay.plays"))
        page.evaluate("webmotor.replay.press('pause')")

        def seen(at):
            return page.evaluate(
                """at => {
                    const {replay, ink} = webmotor;
                    replay.at = at; replay.seek();
                    const [{mesh, data}] = ink.sheets;
                    const place = new MeshCat.THREE.Vector3();
                    let covered = 0;
                    for (let i = 3; i < data.length; i += 4) covered += data[i] / 255;
                    mesh.getWorldPosition(place);
                    return [mesh.visible && covered, place.toArray()];
                }""",
                at,
            )

        assert not seen(0.1)[0]
        covered, place = seen(0.4)
        radius = int(0.4 * 128 / np.linalg.norm([1, 1, 0.05])) // 2
        assert covered == pytest.approx(np.pi * radius**2, rel=0.05)
        assert np.allclose(place, 0, atol=1e-6)
        assert not seen(0.65)[0]
        assert seen(0.3)[0] == covered
        assert shown.problems == []


@pytest.mark.slow
def test_a_film_by_a_browser_shows_it(written, tmp_path):
    if video.browser() is None:
        pytest.skip("no Chromium")
    from PIL import Image

    results, scenario = written
    file = tmp_path / "page.gif"
    wm.write_video(results, file, scenario=scenario, size=(160, 90), fps=10)
    with Image.open(file) as pictures:
        counts = []
        for frame in range(pictures.n_frames):
            pictures.seek(frame)
            counts.append(red(pictures.convert("RGB")))
    # A GIF has each picture once: without ink, with it, and after the reset.
    (none, _), (some, (row, column)), (gone, _) = counts
    assert some > 20 and none == gone == 0
    # The camera stands at +x, -y, from where +x is to the right and near.
    assert row > 0.5 and column > 0.5


def test_ink_is_in_the_metadata_as_json(written):
    results, _ = written
    (sheet,) = json.loads(json.dumps(results.metadata["ink"]))
    assert sheet["body"] == "floor::floor"
    assert sheet["strokes"][:2] == [pytest.approx(0.2, abs=0.009), 64]
    assert sheet["end"] == pytest.approx(0.5, abs=0.009)
    assert sheet["begin"] == 0.0


def test_a_pen_that_rests_adds_no_strokes_once_all_is_covered(tmp_path):
    with wm.RobotSession(desk(tmp_path), record="episode") as session:
        session.step(80)
        session.reset()
        session.supervisor("hand").getDevice("pen").write(True)
        session.step(80)
        (sheet,) = session.results().metadata["ink"]
        # What is written later is not in results that were taken before.
        place = session.supervisor("hand").getFromDef("hand")
        place.getField("translation").setSFVec3f([0.5, 0, 0.2])
        session.step(80)
        assert len(session.results().metadata["ink"][0]["strokes"]) > 8
    # The record begins with the episode; times are those of the run.
    assert sheet["begin"] == pytest.approx(0.08)
    assert len(sheet["strokes"]) == 8
    assert sheet["strokes"][0] == pytest.approx(0.088)
