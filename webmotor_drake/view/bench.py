"""A bench for motors: their parameters, changed while they run, undone and saved."""

import dataclasses as dc
import os
import typing
from pathlib import Path

from webmotor_drake.data import SCENARIOS
from webmotor_drake.errors import InputError
from webmotor_drake.loading import scenario_from
from webmotor_drake.results.whole_file import load_bytes, write_whole
from webmotor_drake.scenario.parameter_path import Keys, path_text, value_at
from webmotor_drake.scenario.scenario import Scenario
from webmotor_drake.scenario.scenario_yaml import overlay_text
from webmotor_drake.scenario.source import YamlSource
from webmotor_drake.scenario.yaml_document import Document, decoded
from webmotor_drake.scenario.yaml_edit import Number, edited, says
from webmotor_drake.view.motor_parameters import MotorParameters, Value
from webmotor_drake.view.page_motors import PageMotors

_BOM = b"\xef\xbb\xbf"
# Number of a motor, and of one of its parameters.
Place = tuple[int, int]


class Bench:
    """The parameters of all motors of a run; they outlive its resets.

    Attributes:
        motors: the parameters of each, in the order of the page's rows.
    """

    def __init__(self) -> None:
        self.motors: list[MotorParameters] = []
        self._paths: list[Keys] = []  # of the motors, in the scenario
        self._scenario = Scenario()
        # By motor and parameter: what the file says where that has been changed
        # since it was read, what is now where that differs, and what was before.
        self._file: dict[Place, Value] = {}
        self._now: dict[Place, Value] = {}
        self._before: list[tuple[int, int, Value]] = []
        self._document = None
        self._told: dict[str, typing.Any] = {}

    def attach(self, scenario: Scenario, motors: PageMotors) -> None:
        """Takes the motors of a new simulation, and gives them the changed values."""
        self._scenario = scenario
        self.motors, self._paths = [], []
        for about, driven in zip(motors.about, motors.driven, strict=True):
            model, name = about["robot"], about["name"]
            driver = scenario.model_drivers[model]
            self._paths.append(("model_drivers", model, "motors", name))
            self.motors.append(MotorParameters(driver, driven))
        for (motor, at), value in list(self._now.items()):
            self._give(motor, at, value)

    def change(self, motor: int, at: int, value: Value) -> Place | None:
        """Gives a motor's parameter a value, and tells the outcome.

        Returns:
            The parameter if it has changed, else None.
        """
        before = self.motors[motor].value(at)
        self._give(motor, at, value)
        if self.motors[motor].value(at) == before:
            return None
        self._before.append((motor, at, before))
        return motor, at

    def undo(self) -> Place | None:
        """Takes back the last change; see `change`."""
        if not self._before:
            return None
        motor, at, value = self._before.pop()
        self._give(motor, at, value)
        return motor, at

    def _give(self, motor: int, at: int, value: Value) -> None:
        try:
            now = self.motors[motor].change(at, value)
        except InputError as error:
            self._told = {"motor": motor, "at": at, "text": error.problem}
            return
        self._told = {}
        if now == self._in_file(motor, at):
            self._now.pop((motor, at), None)
        else:
            self._now[motor, at] = now

    def _in_file(self, motor: int, at: int) -> Value:
        if (motor, at) in self._file:
            return self._file[motor, at]
        value: typing.Any = value_at(self._scenario, self._path(motor, at))
        return value

    def _path(self, motor: int, at: int) -> Keys:
        return (*self._paths[motor], *self.motors[motor].paths[at])

    def state(self) -> dict[str, typing.Any]:
        """Returns all values, those that differ from the file, and the last message."""
        changed = {self._path(*place): v for place, v in self._now.items()}
        return {
            "values": [
                [motor.value(at) for at in range(len(motor.paths))]
                for motor in self.motors
            ],
            "file": [
                [motor, at, self._in_file(motor, at)] for motor, at in self._now
            ],
            "undo": len(self._before),
            "yaml": overlay_text(self._scenario, changed) if changed else "",
            "told": self._told,
        }

    def save(self) -> None:
        """Writes the changes into the scenario's file, and tells the outcome."""
        try:
            text = self._save()
        except InputError as error:
            text = str(error)
        self._told = {"text": text}

    def _save(self) -> str:
        """Returns the outcome, unless it is an InputError."""
        source = self._scenario.source
        file = _writable(source)
        assert isinstance(source, YamlSource)
        data = load_bytes(file)
        document = decoded(data, source.file)
        known = self._document or source.document
        if document.text != known.text:
            raise InputError(
                "the file has changed since the run read it; copy the YAML instead",
                where=source.file,
            )
        for place in self._now:
            _check_not_overridden(source, self._path(*place))
        document = edited(document, self._values(document, source.name))
        # Is it a scenario?
        scenario_from(dc.replace(source, document=document))
        bom = _BOM if data.startswith(_BOM) else b""
        write_whole(file, bom + document.text.encode())
        self._document = document
        self._file |= self._now
        self._now.clear()
        return f"saved in {source.file}"

    def _values(self, document: Document, name: str) -> dict[Keys, Number]:
        """Returns the values to write; a list that the file lacks comes whole."""
        values: dict[Keys, Number] = {}
        for place, value in self._now.items():
            path = (name, *self._path(*place))
            if isinstance(path[-1], int) and not says(document, path):
                path, value = (
                    path[:-1],
                    [*self.motors[place[0]].node.control_pid],
                )
            values[path] = value
        return values


def _writable(source: object) -> Path:
    """Returns the file of a source; it has to be a YAML file of the user's own."""
    if not isinstance(source, YamlSource):
        raise InputError(
            "it comes from no YAML scenario; copy the YAML instead"
        )
    file = source.folder / Path(source.file).name
    if file.is_relative_to(SCENARIOS):
        raise InputError(
            "it comes with the package; copy the YAML, or run a copy of it",
            where=source.file,
        )
    if not file.is_file():
        raise InputError("there is no such file any more", where=str(file))
    if not os.access(file, os.W_OK):  # a rename would not ask
        raise InputError("it is read-only; copy the YAML", where=source.file)
    return file


def _check_not_overridden(source: YamlSource, path: Keys) -> None:
    """Raises InputError where another text than the file says a value."""
    for document in (source.override, source.overlay):
        if document.depth(path) == len(path):
            raise InputError(
                f"{path_text(path)} is set there, which overrides the file",
                where=document.locate(path),
            )
