"""Commands to all motors at once, one value each, as input ports give them.

The usual commands, to motors that are coupled with no other, are vectorised: a motor
more costs next to nothing. The rest, what would be clipped, refused or warned of, is
left to `MotorDevices`. Both do the same. With numba a compiled loop comes first, which
does it all if all is usual: half the time again.
"""

import numpy as np

from webmotor_drake.compiled import ACTIVE, compiled
from webmotor_drake.motor.commands import FARTHEST, Kind
from webmotor_drake.motor.devices import MotorDevices
from webmotor_drake.motor.tables import Command

# As plain numbers, for the reason in `devices`.
_TARGET_POSITION = int(Command.TARGET_POSITION)
_TARGET_VELOCITY = int(Command.TARGET_VELOCITY)
_AVAILABLE_EFFORT = int(Command.AVAILABLE_EFFORT)
_DIRECT_EFFORT = int(Command.DIRECT_EFFORT)
_EFFORT_CONTROL = int(Command.EFFORT_CONTROL)
_POSITION, _VELOCITY = int(Kind.POSITION), int(Kind.VELOCITY)
_AVAILABLE, _EFFORT = int(Kind.AVAILABLE_EFFORT), int(Kind.EFFORT)
_FEEDFORWARD = int(Command.FEEDFORWARD)
COMMANDS_IN_ROWS = frozenset(
    {
        Kind.POSITION,
        Kind.VELOCITY,
        Kind.AVAILABLE_EFFORT,
        Kind.EFFORT,
        Kind.FEEDFORWARD,
    }
)


class RowCommands:
    """Applies a value per motor, NaN for none, to the command table.

    Args:
        devices: the motors, n of them.
    """

    def __init__(self, devices: MotorDevices):
        self._devices = devices
        motors = devices.motors
        multiplier = np.array([motor.multiplier for motor in motors])
        self._single = np.array(
            [len(group) == 1 for group in devices.groups], dtype=bool
        )
        self._all_single = bool(self._single.all())
        self._multiplier = None if (multiplier == 1).all() else multiplier
        self._dynamic = ~np.array(devices.kinematic, dtype=bool)
        self._read_limits()
        devices.at_change.append(self._read_limits)
        # Where a motor is unusual in itself, the loop need not be tried.
        self._in_a_loop = ACTIVE and self._all_single and self._dynamic.all()
        self._setters = {
            Kind.POSITION: self._set_positions,
            Kind.VELOCITY: self._set_velocities,
            Kind.AVAILABLE_EFFORT: self._set_available_efforts,
            Kind.EFFORT: self._set_efforts,
            Kind.FEEDFORWARD: self._set_feedforward,
        }

    def _read_limits(self) -> None:
        """Takes over the limits of the motors."""
        motors = self._devices.motors
        multiplier = np.array([motor.multiplier for motor in motors])
        low = np.array([motor.min_position for motor in motors])
        high = np.array([motor.max_position for motor in motors])
        self._low = np.where(low == high, -FARTHEST, low)
        self._high = np.where(low == high, FARTHEST, high)
        self._max_velocity = np.array([motor.max_velocity for motor in motors])
        self._limits = np.array(
            [
                *(multiplier, self._low, self._high, self._max_velocity),
                self._devices.max_efforts,
            ]
        )

    def apply(
        self,
        kind: Kind,
        values: np.ndarray,
        command: np.ndarray,
        law_state: np.ndarray,
    ) -> None:
        """Applies one kind of command to all motors, in place.

        Args:
            kind: one of COMMANDS_IN_ROWS.
            values: as for `MotorDevices.apply`, shape (n,).
            command: `Command` rows, shape (rows, n).
            law_state: `LawState` rows, shape (rows, n).
        """
        in_a_loop = self._in_a_loop and kind != Kind.FEEDFORWARD
        if in_a_loop and _set_usual(int(kind), values, self._limits, command):
            return
        done = self._setters[kind](values, command)
        if done is None:
            return
        for i in np.flatnonzero(~(done | np.isnan(values))).tolist():
            value = values.item(i)
            self._devices.apply(kind, i, value, command, law_state)

    def _set_positions(
        self, values: np.ndarray, command: np.ndarray
    ) -> np.ndarray | None:
        target = self._multiplied(values)
        usual = (self._low <= target) & (target <= self._high)
        if self._all(usual):
            command[_TARGET_POSITION] = target
            command[_EFFORT_CONTROL] = 0.0
            return None
        turning = np.isinf(values)
        target = np.where(turning, values, target)
        return self._write(
            {_TARGET_POSITION: target, _EFFORT_CONTROL: 0.0},
            usual | turning,
            command,
        )

    def _set_velocities(
        self, values: np.ndarray, command: np.ndarray
    ) -> np.ndarray | None:
        target = self._multiplied(values)
        usual = np.abs(target) <= self._max_velocity
        # Negative ones are for motors without a target position.
        usual &= (values >= 0.0) | np.isinf(command[_TARGET_POSITION])
        return self._write({_TARGET_VELOCITY: target}, usual, command)

    def _set_available_efforts(
        self, values: np.ndarray, command: np.ndarray
    ) -> np.ndarray | None:
        usual = (values >= 0.0) & (values <= self._devices.max_efforts)
        return self._write({_AVAILABLE_EFFORT: values}, usual, command)

    def _set_efforts(
        self, values: np.ndarray, command: np.ndarray
    ) -> np.ndarray | None:
        effort = self._multiplied(values)
        usual = (np.abs(effort) <= command[_AVAILABLE_EFFORT]) & self._dynamic
        return self._write(
            {_DIRECT_EFFORT: effort, _EFFORT_CONTROL: 1.0}, usual, command
        )

    def _set_feedforward(
        self, values: np.ndarray, command: np.ndarray
    ) -> np.ndarray | None:
        velocity = self._multiplied(values)
        return self._write(
            {_FEEDFORWARD: velocity}, ~np.isnan(velocity), command
        )

    def _multiplied(self, values: np.ndarray) -> np.ndarray:
        if self._multiplier is None:
            return values
        with np.errstate(over="ignore", invalid="ignore"):
            return values * self._multiplier

    def _all(self, usual: np.ndarray) -> bool:
        return self._all_single and np.count_nonzero(usual) == len(usual)

    def _write(
        self,
        rows: dict[int, np.ndarray | float],
        usual: np.ndarray,
        command: np.ndarray,
    ) -> np.ndarray | None:
        """Writes rows where usual; returns of which motors, None if of all."""
        if self._all(usual):
            for row, value in rows.items():
                command[row] = value
            return None
        usual &= self._single
        for row, value in rows.items():
            np.copyto(command[row], value, where=usual)
        return usual


@compiled
def _set_usual(
    kind: int, values: np.ndarray, limits: np.ndarray, command: np.ndarray
) -> bool:
    """Applies one kind of command to all motors, if all are usual.

    Returns whether it did; if not, it has done so for some.
    """
    for i in range(len(values)):
        target = values[i] * limits[0, i]
        if kind == _POSITION:
            if not limits[1, i] <= target <= limits[2, i]:
                return False
            command[_TARGET_POSITION, i] = target
            command[_EFFORT_CONTROL, i] = 0.0
        elif kind == _VELOCITY:
            turning = abs(command[_TARGET_POSITION, i]) == np.inf
            may = values[i] >= 0.0 or turning
            if not (may and abs(target) <= limits[3, i]):  # NaN is not
                return False
            command[_TARGET_VELOCITY, i] = target
        elif kind == _AVAILABLE:
            if not 0.0 <= values[i] <= limits[4, i]:
                return False
            command[_AVAILABLE_EFFORT, i] = values[i]
        elif kind == _EFFORT:
            if not abs(target) <= command[_AVAILABLE_EFFORT, i]:
                return False
            command[_DIRECT_EFFORT, i] = target
            command[_EFFORT_CONTROL, i] = 1.0
    return True
