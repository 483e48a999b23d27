"""Writes the pictures of the page: page, page_sensors, page_replay, marks (.png).

    python docs/make_page_pictures.py

They are a browser's, for which chromium and `pip install playwright` are needed, and
the extra `robots` for the Go2.
"""

import sys
import tempfile
from pathlib import Path

import webmotor_drake as wm

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
                page.evaluate(
                    "time => { webmotor.replay.plays = false;"
                    " webmotor.replay.at = time; webmotor.replay.seek(); }",
                    time,
                )
            page.locator("#hint").scroll_into_view_if_needed()
            page.screenshot(path=DOCS / file)
    finally:
        running.kill()


def main() -> None:
    """Writes the pictures."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
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
