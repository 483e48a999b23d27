"""Parameters of a fit: one value each, at one or several places of a scenario."""

import dataclasses as dc
import math
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from webmotor_drake.engines.drake_controllers import Gains
from webmotor_drake.errors import InputError
from webmotor_drake.fitting.logged_motors import motors_at
from webmotor_drake.fitting.parameter_tree import (
    EXPERIMENTS,
    GAINS,
    START,
    ParameterTree,
)
from webmotor_drake.nodes.field import declared, unit_text
from webmotor_drake.nodes.motors import LinearMotor
from webmotor_drake.nodes.servo import Servo
from webmotor_drake.scenario.parameter_path import (
    Keys,
    path_text,
    value_at,
    with_values,
)
from webmotor_drake.scenario.scenario import Scenario
from webmotor_drake.scenario.yaml_document import load_document
from webmotor_drake.scenario.yaml_typed import read_typed

# Units of fields that no node declares, and of list items.
_UNITS = {"cfm": "rad/s/(N m) or m/s/N", "delay": "s", "mass": "kg"}
_INDEXED = {
    "control_pid": ("1/s", "1/s²", "1"),
    GAINS: ("N·m/rad", "N·m·s/rad"),
}


def unit_of(path: Keys, scenario: Scenario) -> str:
    """Returns the unit of the value at a path, empty if it is not known."""
    if path[0] == EXPERIMENTS:
        path = path[2:]
    *above, last = path
    if isinstance(last, int):
        units = _INDEXED.get(GAINS if path[0] == GAINS else path[-2], ())
        return units[last] if last < len(units) else ""
    node = value_at(scenario, tuple(above)) if above else scenario
    known = declared(type(node)) if dc.is_dataclass(node) else {}
    unit = known[last].unit if last in known else _UNITS.get(last, "")
    motors = motors_at(path, scenario).values()
    is_linear = any(
        motor.type == "linear"
        if isinstance(motor, Servo)
        else isinstance(motor, LinearMotor)
        for motor in motors
    )
    return unit_text(unit, is_linear=is_linear)


@dc.dataclass(frozen=True)
class Parameter:
    """A value to fit.

    Attributes:
        name: short form of its path.
        paths: places that all get the value.
        low: lower bound.
        high: upper bound.
        start: value to start from.
        prior: knowledge of it beforehand: mean and standard deviation.
        unit: unit for tables.
    """

    name: str
    paths: tuple[Keys, ...]
    low: float
    high: float
    start: float
    prior: tuple[float, float] | None = None
    unit: str = ""

    def __post_init__(self) -> None:
        """Refuses bounds without room between them, and a start outside."""
        bounds = f"{self.low:g} to {self.high:g}"
        problem = ""
        if not (math.isfinite(self.low) and math.isfinite(self.high)):
            problem = f"bounds {bounds}; two finite numbers are needed"
        elif self.low >= self.high:
            problem = f"bounds {bounds} are the wrong way round"
        elif not self.low <= self.start <= self.high:
            problem = f"the start {self.start:g} is outside the bounds {bounds}"
        elif self.prior is not None and not (
            math.isfinite(self.prior[0]) and 0 < self.prior[1] < math.inf
        ):
            problem = (
                f"prior {list(self.prior)}; a mean and a standard deviation above"
                " 0 are needed"
            )
        if problem:
            raise InputError(f"{self.name}: {problem}")


@dc.dataclass
class ParameterSpec:
    """Parameters as a user writes them, one or several.

    Attributes:
        path: place of the value. `*` in place of a name matches every name, each with
            its own value; `{*}`, or names in braces with commas between them, matches
            several names that share one value. A path that begins with
            "experiments.NAME." belongs to one experiment.
        bounds: lower and upper bound.
        start: value to start from; None: the scenario's own.
        prior: mean and standard deviation of what is known beforehand; empty: none.
        models: motor models that have the parameter; empty: all.
    """

    path: str = ""
    bounds: list[float] = dc.field(default_factory=list)
    start: float | None = None
    prior: list[float] = dc.field(default_factory=list)
    models: list[str] = dc.field(default_factory=list)


_IS_GAIN = re.compile(
    rf"(?:{EXPERIMENTS}\.(?:\{{.*?\}}|\".*?\"|[^.]+)\.)?{GAINS}\."
)
_OPTION = re.compile(r"(?P<path>.+)=(?P<numbers>[^=]+)")


def parse_option(text: str) -> ParameterSpec:
    """Returns the parameter of "PATH=LOW:HIGH" or "PATH=LOW:HIGH:START".

    Raises:
        InputError: the text has neither form.
    """
    match = _OPTION.fullmatch(text)
    try:
        numbers = [float(n) for n in match["numbers"].split(":")]
        low, high, *start = numbers
        if len(start) > 1:
            raise ValueError
    except (TypeError, ValueError):
        raise InputError(
            f"{text!r} is not a parameter; PATH=LOW:HIGH or PATH=LOW:HIGH:START is"
            " allowed"
        ) from None
    return ParameterSpec(
        path=match["path"].strip(),
        bounds=[low, high],
        start=start[0] if start else None,
    )


def parameters_of(
    specs: Sequence[ParameterSpec],
    scenario: Scenario,
    model: str,
    gains: Gains,
    experiments: Mapping[str, tuple[Scenario, Gains]] | None = None,
) -> list[Parameter]:
    """Returns the parameters of a motor model.

    Args:
        specs: specifications that the user wrote.
        scenario: scenario that their paths lead into.
        model: motor model that has them.
        gains: gains of drake_pd, kp and kd by "<model>/<motor>".
        experiments: scenario and gains of each experiment, by its name.

    Raises:
        InputError: a path leads nowhere, bounds have no room between them, or two
            parameters have the same place.
    """
    found: list[Parameter] = []
    tree = ParameterTree(scenario, gains, experiments)
    for spec in specs:
        if model not in (spec.models or [model]):
            continue
        if model == "drake_pd" or not _IS_GAIN.match(spec.path):
            found += _expanded(spec, scenario, tree)
    owner: dict[Keys, str] = {}
    for parameter in found:
        for path in parameter.paths:
            if path in owner:
                raise InputError(
                    f"{path_text(path)} is fitted twice: as {owner[path]} and as"
                    f" {parameter.name}"
                )
            owner[path] = parameter.name
    for path, name in owner.items():
        if path[0] == EXPERIMENTS and path[2:] in owner:
            raise InputError(
                f"{path_text(path)} is fitted twice: as {name} and, for all"
                f" experiments, as {owner[path[2:]]}"
            )
    return found


def paths_of(parameters: Sequence[Parameter]) -> list[Keys]:
    """Returns the paths of all parameters."""
    return [path for parameter in parameters for path in parameter.paths]


def _expanded(
    spec: ParameterSpec, scenario: Scenario, tree: ParameterTree
) -> Iterator[Parameter]:
    """Gives the parameters that one specification expands to."""
    if len(spec.bounds) != 2:
        raise InputError(
            f"{spec.path}: {len(spec.bounds)} bounds; a lower and an upper one are"
            " needed"
        )
    if len(spec.prior) not in (0, 2):
        raise InputError(
            f"{spec.path}: a prior of {len(spec.prior)} numbers; a mean and a"
            " standard deviation are needed"
        )
    for paths in tree.groups(spec.path):
        values = [tree.value(path) for path in paths]
        start = spec.start
        if start is None:
            start = next((v for v in values if v is not None), None)
        if start is None:
            raise InputError(
                f"{path_text(paths[0])} has no value to start from; give a start"
            )
        names = [_short(path) for path in paths]
        yield Parameter(
            name=names[0] + f" and {len(names) - 1} more" * (len(names) > 1),
            paths=tuple(paths),
            low=float(spec.bounds[0]),
            high=float(spec.bounds[1]),
            start=float(start),
            prior=tuple(spec.prior) or None,
            unit=unit_of(paths[0], scenario),
        )


def _short(path: Keys) -> str:
    """Returns the end of a path, its joint and field."""
    if path[0] == EXPERIMENTS:
        return f"{path[1]}: {_short(path[2:])}"
    if path[0] == GAINS:
        return f"{path[1]} {('kp', 'kd')[path[2]]}"
    keys = [k for k in path if k not in ("model_drivers", "position_sensors")]
    keys = [k for k in keys if k not in ("motors", "joints")] or list(path)
    text = path_text(tuple(keys[1:] if len(keys) > 2 else keys))
    return text.replace('"', "")


def with_parameters(
    scenario: Scenario,
    gains: Gains,
    values: Mapping[Keys, float],
    *,
    check: bool = True,
) -> tuple[Scenario, Gains]:
    """Returns scenario and gains with values replaced, by path."""
    new: dict[Keys, float] = {}
    gains = {name: list(pair) for name, pair in gains.items()}
    for path, value in values.items():
        if path[0] == GAINS:
            gains[path[1]][path[2]] = value
        elif path[0] != START:
            new[path] = value
    return with_values(scenario, new, check=check), gains


@dc.dataclass
class ParameterFile:
    """A file of parameters.

    Attributes:
        parameters: values to fit.
        gains: kp and kd of drake_pd by "<model>/<motor>", N m/rad and N m s/rad or
            N/m and N s/m; * in a name stands for any text.
    """

    parameters: list[ParameterSpec] = dc.field(default_factory=list)
    gains: dict[str, list[float]] = dc.field(default_factory=dict)


def load_parameters(file: str | os.PathLike[str]) -> ParameterFile:
    """Reads a file of parameters.

    Raises:
        InputError: the file has no valid parameters; names the place.
    """
    document = load_document(Path(file))
    return read_typed(ParameterFile, document, defaults=ParameterFile())
