"""A bench for motors: their parameters, changed while they run, undone and saved."""

import dataclasses as dc
import math
import os
import types
import typing
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from webmotor_drake.data import SCENARIOS
from webmotor_drake.drive.driver import WebotsMotorDriver
from webmotor_drake.errors import InputError
from webmotor_drake.loading import scenario_from
from webmotor_drake.loops.rows import Command, LawState
from webmotor_drake.motor.driver_checks import expanded
from webmotor_drake.motor.models.model_laws import ONLY_FROM_THE_START
from webmotor_drake.nodes.check import check_node, with_fallbacks
from webmotor_drake.nodes.field import declared, unit_text
from webmotor_drake.nodes.motors import (
    LinearMotor,
    MotorNode,
    acting_parts,
    max_effort,
)
from webmotor_drake.nodes.servo import Servo
from webmotor_drake.results.whole_file import load_bytes, write_whole
from webmotor_drake.scenario.parameter_path import (
    Keys,
    entry_of,
    path_text,
    replaced,
    value_at,
)
from webmotor_drake.scenario.scenario import Scenario
from webmotor_drake.scenario.scenario_yaml import (
    Number,
    edited,
    overlay_text,
    says,
)
from webmotor_drake.scenario.source import YamlSource
from webmotor_drake.scenario.yaml_document import Document, decoded
from webmotor_drake.scenario.yaml_typed import fields_of
from webmotor_drake.view.page_motors import DrivenMotor, PageMotors

Value = float | None  # None: the field's default

_BOM = b"\xef\xbb\xbf"
# Number of a motor, and of one of its parameters.
Place = tuple[int, int]
_OF_SERVOS = ("max_velocity", "max_force", "control_p", "acceleration")
_LIMITS = ("min_position", "max_position")
_GAINS = [Command.P, Command.I, Command.D]
_MEMORY = [LawState.ERROR_INTEGRAL, LawState.PREVIOUS_ERROR]


class MotorParameters:
    """The numbers of a motor's node in its scenario, and their present values.

    Attributes:
        paths: paths of the numbers, from the node.
        about: name, unit and meaning of each, for the page.
        node: present node of the motor; the scenario's node is left as it is.

    Args:
        driver: driver of the motor, in the scenario.
        driven: the motor in its simulation, to which changes apply.
    """

    def __init__(self, driver: WebotsMotorDriver, driven: DrivenMotor):
        self._driver, self._driven = driver, driven
        name = self._name = driven.system.devices.names[driven.index]
        self.node: typing.Any = driver.motors[name]
        motor = expanded(driver).motors[name]
        self.paths = list(_paths(self.node, motor))
        linear = isinstance(motor, LinearMotor)
        self.about = [_about(self.node, path, linear) for path in self.paths]

    def value(self, at: int) -> Value:
        """Returns a parameter now."""
        return self._entry(at)[0]

    def _entry(self, at: int) -> tuple[typing.Any, object]:
        value, kind = self.node, type(self.node)
        for key in self.paths[at]:
            value, kind = entry_of(value, kind, key)
        return value, kind

    def change(self, at: int, value: Value) -> Value:
        """Gives a parameter another value; returns the value that Webots makes of it.

        Raises:
            InputError: the value is not allowed, or does not act while the motor runs.
        """
        path, kind = self.paths[at], self._entry(at)[1]
        if value is None and types.NoneType not in typing.get_args(kind):
            raise InputError("a number is needed")
        if path[-1] in _LIMITS and value is not None:
            bound = min if path[-1] == _LIMITS[0] else max
            value = bound(value, self._driven.position)
        node = replaced(self.node, type(self.node), path, value)
        node = with_fallbacks(self._name, node)
        check_node(node)
        system, index = self._driven.system, self._driven.index
        old = system.devices.motors[index]
        motor = dc.replace(old, **self._changes(node))
        system.change_motor(index, motor)
        self._command(old, motor)
        self.node = node
        return self.value(at)

    def _changes(self, node: typing.Any) -> dict[str, typing.Any]:
        """Returns the motor's fields that another node changes, and their values."""
        name, driver = self._name, self._driver
        was, now = (
            expanded(dc.replace(driver, motors={**driver.motors, name: n}))
            for n in (self.node, node)
        )
        if was.joints != now.joints:
            raise InputError(ONLY_FROM_THE_START)
        before = vars(with_fallbacks(name, was.motors[name]))
        after = vars(with_fallbacks(name, now.motors[name]))
        return {n: after[n] for n in after if after[n] != before[n]}

    def _command(self, old: MotorNode, motor: MotorNode) -> None:
        """Limits the motor's commands anew; a command at the old limit moves along."""
        system, i = self._driven.system, self._driven.index
        values = system.mutable_tables(self._driven.context)
        given = system.tables.command_table(values)
        low, high = motor.min_position, motor.max_position
        for table in (given, *system.tables.line_tables(values)):
            target, speed, acceleration, available, direct = table[:5]
            _limit(speed, i, old.max_velocity, motor.max_velocity)
            _limit(available, i, max_effort(old), max_effort(motor))
            _limit(direct, i, math.inf, max_effort(motor))
            if low != high and math.isfinite(target[i]):
                target[i] = min(max(target[i], low), high)
            if old.acceleration != motor.acceleration:
                acceleration[i] = motor.acceleration
            if old.control_pid != motor.control_pid:
                table[_GAINS, i] = motor.control_pid
        if old.control_pid != motor.control_pid:
            law_state = system.tables.law_state_table(values)
            law_state[_MEMORY, i] = 0


def _limit(row: np.ndarray, i: int, old: float, new: float) -> None:
    """Limits a motor's value anew; a value at the old limit moves along."""
    if abs(row[i]) > new or (abs(row[i]) == old and old != new):
        row[i] = math.copysign(new, row[i])


def _paths(node: object, motor: MotorNode) -> Iterator[Keys]:
    """Yields the paths of the numbers in a motor's node, those of its model last."""
    if isinstance(node, Servo):
        yield from ((name,) for name in (*_OF_SERVOS, *_LIMITS))
        return
    yield from (("control_pid", k) for k in range(3))
    yield from ((name,) for name in ("max_velocity", "acceleration"))
    yield from ((name,) for name in (motor.effort_field, *_LIMITS))
    for part in acting_parts(motor):
        if part == "learned":  # A network is read once, as the run starts.
            continue
        for name, kind in fields_of(type(getattr(node, part))).items():
            if float in (kind, *typing.get_args(kind)):
                yield part, name


def _about(node: object, path: Keys, linear: bool) -> dict[str, str]:
    kind, name = type(node), path[0]
    if len(path) > 1 and isinstance(path[1], str):
        kind, name = type(getattr(node, name)), path[1]
    declaration = declared(kind)[name]
    unit = unit_text(declaration.unit, is_linear=linear)
    if name == "control_pid":
        unit = ("1/s", "1/s²", "")[path[1]]
    return {"name": path_text(path), "unit": unit, "about": declaration.about}


class Bench:
    """The parameters of all motors of a run; they outlive its resets.

    Attributes:
        motors: the parameters of each, in the order of the page's rows.
    """

    def __init__(self) -> None:
        self.motors: list[MotorParameters] = []
        self._scenario, self._about = Scenario(), list[dict]()
        # By motor and parameter: values saved in the file since it was read; present
        # values that differ from the file's; values before each change.
        self._file: dict[Place, Value] = {}
        self._now: dict[Place, Value] = {}
        self._before: list[tuple[int, int, Value]] = []
        self._document = None
        self._told: dict[str, typing.Any] = {}

    def attach(self, scenario: Scenario, motors: PageMotors) -> None:
        """Takes the motors of a new simulation, and gives them the changed values."""
        self._scenario, self._about = scenario, motors.about
        drivers = [scenario.model_drivers[a["robot"]] for a in motors.about]
        self.motors = list(map(MotorParameters, drivers, motors.driven))
        for about, own in zip(motors.about, self.motors, strict=True):
            about["parameters"] = own.about
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
        about, own = self._about[motor], self.motors[motor].paths[at]
        return "model_drivers", about["robot"], "motors", about["name"], *own

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
    for document in (source.override, source.overlay):
        if document.depth(path) == len(path):
            raise InputError(
                f"{path_text(path)} is set there, which overrides the file",
                where=document.locate(path),
            )
