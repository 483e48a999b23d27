"""A newcomer starts a run, opens the address and pulls a slider."""

import subprocess
import sys
import time

import pytest
from browser import browser_page
from live_command import until

import webmotor_drake as wm

TIME = "time (s)"
TOOL = "drake", "illustration", "arm", "tool"

pytestmark = pytest.mark.slow


@pytest.fixture
def page():
    """Returns the page of a new browser: an old one still asks for its server."""
    with browser_page(width=500, height=350) as page:
        yield page


def nothing_wrong(page, command):
    """Whether nothing was complained of, nor asked for from elsewhere."""
    for request in page.requests:
        assert request.startswith((command.address, "data:", "blob:"))
    # A driver of a graphics card may find reading the picture slow.
    assert [p for p in page.problems if "GPU stall" not in p] == []


def test_a_newcomer_pulls_a_slider_of_the_arm(page, start, tmp_path):
    command = start(
        *("run", "package:six_axis", "--meshcat", "--quiet", "--out", "out"),
        *("--show", "efforts,limits,targets"),
        *("--scenario_text", "{simulation_duration: 1000}"),
    )
    page.go(command.address)
    page.open_controls()
    until(lambda: page.value(TIME) > 0.3)
    page.press("Pause / go on")
    paused, hand = at_rest(page)
    for _ in range(2):
        page.press("Step")
        at_rest(page)
    # Two motor periods; the slider shows hundredths.
    assert at_rest(page)[0] == pytest.approx(paused + 0.016, abs=0.011)
    page.press("Pause / go on")
    until(lambda: page.value(TIME) > 4.2)  # nothing is commanded any more
    page.pull("motor 1 (rad)", 0.5)
    pulled = page.value(TIME)
    until(lambda: page.value(TIME) > pulled + 2)
    assert page.place(*TOOL) != hand
    assert set(page.names("webmotor")) == {"efforts", "limits", "targets"}
    page.press("Stop")
    command.until_told("over; the browser")
    nothing_wrong(page, command)
    assert command.interrupt() == 0, command.told
    results = wm.Results.load(tmp_path / "out")
    assert pulled < results.time[-1] < 1000
    # A slider's step, and what is left of the way after 2 s.
    assert results["arm/motor 1/position"][-1] == pytest.approx(0.5, abs=0.01)
    (given,) = results.metadata["live_commands"]
    assert given["set_position"] == pytest.approx(0.5)

    again = start("view", "out", "--meshcat")
    page.go(again.address)
    places = set()
    until(lambda: places.add(tuple(page.place(*TOOL))) or len(places) > 3)
    nothing_wrong(page, again)
    assert again.interrupt() == 0


def at_rest(page):
    """Returns time and tool once they don't change: a slow browser is late."""
    seen = []

    def rests():
        seen.append((page.value(TIME), page.place(*TOOL)))
        time.sleep(0.2)
        return len(seen) > 10 and all(s == seen[-1] for s in seen[-10:])

    until(rests)
    return seen[-1]


def test_a_page_plays_without_any_network(page, tmp_path):
    file = tmp_path / "arm.html"
    subprocess.run(
        [
            *(sys.executable, "-m", "webmotor_drake", "run", "--quiet"),
            *("package:six_axis", "--html", file, "--out", tmp_path),
        ],
        check=True,
    )
    # 6 s; the limit for 10 s of it is 10 MB.
    assert file.stat().st_size < 6e6
    page.page.goto(file.as_uri())
    places = set()
    until(lambda: places.add(tuple(page.place(*TOOL))) or len(places) > 5)
    assert page.requests == [file.as_uri()]
    assert page.problems == []


def test_a_model_is_looked_at_with_a_slider_per_joint(page, start):
    command = start("view", str(wm.MODELS / "six_axis.urdf"), "--meshcat")
    page.go(command.address)
    page.open_controls()
    hand = page.place("drake", "illustration", "six_axis", "tool")
    page.pull("joint_2 (rad)", 1.0)
    until(
        lambda: page.place("drake", "illustration", "six_axis", "tool") != hand
    )
    nothing_wrong(page, command)
    assert command.interrupt() == 0, command.told
