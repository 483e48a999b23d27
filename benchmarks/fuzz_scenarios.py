"""Scenarios with random mistakes: other values, names and types, lines lost or doubled.

    python benchmarks/fuzz_scenarios.py [--calls N] [--seed S]

Each one is refused in a line that has a place, or runs, or fails as a simulation does.
Anything else is shown, and the exit status is 1.
"""

import faulthandler
import sys
import time
import typing
import warnings
from collections import Counter
from pathlib import Path

import numpy as np
import yaml
from _lib.odd_files import slip
from _lib.random_calls import show

from webmotor_drake.data import SCENARIOS
from webmotor_drake.errors import InputError, SimulationError
from webmotor_drake.loading import load_scenario
from webmotor_drake.simulation.release import release
from webmotor_drake.simulation.simulation import Simulation

FILES = (
    *("pendulum", "coupled_pair", "hinge_with_stops", "pan_tilt", "piston"),
    *("serial_spring", "two_link_arm", "vertical_lift", "gripper", "torso"),
    *("rover", "biceps"),
)
TESTS = Path(__file__).parents[1] / "tests" / "support" / "scenarios"
# So long each one runs, simulated and in reality, s.
_SHORT, _PATIENCE = 0.04, 2.0

VALUES = (
    *(0, 1, -1, 2, 3.5, -0.0, 1e-12, 1e-300, 1e12, 1e300, 10**30),
    *(float("nan"), float("inf"), -float("inf"), True, False, None),
    *("", "x", "arm", "hinge", "torque", "implicit", "kinematic", "0", "1e-3"),
    *("package://nothing/x.urdf", "/dev/null", "~", "a::b", "{", "é\u2028"),
    *([], [0], [1, 2], [1, 2, 3], ["x"], [[]], {}, {"x": 1}, {"joint": "x"}),
)


class _Late(BaseException):
    """A run takes too long; nothing that handles its errors handles this."""


class _Tagged:
    """A value with a YAML tag, such as !RotationalMotor."""

    def __init__(self, tag: str, value: typing.Any):
        self.tag, self.value = tag, value


class _Loader(yaml.SafeLoader):
    """Reads YAML with whatever tags."""


class _Dumper(yaml.SafeDumper):
    """Writes what `_Loader` has read."""


def _read_tagged(
    loader: _Loader, suffix: str, node: yaml.MappingNode
) -> _Tagged:
    value: typing.Any
    if isinstance(node, yaml.MappingNode):
        value = loader.construct_mapping(node, deep=True)
    elif isinstance(node, yaml.SequenceNode):
        value = loader.construct_sequence(node, deep=True)
    else:
        value = loader.construct_scalar(node)
    return _Tagged(f"!{suffix}", value)


def _write_tagged(dumper: _Dumper, data: _Tagged) -> yaml.Node:
    node = dumper.represent_data(data.value)
    node.tag = data.tag
    return node


_Loader.add_multi_constructor("!", _read_tagged)
_Dumper.add_representer(_Tagged, _write_tagged)
_Dumper.ignore_aliases = lambda *_: True


def documents() -> list[typing.Any]:
    """Returns what is changed: scenarios by name."""
    files = [SCENARIOS / f"{name}.scenario.yaml" for name in FILES]
    files += sorted(TESTS.glob("*.scenario.yaml"))
    return [(file, yaml.load(file.read_text(), _Loader)) for file in files]


def _containers(data: typing.Any) -> list[typing.Any]:
    """Returns all mappings and lists in a document."""
    found, pending = [], [data]
    while pending:
        value = pending.pop()
        if isinstance(value, _Tagged):
            value = value.value
        if isinstance(value, dict | list):
            found.append(value)
            pending += value.values() if isinstance(value, dict) else value
    return found


def mistake(data: typing.Any, random: np.random.Generator) -> None:
    """Changes something in a document."""
    known = [c for c in _containers(data) if c]
    if not known:
        return
    if random.random() < 0.7 and _change_a_number(known, random):
        return
    within = known[random.integers(len(known))]
    keys = list(within) if isinstance(within, dict) else range(len(within))
    key = keys[random.integers(len(keys))]
    value = within[key]
    what = random.random()
    if what < 0.45:
        within[key] = _other_value(value, random)
    elif what < 0.6:
        del within[key]
    elif what < 0.75:
        _from_elsewhere(within, key, known, random)
    elif isinstance(within, list):
        within.append(value)
    else:
        _rename(within, key, random)


def _other_value(value: typing.Any, random: np.random.Generator) -> typing.Any:
    if isinstance(value, int | float) and random.random() < 0.9:
        factors = -1, 0, 0.5, 0.9, 1.1, 2, 10, 1e3, 1e-3, 1e9
        return value * factors[random.integers(len(factors))]
    return VALUES[random.integers(len(VALUES))]


def _change_a_number(
    known: list[typing.Any], random: np.random.Generator
) -> bool:
    """Changes any number; False: there is none."""
    numbers = [
        (within, key)
        for within in known
        for key, value in (
            within.items() if isinstance(within, dict) else enumerate(within)
        )
        if isinstance(value, int | float)
    ]
    if numbers:
        within, key = numbers[random.integers(len(numbers))]
        within[key] = _other_value(within[key], random)
    return bool(numbers)


def _from_elsewhere(
    within: typing.Any,
    key: typing.Any,
    known: list[typing.Any],
    random: np.random.Generator,
) -> None:
    """Takes a value of another place, that does not contain this one."""
    other = known[random.integers(len(known))]
    values = list(other.values()) if isinstance(other, dict) else list(other)
    value = values[random.integers(len(values))]
    if not any(inner is within for inner in _containers(value)):
        within[key] = value


def _rename(within: dict, key: typing.Any, random: np.random.Generator) -> None:
    value = within.pop(key)
    names = [f"{key}x", str(key)[:-1], str(key).upper(), f"{key} ", 5, None, ""]
    within[names[random.integers(len(names))]] = value


def odd_text(data: typing.Any, random: np.random.Generator) -> str:
    """Returns the text of a scenario with some mistakes."""
    for _ in range(random.integers(1, 4)):
        mistake(data, random)
    text = yaml.dump(data, Dumper=_Dumper, allow_unicode=True, sort_keys=False)
    return slip(text, random) if random.random() < 0.2 else text


def fuzz(number: int, seed: int, folder: Path) -> tuple[Counter, list[str]]:
    """Loads and runs scenarios with mistakes.

    Args:
        number: how many.
        seed: of their mistakes.
        folder: where they are written to.

    Returns:
        What came of them, and what was wrong.
    """
    random = np.random.default_rng(seed)
    known = documents()
    found: Counter[str] = Counter()
    wrong = []
    file = folder / "odd.scenario.yaml"
    for i in range(number):
        original, _ = known[random.integers(len(known))]
        data = yaml.load(original.read_text(), _Loader)
        name = list(data)[random.integers(len(data))]
        text = odd_text({name: data[name]}, random)
        file.write_text(text, errors="surrogateescape")
        told = _outcome(file, name)
        found[told.partition(":")[0]] += 1
        if told.startswith("wrong"):
            wrong.append(f"{i} of seed {seed}, {original.name} {name}: {told}")
            (folder.parent / f"odd_{seed}_{i}.scenario.yaml").write_text(text)
    return found, wrong


def _outcome(file: Path, name: str) -> str:
    """Returns what came of a scenario."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            scenario = load_scenario(file, name=name)
            scenario.visualization = None
            scenario.simulator_config.target_realtime_rate = 0.0
            end = min(scenario.simulation_duration, _SHORT)
            scenario.simulation_duration = end
            _run(Simulation(scenario))
    except InputError as error:
        text = str(error)
        return "refused" if "\n" not in text and text else f"wrong: {text}"
    except SimulationError as error:
        whole = error.results is not None and "\n" not in str(error)
        return "failed" if whole else f"wrong: {error!r}"
    except _Late:
        return "long"
    except (Exception, SystemExit) as error:
        return f"wrong: {type(error).__name__}: {error}"[:300]
    return "ran"


def _run(simulation: Simulation) -> None:
    started = time.perf_counter()

    def look(*_: float) -> None:
        if time.perf_counter() - started > _PATIENCE:
            raise _Late

    try:
        simulation.run(progress=look)
    finally:
        release(simulation)


if __name__ == "__main__":
    faulthandler.enable()
    sys.exit(show(fuzz, __doc__))
