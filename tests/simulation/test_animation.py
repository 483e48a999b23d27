"""A run becomes one web page that plays offline."""

import base64
import re

import pytest

from webmotor_drake.data import SCENARIOS
from webmotor_drake.errors import InputError
from webmotor_drake.scenario.load import load_scenario
from webmotor_drake.simulation import animation as module
from webmotor_drake.simulation.animation import animation
from webmotor_drake.simulation.simulation import Simulation

ARM = SCENARIOS / "two_link_arm.scenario.yaml"


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """Returns the page of a short run, as text."""
    file = tmp_path_factory.mktemp("page") / "deep" / "arm.html"
    scenario = load_scenario(ARM, text="{simulation_duration: 0.2}")
    with animation(file) as meshcat:
        Simulation(scenario, meshcat=meshcat).run()
    return file.read_text()


def test_a_page_loads_nothing_from_anywhere(page):
    # It is sent by mail and opened in a train.
    loaded = re.findall(r"<(?:script|link|img|iframe)\b[^>]*>", page)
    assert loaded
    for tag in loaded:
        assert not re.search(r"(?:src|href)\s*=\s*[\"']?(?:https?:)?//", tag)
    assert "@import" not in page
    assert not re.search(r"url\(\s*[\"']?https?:", page)
    assert not re.search(r"fetch\(\s*[\"']https?:", page)


def test_a_page_has_the_bodies_and_their_motion(page):
    # Meshcat's messages are in it as base64.
    messages = b"".join(
        base64.b64decode(data)
        for data in re.findall(r"base64,([A-Za-z0-9+/=]+)", page)
    )
    assert b"forearm" in messages
    assert b"set_animation" in messages


def test_without_a_file_nothing_is_drawn():
    with animation(None) as meshcat:
        assert meshcat is None


def test_a_block_that_fails_leaves_no_page(tmp_path):
    # Half a run that was refused is no run.
    with pytest.raises(InputError), animation(tmp_path / "a.html"):
        raise InputError("wrong")
    assert list(tmp_path.iterdir()) == []


def test_a_page_without_a_free_port_is_refused(monkeypatch):
    # Meshcat needs one to draw; others may have taken all.
    def refuse(*_):
        raise RuntimeError("no port")

    monkeypatch.setattr(module, "Meshcat", refuse)
    with (
        pytest.raises(InputError, match=r"^cannot draw a.html: no port$"),
        animation("a.html"),
    ):
        pass
