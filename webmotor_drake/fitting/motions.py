"""Measured signals over whole logs, the predictions of a fit, and both in motion."""

import dataclasses as dc
from collections.abc import Mapping

import numpy as np

from webmotor_drake.fitting.friction import Friction, frictions
from webmotor_drake.fitting.logged_motors import Series
from webmotor_drake.fitting.motor_fit import MotorFit, Part
from webmotor_drake.fitting.robot_log import RobotLog
from webmotor_drake.results.results import Results
from webmotor_drake.simulation.metadata import position_names
from webmotor_drake.view.puppet import Puppet

_AT_LIMITS, _TORQUE_OFF = "var(--at-limits)", "var(--torque-off)"
# Meaning of shaded parts, by colours of the page's style.
BANDS = {_AT_LIMITS: "at the motor's limits", _TORQUE_OFF: "torque off"}


@dc.dataclass(eq=False)
class Motion:
    """A measured signal of an experiment, fitted and kept out together."""

    series: Series  # of the fitted part if there is one
    log: RobotLog
    measured: (
        np.ndarray
    )  # shape (N,), as the others; NaN where it does not count
    before: np.ndarray  # with the start values; NaN: not known
    after: np.ndarray  # with the estimates
    left: (
        np.ndarray
    )  # residual without gaps, of the fitted part if there is one
    cut: int | None  # the first sample that is kept out
    error: float  # RMS, of what was kept out, else of what was fitted
    # Start and end (s, from the log's start), and the colour, of shaded parts.
    bands: list[tuple[float, float, str]] = dc.field(default_factory=list)
    # Of each part, as measured and as predicted; empty: not known.
    friction: list[tuple[Friction, Friction]] = dc.field(default_factory=list)


def motions_of(fit: MotorFit) -> dict[str, Motion]:
    """Returns the signals of all experiments by name, those that were fitted first."""
    found: dict[str, Motion] = {}
    for part in fit.parts:
        experiments = part.experiments
        known = [frictions(part, i) for i in range(len(experiments.each))]
        for k, series in enumerate(experiments.series):
            owner = experiments.owners[k]
            one, name = experiments.each[owner], series.name
            if name not in found:
                left = part.after.residuals[k]
                rows = [np.full(len(left), np.nan) for _ in range(3)]
                left = left[np.isfinite(left)]
                found[name] = Motion(series, one.log, *rows, left, None, 0.0)
            motion = found[name]
            for own, rows in (
                (motion.measured, {k: series.measured}),
                (motion.before, part.before.predicted),
                (motion.after, part.after.predicted),
            ):
                if rows is not None:
                    np.copyto(own, rows[k], where=np.isnan(own))
            motion.error = part.after.rms[name]
            if part is fit.kept_out:
                motion.cut = one.span[0]
            if part.after.predicted is not None:
                motion.bands += _bands(part, owner, series)
            friction = known[owner].get(series.motor.signal)
            if friction and series.signal == "position":
                motion.friction.append(friction)
    return found


def _bands(
    part: Part, owner: int, series: Series
) -> list[tuple[float, float, str]]:
    one = part.experiments.each[owner]
    first, last = one.span
    time = one.log.time - one.log.time[0]
    found = []
    for color, there in (
        (_AT_LIMITS, part.signals(owner, series.motor, "saturated") > 0),
        (_TORQUE_OFF, one.is_off(series.motor)),
    ):
        inside = np.zeros(len(time) + 2, dtype=int)
        inside[first + 1 : last + 2] = there[first : last + 1]
        edges = np.flatnonzero(np.diff(inside))
        for start, end in edges.reshape(-1, 2).tolist():
            end = min(end, len(time) - 1)
            found.append((float(time[start]), float(time[end]), color))
    return found


def motion_page(
    fit: MotorFit, motions: Mapping[str, Mapping[str, Motion]]
) -> tuple[Results, dict[str, Results]] | None:
    """Returns the robots as they were measured, and as each model has them.

    It is the first experiment of which positions were measured; joints that were not
    stand as the scenario says. None: no position was measured.
    """
    first = next(iter(motions.values()))
    names = [n for n, m in first.items() if m.series.signal == "position"]
    names = [n for n in names if first[n].log is first[names[0]].log]
    if not names or not fit.scenario.directives:
        return None
    puppet = Puppet(fit.scenario)

    def posed(values: Mapping[str, np.ndarray]) -> Results:
        return _posed(puppet, first[names[0]], values)

    measured = {first[n].series.motor.signal: first[n].measured for n in names}
    models = {
        model: posed({of[n].series.motor.signal: of[n].after for n in names})
        for model, of in motions.items()
    }
    return posed(measured), models


def _posed(
    puppet: Puppet, some: Motion, values: Mapping[str, np.ndarray]
) -> Results:
    """Returns results of positions alone, by "<model>/<motor>", with gaps filled."""
    time = some.log.time - some.log.time[0]
    positions = np.tile(puppet.positions, (len(time), 1))
    nothing = np.full(len(time), np.nan)
    signals: dict[str, np.ndarray] = {}
    for model, system in puppet.motors.items():
        for name, place in zip(
            system.devices.names, system.position_indices, strict=True
        ):
            motor = f"{model}/{name}"
            value = values.get(motor)
            known = np.isfinite(value) if value is not None else [False]
            if np.any(known):
                positions[:, place] = np.interp(time, time[known], value[known])
            own = {"position": positions[:, place]}
            for signal in ("velocity", "effort", "mode"):
                own[signal] = nothing
            signals |= {f"{motor}/{s}": v for s, v in own.items()}
    about = {"positions": position_names(puppet.plant)}
    return Results(time, signals, about, positions=positions)
