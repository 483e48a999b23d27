"""Writes the pictures of the moving arm: six_axis_moving.gif, live.png, marks.png.

    python docs/make_live_pictures.py

The first is what `webmotor run package:six_axis --video FILE.gif` draws, smaller.
The others are a browser's, for which chromium and `pip install playwright` are needed.
"""

import sys
import time
from pathlib import Path

import webmotor_drake as wm
from webmotor_drake.runner import ready
from webmotor_drake.view.live import LiveView
from webmotor_drake.view.server import start_meshcat

DOCS = Path(__file__).parent
sys.path.append(str(DOCS.parent / "tests" / "support"))


def draw_arm() -> None:
    """Draws the arm's way as a film."""
    results = wm.run(wm.load_scenario("package:six_axis"))
    wm.write_video(results, DOCS / "six_axis_moving.gif", size=(400, 300))


def photograph(file: str, show: list[str], *, controls: bool) -> None:
    """Writes what a browser shows of the arm after 2.3 s."""
    from browser import browser_page

    scenario = wm.load_scenario("package:six_axis")
    meshcat = start_meshcat()
    live = LiveView(meshcat, rate=0, show=show)
    simulation = live.attach(lambda: ready(scenario, meshcat=meshcat))
    simulation.advance_to(2.3)
    with browser_page(width=900, height=620) as page:
        page.go(meshcat.web_url())
        if controls:
            page.open_controls()
        time.sleep(5)
        page.page.screenshot(path=DOCS / file)


if __name__ == "__main__":
    draw_arm()
    photograph("live.png", [], controls=True)
    photograph("marks.png", ["efforts", "limits", "targets"], controls=False)
