"""The motion of a log, and those of fits beside it, as a page plays them."""

from collections.abc import Mapping

import numpy as np

from webmotor_drake.fitting.motions import Motion
from webmotor_drake.fitting.motor_fit import MotorFit
from webmotor_drake.results.results import Results
from webmotor_drake.simulation.metadata import position_names
from webmotor_drake.view.puppet import Puppet


def motion_page(
    fit: MotorFit, motions: Mapping[str, Mapping[str, Motion]]
) -> tuple[Results, dict[str, Results]] | None:
    """Returns the robots as they were measured, and as each model has them.

    It is the first experiment of which positions were measured; joints that were not
    stand as the scenario says. None: no position was measured.

    Args:
        fit: one of the models' fits.
        motions: signals by model and name.
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
