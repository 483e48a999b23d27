"""The arguments of `webmotor run`; the command itself is in run_command.py."""

import argparse
import ipaddress
import math

from webmotor_drake.cli.film_arguments import add_film_arguments
from webmotor_drake.cli.scenario_arguments import add_scenario_arguments
from webmotor_drake.cli.show_arguments import add_show_arguments


def add(run: argparse.ArgumentParser) -> None:
    """Adds them to the parser of the command."""
    add_scenario_arguments(run)
    run.add_argument(
        "--out",
        metavar="DIR",
        help="folder for run.npz and run.json; default: runs/NAME",
    )
    run.add_argument(
        "--model",
        metavar="NAME",
        help="simulate another motor model than the scenario's; an unknown name"
        " lists the models",
    )
    run.add_argument(
        "--controller",
        metavar="FILE",
        action="append",
        default=[],
        help="a Webots controller: a Python file, or a program that links Webots'"
        " libController; MODEL=FILE for one of several robots, may be given for each",
    )
    run.add_argument(
        "--extern",
        action="store_true",
        help="robots without --controller wait for a program that you start: any"
        " controller that can connect to Webots",
    )
    run.add_argument(
        "--extern_port",
        metavar="N",
        type=_port,
        help="with --extern: the port for programs on this machine; the next"
        " free one if it is taken, any if 0; default: 1234, as Webots",
    )
    run.add_argument(
        "--extern_from",
        metavar="ADDRESS",
        type=_address,
        action="append",
        default=[],
        help="with --extern: another machine whose programs may connect by TCP,"
        " such as 192.168.1.7; may be given several times. TCP knows no users: any"
        " of this machine may connect; none: only this one's local sockets",
    )
    run.add_argument(
        "--keys",
        metavar="FILE",
        help="keys for controllers that read the keyboard: each line has a time,"
        " s, and the keys held down from then on, such as '1.5 UP SHIFT+A';"
        " no keys: all are up",
    )
    run.add_argument(
        "--plot", action="store_true", help="draw run.png into the folder"
    )
    run.add_argument(
        "--html", metavar="FILE", help="write an animation as a web page"
    )
    add_film_arguments(run)
    run.add_argument(
        "--sound",
        metavar="FILE",
        help="write the motors' sound as a WAV, and into the --video",
    )
    _add_live_arguments(run)
    run.add_argument(
        "--graphviz", metavar="FILE", help="write the diagram as a dot file"
    )
    run.add_argument(
        "--quiet", action="store_true", help="no progress bar, no table"
    )


def _add_live_arguments(run: argparse.ArgumentParser) -> None:
    run.add_argument(
        "--page",
        action="store_true",
        help="show the run in a browser until Ctrl-C: drive each motor, see"
        " plots, pull bodies",
    )
    run.add_argument(
        "--port",
        metavar="N",
        type=int,
        help="with --page: its port; default: the first free one from 7000 on",
    )
    run.add_argument(
        "--keep_going",
        action="store_true",
        help="with --page: go on when the last page is closed",
    )
    run.add_argument(
        "--no_wait",
        action="store_true",
        help="with --page: do not wait for a browser",
    )
    run.add_argument(
        "--realtime",
        metavar="RATE",
        type=_rate,
        help="with --page: simulated seconds per second; 0: as fast as"
        " possible; default: the scenario's target_realtime_rate, else 1",
    )
    run.add_argument(
        "--beside",
        metavar="MODEL",
        help="with --page: a ghost with the same commands: a motor model of compare,"
        " such as drake_pd, or the folder of a run",
    )
    add_show_arguments(run)


def _port(text: str) -> int:
    port = int(text)
    if not 0 <= port < 2**16:
        raise argparse.ArgumentTypeError(f"{text}: 0 to 65535 is needed")
    return port


def _address(text: str) -> str:
    if text == "none":
        return text
    try:
        address = ipaddress.IPv4Address(text)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{text}: four numbers are needed, such as 192.168.1.7, or none"
        ) from None
    if address.is_unspecified:
        raise argparse.ArgumentTypeError(
            f"{text} is no machine; give the address of each that may connect"
        )
    return str(address)


def _rate(text: str) -> float:
    rate = float(text)
    if not 0 <= rate < math.inf:
        raise argparse.ArgumentTypeError(f"{text}: at least 0 is needed")
    return rate
