"""What a supervisor imports is seen in a page while the run goes on."""

import contextlib
import time

import numpy as np
from folders import TEST_SCENARIOS
from loaded import loaded
from page_client import LONG, connected

import webmotor_drake as wm

FILE = TEST_SCENARIOS / "supervised.scenario.yaml"
BALL = """Solid {
  translation 0 0.3 1.5
  children [ Shape {
    appearance PBRAppearance { baseColor 1 0 0 }
    geometry DEF FORM Sphere { radius 0.1 }
  } ]
  boundingObject USE FORM
  physics Physics { mass 1 }
}"""
MARK = "Pose { translation 0 0 2 children [ Shape { geometry Box { size 1 1 1 } } ] }"
PATH = "/drake/shapes/imported_1/solid"


def steps_until(supervisor, happened):
    """Lets the run go on until something has happened."""
    end = time.monotonic() + LONG
    while not happened():
        assert time.monotonic() < end
        supervisor.step(8)


def imported(client):
    """Returns what a page was told last of what is in the world."""
    return [m["imported"] for m in client.told if "imported" in m][-1]


def test_imports_are_seen_where_they_are_and_go_again():
    scenario = loaded(FILE, "World", "{simulation_duration: .inf, stock: 4}")
    with (
        contextlib.closing(wm.LivePage(rate=0)) as page,
        wm.RobotSession(scenario, page=page) as session,
        connected(page) as client,
    ):
        page.wait_for_browser()
        supervisor = session.supervisor("arm")
        children = supervisor.getRoot().getField("children")
        assert imported(client) == []
        children.importMFNodeFromString(-1, BALL)
        children.importMFNodeFromString(-1, MARK)
        steps_until(supervisor, lambda: len(imported(client)) == 2)
        (model, (ball,)), (world, (box,)) = imported(client)
        assert (model, world) == ("imported_1", "")
        assert (ball["kind"], ball["sizes"], ball["rgba"]) == (
            "Sphere",
            [0.1],
            [1, 0, 0, 1],
        )
        assert (box["kind"], box["position"]) == ("Box", [0, 0, 2])
        # It has fallen to the ground, where the page puts it, too.
        node = children.getMFNode(-2)
        steps_until(supervisor, lambda: node.getPosition()[2] < 0.2)
        index = client.told[0]["paths"].index(PATH)

        def place():
            pose = np.frombuffer(client.frames[-1], "<f4", 16, 20 + 64 * index)
            return pose[12:15]

        # A busy page is late: frames of the fall may still come.
        steps_until(supervisor, lambda: place()[2] < 0.2)
        np.testing.assert_allclose(place()[:2], [0, 0.3], atol=0.01)
        # A page that comes later is told, too.
        with connected(page) as late:
            assert len(imported(late)) == 2
        node.remove()
        steps_until(supervisor, lambda: len(imported(client)) == 1)
