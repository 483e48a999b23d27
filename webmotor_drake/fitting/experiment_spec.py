"""Experiments as users write them: each has a log and the robot's differences."""

import dataclasses as dc
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from webmotor_drake.errors import InputError, below
from webmotor_drake.fitting.parameter import ParameterFile
from webmotor_drake.fitting.robot_log import RobotLog
from webmotor_drake.loading import overlaid
from webmotor_drake.scenario.parameter_path import (
    Keys,
    parse_path,
    value_at,
    with_values,
)
from webmotor_drake.scenario.scenario import Scenario
from webmotor_drake.scenario.yaml_document import load_document
from webmotor_drake.scenario.yaml_typed import read_typed

File = str | os.PathLike[str]


@dc.dataclass
class ExperimentSpec:
    """An experiment with the robot: its log, and how the robot differed in it.

    Attributes:
        log: commands and measurements, or the file that has them.
        columns: meaning and units of the file's columns, see `load_log`.
        overlay: a file that overrides parts of the scenario, such as its load, or
            an empty text.
        values: values that the scenario has here, by path, such as
            {"bodies.arm.link.mass": 0.8}.
        factors: factors on values, fitted ones too, by path, such as 2 for a gain
            that was doubled.
        gains: kp and kd of drake_pd, see `fit`.
        state: position and velocity at the start, by the names in the log; default:
            the measured ones.
        begin: first time of the log that counts, s; None: its start.
        end: last time of the log that counts, s; None: its end.
        windows: number of parts that the log is cut into, see `fit`; None: as for all.
        weight: weight of its squared residuals, 1.
        held_out: True if the whole experiment is kept out of the fit.
    """

    log: RobotLog | File = ""
    columns: dict[str, str] = dc.field(default_factory=dict)
    overlay: File = ""
    values: dict[str, bool | int | float | str] = dc.field(default_factory=dict)
    factors: dict[str, float] = dc.field(default_factory=dict)
    gains: dict[str, list[float]] = dc.field(default_factory=dict)
    state: dict[str, list[float]] = dc.field(default_factory=dict)
    begin: float | None = None
    end: float | None = None
    windows: int | None = None
    weight: float = 1.0
    held_out: bool = False

    def scenario_of(self, scenario: Scenario) -> Scenario:
        """Returns the scenario as it was in this experiment.

        Args:
            scenario: common scenario of all experiments.

        Raises:
            InputError: the overlay, a value or a factor does not fit the scenario.
        """
        if self.overlay:
            scenario = overlaid(scenario, self.overlay)
        with below("values"):
            values = {parse_path(p): v for p, v in self.values.items()}
            scenario = with_values(scenario, values) if values else scenario
        with below("factors"):
            scaled = {
                path: factor * _number_at(scenario, path)
                for path, factor in self.places_of_factors().items()
            }
            return with_values(scenario, scaled) if scaled else scenario

    def places_of_factors(self) -> dict[Keys, float]:
        """Returns the factors by path."""
        return {parse_path(p): f for p, f in self.factors.items()}


def _number_at(scenario: Scenario, path: Keys) -> float:
    value = value_at(scenario, path)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InputError(
            f"{value!r} is there, which no factor can multiply", path=path
        )
    return value


@dc.dataclass
class _InFile(ExperimentSpec):
    """An experiment in a file; file names in it are relative to that file."""

    log: str = ""  # pyright: ignore[reportIncompatibleVariableOverride]
    overlay: str = ""  # pyright: ignore[reportIncompatibleVariableOverride]


@dc.dataclass
class ExperimentFile(ParameterFile):
    """Experiments, and the parameters to fit to them.

    Attributes:
        experiments: experiments by name.
    """

    experiments: dict[str, _InFile] = dc.field(default_factory=dict)


def load_experiments(file: File) -> ExperimentFile:
    """Reads a YAML file of `experiments` by name, or of a single one.

    Raises:
        InputError: the file has no valid experiments; names the place.
    """
    path = Path(file)
    document = load_document(path)
    if "log" in document.names:
        found = read_typed(_InFile, document, defaults=_InFile())
        return ExperimentFile(experiments={path.stem: _placed(found, path)})
    read = read_typed(ExperimentFile, document, defaults=ExperimentFile())
    if not read.experiments:
        raise InputError(
            "no experiments; `experiments: {NAME: {log: FILE}}` is needed, or"
            " `log: FILE` for a single one",
            where=str(file),
        )
    for name, one in read.experiments.items():
        if not one.log:
            problem = "no log; the name of its file is needed"
            raise document.error(problem, ("experiments", name))
    placed = {
        name: _placed(one, path) for name, one in read.experiments.items()
    }
    return dc.replace(read, experiments=placed)


def _placed(one: _InFile, file: Path) -> _InFile:
    """Returns an experiment with file names that include the folder of `file`."""
    overlay = one.overlay and str(file.parent / one.overlay)
    return dc.replace(one, log=str(file.parent / one.log), overlay=overlay)


Experiments = (
    RobotLog
    | File
    | ExperimentSpec
    | Sequence[RobotLog | File | ExperimentSpec]
    | Mapping[str, RobotLog | File | ExperimentSpec]
)


def named_experiments(given: Experiments) -> dict[str, ExperimentSpec]:
    """Returns experiments by name.

    Args:
        given: a log, a log's file, an `ExperimentSpec` or a YAML file of several; a
            list of these, or a mapping by name. An unnamed log is named after its
            file, with a number behind it if that name is taken.
    """
    if isinstance(given, Mapping):
        return {name: _spec(one) for name, one in given.items()}
    if isinstance(given, RobotLog | ExperimentSpec | str | os.PathLike):
        given = [given]
    found: dict[str, ExperimentSpec] = {}
    for one in given:
        if isinstance(one, str | os.PathLike) and is_yaml(one):
            some = load_experiments(one).experiments.items()
        else:
            some = [(_stem(_spec(one)), _spec(one))]
        for name, spec in some:
            number, free = 1, name
            while free in found:
                number += 1
                free = f"{name} {number}"
            found[free] = spec
    if not found:
        raise InputError("no log; at least one is needed")
    return found


def is_yaml(file: File) -> bool:
    """Returns whether a file's name is that of experiments, not of a log."""
    return Path(file).suffix.lower() in (".yaml", ".yml")


def _spec(one: RobotLog | File | ExperimentSpec) -> ExperimentSpec:
    return one if isinstance(one, ExperimentSpec) else ExperimentSpec(log=one)


def _stem(one: ExperimentSpec) -> str:
    file = one.log.file if isinstance(one.log, RobotLog) else one.log
    path = Path(file)
    return path.parent.name if path.name == "run.npz" else path.stem
