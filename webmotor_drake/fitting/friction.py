"""The friction that a log shows, and the friction that a fit predicts.

Friction is a motor's effort, measured or else predicted with the estimates, minus the
effort that inverse dynamics need for the motion, measured or predicted.
"""

import functools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import Joint, MultibodyForces

from webmotor_drake.errors import unwarned
from webmotor_drake.fitting.experiment import Experiment, offset_of
from webmotor_drake.fitting.motor_fit import Part
from webmotor_drake.scenario.scenario import with_drive
from webmotor_drake.simulation.release import released
from webmotor_drake.simulation.simulation import Simulation

_SMOOTH = 0.08  # window in which a motion is fitted by a cubic, s
_CUBIC = 3
_MOST = 400  # points of an experiment
_STILL = 0.03  # of the largest speed: below it friction has no direction


class Friction(NamedTuple):
    """Friction of a moving joint over time, positive against the motion.

    Attributes:
        speed: shape (K,), rad/s or m/s.
        load: effort that the motion takes, shape (K,), N m or N.
        friction: shape (K,), N m or N.
    """

    speed: np.ndarray
    load: np.ndarray
    friction: np.ndarray


def frictions(part: Part, owner: int) -> dict[str, tuple[Friction, Friction]]:
    """Returns the friction in an experiment as measured and as predicted, by motor.

    Empty if a moving joint has no measured position, or the run failed.

    Args:
        part: the part of the data.
        owner: index of the experiment.
    """
    from scipy.signal import savgol_filter

    tried = part.after.each[owner]
    one = tried.experiment
    rows = [k for k, s in enumerate(one.series) if s.signal == "position"]
    if tried.predicted is None or not rows:
        return {}
    time, motors = one.log.time, [one.series[k].motor for k in rows]
    scenario, _ = one.with_values(part.values)
    offsets = np.array([[offset_of(scenario, motor)] for motor in motors])
    measured = np.array([one.series[k].measured for k in rows]) - offsets
    predicted = np.array([tried.predicted[k] for k in rows]) - offsets
    grid, steps, size = _moments(one, measured)
    if not len(steps):
        return {}
    looked_at = with_drive(scenario, "auto")
    with unwarned(), released(Simulation(looked_at)) as simulation:
        plant = simulation.plant
        models = map(plant.GetModelInstanceByName, (m.model for m in motors))
        joints = [*map(plant.GetJointByName, (m.joint for m in motors), models)]
        if plant.num_velocities() != len(joints) or plant.num_constraints():
            return {}
        moved = []
        for some in (measured, predicted):
            even = np.array([_at(time, row, grid) for row in some])
            cubic = functools.partial(
                savgol_filter, even, size, _CUBIC, delta=grid[1] - grid[0]
            )
            motion = [cubic(deriv=k)[:, steps] for k in range(3)]
            moved.append((motion[1], _needed(plant, joints, motion)))
    found = {}
    for i, motor in enumerate(motors):
        effort = part.signals(owner, motor, "effort")
        told = one.log.get(motor.name, "effort")
        found[motor.signal] = tuple(
            _friction(speed[i], needed[i], _at(time, own, grid[steps]))
            for (speed, needed), own in zip(
                moved, (effort if told is None else told, effort), strict=True
            )
        )
    return found


def _moments(
    one: Experiment, measured: np.ndarray
) -> tuple[np.ndarray, np.ndarray, int]:
    """Returns even times, indices of some amid measurements, and the window's size."""
    time, (first, last) = one.log.time, one.span
    step = float(np.median(np.diff(time[first : last + 1])))
    grid = np.arange(time[first], time[last], step)
    size = 2 * max(round(_SMOOTH / step / 2), 2) + 1
    near = np.full(len(grid), len(grid) >= 2 * size)
    for row in measured:
        known = np.append(time[np.isfinite(row)], [np.inf, np.inf])
        after = np.maximum(np.searchsorted(known, grid), 1)
        near &= known[after] - known[after - 1] < 2 * step
    whole = np.convolve(near, np.ones(size), "same") > size - 0.5
    steps = np.flatnonzero(whole[: len(grid)])
    return grid, steps[:: -(-len(steps) // _MOST) or 1], size


def _at(
    time: np.ndarray, values: np.ndarray, moments: np.ndarray
) -> np.ndarray:
    known = np.isfinite(values)
    if not known.any():
        return np.full(len(moments), np.nan)
    return np.interp(moments, time[known], values[known])


def _needed(
    plant: MultibodyPlant, joints: Sequence[Joint], motion: Sequence[np.ndarray]
) -> np.ndarray:
    """Returns the efforts, shape (n, K), that q, v and a of n joints take."""
    context, none = plant.CreateDefaultContext(), MultibodyForces(plant)
    places = [joint.velocity_start() for joint in joints]
    starts = [joint.position_start() for joint in joints]
    efforts = np.empty_like(motion[0])
    q, v, a = np.zeros((3, len(joints)))
    for k in range(efforts.shape[1]):
        q[starts], v[places], a[places] = (rows[:, k] for rows in motion)
        plant.SetPositions(context, q)
        plant.SetVelocities(context, v)
        needed = plant.CalcInverseDynamics(context, a, none)
        needed -= plant.CalcGravityGeneralizedForces(context)
        efforts[:, k] = needed[places]
    return efforts


def _friction(
    velocity: np.ndarray, needed: np.ndarray, effort: np.ndarray
) -> Friction:
    speed = np.abs(velocity)
    moves = (speed > _STILL * speed.max(initial=0.0)) & np.isfinite(effort)
    against = np.sign(velocity) * (effort - needed)
    return Friction(speed[moves], np.abs(needed)[moves], against[moves])
