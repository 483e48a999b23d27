"""webmotor import: a world becomes a scenario and models."""

import argparse
from pathlib import Path

from webmotor_drake.cli.console import Notes, say
from webmotor_drake.cli.scenario_arguments import world_options
from webmotor_drake.errors import InputError
from webmotor_drake.loading import is_world
from webmotor_drake.worlds.project import Options
from webmotor_drake.worlds.written import write_world


def command(args: argparse.Namespace, notes: Notes) -> int:
    """Writes the world's files; returns the exit status."""
    if not is_world(args.file):
        raise InputError("a world (.wbt) is needed", where=args.file)
    options = world_options(args) or Options()
    imported = write_world(Path(args.file), Path(args.out), options)
    notes.show()
    summary = imported.report.summary() or "nothing is replaced or left out"
    file = Path(args.out, f"{imported.name}.scenario.yaml")
    return say(f"{file}: {summary}")
