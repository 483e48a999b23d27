"""Scenarios that many tests load: each is read once."""

import copy
import functools
from pathlib import Path

from webmotor_drake.loading import load_scenario
from webmotor_drake.scenario.scenario import Scenario


def loaded(file: Path, name: str, text: str = "{}") -> Scenario:
    """Returns what `load_scenario` does, to be changed at will."""
    return copy.deepcopy(_once(file, name, text))


@functools.cache
def _once(file: Path, name: str, text: str) -> Scenario:
    return load_scenario(file, name=name, text=text)
