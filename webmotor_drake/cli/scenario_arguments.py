"""The arguments that name a scenario: the same for all commands that take one."""

import argparse
import sys
import typing
from pathlib import Path

from webmotor_drake.interrupts import uninterrupted

if typing.TYPE_CHECKING:
    from webmotor_drake.scenario.scenario import Scenario


def add_scenario_arguments(command: argparse.ArgumentParser) -> None:
    """Adds FILE, --scenario_name, --overlay and --scenario_text."""
    command.add_argument(
        "file",
        metavar="FILE",
        help="scenario file; package:NAME is one of `webmotor scenarios`, - is"
        " the standard input",
    )
    command.add_argument(
        "--scenario_name",
        metavar="NAME",
        help="which scenario of the file, if it has several",
    )
    command.add_argument(
        "--overlay",
        metavar="FILE",
        help="a file that overrides parts of the scenario, as `fit` writes it",
    )
    command.add_argument(
        "--scenario_text",
        metavar="YAML",
        default="{}",
        help="overrides parts of the scenario,"
        " as in '{simulation_duration: 2}'",
    )


def load(args: argparse.Namespace) -> "Scenario":
    """Loads the scenario that the arguments name.

    Raises:
        InputError: The file or the text is not a scenario.
    """
    # Drake is imported here and in the commands: it takes a second, and --help
    # should not. An interrupted import of it is an ImportError.
    with uninterrupted():
        from webmotor_drake.scenario.load import load_scenario, scenario_in
        from webmotor_drake.scenario.yaml_document import decoded

    options = {
        "name": args.scenario_name,
        "text": args.scenario_text,
        "overlay": args.overlay,
    }
    if args.file == "-":
        document = decoded(sys.stdin.buffer.read(), "<stdin>")
        return scenario_in(document, Path.cwd(), **options)
    return load_scenario(args.file, **options)
