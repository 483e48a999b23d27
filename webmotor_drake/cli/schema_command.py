"""webmotor schema: JSON Schema of scenario files, for editors."""

import argparse
import json

from webmotor_drake.cli.console import Notes, say
from webmotor_drake.scenario.json_schema import scenario_schema


def command(args: argparse.Namespace, notes: Notes) -> int:
    """Prints the JSON Schema of scenario files; returns the exit status."""
    return say(json.dumps(scenario_schema(), indent=1, ensure_ascii=False))
