"""webmotor scenarios: lists the scenarios that come with the package."""

import argparse
import re

from webmotor_drake.cli.console import Notes, say
from webmotor_drake.data import PREFIX, SCENARIOS, scenario_names
from webmotor_drake.results.text import aligned


def command(args: argparse.Namespace, notes: Notes) -> int:
    """Prints the scenarios of the package; returns the exit status."""
    rows = [_row(name) for name in scenario_names()]
    return say("\n".join(aligned(rows, left=3)))


def _row(name: str) -> tuple[str, str, str]:
    """Returns the name to run, the file's scenarios if several, and its comment."""
    text = (SCENARIOS / f"{name}.scenario.yaml").read_text(encoding="utf-8")
    several = re.findall(r"^(\w+):", text, re.MULTILINE)
    about = text.partition("\n")[0].removeprefix("# ")
    return (
        f"{PREFIX}{name}",
        ", ".join(several) if len(several) > 1 else "",
        about if about.endswith(".") else f"{about} …",
    )
