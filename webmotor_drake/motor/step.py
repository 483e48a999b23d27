"""The start of a motor step: commands act on the tables, then the law runs."""

import dataclasses as dc
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from webmotor_drake.loops import entry
from webmotor_drake.loops.rows import Command, Demand
from webmotor_drake.loops.step_start import StepStart
from webmotor_drake.motor.battery import Battery
from webmotor_drake.motor.commands import Kind, StepCommands
from webmotor_drake.motor.devices import COMMANDS_IN_ROWS, MotorDevices
from webmotor_drake.motor.models.model_laws import ModelLaws
from webmotor_drake.motor.tables import MotorTables
from webmotor_drake.nodes.motors import MotorNode

# As a plain number, for the reason in `devices`.
_BRAKE_DAMPING = int(Kind.BRAKE_DAMPING)
# Commands to fewer motors are faster one by one; to 12 a row takes .6 of the time.
_MANY = 4
# Delays that differ by less, in steps, are the same.
_SAME_TIME = 1e-9


class MotorStep:
    """Runs motor steps on the tables of a model's motors.

    Everything that changes is in `values`, the vector of `MotorTables`.

    Attributes:
        devices: the motors as commands see them.
        friction: static friction of the drive's joints, shape (m,), N m or N.
        start: the `StepStart` of the motors, with `run_law` and `use_battery`.
        tables: the layout of the vector.

    Args:
        motors: the nodes by motor name, after Webots' fallbacks, n of them.
        kinematic: one value per motor, True if its joint is kinematic.
        friction: static friction; the motors' joints come first.
        braked: index of each brake's joint among the m.
        period: the motor period h, s.
        drive_state: the number of floats that the drive keeps in the vector.
        delay: the time that commands take to the motors, s; one value per motor, or one
            for all.
        models: the laws of motors that are no Webots servos, if there are any.
        battery: source of the motors' energy, if any.
    """

    def __init__(
        self,
        motors: Mapping[str, MotorNode],
        *,
        kinematic: Sequence[bool],
        friction: Sequence[float],
        braked: Sequence[int],
        period: float,
        drive_state: int,
        delay: float | Sequence[float] = 0.0,
        models: ModelLaws | None = None,
        battery: Battery | None = None,
    ):
        every = np.broadcast_to(delay, len(motors)).tolist()
        delays = [delay_of(own / period) for own in every]
        # The line has the commands that arrive now, and older ones to average with.
        late = max((whole + (part > 0) for whole, part in delays), default=0)
        self.devices = MotorDevices(motors, kinematic)
        self._all = tuple(range(len(motors)))
        self.friction = np.array(friction, float)
        self.tables = MotorTables(
            len(motors),
            len(friction),
            drive_state,
            late + 1 if late else 0,
            models.states if models else 0,
        )
        self._is_late = late > 0
        self._braked = list(braked)
        nodes = self.devices.motors
        moved = [
            (moves, node.min_position, node.max_position)
            for moves, node in zip(self.devices.kinematic, nodes, strict=True)
        ]
        # The module of `StepStart` is not typed.
        self.start: Any = StepStart(
            self.tables.ends,
            self.friction,
            self.devices.limits,
            period,
            np.array(delays, float).reshape(-1, 2),
            np.array(moved, float).reshape(-1, 3),
            models and models.taken,
            dc.astuple(battery)[1:] if battery else (),
            (self.devices.consumption_factors, self.devices.max_efforts),
        )
        self.run_law = entry(self.start.run_law)
        self.use_battery = entry(self.start.use_battery)
        self._feedback = entry(self.start.feedback)
        self._pass_on = entry(self.start.pass_on)
        self._initial = self._first_values()

    def initial_values(self) -> np.ndarray:
        """Returns the vector before the first step."""
        return self._initial.copy()

    def _first_values(self) -> np.ndarray:
        tables = self.tables
        values = np.zeros(tables.size)
        initial = self.devices.initial_commands()
        values[tables.command] = initial.ravel()
        tables.line_tables(values)[:] = initial
        tables.demand_table(values)[Demand.EFFORT_LIMIT] = self.friction
        values[tables.given] = values[tables.last_step] = -1
        return values

    def hold(self, values: np.ndarray, q: np.ndarray) -> None:
        """Makes `q` the target of motors that have had no command yet."""
        command = self.tables.command_table(values)
        for table in (command, *self.tables.line_tables(values)):
            target = table[Command.TARGET_POSITION]
            unset = np.isnan(target)
            target[unset] = q[unset]

    def restart(
        self,
        values: np.ndarray,
        motors: np.ndarray,
        joints: np.ndarray,
        q: np.ndarray,
    ) -> None:
        """Resets some motors as at a start: they hold their joints' present positions.

        Args:
            values: the vector, which is changed.
            motors: their places among the n.
            joints: their places among the m.
            q: positions of all motors' joints, shape (n,), rad or m.
        """
        tables, initial = self.tables, self._initial
        per_motor = tables.command, tables.law_state, tables.line, tables.models
        for part in (*per_motor, tables.effort):
            first = initial[part].reshape(-1, len(q))[:, motors]
            values[part].reshape(-1, len(q))[:, motors] = first
        demand = tables.demand_table(values)
        demand[:, joints] = tables.demand_table(initial)[:, joints]
        values[tables.held][joints] = 0.0
        if values[tables.last_step] >= 0:  # else the first step does so
            self.hold(values, q)

    def catch_up(
        self, values: np.ndarray, schedule: Mapping[int, StepCommands]
    ) -> None:
        """Applies the commands of steps before step 0, which may be on their way."""
        for step in range(min(schedule, default=0), 0):
            self.apply(values, schedule.get(step, []))
            self._pass_on(values)

    def apply(self, values: np.ndarray, commands: StepCommands) -> None:
        """Applies commands in the order given; see `MotorDevices.apply`."""
        self.applier(values)(commands)

    def applier(self, values: np.ndarray) -> Callable[[StepCommands], None]:
        """Returns a function that applies commands to `values`; see `apply`."""
        command, law_state = self.given(values)
        demand = self.tables.demand_table(values)
        one, rows = self.devices.apply, self.devices.apply_row

        def apply(commands: StepCommands) -> None:
            if len(commands) >= _MANY:
                indices, kinds, given = zip(*commands, strict=True)
                kind = kinds[0]
                if (
                    indices == self._all
                    and kind in COMMANDS_IN_ROWS
                    and kinds.count(kind) == len(kinds)
                    and not math.isnan(sum(given))  # a row takes NaN for none
                ):
                    rows(kind, np.array(given, float), command, law_state)
                    return
            for index, kind, value in commands:
                if kind == _BRAKE_DAMPING:
                    demand[Demand.BRAKE, self._braked[index]] = value
                else:
                    one(kind, index, value, command, law_state)

        return apply

    def given(self, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Returns the tables that commands are applied to.

        With a delay these are the commands that set out, and a copy of the law's state:
        a command changes the state itself when it arrives.
        """
        law_state = self.tables.law_state_table(values)
        if self._is_late:
            return self.tables.line_tables(values)[0], law_state.copy()
        return self.tables.command_table(values), law_state

    def feedback(self, values: np.ndarray) -> np.ndarray:
        """Returns the servos' efforts in the step just done, shape (n,).

        Joints that simply move take none, as in Webots without Physics.
        """
        found = np.empty(len(self._all))
        self._feedback(values, found)
        return found

    def effort_was_commanded(self, values: np.ndarray) -> bool:
        """Returns whether a motor's effort, or its limit, differs from the start."""
        efforts = [Command.AVAILABLE_EFFORT, Command.EFFORT_CONTROL]
        initial = self.devices.initial_commands()[efforts]
        command = self.tables.command_table(values)
        tables = (command, *self.tables.line_tables(values))
        return any((table[efforts] != initial).any() for table in tables)


def delay_of(steps: float) -> tuple[int, float]:
    """Returns the whole motor steps of a delay, and a part of one."""
    whole = math.floor(steps + _SAME_TIME)
    part = steps - whole
    return whole, part if part >= _SAME_TIME else 0.0
