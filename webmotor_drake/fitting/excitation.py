"""Commands that tell a motor's parameters apart, within its robot's limits.

Each is an experiment: a chirp for inertia, gains and delay; steps for limits that bind
at large errors; slow triangles for dry friction; a drop with the torque off for
friction without the loop. One joint moves at a time; the others hold their start.
"""

import dataclasses as dc
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np

from webmotor_drake.drive.plant_queries import position_limits
from webmotor_drake.errors import InputError, SimulationError
from webmotor_drake.fitting.experiment import Experiment
from webmotor_drake.fitting.logged_motors import LoggedMotor, motors_of
from webmotor_drake.fitting.own_model import own_model
from webmotor_drake.fitting.robot_log import COMMANDS, RobotLog
from webmotor_drake.motor.driver_checks import expanded
from webmotor_drake.nodes.motors import max_effort
from webmotor_drake.results.text import csv_text, quantity
from webmotor_drake.results.whole_file import write_together
from webmotor_drake.scenario.scenario import Scenario, robots_of
from webmotor_drake.simulation.release import released
from webmotor_drake.simulation.simulation import Simulation

_RATE = 200.0  # samples per second
# Range to either side of a joint without limits, rad and m.
_FREE = math.pi / 4, 0.1
_SHARE = 0.8  # of the range is used
# Share of the largest speed, and of the acceleration at full effort.
_FASTEST = 0.5
_TRIANGLES = 16.0, 8.0, 4.0  # duration of each, s
_FREQUENCIES = 0.2, 5.0  # of a chirp, Hz
_CHIRP, _REST, _DROP = 12.0, 1.0, 4.0  # s
_STEPS = 0.25, -0.5, 0.5, -1.0, 1.0, 0.0  # of the range, one after the other
_RAISED = 0.7  # of the range, from where it drops
_LEAST = 0.3  # of the range: smaller motions are left out
_SMALLER = 0.7  # factor on a motion that goes beyond the limits


# Commands, and a line on the extent of the scenario's motion under them, by name:
# "chirp", "steps", "triangles" and "drop".
Excitations = dict[str, tuple[RobotLog, str]]


def save_excitations(made: Excitations, folder: Path) -> None:
    """Writes a CSV file per experiment, and `experiments.yaml` for `fit --experiment`.

    Args:
        made: commands by name, from `excitations`.
        folder: folder to write into.
    """
    lines = [
        "# Log what the robot does with the commands, as JOINT.position beside them.",
        "# What differs, such as another load, is told by values, see docs/fit.md.",
        "experiments:",
        *(f"  {name}: {{log: {name}.csv}}" for name in made),
    ]
    texts = {"experiments.yaml": "\n".join(lines) + "\n"}
    for file, (log, _) in made.items():
        signals = {
            ".".join(name): values
            for name, values in log.signals.items()
            if name[1] in COMMANDS
        }
        rows = np.column_stack([log.time, *signals.values()]).tolist()
        cells = [["" if v != v else f"{v:.7g}" for v in row] for row in rows]
        texts[f"{file}.csv"] = csv_text([["time", *signals], *cells])
    write_together({folder / n: text.encode() for n, text in texts.items()})


@dc.dataclass(frozen=True)
class _Reach:
    """The part of a motor's range and speed that is used, in rad or m, and s."""

    motor: LoggedMotor
    start: float
    middle: float
    half: float
    speed: float
    acceleration: float
    # Limits of the joint.
    low: float
    high: float


def excitations(scenario: Scenario) -> tuple[Excitations, list[str]]:
    """Returns experiments for a scenario's robots, and remarks on those left out.

    Ranges are the soft limits and the stops; speeds and accelerations are half of the
    motors' largest. The motion of the scenario's own motors under the commands stays
    within the limits, too.

    Raises:
        InputError: no motor can move.
    """
    reaches = _reaches(scenario)
    if not reaches:
        raise InputError("no motor whose joint can move; nothing to excite")
    made: Excitations = {}
    remarks: list[str] = []
    for name, command in _COMMANDS.items():
        found = _within_limits(scenario, reaches, command)
        if isinstance(found, str):
            remarks.append(f"no {name}: {found}")
        else:
            made[name] = found
    return made, remarks


def _reaches(scenario: Scenario) -> list[_Reach]:
    found = []
    with released(Simulation(scenario)) as simulation:
        plant = simulation.plant
        context = plant.GetMyContextFromRoot(simulation.simulator.get_context())
        masses = plant.CalcMassMatrix(context).diagonal()
        for model, driver in robots_of(scenario).items():
            nodes = expanded(driver).motors
            for motor in motors_of(model, driver):
                if not motor.commanded:
                    continue
                joint = plant.GetJointByName(
                    motor.joint, plant.GetModelInstanceByName(model)
                )
                node = nodes[motor.motor]
                start = float(joint.GetOnePosition(context))
                low, high = position_limits(joint)
                if node.min_position != node.max_position:
                    low = max(low, node.min_position)
                    high = min(high, node.max_position)
                free = _FREE[motor.is_linear]
                first, last = max(low, start - free), min(high, start + free)
                mass = masses[joint.velocity_start()]
                reach = _Reach(
                    motor,
                    start,
                    middle=(first + last) / 2,
                    half=_SHARE * (last - first) / 2,
                    speed=_FASTEST * min(node.max_velocity, 1e3 * free),
                    acceleration=_FASTEST
                    * min(max_effort(node) / mass, 1e4 * free),
                    low=low,
                    high=high,
                )
                if min(reach.half, reach.speed, reach.acceleration) > 0:
                    found.append(reach)
    return found


def _within_limits(
    scenario: Scenario, reaches: list[_Reach], command: "_Command"
) -> tuple[RobotLog, str] | str:
    """Returns commands whose motion stays within the limits, or why there are none."""
    share, why = 1.0, ""
    while share > _LEAST:
        log = _log(reaches, command, share)
        try:
            about, why = _tried(scenario, reaches, log)
        except SimulationError as error:
            why = str(error)
        if not why:
            return log, about
        share *= _SMALLER
    return why


def _tried(
    scenario: Scenario, reaches: list[_Reach], log: RobotLog
) -> tuple[str, str]:
    """Returns the extent of a motion, and the limit that it goes beyond, if any."""
    experiment = Experiment(scenario, log, [], own_model(scenario))
    signals = experiment.signals_at_samples(np.zeros(0))
    parts = []
    for reach in reaches:
        name, unit = reach.motor.signal, reach.motor.units.position
        position = signals[f"{name}/position"]
        low, high = float(position.min()), float(position.max())
        if low < reach.low or high > reach.high:
            return "", (
                f"{reach.motor.joint} would go from {low:.3g} to"
                f" {quantity(high, unit)}, beyond its limits {reach.low:.3g} to"
                f" {reach.high:.3g}"
            )
        saturated = float(signals[f"{name}/saturated"].mean())
        parts.append(
            f"{reach.motor.joint} {low:.3g} to {quantity(high, unit)}"
            + f", {saturated:.0%} of the time at its limits"
            * (saturated > 0.005)
        )
    return f"{log.time[-1]:.3g} s; {'; '.join(parts)}", ""


def _log(reaches: list[_Reach], command: "_Command", share: float) -> RobotLog:
    """Returns the commands of all motors, one of which moves at a time."""
    own = [command(dc.replace(r, half=share * r.half)) for r in reaches]
    ends = np.cumsum([0, *map(len, own)])
    time = np.arange(ends[-1]) / _RATE
    signals: dict[tuple[str, str], np.ndarray] = {}
    for reach, moved, begin in zip(reaches, own, ends, strict=False):
        target = np.full(len(time), reach.start)
        off = np.isnan(moved)
        target[begin : begin + len(moved)] = moved
        name = reach.motor.joint
        signals[name, "target"] = target
        if off.any():
            effort = np.full(len(time), np.nan)
            effort[begin : begin + len(moved)][off] = 0.0
            signals[name, "target_effort"] = effort
        # The start is known; all else will be measured.
        nothing = np.where(np.arange(len(time)) == 0, reach.start, np.nan)
        signals[name, "position"] = nothing
    return RobotLog(time, signals, "the excitation")


# From a motor's range to its targets, shape (K,); NaN where the torque is off.
_Command = Callable[[_Reach], np.ndarray]


def _way(start: float, end: float, speed: float) -> np.ndarray:
    steps = max(math.ceil(abs(end - start) / speed * _RATE), 1)
    return np.linspace(start, end, steps, endpoint=False)


def _held(target: float, time: float) -> np.ndarray:
    return np.full(round(time * _RATE), target)


def _from_start(reach: _Reach, *parts: np.ndarray) -> np.ndarray:
    """Returns parts that begin in the middle, with ramps from the start and back."""
    slow = reach.speed / 5
    there = _way(reach.start, reach.middle, slow)
    last = np.concatenate(parts)
    end = reach.middle if np.isnan(last[-1]) else last[-1]
    back = _way(end, reach.start, slow)
    rest = _held(reach.middle, _REST)
    return np.concatenate(
        [there, rest, *parts, back, _held(reach.start, _REST)]
    )


def _chirp(reach: _Reach) -> np.ndarray:
    """Returns a sine of rising frequency, with an amplitude that the motor follows."""
    time = np.arange(round(_CHIRP * _RATE)) / _RATE
    slow, fast = _FREQUENCIES
    grown = math.log(fast / slow) / _CHIRP
    rate = 2 * np.pi * slow * np.exp(grown * time)
    phase = (rate - rate[0]) / grown
    height = np.minimum(
        reach.half, np.minimum(reach.speed / rate, reach.acceleration / rate**2)
    )
    fades = np.minimum(1.0, (_CHIRP - time) / _REST)
    return _from_start(reach, reach.middle + fades * height * np.sin(phase))


def _steps(reach: _Reach) -> np.ndarray:
    targets = [reach.middle + share * reach.half for share in _STEPS]
    return _from_start(reach, *(_held(target, _REST) for target in targets))


def _triangles(reach: _Reach) -> np.ndarray:
    """Returns slow ramps up and down, at a few speeds."""
    up, down = reach.middle + reach.half, reach.middle - reach.half
    parts = []
    for time in _TRIANGLES:
        speed = min(4 * reach.half / time, reach.speed)
        ends = (reach.middle, up), (up, down), (down, reach.middle)
        parts += [_way(*way, speed) for way in ends]
    return _from_start(reach, *parts)


def _drop(reach: _Reach) -> np.ndarray:
    raised = reach.middle + _RAISED * reach.half
    return _from_start(
        reach,
        _way(reach.middle, raised, reach.speed / 5),
        _held(raised, _REST),
        _held(math.nan, _DROP),
    )


_COMMANDS: dict[str, _Command] = {
    "chirp": _chirp,
    "steps": _steps,
    "triangles": _triangles,
    "drop": _drop,
}
