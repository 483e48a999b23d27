"""Writes a world as a scenario: its file, models, meshes and a list of differences."""

import copy
from pathlib import Path

from webmotor_drake.results.whole_file import write_together
from webmotor_drake.scenario.scenario import Scenario
from webmotor_drake.scenario.scenario_yaml import scenario_yaml
from webmotor_drake.worlds.imported import WorldSource, import_world
from webmotor_drake.worlds.project import Options
from webmotor_drake.worlds.report import KINDS, Report


def write_world(world: Path, folder: Path, options: Options) -> WorldSource:
    """Writes a world as a scenario that runs to the same bits.

    The folder gets NAME.scenario.yaml, models/, and import.txt, which lists what is
    not as in Webots. Controllers stay where they are.

    Args:
        world: the .wbt file.
        folder: made if it is not there.
        options: way in which the world is read.

    Raises:
        InputError: the world cannot be read, or a file not be written.
    """
    folder = folder.absolute()
    made, imported = import_world(world, options, folder)
    files = {
        folder / "models" / name: data
        for name, data in imported.models.files.items()
    }
    scenario = folder / f"{imported.name}.scenario.yaml"
    head = f"# {world.name} as a scenario; see import.txt.\n"
    files[scenario] = (head + imported_yaml(made, imported.name)).encode()
    files[folder / "import.txt"] = _listed(world, imported.report).encode()
    write_together(files)
    return imported


def imported_yaml(made: Scenario, name: str) -> str:
    """Returns a scenario's YAML by its name; its models are in the folder models."""
    scenario = copy.deepcopy(made)
    if not any(d.supervisor for d in scenario.model_drivers.values()):
        scenario.world = None  # nobody looks at its nodes
    for directive in scenario.directives:
        if add := directive.add_model:
            add.file = f"models/{add.file.partition('/')[2]}"
    return scenario_yaml(name, scenario)


def _listed(world: Path, report: Report) -> str:
    """Returns the differences from Webots, one per line."""
    lines = [f"{world.name}: what is not as in Webots", ""]
    for kind, words in KINDS.items():
        entries = report.of_kind(kind)
        if entries:
            lines += [f"{words or 'here'}:", *(f"  {e}" for e in entries), ""]
    return "\n".join(lines)
