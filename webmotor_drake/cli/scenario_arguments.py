"""The arguments that name a scenario: the same for all commands that take one."""

import argparse
import sys
import typing
from pathlib import Path

from webmotor_drake.interrupts import uninterrupted

if typing.TYPE_CHECKING:
    from webmotor_drake.scenario.scenario import Scenario
    from webmotor_drake.worlds.project import Options


def world_options(args: argparse.Namespace) -> "Options | None":
    """Returns the options for reading a world; None if none of them is given."""
    given = (
        tuple(map(Path, args.proto_path)),
        args.allow_webots_assets,
        tuple(args.without),
        args.strict,
    )
    if not any(given):
        return None
    from webmotor_drake.worlds.project import Options

    return Options(*given)


def load(args: argparse.Namespace) -> "Scenario":
    """Loads the scenario that the arguments name.

    Raises:
        InputError: The file or the text is not a scenario.
    """
    # Drake is imported here and in the commands: it takes a second, and --help
    # should not. An interrupted import of it is an ImportError.
    with uninterrupted():
        from webmotor_drake.loading import (
            load_scenario,
            overriding,
            scenario_in,
        )
        from webmotor_drake.scenario.scenario import with_packages
        from webmotor_drake.scenario.yaml_document import decoded

    name, over = args.scenario_name, (args.scenario_text, args.overlay)
    if args.file == "-":
        document = decoded(sys.stdin.buffer.read(), "<stdin>")
        scenario = scenario_in(document, Path.cwd(), overriding(*over), name)
    else:
        text, overlay = over
        scenario = load_scenario(
            args.file,
            name=name,
            text=text,
            overlay=overlay,
            options=world_options(args),
        )
    return with_packages(scenario, args.package)
