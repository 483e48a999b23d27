"""A run becomes one web page that plays offline."""

import base64
import re

import pytest

from webmotor_drake.data import SCENARIOS
from webmotor_drake.errors import InputError
from webmotor_drake.scenario.load import load_scenario
from webmotor_drake.simulation.simulation import Simulation
from webmotor_drake.view import server
from webmotor_drake.view.page import page_meshcat, write_page
from webmotor_drake.view.recording import record

ARM = SCENARIOS / "two_link_arm.scenario.yaml"


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """Returns the page of a short run, as text."""
    file = tmp_path_factory.mktemp("page") / "deep" / "arm.html"
    scenario = load_scenario(ARM, text="{simulation_duration: 0.2}")
    meshcat = page_meshcat(file)
    simulation = Simulation(scenario, meshcat=meshcat)
    record(meshcat, simulation)
    simulation.run()
    write_page(meshcat, file)
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


def test_a_page_without_a_free_port_is_refused(monkeypatch):
    # Meshcat needs one to draw; others may have taken all.
    def refuse(*_):
        raise RuntimeError("no port")

    monkeypatch.setattr(server, "Meshcat", refuse)
    with pytest.raises(
        InputError,
        match=r"^cannot draw a.html: no port from 7000 to 7999 is free",
    ):
        page_meshcat("a.html")
