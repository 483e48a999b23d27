"""webmotor schema: what a scenario file may hold, for editors."""

import json

from webmotor_drake.cli.console import say
from webmotor_drake.scenario.json_schema import scenario_schema


def schema() -> int:
    """Prints the JSON Schema of scenario files; returns the exit status."""
    return say(json.dumps(scenario_schema(), indent=1, ensure_ascii=False))
