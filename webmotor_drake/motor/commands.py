"""Commands to motors: what each does, and when timed ones act.

`MotorDevices` is the simulator's side of a robot's motors (WbMotor.cpp): it
applies commands to the tables of `webmotor_drake.motor.law`, with multipliers, limits
and relays to coupled motors. `schedule` turns a scenario's timed commands into
the steps in which they act.
"""

import dataclasses as dc
import enum
import math
from collections.abc import Mapping, Sequence

import numpy as np

from webmotor_drake.errors import InputError, unknown_name
from webmotor_drake.motor.coupling import coupled_motors
from webmotor_drake.motor.law import Command, Servo
from webmotor_drake.motor.nodes import MotorNode, max_effort, warn


class Kind(enum.IntEnum):
    """Kinds of commands, in the order in which a step applies them (motor.c)."""

    POSITION = 1
    VELOCITY = 2
    AVAILABLE_EFFORT = 3
    EFFORT = 4
    ACCELERATION = 6
    CONTROL_PID = 7
    BRAKE_DAMPING = 9
    # A velocity, for the simulator alone: a controller's own side has seen to
    # its sign, knowing the target that the controller had set (motor.c).
    # WbMotor.cpp takes any sign.
    CHECKED_VELOCITY = 10


@dc.dataclass
class TimedCommand:
    """A line of a scenario's `commands`: which motor to command what, and when."""

    # It acts in the step that starts at the first multiple of the motor
    # period not before this time, s.
    time: float = 0.0
    # Name of the motor, or of the brake.
    motor: str = ""
    brake: str = ""
    # Target position, rad or m; .inf: velocity control.
    set_position: float | None = None
    # Target velocity, rad/s or m/s.
    set_velocity: float | None = None
    # Limit on the change of the velocity command; -1: none.
    set_acceleration: float | None = None
    # Effort that the motor may use, N m or N; both names are the same.
    set_available_torque: float | None = None
    set_available_force: float | None = None
    # Effort to apply instead of the servo's, N m or N; both are the same.
    set_torque: float | None = None
    set_force: float | None = None
    # Damping of a brake, N m s/rad or N s/m.
    set_damping_constant: float | None = None
    # Gains P, I, D.
    set_control_pid: list[float] | None = None


VERBS = {
    "set_position": Kind.POSITION,
    "set_velocity": Kind.VELOCITY,
    "set_available_torque": Kind.AVAILABLE_EFFORT,
    "set_available_force": Kind.AVAILABLE_EFFORT,
    "set_torque": Kind.EFFORT,
    "set_force": Kind.EFFORT,
    "set_acceleration": Kind.ACCELERATION,
    "set_control_pid": Kind.CONTROL_PID,
}
BRAKE_VERB = "set_damping_constant"


class MotorDevices:
    """A robot's motors as its commands see them.

    Attributes:
        names: the motors' names in device order, n of them.
        motors: their nodes, after Webots' fallbacks.
        groups: for each motor the indices of those coupled with it, itself
            included.
        kinematic: for each motor whether its joint has no dynamics.
        max_efforts: shape (n,), N m or N.
        consumption_factors: shape (n,), W/(N m) or W/N.
    """

    def __init__(
        self, motors: Mapping[str, MotorNode], kinematic: Sequence[bool] = ()
    ):
        self.kinematic = list(kinematic) or [False] * len(motors)
        self.names = list(motors)
        self.motors = list(motors.values())
        self.groups = coupled_motors(self.names)
        self.max_efforts = np.array([max_effort(m) for m in self.motors])
        self.consumption_factors = np.array(
            [m.consumption_factor for m in self.motors]
        )

        self._setters = {
            Kind.POSITION: self._set_position,
            Kind.VELOCITY: self._set_velocity,
            Kind.CHECKED_VELOCITY: self._set_velocity,
            Kind.EFFORT: self._set_effort,
        }

    def initial_commands(self) -> np.ndarray:
        """Returns the command table before any command, shape (9, n).

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
        value: float | Sequence[float],
        command: np.ndarray,
        servo: np.ndarray,
    ) -> None:
        """Applies one command to the tables, in place.

        Position, velocity and effort reach the coupled motors too; the other
        kinds don't.

        Args:
            kind: what is commanded.
            index: the motor, in device order.
            value: the argument of the controller's call; three gains for
                CONTROL_PID.
            command: `Command` rows, shape (9, n).
            servo: `Servo` rows, shape (4, n).
        """
        if kind == Kind.CONTROL_PID:
            self._set_control_pid(index, value, command, servo)
        elif kind == Kind.ACCELERATION:
            command[Command.ACCELERATION, index] = value
        elif kind == Kind.AVAILABLE_EFFORT:
            self._set_available_effort(index, value, command)
        elif kind == Kind.VELOCITY and self._refuses(index, value, command):
            pass
        else:
            setter = self._setters[kind]
            for sibling in self.groups[index]:
                setter(sibling, value, command)

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
        command[Command.TARGET_POSITION, i] = target
        command[Command.EFFORT_CONTROL, i] = 0

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
        command[Command.TARGET_VELOCITY, i] = target

    def _set_available_effort(self, i: int, effort: float, command: np.ndarray):
        if effort < 0:
            warn(
                f"{self.names[i]}: available effort {effort:g} is ignored; it"
                " is at least 0"
            )
            return
        limit = max_effort(self.motors[i])
        if effort > limit:
            self._warn_of_effort(i, f"requested {effort:g} exceeds", limit)
        command[Command.AVAILABLE_EFFORT, i] = min(effort, limit)

    def _set_effort(self, i: int, effort: float, command: np.ndarray):
        if self.kinematic[i]:
            warn(
                f"{self.names[i]}: its joint is kinematic; there is no effort"
                " to set"
            )
            return
        wanted = effort * self.motors[i].multiplier
        limit = command[Command.AVAILABLE_EFFORT, i]
        if abs(wanted) > limit:
            self._warn_of_effort(i, f"requested {effort:g} exceeds", limit)
        command[Command.DIRECT_EFFORT, i] = min(max(wanted, -limit), limit)
        command[Command.EFFORT_CONTROL, i] = 1

    def _warn_of_effort(self, i: int, what: str, limit: float):
        """Warns, but for coupled motors, as Webots does."""
        if len(self.groups[i]) == 1:
            unit = self.motors[i].units["effort"]
            warn(f"{self.names[i]}: {what} the available {limit:g} {unit}")

    def _set_control_pid(
        self,
        i: int,
        gains: Sequence[float],
        command: np.ndarray,
        servo: np.ndarray,
    ):
        """Sets the gains; a change forgets the integral and the last error."""
        rows = [Command.P, Command.I, Command.D]
        if not np.array_equal(command[rows, i], gains):
            command[rows, i] = gains
            servo[[Servo.ERROR_INTEGRAL, Servo.PREVIOUS_ERROR], i] = 0

    def _refuses(self, i: int, velocity: float, command: np.ndarray) -> bool:
        """Whether Webots ignores `velocity`: negative, in position control.

        There it is the controller's side that does; timed commands and ports
        have no other side.
        """
        refused = velocity < 0 and math.isfinite(
            command[Command.TARGET_POSITION, i]
        )
        if refused:
            warn(
                f"{self.names[i]}: velocity {velocity:g} is ignored; negative"
                " velocities need set_position: .inf first"
            )
        return refused


Step = list[tuple[int, Kind, float | list[float]]]


def schedule(
    commands: Sequence[TimedCommand],
    motors: Sequence[str],
    brakes: Sequence[str],
    period: float,
) -> dict[int, Step]:
    """Returns what to apply in which step: {step: [(device, kind, value), ...]}.

    The device is the index of a motor, or of a brake for BRAKE_DAMPING.

    A command at time t acts in the first step k with k * period >= t, to within
    1e-9 s. Within a step the order is Webots': motor by motor in device order,
    kinds in their fixed order; of a kind only the last value counts (motor.c).
    """
    latest: dict[int, dict[tuple[int, Kind], float | list[float]]] = {}
    for command in sorted(commands, key=lambda c: c.time):
        step = latest.setdefault(math.ceil((command.time - 1e-9) / period), {})
        for verb, kind in VERBS.items():
            value = getattr(command, verb)
            if value is not None:
                step[motors.index(command.motor), kind] = value
        if command.brake:
            index = brakes.index(command.brake)
            step[index, Kind.BRAKE_DAMPING] = command.set_damping_constant
    return {
        k: [(i, kind, step[i, kind]) for i, kind in sorted(step)]
        for k, step in latest.items()
    }


def check_command(
    command: TimedCommand, motors: Sequence[str], brakes: Sequence[str]
) -> None:
    """Raises InputError for a command that cannot be given.

    What Webots' controller library refuses with a message is refused here
    before the run (motor.c).
    """
    if not 0 <= command.time < math.inf:
        raise InputError(
            f"{command.time} s; a time from 0 on is allowed", path=("time",)
        )
    if command.brake and command.motor:
        raise InputError("a motor and a brake; one of them is allowed")
    if not command.brake and not command.motor:
        raise InputError("neither a motor nor a brake is named")
    if command.brake:
        kind, name, names, verbs = "brake", command.brake, brakes, [BRAKE_VERB]
    else:
        kind, name, names, verbs = "motor", command.motor, motors, list(VERBS)
    if name not in names:
        raise InputError(unknown_name(kind, name, names), path=(kind,))
    given = [
        verb
        for verb in (*VERBS, BRAKE_VERB)
        if getattr(command, verb) is not None
    ]
    if not given:
        raise InputError(
            f"nothing is commanded; give one of {', '.join(verbs)}"
        )
    for verb in given:
        if verb not in verbs:
            raise InputError(
                f"not for a {kind}; allowed: {', '.join(verbs)}", path=(verb,)
            )
        value = getattr(command, verb)
        allowed = _allowed(VERBS.get(verb, Kind.BRAKE_DAMPING), value)
        if allowed:
            raise InputError(
                f"{value} is not allowed; {allowed} is", path=(verb,)
            )


def _allowed(kind: Kind, value: float | list[float]) -> str:
    """Returns what is allowed where `value` isn't, else an empty text."""
    if kind == Kind.POSITION:
        return "a number or .inf" if math.isnan(value) else ""
    if kind == Kind.CONTROL_PID:
        good = len(value) == 3 and all(map(math.isfinite, value))
        good = good and value[0] > 0 and min(value) >= 0
        return "" if good else "three numbers P > 0, I >= 0, D >= 0"
    if not math.isfinite(value):
        return "a finite number"
    if kind == Kind.ACCELERATION and value < 0 and value != -1:
        return "-1 (no limit) or a number from 0 on"
    if kind in (Kind.AVAILABLE_EFFORT, Kind.BRAKE_DAMPING) and value < 0:
        return "a number from 0 on"
    return ""
