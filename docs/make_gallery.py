"""Writes the gallery: a picture of each scenario, what to look at, the command.

    python docs/make_gallery.py [NAME ...]

draws the scenarios named, or all, into docs/gallery/, and writes docs/gallery.md.
"""

import argparse
import io
import re
import warnings
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from PIL import Image

import webmotor_drake as wm
from webmotor_drake.data import SCENARIOS, scenario_file, scenario_names
from webmotor_drake.view.film import Film

DOCS = Path(__file__).parent
WORLDS = SCENARIOS / "worlds" / "worlds"
MOTORS = 4  # more lines tell nothing at this size
HEAD = """\
# Gallery

Every scenario that comes along: what to look at, and how to run it. The pictures show
the robot in the middle of its run, and position and effort of the motors that move
most. `--plot` draws all of them, `--video FILE` makes a film.
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
        f"\n## {file.replace('_', ' ')}\n\n![{several[0]}](gallery/{file}.png)\n\n"
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
        f"\n## {name.replace('_', ' ')}\n\n![{name}](gallery/{name}.png)\n\n"
        f"{''.join(comments)}\n```sh\nwebmotor run"
        f" scenarios/worlds/worlds/{file.name}\n```\n"
    )


def scenario_of(name: str) -> wm.Scenario:
    """Returns the world of a picture, or the first scenario of a file."""
    if name in world_names():
        return wm.load_scenario(WORLDS / f"{name.removeprefix('world_')}.wbt")
    return wm.load_scenario(f"package:{name}", name=names_in(name)[0])


def draw(file: str) -> None:
    """Runs a world or a file's first scenario; draws robot and motors that move."""
    scenario = scenario_of(file)
    results = wm.run(scenario)
    figure = Figure(figsize=(9.6, 2.4), dpi=80, layout="constrained")
    robot, position, effort = figure.subplots(1, 3)
    middle = int(0.6 * (len(results.time) - 1))
    robot.imshow(Film(results, scenario, size=(480, 360)).picture(middle))
    robot.set_axis_off()
    motors = moving(results)
    several = len({motor.partition("/")[0] for motor in motors}) > 1
    for motor in motors:
        label = motor if several else motor.partition("/")[2]
        time, step = results.time, max(1, len(results.time) // 600)
        position.plot(
            time[::step], results[f"{motor}/position"][::step], label=label
        )
        effort.plot(time[::step], results[f"{motor}/effort"][::step])
    units = results.units(motors[0])
    position.set_ylabel(f"position ({units.position})")
    effort.set_ylabel(f"effort ({units.effort})")
    # A spike of a step or two would set the scale.
    shown = [results[f"{motor}/effort"] for motor in motors]
    low, high = np.nanpercentile(shown, [0.5, 99.5])
    room = 0.08 * (high - low) or 1.0
    effort.set_ylim(low - room, high + room)
    for axes in (position, effort):
        axes.set_xlabel("time (s)")
        axes.grid(alpha=0.3)
        axes.spines[["top", "right"]].set_visible(False)
    position.legend(fontsize=7, frameon=False)
    picture = io.BytesIO()
    figure.savefig(picture, metadata={"Software": None})
    (DOCS / "gallery").mkdir(exist_ok=True)
    # A third of the size, and hardly another picture.
    Image.open(picture).convert("RGB").quantize(192).save(
        DOCS / "gallery" / f"{file}.png", optimize=True
    )


def moving(results: wm.Results) -> list[str]:
    """Returns the motors that move most, in their order."""
    way = {m: np.ptp(results[f"{m}/position"]) for m in results.motors}
    most = sorted(way, key=way.get, reverse=True)[:MOTORS]
    return [motor for motor in results.motors if motor in most]


def main() -> None:
    """Draws what is asked for and writes the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME")
    warnings.simplefilter("ignore", wm.MotorWarning)
    everything = [*scenario_names(), *world_names()]
    for file in parser.parse_args().names or everything:
        draw(file)
        print(file, flush=True)
    page = HEAD + "".join(section(file) for file in scenario_names())
    page += "".join(world_section(name) for name in world_names())
    (DOCS / "gallery.md").write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
