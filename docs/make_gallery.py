"""Writes the gallery: each scenario as a page, what to look at, the command.

    python docs/make_gallery.py [NAME ...]

runs the scenarios named, or all, and writes into docs/gallery/ a picture of each, which
the repository has, and its page, NAME.html, which it has not: the site loads it when
the picture is clicked. It writes docs/gallery.md, too. Chromium draws the pictures.
"""

import argparse
import re
import warnings
from collections.abc import Callable
from pathlib import Path

from PIL import Image

import webmotor_drake as wm
from webmotor_drake.data import SCENARIOS, scenario_file, scenario_names
from webmotor_drake.view.browser_film import drawing_browser
from webmotor_drake.view.page import page_of
from webmotor_drake.view.replay_page import replay_messages

DOCS = Path(__file__).parent
WORLDS = SCENARIOS / "worlds" / "worlds"
SIZE = 640, 360
HEAD = """\
# Gallery

Every scenario that comes along: what to look at, and how to run it. A picture with a ▶
plays the run when it is clicked, with its plots: it loads the file that `webmotor run
--html FILE` writes. A site that was built without these files has pictures alone;
`python docs/make_gallery.py` writes them. `--plot` draws its motors, `--video` makes
a film.
"""


def names_in(file: str) -> list[str]:
    """Returns the names of the scenarios in a file."""
    text = scenario_file(f"package:{file}").read_text(encoding="utf-8")
    return re.findall(r"^(\w+):", text, re.MULTILINE)


def about(file: str) -> str:
    """Returns the comment that opens a scenario file."""
    text = scenario_file(f"package:{file}").read_text(encoding="utf-8")
    comment = re.match(r"(?:# ?.*\n)+", text)
    return re.sub(
        r"^# ?", "", comment[0] if comment else "", flags=re.MULTILINE
    )


def section(file: str) -> str:
    """Returns the section of a scenario file."""
    several = names_in(file)
    command = f"webmotor run package:{file}"
    if len(several) > 1:
        command += f" --scenario_name {several[0]}"
    return (
        f"\n## {file.replace('_', ' ')}\n\n![{several[0]}](gallery/{file}.webp)\n\n"
        f"{about(file)}\n```sh\n{command}\n```\n"
    )


def world_names() -> list[str]:
    """Returns the names of the pictures of worlds."""
    return [f"world_{file.stem}" for file in sorted(WORLDS.glob("[!.]*.wbt"))]


def world_section(name: str) -> str:
    """Returns the section of a world."""
    file = WORLDS / f"{name.removeprefix('world_')}.wbt"
    comments = []
    for line in file.read_text(encoding="utf-8").splitlines()[1:]:
        if not line.startswith("#"):
            break
        comments.append(line.removeprefix("#").strip() + "\n")
    return (
        f"\n## {name.replace('_', ' ')}\n\n![{name}](gallery/{name}.webp)\n\n"
        f"{''.join(comments)}\n```sh\nwebmotor run"
        f" scenarios/worlds/worlds/{file.name}\n```\n"
    )


def scenario_of(name: str) -> wm.Scenario:
    """Returns the world of a picture, or the first scenario of a file."""
    if name in world_names():
        return wm.load_scenario(WORLDS / f"{name.removeprefix('world_')}.wbt")
    return wm.load_scenario(f"package:{name}", name=names_in(name)[0])


def play(file: str) -> wm.Results:
    """Runs a world or a file's first scenario, and writes its page."""
    scenario = scenario_of(file)
    results = wm.run(scenario)
    page = DOCS / "gallery" / f"{file}.html"
    wm.write_page(results, page, scenario=scenario)
    return results


def draw(file: str, results: wm.Results, load: Callable) -> None:
    """Writes the picture of a run, by a browser."""
    middle = int(0.6 * (len(results.time) - 1))
    rows = [0, middle]  # the camera begins where the robot does
    page = page_of(replay_messages(results, rows=rows))
    picture = load(page, SIZE, follow=True)
    picture(0)
    Image.fromarray(picture(1)).save(
        DOCS / "gallery" / f"{file}.webp", quality=82, method=6
    )


def main() -> None:
    """Draws what is asked for and writes the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME")
    warnings.simplefilter("ignore", wm.MotorWarning)
    everything = [*scenario_names(), *world_names()]
    with drawing_browser() as load:
        for file in parser.parse_args().names or everything:
            draw(file, play(file), load)
            print(file, flush=True)
    page = HEAD + "".join(section(file) for file in scenario_names())
    page += "".join(world_section(name) for name in world_names())
    (DOCS / "gallery.md").write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
