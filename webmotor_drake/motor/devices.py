"""Applies commands to motors: the simulator's side of a robot's motors.

`MotorDevices` applies commands to the tables of `webmotor_drake.motor.tables`, with
multipliers, limits and relays to coupled motors (WbMotor.cpp). If all motors get a
command at once, one loop applies the usual values to uncoupled motors. Values that
would be clipped, refused or warned of are applied one by one. The results are the same.
"""

import math
import typing
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from webmotor_drake.errors import warn
from webmotor_drake.loops import entry, usual_commands
from webmotor_drake.loops.rows import Command, LawState
from webmotor_drake.motor.commands import FARTHEST, Kind
from webmotor_drake.motor.coupling import coupled_motors
from webmotor_drake.nodes.motors import MotorNode, max_effort

# A controller may command every motor in every step: plain numbers cost a quarter of
# what the members of an enum do.
_VELOCITY = int(Kind.VELOCITY)
_TARGET_POSITION = int(Command.TARGET_POSITION)
_TARGET_VELOCITY = int(Command.TARGET_VELOCITY)
_EFFORT_CONTROL = int(Command.EFFORT_CONTROL)
_DIRECT_EFFORT = int(Command.DIRECT_EFFORT)
_AVAILABLE_EFFORT = int(Command.AVAILABLE_EFFORT)
_SPEED = _TARGET_VELOCITY, _TARGET_POSITION
# The row of the table that each kind sets, and the one that says whether it may.
COMMANDS_IN_ROWS = {
    Kind.POSITION: (_TARGET_POSITION, _EFFORT_CONTROL),
    Kind.VELOCITY: _SPEED,
    Kind.CHECKED_VELOCITY: _SPEED,
    Kind.AVAILABLE_EFFORT: (_AVAILABLE_EFFORT, _EFFORT_CONTROL),
    Kind.EFFORT: (_DIRECT_EFFORT, _AVAILABLE_EFFORT),
    Kind.FEEDFORWARD: (int(Command.FEEDFORWARD), _EFFORT_CONTROL),
}
_set_usual = entry(usual_commands.set_usual)


class MotorDevices:
    """A robot's motors as its commands see them.

    Attributes:
        names: the motors' names in device order, n of them.
        motors: their nodes, after Webots' fallbacks.
        groups: indices of each motor's coupled motors, itself included.
        kinematic: one value per motor, True if its joint has no dynamics.
        max_efforts: the motors' largest efforts, shape (n,), N m or N.
        consumption_factors: power per effort, shape (n,), W/(N m) or W/N.
        limits: usual limits of each motor, see `set_usual`; shape (n, 7), always the
            same array.
    """

    def __init__(
        self, motors: Mapping[str, MotorNode], kinematic: Sequence[bool] = ()
    ):
        self.kinematic = list(kinematic) or [False] * len(motors)
        self.names = list(motors)
        self.motors = list(motors.values())
        self.groups = coupled_motors(self.names)
        self.max_efforts = np.array([max_effort(m) for m in self.motors], float)
        self.consumption_factors = np.array(
            [m.consumption_factor for m in self.motors], float
        )
        self._left = np.zeros(len(self.motors))
        self.limits = np.zeros((len(self.motors), 7))
        self._read_limits()
        self._setters = {
            Kind.POSITION: self._set_position,
            Kind.VELOCITY: self._set_velocity,
            Kind.CHECKED_VELOCITY: self._set_velocity,
            Kind.EFFORT: self._set_effort,
            Kind.FEEDFORWARD: self._set_feedforward,
        }

    def replace(self, index: int, motor: MotorNode) -> None:
        """Gives a motor other limits for the commands that follow.

        Earlier commands stay (WbMotor.cpp: an edit of maxVelocity or maxTorque does not
        change the target velocity or the available torque).
        """
        self.motors[index] = motor
        self.max_efforts[index] = max_effort(motor)
        self._read_limits()

    def _read_limits(self) -> None:
        low = np.array([motor.min_position for motor in self.motors])
        high = np.array([motor.max_position for motor in self.motors])
        single = np.array([len(g) == 1 for g in self.groups], dtype=bool)
        self.limits.T[:] = np.array(
            [
                [motor.multiplier for motor in self.motors],
                np.where(low == high, -FARTHEST, low),
                np.where(low == high, FARTHEST, high),
                [motor.max_velocity for motor in self.motors],
                self.max_efforts,
                single,
                single & ~np.array(self.kinematic, dtype=bool),
            ]
        )

    def initial_commands(self) -> np.ndarray:
        """Returns the command table before any command, shape (rows, n).

        The target position is NaN: it becomes the joint's position at the start.
        """
        table = np.zeros((len(Command), len(self.names)))
        table[Command.TARGET_POSITION] = np.nan
        for i, motor in enumerate(self.motors):
            table[Command.TARGET_VELOCITY, i] = motor.max_velocity
            table[Command.ACCELERATION, i] = motor.acceleration
            table[Command.AVAILABLE_EFFORT, i] = max_effort(motor)
            table[[Command.P, Command.I, Command.D], i] = motor.control_pid
        return table

    def apply(
        self,
        kind: Kind,
        index: int,
        value: typing.Any,
        command: np.ndarray,
        law_state: np.ndarray,
    ) -> None:
        """Applies one command to the tables, in place.

        Position, velocity and effort reach the coupled motors too; the other
        kinds don't.

        Args:
            kind: kind of command.
            index: the motor, in device order.
            value: the argument of the controller's call, a number; three gains
                for CONTROL_PID.
            command: `Command` rows, shape (rows, n).
            law_state: `LawState` rows, shape (rows, n).
        """
        relayed = self._setters.get(kind)
        if relayed is not None:
            if kind == _VELOCITY and self._refuses(index, value, command):
                return
            for sibling in self.groups[index]:
                relayed(sibling, value, command)
        elif kind == Kind.CONTROL_PID:
            rows = [Command.P, Command.I, Command.D]
            # A change forgets the integral and the last error.
            if not np.array_equal(command[rows, index], value):
                command[rows, index] = value
                memory = [LawState.ERROR_INTEGRAL, LawState.PREVIOUS_ERROR]
                law_state[memory, index] = 0
        elif kind == Kind.ACCELERATION:
            command[Command.ACCELERATION, index] = value
        elif kind == Kind.AVAILABLE_EFFORT:
            self._set_available_effort(index, value, command)
        else:
            raise KeyError(kind)

    def apply_row(
        self,
        kind: Kind,
        values: np.ndarray,
        command: np.ndarray,
        law_state: np.ndarray,
    ) -> None:
        """Applies one of COMMANDS_IN_ROWS to all motors: a value each, NaN for none."""
        row, guard = COMMANDS_IN_ROWS[kind]
        rows = command[guard], command[row], command[_EFFORT_CONTROL]
        if not _set_usual(int(kind), values, self.limits, *rows, self._left):
            return
        for i in np.flatnonzero(self._left).tolist():
            self.apply(kind, i, values.item(i), command, law_state)

    def usual(self, command: np.ndarray) -> Callable[[Kind, np.ndarray], bool]:
        """Returns a function that applies a kind of command to all motors, if it can.

        The function takes kind and values as `apply_row` does. It returns True if all
        motors got the command and no warning is due. After False some motors may have
        got it: then apply it to all of them, one by one.

        Args:
            command: `Command` rows, shape (rows, n), which change.
        """
        rows = {
            kind: (command[guard], command[row], command[_EFFORT_CONTROL])
            for kind, (row, guard) in COMMANDS_IN_ROWS.items()
        }

        def apply(kind: Kind, values: np.ndarray) -> bool:
            return not _set_usual(
                int(kind), values, self.limits, *rows[kind], self._left
            )

        return apply

    def _set_position(self, i: int, position: float, command: np.ndarray):
        motor = self.motors[i]
        target = position
        if math.isfinite(position):
            target = position * motor.multiplier
            low, high = motor.min_position, motor.max_position
            if low != high and not low <= target <= high:
                target = min(max(target, low), high)
                warn(
                    f"{self.names[i]}: requested position {position:g} is"
                    f" outside its soft limits; target {target:g}"
                    f" {motor.units['position']}"
                )
            elif abs(target) > FARTHEST:
                target = math.copysign(FARTHEST, target)
                warn(
                    f"{self.names[i]}: requested position {position:g} is too"
                    f" far to compute with; target {target:g}"
                    f" {motor.units['position']} (infinity turns without end)"
                )
        command[_TARGET_POSITION, i] = target
        command[_EFFORT_CONTROL, i] = 0

    def _set_velocity(self, i: int, velocity: float, command: np.ndarray):
        motor = self.motors[i]
        target = velocity * motor.multiplier
        if abs(target) > motor.max_velocity:
            target = math.copysign(motor.max_velocity, target)
            warn(
                f"{self.names[i]}: requested velocity {velocity:g} exceeds"
                f" max_velocity {motor.max_velocity:g}"
                f" {motor.units['velocity']}"
            )
        command[_TARGET_VELOCITY, i] = target

    def _set_feedforward(self, i: int, velocity: float, command: np.ndarray):
        command[Command.FEEDFORWARD, i] = velocity * self.motors[i].multiplier

    def _set_available_effort(self, i: int, effort: float, command: np.ndarray):
        if effort < 0:
            warn(
                f"{self.names[i]}: available effort {effort:g} is ignored; it"
                " is at least 0"
            )
            return
        limit = max_effort(self.motors[i])
        if effort > limit:
            self._warn_of_effort(i, effort, limit)
        command[Command.AVAILABLE_EFFORT, i] = min(effort, limit)

    def _set_effort(self, i: int, effort: float, command: np.ndarray):
        if self.kinematic[i]:
            warn(
                f"{self.names[i]}: its joint is kinematic; there is no effort"
                " to set"
            )
            return
        wanted = effort * self.motors[i].multiplier
        limit = command[_AVAILABLE_EFFORT, i]
        if abs(wanted) > limit:
            self._warn_of_effort(i, effort, limit)
        command[_DIRECT_EFFORT, i] = min(max(wanted, -limit), limit)
        command[_EFFORT_CONTROL, i] = 1

    def _warn_of_effort(self, i: int, effort: float, limit: float):
        """Warns as Webots does, except for coupled motors."""
        if len(self.groups[i]) == 1:
            unit = self.motors[i].units["effort"]
            warn(
                f"{self.names[i]}: requested {effort:g} exceeds the available"
                f" {limit:g} {unit}"
            )

    def _refuses(self, i: int, velocity: float, command: np.ndarray) -> bool:
        """Returns whether Webots ignores `velocity`: negative, in position control."""
        # The controller's side does it there; timed commands and ports have none.
        refused = velocity < 0 and math.isfinite(
            command[Command.TARGET_POSITION, i]
        )
        if refused:
            warn(
                f"{self.names[i]}: velocity {velocity:g} is ignored; negative"
                " velocities need set_position: .inf first (beside a target it is"
                " the speed limit; for feed-forward there is the input port"
                " desired_state)"
            )
        return refused
