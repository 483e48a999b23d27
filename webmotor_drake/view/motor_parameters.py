"""The parameters of a motor that somebody changes while it runs."""

import dataclasses as dc
import math
import types
import typing
from collections.abc import Iterator

import numpy as np

from webmotor_drake.drive.driver import WebotsMotorDriver
from webmotor_drake.errors import InputError
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
from webmotor_drake.scenario.parameter_path import (
    Keys,
    entry_of,
    path_text,
    replaced,
)
from webmotor_drake.scenario.yaml_typed import fields_of
from webmotor_drake.view.driven_motor import DrivenMotor

Value = float | None  # None: the field's default

_OF_SERVOS = ("max_velocity", "max_force", "control_p", "acceleration")
_LIMITS = ("min_position", "max_position")
_GAINS = [Command.P, Command.I, Command.D]
_MEMORY = [LawState.ERROR_INTEGRAL, LawState.PREVIOUS_ERROR]


class MotorParameters:
    """The numbers of a motor's node in its scenario, and their present values.

    Attributes:
        paths: paths of the numbers, from the node.
        about: name, unit and meaning of each, for the page.
        node: present node; the scenario's is left as it is.

    Args:
        driver: the motor's, in the scenario.
        driven: the motor in its simulation, which changes with a parameter.
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
        """Returns a parameter now, and its type."""
        value, kind = self.node, type(self.node)
        for key in self.paths[at]:
            value, kind = entry_of(value, kind, key)
        return value, kind

    def change(self, at: int, value: Value) -> Value:
        """Gives a parameter another value; returns that which Webots makes of it.

        Raises:
            InputError: it is not allowed, or does not act while the motor runs.
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
        """Returns the fields of the motor that another node changes."""
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
        """Fits the motor's commands to its new limits, along with those at old ones."""
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
    """Limits a motor's value by its new limit; at the old one it goes along."""
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
