"""The commands of a log, by motor step."""

import numpy as np

from webmotor_drake.fitting.log import Log
from webmotor_drake.motor.commands import Kind

# As numbers: there are thousands of them.
_KINDS = {
    "target": Kind.POSITION,
    "target_velocity": Kind.VELOCITY,
    "target_effort": Kind.EFFORT,
}
BETWEEN = ("hold", "interpolate")

Commands = dict[int, list[tuple[int, Kind, float]]]


def step_values(
    log: Log, values: np.ndarray, edges: np.ndarray, between: str
) -> np.ndarray:
    """Returns what a signal is in each motor step, shape (K,); NaN before it is.

    That is its average over the step, so that times which drift against the steps
    make no jumps; where it becomes or is infinite, its value at the step's start.

    Args:
        log: where the times are from.
        values: shape (N,).
        edges: where the steps start and the last one ends, shape (K+1,), s.
        between: between two samples "hold" has the first one's value,
            "interpolate" what lies on the line.
    """
    known = ~np.isnan(values)
    if not known.any():
        return np.full(len(edges) - 1, np.nan)
    time, values = log.time[known], values[known]
    last = np.searchsorted(time, edges[:-1], side="right") - 1
    sampled = np.where(last >= 0, values[np.maximum(last, 0)], np.nan)
    if not np.isfinite(values).all():
        return sampled
    if between == "interpolate":
        middle = (edges[:-1] + edges[1:]) / 2
        mean = np.interp(middle, time, values)
    else:
        area = np.append(0.0, np.cumsum(values[:-1] * np.diff(time)))
        time = np.append(time, max(edges[-1], time[-1]) + 1.0)
        area = np.append(area, area[-1] + values[-1] * (time[-1] - time[-2]))
        mean = np.diff(np.interp(edges, time, area)) / np.diff(edges)
    return np.where(np.isnan(sampled), np.nan, mean)


def motor_commands(
    log: Log,
    name: str,
    index: int,
    multiplier: float,
    edges: np.ndarray,
    between: str,
) -> Commands:
    """Returns the commands of a motor by step, those only that change something.

    A velocity without targets is velocity control; beside targets it is the speed
    limit of the way there, as in Webots.

    Args:
        log: what was commanded.
        name: of the motor in it.
        index: of the motor, in device order.
        multiplier: the motor's, which its commands are without.
        edges: see `step_values`.
        between: see there, too.
    """
    signals = {
        signal: step_values(log, values, edges, between)
        for signal in _KINDS
        if (values := log.get(name, signal)) is not None
    }
    if "target_velocity" in signals:
        velocity = signals["target_velocity"]
        if "target" not in signals:
            turning = np.where(np.isnan(velocity), np.nan, np.inf)
            signals = {"target": turning, **signals}
        else:
            seeks = np.isfinite(signals["target"])
            signals["target_velocity"] = np.where(
                seeks, np.abs(velocity), velocity
            )
    commands: Commands = {}
    for signal, values in signals.items():
        changes = np.append(True, values[1:] != values[:-1]) & ~np.isnan(values)
        for step in np.flatnonzero(changes).tolist():
            command = (index, _KINDS[signal], float(values[step]) / multiplier)
            commands.setdefault(step, []).append(command)
    return commands
