"""Writes the pictures of pages and reports, and of muscles, that the docs show.

    python docs/make_page_pictures.py

They are a browser's, for which chromium and `pip install playwright` are needed, and
the extra `robots` for the Go2.
"""

import sys
import tempfile
from pathlib import Path

import numpy as np
from PIL import Image

import webmotor_drake as wm
from webmotor_drake.view.browser_film import drawing_browser
from webmotor_drake.view.page import page_of
from webmotor_drake.view.replay_page import replay_messages

DOCS = Path(__file__).parent
sys.path.append(str(DOCS.parent / "tests" / "support"))


def photograph(
    file: str, command: list[str], plotted: str, *, time: float, cwd: Path
) -> None:
    """Writes what a browser shows of a command.

    Args:
        file: in the docs.
        command: of `webmotor`.
        plotted: the row that is clicked: "motor=MODEL/NAME" or "sensor=MODEL/NAME".
        time: when, s.
        cwd: the folder that it is called in.
    """
    from browser import browser_page
    from live_command import Command, until

    running = Command(*command, cwd=cwd)
    try:
        with browser_page(width=1150, height=690) as shown:
            page = shown.page
            page.goto(running.address)
            kind, _, name = plotted.partition("=")
            page.click(f'[data-{kind}="{name}"] .name')
            until(lambda: page.evaluate(f"webmotor.panel.time >= {time}"))
            if "view" in command:
                seek(page, time)
            page.locator("#hint").scroll_into_view_if_needed()
            page.screenshot(path=DOCS / file)
    finally:
        running.kill()


def photograph_report(folder: Path) -> None:
    """Writes what a browser shows of a comparison, in the light and in the dark."""
    from browser import browser_page

    models = ["webots", "drake_pd", "ode"]
    wm.compare("package:six_axis", models).save(folder)
    for scheme, file in (
        ("light", "compare.png"),
        ("dark", "compare_dark.png"),
    ):
        with browser_page(width=1150, height=900) as shown:
            page = shown.page
            page.emulate_media(color_scheme=scheme)
            page.goto((folder / "report.html").as_uri())
            page.wait_for_function("window.webmotor && webmotor.replay.plays")
            seek(page, 2.3)
            page.screenshot(path=DOCS / file)


def seek(page, time: float) -> None:
    """Shows a moment of a replay, which plays no more."""
    page.evaluate(
        "time => { webmotor.replay.at = time; webmotor.replay.seek();"
        " webmotor.replay.press('pause'); }",
        time,
    )


def film_muscles() -> None:
    """Writes three moments of an arm with muscles, side by side."""
    results = wm.run("package:biceps")
    # Hanging, bent and level.
    rows = np.searchsorted(results.time, [0.0, 1.7, 1.05]).tolist()
    page = page_of(replay_messages(results, rows=rows))
    with drawing_browser() as load:
        picture = load(page, (300, 300), follow=False)
        pictures = [picture(k) for k in range(3)]
    Image.fromarray(np.hstack(pictures)).save(DOCS / "biceps.png")


def main() -> None:
    """Writes the pictures."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        film_muscles()
        photograph_report(folder / "compare")
        photograph(
            "page.png",
            ["run", "package:robots_go2", "--page", "--quiet"],
            "motor=go2/front::left thigh",
            time=5.0,
            cwd=folder,
        )
        photograph(
            "page_sensors.png",
            [
                "run",
                str(DOCS.parent / "scenarios/worlds/worlds/maze.wbt"),
                "--page",
                "--quiet",
            ],
            "sensor=e-puck/ps2",
            time=6.5,
            cwd=folder,
        )
        wm.run("package:quadruped").save(folder / "run")
        photograph(
            "page_replay.png",
            ["view", "run", "--show", "efforts"],
            "motor=robot/legs::front left knee",
            time=3.4,
            cwd=folder,
        )
        wm.run("package:six_axis").save(folder / "arm")
        photograph(
            "marks.png",
            ["view", "arm", "--show", "efforts,limits,targets"],
            "motor=arm/motor 2",
            time=0.35,
            cwd=folder,
        )


if __name__ == "__main__":
    main()
