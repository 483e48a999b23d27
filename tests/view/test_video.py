"""A run becomes a film, without a screen."""

import numpy as np
import pytest

import webmotor_drake as wm
from webmotor_drake.view import video as module

Image = pytest.importorskip("PIL.Image")


@pytest.fixture(scope="module")
def results():
    """Returns a short run in which a pendulum moves."""
    text = "{simulation_duration: 0.4}"
    scenario = wm.load_scenario("package:pendulum", name="Lift", text=text)
    return wm.run(scenario)


def test_a_film_shows_the_robot_moving_within_the_picture(results, tmp_path):
    file = tmp_path / "deep" / "arm.gif"
    wm.write_video(results, file, size=(96, 72))
    with Image.open(file) as film:
        assert film.n_frames == 9  # 20 a second, and the last
        assert film.info["duration"] == 50
        pictures = []
        for frame in (0, 8):
            film.seek(frame)
            pictures.append(np.asarray(film.convert("L"), dtype=int))
    first, last = pictures
    assert abs(first - last).max() > 50
    for picture in pictures:
        # The robot is there, and cut off nowhere: the edge is background.
        background = picture[0, 0]
        edges = np.concatenate(
            [picture[0], picture[-1], picture[:, 0], picture[:, -1]]
        )
        assert abs(edges - background).max() < 10
        assert (abs(picture - background) > 50).sum() > 50


def test_what_cannot_be_written_is_told_before_the_run(tmp_path, monkeypatch):
    with pytest.raises(wm.InputError, match=r"\.mp4 or \.gif is needed"):
        module.check_video("film.avi")
    monkeypatch.setitem(module._WRITERS, ".mp4", ("no_such_encoder", 30.0))
    with pytest.raises(
        wm.InputError, match=r"no encoder; pip install '.*video"
    ):
        module.check_video("film.mp4")
    scenario = wm.load_scenario("package:pendulum", name="Lift")
    with pytest.raises(wm.InputError, match="unknown camera 'top'"):
        module.check_camera(scenario, "top")
