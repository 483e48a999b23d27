"""The arguments that name a scenario: the same for all commands that take one."""

import argparse
import sys
import typing
from pathlib import Path

from webmotor_drake.interrupts import uninterrupted

if typing.TYPE_CHECKING:
    from webmotor_drake.scenario.scenario import Scenario
    from webmotor_drake.worlds.project import Options


def add_scenario_arguments(command: argparse.ArgumentParser) -> None:
    """Adds FILE, --scenario_name, --overlay, --scenario_text and those of worlds."""
    command.add_argument(
        "file",
        metavar="FILE",
        help="scenario file or Webots world (.wbt); package:NAME is one of those"
        " that `webmotor scenarios` lists; - reads standard input",
    )
    command.add_argument(
        "--scenario_name",
        metavar="NAME",
        help="which scenario of the file, if it has several",
    )
    command.add_argument(
        "--overlay",
        metavar="FILE",
        help="a file that overrides parts of the scenario, such as fitted.yaml"
        " of `fit`",
    )
    command.add_argument(
        "--scenario_text",
        metavar="YAML",
        default="{}",
        help="override parts of the scenario, as in '{simulation_duration: 2}'",
    )
    add_package_argument(command)
    add_world_arguments(command)


def add_package_argument(command: argparse.ArgumentParser) -> None:
    """Adds --package."""
    command.add_argument(
        "--package",
        metavar="DIR",
        action="append",
        default=[],
        help="a folder with a package.xml, for package://; may be given several"
        " times. One above a file, and those of ROS_PACKAGE_PATH and"
        " AMENT_PREFIX_PATH, are found without",
    )


def add_world_arguments(command: argparse.ArgumentParser) -> None:
    """Adds the options for reading a world."""
    group = command.add_argument_group("of a world (.wbt)")
    group.add_argument(
        "--proto_path",
        metavar="DIR",
        action="append",
        default=[],
        help="a folder with PROTOs; may be given several times",
    )
    group.add_argument(
        "--without",
        metavar="NAME",
        action="append",
        default=[],
        help="leave out a PROTO or a kind of node; may be given several times",
    )
    group.add_argument(
        "--allow_webots_assets",
        action="store_true",
        help="read files whose header allows use with Webots only; you are"
        " responsible for the right to do so",
    )
    group.add_argument(
        "--strict",
        action="store_true",
        help="refuse a world if nodes of it are replaced or left out",
    )


def world_options(args: argparse.Namespace) -> "Options | None":
    """Returns how a world is read; None: none of the options is given."""
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
        from webmotor_drake.loading import load_scenario
        from webmotor_drake.scenario.load import scenario_in
        from webmotor_drake.scenario.scenario import with_packages
        from webmotor_drake.scenario.yaml_document import decoded

    options = {
        "name": args.scenario_name,
        "text": args.scenario_text,
        "overlay": args.overlay,
    }
    if args.file == "-":
        document = decoded(sys.stdin.buffer.read(), "<stdin>")
        scenario = scenario_in(document, Path.cwd(), **options)
    else:
        scenario = load_scenario(
            args.file, options=world_options(args), **options
        )
    return with_packages(scenario, args.package)
