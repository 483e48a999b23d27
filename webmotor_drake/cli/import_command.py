"""webmotor import: a world, or a robot's file, becomes a scenario."""

import argparse
from pathlib import Path

from webmotor_drake.cli.console import Notes, say
from webmotor_drake.cli.scenario_arguments import world_options
from webmotor_drake.errors import InputError
from webmotor_drake.loading import is_world
from webmotor_drake.robot_files.import_robot import import_robot
from webmotor_drake.scenario.model_file import SUFFIXES
from webmotor_drake.worlds.imported import write_world
from webmotor_drake.worlds.project import Options


def command(args: argparse.Namespace, notes: Notes) -> int:
    """Writes the files; returns the exit status."""
    file = Path(args.file)
    if not is_world(file):
        if file.suffix.lower() not in SUFFIXES:
            raise InputError(
                f"a world (.wbt) or a robot ({', '.join(SUFFIXES)}) is needed",
                where=args.file,
            )
        return _import_robot(args, notes)
    options = world_options(args) or Options()
    imported = write_world(file, Path(args.out), options)
    notes.show()
    summary = imported.report.summary() or "nothing is replaced or left out"
    written = Path(args.out, f"{imported.name}.scenario.yaml")
    return say(f"{written}: {summary}")


def _import_robot(args: argparse.Namespace, notes: Notes) -> int:
    imported = import_robot(args.file, args.out, package_xmls=args.package)
    notes.show()
    base = "stands free" if imported.base_is_free else "is fixed to the world"
    number = len(imported.motors)
    lines = [
        f"{imported.file}: {number} motor{'s' * (number != 1)}; its base {base}",
        *(f"  {lost}" for lost in imported.lost),
    ]
    return say("\n".join(lines))
