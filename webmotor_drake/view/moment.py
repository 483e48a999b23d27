"""A run at one time, whether it runs now or ran before."""

import dataclasses as dc
from collections.abc import Mapping

import numpy as np
from pydrake.systems.framework import Context

from webmotor_drake.drive.motor_system import MotorSystem
from webmotor_drake.loops.rows import Command, ModelState
from webmotor_drake.motor.signals import effort_limit, mode, winding_signals
from webmotor_drake.results.results import Results
from webmotor_drake.simulation.simulation import Simulation

# The signals of a motor that a moment has.
SEEN = ("velocity", "effort", "mode")


@dc.dataclass(frozen=True)
class Moment:
    """A run at one time.

    Attributes:
        time: time of the run, s.
        positions: positions of the whole plant, shape (n,).
        signals: signals of all motors, `SEEN`, by name as in `Results`.
    """

    time: float
    positions: np.ndarray
    signals: Mapping[str, float]


def moment_now(simulation: Simulation) -> Moment:
    """Returns the moment of a simulation now.

    Efforts are those of the plant step before last: motors note an effort when they
    start the next step.
    """
    plant = simulation.plant
    root = simulation.simulator.get_context()
    state = plant.get_state_output_port().Eval(plant.GetMyContextFromRoot(root))
    signals = {}
    for model, system in simulation.motors.items():
        context = system.GetMyContextFromRoot(root)
        table = motor_signals(system, context, state)
        for i, motor in enumerate(system.devices.names):
            for name in SEEN:
                signals[f"{model}/{motor}/{name}"] = float(table[name][i])
    positions = state[: plant.num_positions()]
    return Moment(root.get_time(), positions, signals)


def motor_signals(
    system: MotorSystem, context: Context, state: np.ndarray
) -> dict[str, np.ndarray]:
    """Returns the signals of a model's motors now, each of shape (n,).

    If any motor has a model, `current` (A) and `temperature` (°C) are there, too.

    Args:
        system: the motors.
        context: their Context.
        state: the plant's [q, v].
    """
    n = len(system.devices.names)
    values = system.GetOutputPort("tables").Eval(context)
    command = system.tables.command_table(values).reshape(len(Command), n, 1)
    limit = effort_limit(command, system.static_friction)[:, 0]
    besides = {}
    if (laws := system.laws) is not None:
        own = laws.own
        mine = values[system.tables.models].reshape(-1, n)[:, own]
        limit[own] = mine[ModelState.LIMIT]
        for name, numbers in winding_signals(mine, laws.rows).items():
            besides[name] = np.full(n, np.nan)
            besides[name][own] = numbers
    return {
        **besides,
        "position": state[system.position_indices],
        "velocity": state[system.velocity_indices],
        "effort": values[system.tables.effort],
        "effort_limit": limit,
        "target_position": command[Command.TARGET_POSITION, :, 0],
        "target_velocity": command[Command.TARGET_VELOCITY, :, 0],
        "direct_effort": command[Command.DIRECT_EFFORT, :, 0],
        "mode": mode(command)[:, 0],
    }


def moment_at(results: Results, row: int) -> Moment:
    """Returns the moment in a row of results that have positions."""
    signals = {
        f"{motor}/{name}": float(results.signals[f"{motor}/{name}"][row])
        for motor in results.motors
        for name in SEEN
        if f"{motor}/{name}" in results
    }
    time = float(results.time[row])
    return Moment(time, results.positions[row], signals)
