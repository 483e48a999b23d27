"""A run becomes a film, without a screen."""

import functools
import importlib.util
import warnings
from importlib import metadata

import numpy as np
import pytest
from browser import page_in, started_browser
from pydrake.geometry import (
    Box,
    GeometryInstance,
    MakePhongIllustrationProperties,
)
from pydrake.math import RigidTransform
from pydrake.multibody.plant import AddMultibodyPlantSceneGraph
from pydrake.multibody.tree import SpatialInertia
from pydrake.systems.framework import DiagramBuilder

import webmotor_drake as wm
from webmotor_drake.view import browser_film, video as module
from webmotor_drake.view.film import Film, _FilmGround, check_camera

Image = pytest.importorskip("PIL.Image")


@pytest.fixture(scope="module")
def kept_films():
    return {}


@pytest.fixture(autouse=True)
def vtk(request, monkeypatch, kept_films):
    """Has VTK draw: a browser takes seconds to start.

    VTK takes one, too, and a fifth for a picture: what was drawn of a run is kept.
    """

    def film(results, scenario, **seen):
        key = results, str(seen)
        if key not in kept_films:
            kept_films[key] = Film(results, scenario, **seen)
            kept_films[key].picture = functools.cache(kept_films[key].picture)
        return kept_films[key]

    monkeypatch.setattr(module, "Film", film)
    if "in_a_browser" not in request.node.name:
        monkeypatch.setattr(module, "browser", lambda: None)


@pytest.fixture(scope="module")
def results():
    """Returns a short run in which a pendulum moves."""
    text = "{simulation_duration: 0.4}"
    scenario = wm.load_scenario("package:pendulum", name="Lift", text=text)
    return wm.run(scenario)


def pictures_of(file, frames):
    with Image.open(file) as film:
        found = []
        for frame in frames:
            film.seek(frame)
            found.append(np.asarray(film.convert("RGB"), dtype=int))
        return found, film.n_frames, film.info["duration"]


def test_a_film_shows_the_robot_moving_within_the_picture(results, tmp_path):
    file = tmp_path / "deep" / "arm.gif"
    wm.write_video(results, file, size=(96, 72))
    (first, last), number, duration = pictures_of(file, (0, 8))
    assert number == 9  # 20 a second, and the last
    assert duration == 50
    assert abs(first - last).max() > 50
    for picture in (first, last):
        # The robot is there, and cut off nowhere: only floor and sky are grey.
        colored = np.ptp(picture, axis=2) > 40
        assert colored.sum() > 50
        edges = (colored[0], colored[-1], colored[:, 0], colored[:, -1])
        assert not np.concatenate(edges).any()


def places(picture):
    """Returns where a coloured robot is, in shares of the picture."""
    rows, columns = np.nonzero(np.ptp(picture, axis=2) > 60)
    height, width, _ = picture.shape
    ends = [np.quantile(x, q) for x in (columns, rows) for q in (0.02, 0.98)]
    return np.array(ends) / [width, width, height, height]


@pytest.mark.slow
def test_in_a_browser_a_film_has_the_same_framing(tmp_path, monkeypatch):
    if module.browser() is None:
        pytest.skip("no Chromium")
    scenario = wm.load_scenario("package:six_axis")
    scenario.simulation_duration = 0.2
    results = wm.run(scenario)
    film = {"scenario": scenario, "size": (320, 180), "fps": 10}
    with warnings.catch_warnings():
        warnings.simplefilter("error", wm.MotorWarning)
        wm.write_video(results, tmp_path / "page.gif", **film)
    monkeypatch.setattr(module, "browser", lambda: None)
    wm.write_video(results, tmp_path / "vtk.gif", **film)
    of_page, number, _ = pictures_of(tmp_path / "page.gif", (0, 2))
    of_vtk, same, _ = pictures_of(tmp_path / "vtk.gif", (0, 2))
    assert number == same == 3
    for ours, vtk in zip(of_page, of_vtk, strict=True):
        # Light differs, and with it which pixels are coloured.
        np.testing.assert_allclose(places(ours), places(vtk), atol=0.05)


def test_title_and_time_stand_in_the_corners(results, tmp_path):
    film = {"size": (96, 72), "fps": 5}
    wm.write_video(results, tmp_path / "a.gif", **film)
    wm.write_video(results, tmp_path / "b.gif", title="Lift", **film)
    (plain,), *_ = pictures_of(tmp_path / "a.gif", [0])
    (titled,), *_ = pictures_of(tmp_path / "b.gif", [0])
    changed = abs(plain - titled).max(axis=2) > 60
    assert changed[54:, :30].any() and changed[54:, 66:].any()
    assert not changed[:54].any()
    assert not changed[:, 30:55].any()


@pytest.mark.slow
def test_a_browser_that_cannot_draw_is_told_and_vtk_draws(
    results, tmp_path, monkeypatch
):
    monkeypatch.setattr(module, "browser", lambda: "false")
    monkeypatch.setattr(browser_film, "browser", lambda: "false")
    with pytest.warns(wm.MotorWarning, match="the browser does not draw"):
        wm.write_video(results, tmp_path / "a.gif", size=(96, 72))
    assert pictures_of(tmp_path / "a.gif", [0])[1] == 9


def read(av, file):
    """Returns the frames of a film, and when they are shown, s."""
    with av.open(file) as film:
        frames = list(film.decode(video=0))
        return [f.to_ndarray(format="rgb24") for f in frames], [
            float(f.pts * f.time_base) for f in frames
        ]


@pytest.mark.parametrize(
    ("name", "codec"), [("arm.mp4", "h264"), ("arm.webm", "vp9")]
)
def test_films_are_in_codecs_that_browsers_play(results, tmp_path, name, codec):
    av = pytest.importorskip("av")
    file = tmp_path / name
    wm.write_video(results, file, size=(96, 72))
    with av.open(file) as film:
        stream = film.streams.video[0]
        assert stream.codec_context.name in (codec, f"lib{codec}")
        assert stream.codec_context.pix_fmt == "yuv420p"
    pictures, times = read(av, file)
    assert len(pictures) == 13  # 30 a second, and the first
    # Matroska has times in ms.
    np.testing.assert_allclose(np.diff(times), 1 / 30, atol=1e-3)
    assert abs(pictures[0].astype(int) - pictures[-1]).max() > 50


@pytest.mark.parametrize("ending", ["mp4", "webm"])
def test_a_film_plays_the_sound_of_its_run(results, tmp_path, ending):
    av = pytest.importorskip("av")
    video, sound = tmp_path / f"a.{ending}", tmp_path / "a.wav"
    wm.write_sound(results, sound)
    wm.write_video(results, video, size=(96, 72), fps=10, sound=sound)
    with av.open(video) as film:
        assert len(list(film.decode(video=0))) == 5
    with av.open(video) as film:
        samples = [f.to_ndarray() for f in film.decode(audio=0)]
        assert max(abs(s).max() for s in samples) > 0.01
    assert {f.name for f in tmp_path.iterdir()} == {video.name, "a.wav"}


def test_a_film_has_the_part_and_the_speed_that_are_wanted(results, tmp_path):
    film = {"size": (96, 72), "fps": 10, "speed": 0.5}
    wm.write_video(results, tmp_path / "a.gif", start=0.1, end=0.3, **film)
    with Image.open(tmp_path / "a.gif") as shown:
        assert shown.n_frames == 5  # 0.10, 0.15, ... 0.30 s
        assert shown.info["duration"] == 100
    with pytest.raises(
        wm.InputError, match="from 0.5 s to 0.4 s; must lie in the run"
    ):
        wm.write_video(results, tmp_path / "a.gif", start=0.5)


def test_a_ground_is_drawn_in_squares_and_with_shadows():
    text = "{simulation_duration: 0.008}"
    scenario = wm.load_scenario("package:walk", text=text)
    picture = Film(wm.run(scenario), scenario, size=(160, 120)).picture(0)
    grey = picture[60:].reshape(-1, 3).astype(int)
    grey = grey[np.ptp(grey, axis=1) < 12].mean(axis=1)
    # Our page has 224 and 232; the robot's own parts are darker than its shadow.
    bright, dark = abs(grey - 232) < 4, abs(grey - 221) < 4
    shadow = (grey > 70) & (grey < 150)
    for part in (bright, dark, shadow):
        assert part.mean() > 0.03


def test_muscles_are_in_a_film():
    text = "{simulation_duration: 0.008}"
    scenario = wm.load_scenario("package:biceps", text=text)
    film = Film(wm.run(scenario), scenario, size=(160, 120))
    for row in (0, 1):
        red, green, blue = film.picture(row).reshape(-1, 3).astype(int).T
        # Bones are hardly coloured.
        assert ((red > 1.6 * green) & (red > 1.6 * blue)).sum() > 50


def robots_are_here() -> bool:
    try:
        metadata.distribution("example-robot-data")
    except metadata.PackageNotFoundError:
        return False
    return True


@pytest.mark.slow
def test_a_robot_of_collada_meshes_is_in_its_colours():
    if not robots_are_here():
        pytest.skip("example-robot-data is an extra")
    pytest.importorskip("collada")
    text = "{simulation_duration: 0.008}"
    scenario = wm.load_scenario("package:robots_go2", text=text)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", wm.MotorWarning)
        results = wm.run(scenario)
    picture = Film(results, scenario, size=(160, 120)).picture(0).astype(int)
    red, _, blue = picture.reshape(-1, 3).T
    # Its shells are bluish; ground and background are not.
    assert ((blue - red > 12) & (red > 100)).sum() > 300


@pytest.fixture(scope="module")
def chromium():
    """Keeps a browser for the films that it plays."""
    with started_browser() as browser:
        yield browser


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["mp4", "webm"])
def test_a_browser_plays_a_film(chromium, results, tmp_path, ending):
    pytest.importorskip("av")
    wm.write_video(results, tmp_path / f"arm.{ending}", size=(96, 72))
    (tmp_path / "page.html").write_text(
        f"<video src=arm.{ending} muted autoplay></video>"
    )
    with page_in(chromium) as page:
        page.page.goto((tmp_path / "page.html").as_uri())
        page.page.wait_for_function(
            "document.querySelector('video').currentTime > 0.1"
        )
        shown = page.page.evaluate(
            "[document.querySelector('video').videoWidth,"
            " document.querySelector('video').videoHeight]"
        )
        assert shown == [96, 72]


@pytest.mark.parametrize(
    ("name", "numbers", "told"),
    [
        ("film.avi", {}, r"\.mp4, \.webm or \.gif is needed"),
        ("film.mp4", {"size": (33, 24)}, "size: even numbers are needed"),
        ("film.gif", {"size": (0, 24)}, "size: even numbers are needed"),
        ("film.gif", {"fps": 60}, "a .gif has at most 50"),
        ("film.gif", {"fps": -1}, "fps: must be positive, got -1"),
        ("film.gif", {"fps": 0}, "fps: must be positive, got 0"),
        ("film.gif", {"start": -1}, "from -1 s to inf s; must lie in the run"),
        ("film.gif", {"start": 2, "end": 1}, "from 2 s to 1 s; must lie in"),
        ("film.gif", {"end": float("nan")}, "from 0 s to nan s; must lie in"),
        ("film.gif", {"speed": 0}, "speed: must be positive, got 0"),
        ("film.gif", {"speed": float("nan")}, "speed: must be positive"),
    ],
)
def test_what_cannot_be_a_film_is_told(name, numbers, told):
    with pytest.raises(wm.InputError, match=told):
        module.check_video(name, **numbers)


def test_what_cannot_be_written_is_told_before_the_run(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(
        wm.InputError, match=r"no encoder; pip install '.*video"
    ):
        module.check_video("film.mp4")
    scenario = wm.load_scenario("package:pendulum", name="Lift")
    with pytest.raises(wm.InputError, match="unknown camera 'top'"):
        check_camera(scenario, "top")


def test_a_film_begins_where_the_run_does():
    # What a camera goes along with is seen from there.
    text = "{simulation_duration: 1.0}"
    scenario = wm.load_scenario("package:rover", name="Drive", text=text)
    results = wm.run(scenario)
    film = Film(results, scenario, follow=True, size=(64, 48))
    places = results["rover/chassis/position"]
    assert np.linalg.norm(places[-1] - places[0]) > 0.2
    np.testing.assert_allclose(film._start, places[0], atol=1e-9)


@pytest.mark.parametrize("is_free", [False, True])
def test_only_what_stands_still_is_a_ground(is_free, tmp_path):
    builder = DiagramBuilder()
    plant, _ = AddMultibodyPlantSceneGraph(builder, 0.01)
    body = plant.AddRigidBody(
        "slab", SpatialInertia.SolidBoxWithMass(1, 9, 9, 1)
    )
    if not is_free:
        plant.WeldFrames(plant.world_frame(), body.body_frame())
    plant.Finalize()
    ground = _FilmGround(plant, 1.0, tmp_path)
    slab = GeometryInstance(RigidTransform(), Box(9, 9, 1), "slab")
    slab.set_illustration_properties(MakePhongIllustrationProperties([1] * 4))
    ground.dress(body, slab)
    assert ground.is_there is not is_free
