"""Commands to motors: their kinds, and when timed ones act.

`schedule` finds the motor steps in which a scenario's timed commands act;
`TimedCommands` returns those that are due.
"""

import dataclasses as dc
import itertools
import math
import typing
from collections.abc import Collection, Mapping, Sequence

from webmotor_drake.errors import InputError, unknown_name
from webmotor_drake.loops.rows import Kind

# Beyond this, the law's sums and rates overflow, rad or m.
FARTHEST = 1e100


@dc.dataclass
class TimedCommand:
    """A line of a scenario's `commands`: a motor, a command and its time.

    Attributes:
        time: time of the command, s. It acts in the first motor step that starts then
            or later.
        motor: name of the motor; empty for a brake.
        brake: name of the brake; empty for a motor.
        set_position: target position, rad or m; .inf: velocity control.
        set_velocity: target velocity, rad/s or m/s.
        set_acceleration: limit on the change of the velocity command, rad/s^2 or
            m/s^2; -1: none.
        set_available_torque: effort that the motor may use, N m or N.
        set_available_force: alias of `set_available_torque`, N.
        set_torque: effort to apply instead of the servo's, N m or N.
        set_force: alias of `set_torque`, N.
        set_damping_constant: damping of a brake, N m s/rad or N s/m.
        set_control_pid: gains P (1/s), I (1/s^2), D (1).
    """

    time: float = 0.0
    motor: str = ""
    brake: str = ""
    set_position: float | None = None
    set_velocity: float | None = None
    set_acceleration: float | None = None
    set_available_torque: float | None = None
    set_available_force: float | None = None
    set_torque: float | None = None
    set_force: float | None = None
    set_damping_constant: float | None = None
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
    "set_damping_constant": Kind.BRAKE_DAMPING,
}

# Plain numbers: a look at an enum's member takes four times as long.
_POSITION, _CONTROL_PID = int(Kind.POSITION), int(Kind.CONTROL_PID)
_NOT_NEGATIVE = frozenset({Kind.AVAILABLE_EFFORT, Kind.BRAKE_DAMPING})

StepCommands = list[tuple[int, Kind, float | list[float]]]


def schedule(
    commands: Sequence[TimedCommand],
    motors: Sequence[str],
    brakes: Sequence[str],
    period: float,
) -> dict[int, StepCommands]:
    """Returns the commands of each step: {step: [(device, kind, value), ...]}.

    The device is the index of a motor, or of a brake for BRAKE_DAMPING.

    A command at time t acts in the first step k with k * period >= t, to within
    1e-9 s. Within a step the order is Webots': motor by motor in device order,
    kinds in their fixed order; of a kind only the last value counts (motor.c).
    """
    latest: dict[int, dict[tuple[int, Kind], float | list[float]]] = {}
    for command in sorted(commands, key=lambda c: c.time):
        step = latest.setdefault(math.ceil((command.time - 1e-9) / period), {})
        names = brakes if command.brake else motors
        index = names.index(command.brake or command.motor)
        for verb, kind in VERBS.items():
            value = getattr(command, verb)
            if value is not None:
                step[index, kind] = value
    return {
        k: [(i, kind, step[i, kind]) for i, kind in sorted(step)]
        for k, step in latest.items()
    }


class TimedCommands:
    """The commands of each motor step.

    Attributes:
        by_step: the commands by motor step.
        last_step: the last step with commands, at least 0.

    Args:
        schedule: commands by step, of `schedule`.
    """

    def __init__(self, schedule: Mapping[int, StepCommands]):
        self.by_step = schedule
        self.last_step = max(schedule, default=0)

    def add(self, schedule: Mapping[int, StepCommands]) -> None:
        """Adds commands; within a step they follow the ones already there."""
        merged = dict(self.by_step)
        for step, commands in schedule.items():
            merged[step] = [*merged.get(step, []), *commands]
        self.by_step = merged
        self.last_step = max(merged, default=0)

    def has(self, kinds: Collection[Kind]) -> bool:
        """Returns whether any step has a command of one of these kinds."""
        return any(
            kind in kinds
            for commands in self.by_step.values()
            for _, kind, _ in commands
        )

    def due(self, last: int, now: int) -> StepCommands:
        """Returns the commands of the steps after `last` up to `now`."""
        if last >= self.last_step:
            return []
        steps = range(last + 1, now + 1)
        timed = [self.by_step[k] for k in steps if k in self.by_step]
        return list(itertools.chain(*timed))


# Latest time of a command, s: 30 years. A float does not tell far later steps apart.
_LATEST = 1e9


def check_command(
    command: TimedCommand, motors: Sequence[str], brakes: Sequence[str]
) -> None:
    """Raises InputError for a command that cannot be given.

    Values that Webots' controller library refuses with a message are refused here
    before the run (motor.c).
    """
    if not 0 <= command.time <= _LATEST:
        raise InputError(
            f"{command.time} s; a time from 0 to {_LATEST:g} s is allowed",
            path=("time",),
        )
    if command.brake and command.motor:
        raise InputError("a motor and a brake; one of them is allowed")
    if not command.brake and not command.motor:
        raise InputError("neither a motor nor a brake is named")
    *of_motors, of_brakes = VERBS
    if command.brake:
        kind, name, names, verbs = "brake", command.brake, brakes, [of_brakes]
    else:
        kind, name, names, verbs = "motor", command.motor, motors, of_motors
    if name not in names:
        raise InputError(unknown_name(kind, name, names), path=(kind,))
    given = [verb for verb in VERBS if getattr(command, verb) is not None]
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
        if other := allowed(VERBS[verb], value):
            raise InputError(
                f"{value} is not allowed; must be {other}", path=(verb,)
            )


def allowed(kind: Kind, value: typing.Any) -> str:
    """Returns the allowed values if `value` is not one, else an empty text."""
    if kind == _POSITION:
        if FARTHEST < abs(value) < math.inf:
            return f"a number from -{FARTHEST:g} to {FARTHEST:g}, or .inf"
        return "a number or .inf" if math.isnan(value) else ""
    if kind == _CONTROL_PID:
        good = len(value) == 3 and all(map(math.isfinite, value))
        good = good and value[0] > 0 and min(value) >= 0
        return "" if good else "three numbers P > 0, I >= 0, D >= 0"
    if not math.isfinite(value):
        return "a finite number"
    if kind == Kind.ACCELERATION and value < 0 and value != -1:
        return "-1 (no limit) or at least 0"
    if kind in _NOT_NEGATIVE and value < 0:
        return "at least 0"
    return ""
