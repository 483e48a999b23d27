"""Worlds of a few lines, written into a project's folder."""

from pathlib import Path

import webmotor_drake as wm
from webmotor_drake.loading import load_scenario

HEAD = "#VRML_SIM R2023b utf8\n"
OLD = "#VRML_SIM R2021b utf8\n"


def world_file(folder: Path, text: str, head: str = HEAD) -> Path:
    """Writes a world into a project; returns its file."""
    file = folder / "worlds" / "test.wbt"
    file.parent.mkdir(exist_ok=True)
    file.write_text(head + text)
    return file


def plant_of(file: Path, **options):
    """Returns the plant of a world, its Context and its scenario."""
    scenario = load_scenario(file, **options)
    diagram = wm.build_diagram(scenario)
    plant = diagram.GetSubsystemByName("plant")
    context = diagram.CreateDefaultContext()
    return plant, plant.GetMyContextFromRoot(context), scenario
