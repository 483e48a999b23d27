"""What to say of a run that failed midway: when, and which joint did it."""

import typing

import numpy as np

from webmotor_drake.drive.state_name import state_name
from webmotor_drake.errors import SimulationError, one_line
from webmotor_drake.results.results import Results
from webmotor_drake.scenario.blame import drake_text
from webmotor_drake.simulation.motor_log import MotorLog

if typing.TYPE_CHECKING:
    from webmotor_drake.simulation.simulation import Simulation

# What a failed run may raise; a failed assertion of Drake's is a SystemExit.
FAILURES = Exception, SystemExit


def failure_of(
    error: BaseException, simulation: "Simulation", log: MotorLog
) -> SimulationError:
    """Returns the error of a run that `error` ended; it has the results."""
    results = simulation.results()
    if isinstance(error, SimulationError) and error.complete:
        error.results = results
        return error
    broken, driven = what_broke(simulation, log)
    if broken and not driven:
        return _complete(broken, results)
    text = one_line(error)
    if not isinstance(error, SimulationError):
        now = simulation.simulator.get_context().get_time()
        text = f"at {now:.6g} s the simulation failed: {drake_text(error)}"
    motor = _suspect(simulation, results)
    velocity = results[f"{motor}/velocity"]
    last = np.flatnonzero(np.isfinite(velocity))[-1]
    text = (
        f"{text}; most likely at fault: joint"
        f" {results.motor_metadata(motor)['joint']} of motor {motor}, at"
        f" {velocity[last]:.4g} {results.units(motor).velocity} after"
        f" {results.time[last]:.6g} s"
    )
    return _complete(text, results)


def what_broke(simulation: "Simulation", log: MotorLog) -> tuple[str, bool]:
    """Returns what of the plant's state is not finite; "" for nothing.

    A joint spoils its whole tree at once: the one that is told is that of the
    fastest before. With it comes whether a motor drives it.
    """
    plant = simulation.plant
    time, state, before = log.first_not_finite(
        simulation.simulator.get_context()
    )
    bad = np.flatnonzero(~np.isfinite(state))
    if not bad.size:
        return "", False
    moving = bad[bad >= plant.num_positions()]
    index = bad[0]
    if moving.size:
        index = moving[np.argmax(np.abs(before[moving]))]
    driven = any(
        index in motors.position_indices or index in motors.velocity_indices
        for motors in simulation.motors.values()
    )
    name = state_name(plant, int(index))
    return f"at {time:.6g} s the {name} is {state[index]}", driven


def is_interrupt(error: BaseException | None) -> bool:
    """Whether Ctrl-C is behind `error`: compiled code may wrap it on its way."""
    if error is None:
        return False
    return (
        isinstance(error, KeyboardInterrupt)
        or "KeyboardInterrupt" in str(error)
        or is_interrupt(error.__cause__ or error.__context__)
    )


def _suspect(simulation: "Simulation", results: Results) -> str:
    """Returns the motor most likely at fault for a failure.

    It is the one furthest beyond its model's effort limit in the step that
    failed; else the one that moved fastest, by its max_velocity, last.
    """
    efforts, speeds = {}, {}
    root = simulation.simulator.get_context()
    for model, motors in simulation.motors.items():
        actuation = motors.next_actuation(motors.GetMyContextFromRoot(root))
        for i, (name, node) in enumerate(motors.model.motors.items()):
            motor = f"{model}/{name}"
            limit = motors.model.model_efforts[i]
            efforts[motor] = np.nan_to_num(abs(actuation[i]) / limit)
            velocity = results[f"{motor}/velocity"]
            velocity = velocity[np.isfinite(velocity)][-1]
            speeds[motor] = abs(velocity) / (node.max_velocity or 1.0)
    scores = efforts if max(efforts.values()) > 1 else speeds
    return max(scores, key=scores.get)


def _complete(text: str, results: Results) -> SimulationError:
    """Returns an error that says all there is to say."""
    failure = SimulationError(text)
    failure.complete = True
    failure.results = results
    return failure
