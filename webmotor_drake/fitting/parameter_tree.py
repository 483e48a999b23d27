"""Finds the parameters of a fit in a scenario, by paths with wildcards."""

import fnmatch
import json
import re
from collections.abc import Iterator, Mapping, Sequence

from webmotor_drake.engines.drake_controllers import Gains
from webmotor_drake.errors import InputError, unknown_name
from webmotor_drake.scenario.parameter_path import (
    Keys,
    parse_path,
    path_text,
    value_at,
)
from webmotor_drake.scenario.scenario import Scenario
from webmotor_drake.scenario.yaml_typed import fields_of

# Paths that start here are gains of drake_pd, not of the scenario.
GAINS = "gains"
# Paths that start here are positions and velocities that motors start from.
START = "start"
# Paths that start here belong to one experiment: its name and any other path follow.
EXPERIMENTS = "experiments"

# Stands for `*` while a path is parsed: a name that nobody else has.
_EACH = "__each__"
_QUOTED = r'"(?:[^"\\]|\\.)*"'
_WILDCARD = re.compile(
    rf"(?P<quoted>{_QUOTED})|\{{(?P<braces>(?:{_QUOTED}|[^{{}}])*)\}}"
    r"|(?<=\.)(?P<each>\*)(?=[.\[]|$)"
)
_ITEM = re.compile(rf"\s*{_QUOTED}\s*(?=,|$)|[^,]+")


def paths_in(paths: Sequence[Keys], experiment: str = "") -> list[Keys]:
    """Returns a parameter's paths in an experiment, without "experiments.NAME.".

    Args:
        paths: paths of the parameter.
        experiment: name of the experiment; empty: only the paths common to all.
    """
    return [
        path[2:] if path[0] == EXPERIMENTS else path
        for path in paths
        if path[0] != EXPERIMENTS or path[1] == experiment
    ]


class ParameterTree:
    """A scenario and the gains of drake_pd, to be looked up by path.

    Args:
        scenario: common scenario of all experiments.
        gains: gains of drake_pd.
        experiments: scenario and gains of each experiment, by name.
    """

    def __init__(
        self,
        scenario: Scenario,
        gains: Gains,
        experiments: Mapping[str, tuple[Scenario, Gains]] | None = None,
    ):
        self._scenario, self._gains = scenario, gains
        self._experiments = {
            name: ParameterTree(*of) for name, of in (experiments or {}).items()
        }

    def groups(self, text: str) -> Iterator[list[Keys]]:
        """Gives the paths of each parameter that a path with wildcards matches."""
        keys, shared = _without_wildcards(text)
        groups: dict[tuple, list[Keys]] = {}
        for path, own in self._matches(keys, shared):
            groups.setdefault(own, []).append(path)
        if not groups:
            raise InputError(f"{text}: nothing there has such a name")
        yield from groups.values()

    def _matches(
        self, keys: Keys, shared: dict[str, list[str]]
    ) -> Iterator[tuple[Keys, tuple]]:
        """Gives each matching path, and the names that identify its parameter."""
        found: list[tuple[Keys, tuple]] = [((), ())]
        for key in keys:
            each = key == _EACH
            patterns = ["*"] if each else shared.get(key)
            found = [
                ((*path, name), (*own, name) if each else own)
                for path, own in found
                for name in (
                    [key] if patterns is None else self._names(path, patterns)
                )
            ]
        yield from found

    def _names(self, path: Keys, patterns: Sequence[str]) -> list[str]:
        there = self._node(path)
        if isinstance(there, dict):
            names = list(dict.fromkeys([*there, *self._driven_at(path)]))
        else:
            names = list(fields_of(type(there)) or ())
        found = []
        for pattern in patterns:
            matching = [n for n in names if fnmatch.fnmatchcase(n, pattern)]
            if not matching:
                raise InputError(
                    unknown_name("name", pattern, names), path=path
                )
            found += matching
        return list(dict.fromkeys(found))

    def _driven_at(self, path: Keys) -> list[str]:
        """Returns the joints that motors drive, listed or not, at a `joints` path."""
        tree, path = self._owner(path)
        if len(path) != 3 or path[0] != "model_drivers" or path[2] != "joints":
            return []
        motors = tree._scenario.model_drivers[str(path[1])].motors
        return [motor.joint for motor in motors.values()]

    def value(self, path: Keys) -> float | None:
        """Returns the number at a path; None if it is not set.

        Raises:
            InputError: the value is not a number, or the path leads nowhere.
        """
        value = self._node(path)
        is_number = isinstance(value, int | float) and not isinstance(
            value, bool
        )
        if value is not None and not is_number:
            raise InputError(
                f"{path_text(path)} is not a number; the path of one is needed"
            )
        return value

    def _node(self, path: Keys) -> object:
        tree, path = self._owner(path)
        if not path:
            return tree._scenario
        if path == (EXPERIMENTS,):
            return tree._experiments
        if path[0] != GAINS:
            return value_at(tree._scenario, path)
        node: object = tree._gains
        for key in path[1:]:
            if isinstance(node, dict) and key not in node:
                raise InputError(
                    unknown_name("motor", str(key), node), path=(GAINS,)
                )
            if not isinstance(node, dict) and key not in (0, 1):
                raise InputError(
                    f"unknown item {key}; gains are [0] kp and [1] kd",
                    path=path[:2],
                )
            node = node[key]
        return node

    def _owner(self, path: Keys) -> tuple["ParameterTree", Keys]:
        """Returns the tree that a path leads into, and the rest of the path."""
        if len(path) < 2 or path[0] != EXPERIMENTS:
            return self, path
        _, name, *rest = path
        if name not in self._experiments:
            known = self._experiments
            raise InputError(unknown_name("experiment", str(name), known))
        return self._experiments[str(name)], tuple(rest)


def _without_wildcards(text: str) -> tuple[Keys, dict[str, list[str]]]:
    """Returns a path's keys with stand-ins for wildcards, and the names of each."""
    shared: dict[str, list[str]] = {}
    written: dict[str, str] = {}

    def stand_in(match: re.Match) -> str:
        if match["quoted"]:
            return match[0]
        key = _EACH if match["each"] else f"__shared{len(shared)}__"
        written[key] = match[0]
        if match["braces"] is not None:
            shared[key] = [_name(n) for n in _ITEM.findall(match["braces"])]
        return key

    plain = _WILDCARD.sub(stand_in, text)
    try:
        return parse_path(plain), shared
    except InputError as error:
        problem = error.problem
        for key, as_written in written.items():
            problem = problem.replace(key, as_written)
        raise InputError(problem) from None


def _name(item: str) -> str:
    """Returns a name in braces, without its quotes."""
    item = item.strip()
    try:
        return json.loads(item) if item.startswith('"') else item
    except ValueError:
        raise InputError(f"{item} is not a name in quotes") from None
