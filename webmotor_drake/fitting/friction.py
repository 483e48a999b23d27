"""The friction that a log shows, and the one that a fit has instead.

Friction is the part of a motor's effort that moves nothing: the effort, measured or
else that of the run with the estimates, less that which inverse dynamics ask for the
motion, measured or predicted.
"""

import warnings
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import Joint, MultibodyForces

from webmotor_drake.errors import MotorWarning
from webmotor_drake.fitting.experiment import Experiment, offset_of
from webmotor_drake.fitting.motor_fit import Part
from webmotor_drake.scenario.scenario import with_drive
from webmotor_drake.simulation.release import released
from webmotor_drake.simulation.simulation import Simulation

_SMOOTH = 0.08  # over which a motion is taken as a cubic, s
_CUBIC = 3
_MOST = 400  # points of an experiment
_STILL = 0.03  # of the largest speed: below it friction has no direction


class Friction(NamedTuple):
    """Friction of a joint in moments in which it moves, against the motion.

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

    {}: joints move of which no position was measured, or the run failed.

    Args:
        part: the part of the data.
        owner: number of the experiment.
    """
    tried = part.after.each[owner]
    one = tried.experiment
    rows = [k for k, s in enumerate(one.series) if s.signal == "position"]
    if tried.predicted is None or not rows:
        return {}
    scenario, _ = one.with_values(part.values)
    motors = [one.series[k].motor for k in rows]
    offsets = [offset_of(scenario, motor) for motor in motors]
    measured = [
        one.series[k].measured - q for k, q in zip(rows, offsets, strict=True)
    ]
    predicted = [
        tried.predicted[k] - q for k, q in zip(rows, offsets, strict=True)
    ]
    grid, steps = _moments(one, measured)
    if not len(steps):
        return {}
    time = one.log.time
    with (
        warnings.catch_warnings(action="ignore", category=MotorWarning),
        released(Simulation(with_drive(scenario, "auto"))) as simulation,
    ):
        plant = simulation.plant
        joints = [
            plant.GetJointByName(m.joint, plant.GetModelInstanceByName(m.model))
            for m in motors
        ]
        if plant.num_velocities() != len(joints) or plant.num_constraints():
            return {}
        moved = [
            _moved(plant, joints, _motion(time, some, grid, steps), steps)
            for some in (measured, predicted)
        ]
    found = {}
    for i, motor in enumerate(motors):
        effort = part.signals(owner, motor, "effort")
        told = one.log.get(motor.name, "effort")
        efforts = [effort if told is None else told, effort]
        found[motor.signal] = tuple(
            _friction(speed[i], load[i], _at(time, own, grid[steps]))
            for (speed, load), own in zip(moved, efforts, strict=True)
        )
    return found


def _moments(
    one: Experiment, measured: Sequence[np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    """Returns even times, s, and the numbers of some around which all is measured."""
    time, (first, last) = one.log.time, one.span
    step = float(np.median(np.diff(time[first : last + 1])))
    grid = np.arange(time[first], time[last], step)
    size = _window(step)
    if len(grid) < 2 * size:
        return np.zeros(0), np.zeros(0, dtype=int)
    near = np.ones(len(grid), dtype=bool)
    for row in measured:
        known = np.append(time[np.isfinite(row)], [np.inf, np.inf])
        after = np.maximum(np.searchsorted(known, grid), 1)
        near &= known[after] - known[after - 1] < 2 * step
    whole = np.convolve(near, np.ones(size), "same") > size - 0.5
    steps = np.flatnonzero(whole)
    return grid, steps[:: -(-len(steps) // _MOST) or 1]


def _window(step: float) -> int:
    """Returns the samples of the smoothing, an odd number."""
    return 2 * max(round(_SMOOTH / step / 2), 2) + 1


def _at(
    time: np.ndarray, values: np.ndarray, moments: np.ndarray
) -> np.ndarray:
    known = np.isfinite(values)
    if not known.any():
        return np.full(len(moments), np.nan)
    return np.interp(moments, time[known], values[known])


def _motion(
    time: np.ndarray,
    positions: Sequence[np.ndarray],
    grid: np.ndarray,
    steps: np.ndarray,
) -> list[np.ndarray]:
    """Returns smooth positions, velocities and accelerations, shape (n, K) each."""
    from scipy.signal import savgol_filter

    rows = np.array([_at(time, row, grid) for row in positions])
    step = grid[1] - grid[0]
    size = _window(step)
    return [
        savgol_filter(rows, size, _CUBIC, deriv=order, delta=step)[:, steps]
        for order in range(3)
    ]


def _moved(
    plant: MultibodyPlant,
    joints: Sequence[Joint],
    motion: Sequence[np.ndarray],
    steps: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Returns velocities and the efforts that the motion takes, shape (n, K) each."""
    context, none = plant.CreateDefaultContext(), MultibodyForces(plant)
    places = [joint.velocity_start() for joint in joints]
    starts = [joint.position_start() for joint in joints]
    efforts = np.empty((len(joints), len(steps)))
    state = np.zeros((3, len(joints)))
    for k in range(len(steps)):
        q, v, a = (rows[:, k] for rows in motion)
        state[0, starts], state[1, places], state[2, places] = q, v, a
        plant.SetPositions(context, state[0])
        plant.SetVelocities(context, state[1])
        needed = plant.CalcInverseDynamics(context, state[2], none)
        needed -= plant.CalcGravityGeneralizedForces(context)
        efforts[:, k] = needed[places]
    return motion[1], efforts


def _friction(
    velocity: np.ndarray, needed: np.ndarray, effort: np.ndarray
) -> Friction:
    speed = np.abs(velocity)
    moves = (speed > _STILL * speed.max(initial=0.0)) & np.isfinite(effort)
    against = np.sign(velocity) * (effort - needed)
    return Friction(speed[moves], np.abs(needed)[moves], against[moves])
