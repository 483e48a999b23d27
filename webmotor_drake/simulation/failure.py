"""The message of a run that failed midway: the time, and the joint at fault."""

from collections.abc import Mapping

import numpy as np
from pydrake.multibody.plant import MultibodyPlant
from pydrake.systems.framework import Context

from webmotor_drake.contact.inboard import joints_of
from webmotor_drake.drive.motor_system import MotorSystem
from webmotor_drake.errors import SimulationError, one_line
from webmotor_drake.results.results import Results
from webmotor_drake.scenario.blame import DRAKE_ERRORS, drake_text
from webmotor_drake.simulation.run_record import RunRecord

# What a failed run may raise; a failed assertion of Drake's is a SystemExit.
FAILURES = Exception, SystemExit


def failure_of(
    error: BaseException, record: RunRecord, context: Context, results: Results
) -> SimulationError:
    """Returns the error of a run that `error` ended; it has the results.

    Args:
        error: exception that was raised.
        record: record of the run.
        context: the root Context, as the error left it.
        results: Results until then.
    """
    if not (isinstance(error, SimulationError) and error.complete):
        error = SimulationError(_text_of(error, record, context, results))
    error.complete, error.results = True, results
    return error


def _text_of(
    error: BaseException, record: RunRecord, context: Context, results: Results
) -> str:
    motors = record.motors
    broken, driven = what_broke(record, context)
    if broken and not driven:
        return broken
    text = one_line(error)
    if not isinstance(error, SimulationError):
        now = context.get_time()
        text = f"at {now:.6g} s the simulation failed: {drake_text(error)}"
        is_none = not any(system.model.motors for system in motors.values())
        if is_none or not isinstance(error, DRAKE_ERRORS):  # no joint's fault
            return text
    motor = _suspect(motors, context, results)
    velocity = results[f"{motor}/velocity"]
    last = np.flatnonzero(np.isfinite(velocity))[-1]
    return (
        f"{text}; most likely at fault: joint"
        f" {results.motor_metadata(motor)['joint']} of motor {motor}, at"
        f" {velocity[last]:.4g} {results.units(motor).velocity} after"
        f" {results.time[last]:.6g} s"
    )


def what_broke(record: RunRecord, context: Context) -> tuple[str, bool]:
    """Returns the part of the plant's state that is not finite; "" if all is finite.

    One diverging joint makes its whole tree non-finite, so we name the one that moved
    fastest in the last finite sample, and return whether a motor drives it.
    """
    plant = record.plant
    time, state, before = record.log.first_not_finite(context)
    bad = np.flatnonzero(~np.isfinite(state))
    if not bad.size:
        return "", False
    moving = bad[bad >= plant.num_positions()]
    index = bad[0]
    if moving.size:
        index = moving[np.argmax(np.abs(before[moving]))]
    driven = any(
        index in system.position_indices or index in system.velocity_indices
        for system in record.motors.values()
    )
    name = state_name(plant, int(index))
    text = f"at {time:.6g} s the {name} is {state[index]}"
    if " of body " in name:
        spin = max(
            abs(before[start : start + 3]).max()
            for joint in joints_of(plant)
            if joint.num_velocities() == 6
            for start in [plant.num_positions() + joint.velocity_start()]
        )
        if spin * plant.time_step() > 1:
            text += (
                "; what is long or flat spins ever faster by Drake's gyroscopic term"
                " from some 0.1 rad per step on: a shorter step helps"
            )
    return text, driven


def state_name(plant: MultibodyPlant, index: int) -> str:
    """Returns the name of an element of [q, v]; free bodies' joints go by the body."""
    is_position = index < plant.num_positions()
    place = index if is_position else index - plant.num_positions()
    quantity = "position" if is_position else "velocity"
    for joint in joints_of(plant):
        start, size = joint.velocity_start(), joint.num_velocities()
        if is_position:
            start, size = joint.position_start(), joint.num_positions()
        if start <= place < start + size:
            model = plant.GetModelInstanceName(joint.model_instance())
            kind, name = "joint", joint.name()
            if joint.num_velocities() == 6:
                kind, name = "body", joint.child_body().name()
            return f"{quantity} of {kind} {name} of model {model}"
    return f"{quantity} {place} of the plant"


def is_interrupt(error: BaseException | None) -> bool:
    """Returns whether Ctrl-C caused `error`; compiled code may wrap it."""
    if error is None:
        return False
    return (
        isinstance(error, KeyboardInterrupt)
        or "KeyboardInterrupt" in str(error)
        or is_interrupt(error.__cause__ or error.__context__)
    )


def _suspect(
    motors: Mapping[str, MotorSystem], context: Context, results: Results
) -> str:
    """Returns the motor most likely at fault for a failure.

    It is the motor furthest beyond its model's effort limit in the step that failed;
    else the one that moved fastest at last, relative to its max_velocity.
    """
    efforts, speeds = {}, {}
    for model, system in motors.items():
        own = system.GetMyContextFromRoot(context)
        actuation = system.next_actuation(own)
        for i, (name, node) in enumerate(system.model.motors.items()):
            motor = f"{model}/{name}"
            limit = system.model.driven[i].model_effort
            efforts[motor] = np.nan_to_num(abs(actuation[i]) / limit)
            velocity = results[f"{motor}/velocity"]
            velocity = velocity[np.isfinite(velocity)][-1]
            speeds[motor] = abs(velocity) / (node.max_velocity or 1.0)
    scores = efforts if max(efforts.values()) > 1 else speeds
    return max(scores, key=scores.get)
