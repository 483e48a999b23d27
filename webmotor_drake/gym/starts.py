"""The states in which episodes start."""

import typing
from collections.abc import Callable, Mapping

import numpy as np
from pydrake.math import RigidTransform, RollPitchYaw
from pydrake.multibody.plant import MultibodyPlant
from pydrake.systems.framework import Context

from webmotor_drake.errors import InputError, below, unknown_name
from webmotor_drake.gym.draws import Draw, all_drawn, check_draw, drawn
from webmotor_drake.gym.world import joint_names, joint_places
from webmotor_drake.simulation.body_poses import free_joints

Starts = (
    Mapping[str, Draw]
    | Callable[[np.random.Generator], Mapping[str, typing.Any]]
)

# Signals of a free body, besides those of joints.
_POSE = "x", "y", "z", "roll", "pitch", "yaw"


def check_starts(starts: Starts, plant: MultibodyPlant) -> None:
    """Raises InputError for a value that has no place in the plant."""
    if callable(starts):
        return
    context = plant.CreateDefaultContext()
    for name, draw in starts.items():
        with below("reset"):
            some = {name: drawn(draw, np.random.default_rng(0))}
            set_start(plant, context, some)


def is_of_plant(name: str) -> bool:
    """Returns whether a start is a joint's or body's; others are the task's own."""
    return "/" in name


def own_values(starts: Starts) -> dict[str, typing.Any]:
    """Returns one draw of those values of a start that are the task's own.

    Raises:
        InputError: a value is no draw.
    """
    if not callable(starts):
        for name, draw in starts.items():
            with below("reset"):
                check_draw(draw, name)
    some = all_drawn(starts, np.random.default_rng(0))
    return {n: value for n, value in some.items() if not is_of_plant(n)}


def set_start(
    plant: MultibodyPlant,
    context: Context,
    values: Mapping[str, typing.Any],
    models: Mapping[str, str] | None = None,
) -> None:
    """Sets positions and velocities of joints and free bodies.

    Args:
        plant: finalized plant.
        context: its Context, which is changed.
        values: by name: "<model>/<joint>/position" and "velocity" (rad or m, a number
            per degree of freedom), "<model>/<body>/x", "y", "z" (m), "roll", "pitch"
            and "yaw" (rad) of a free body in the world; other values stay.
            Names without "/" are the task's own, and nothing is set.
        models: other names of models in the plant.

    Raises:
        InputError: there is no such thing, or a value is not finite.
    """
    poses: dict[tuple[str, str], dict[str, float]] = {}
    state = plant.GetPositionsAndVelocities(context)
    for name, value in values.items():
        if not is_of_plant(name):
            continue
        model, _, rest = name.partition("/")
        model = (models or {}).get(model, model)
        whose, _, what = rest.rpartition("/")
        numbers = np.atleast_1d(np.asarray(value, dtype=float))
        if not np.isfinite(numbers).all():
            raise InputError(f"{value} is not allowed; must be finite").below(
                name
            )
        if what in _POSE:
            poses.setdefault((model, whose), {})[what] = float(numbers[0])
            continue
        places = joint_places(plant, model, whose, what)
        if not len(places):
            raise InputError(unknown_name("start", name, _names(plant)))
        if len(numbers) != len(places):
            problem = f"{len(numbers)} numbers; it takes {len(places)}"
            raise InputError(problem).below(f"{model}/{whose}/{what}")
        state[places] = numbers
    plant.SetPositionsAndVelocities(context, state)
    for (model, body), given in poses.items():
        _set_pose(plant, context, model, body, given)


def _set_pose(
    plant: MultibodyPlant,
    context: Context,
    model: str,
    name: str,
    given: Mapping[str, float],
) -> None:
    first = f"{model}/{name}/{next(iter(given))}"
    if not plant.HasModelInstanceNamed(model) or not plant.HasBodyNamed(
        name, instance := plant.GetModelInstanceByName(model)
    ):
        raise InputError(unknown_name("start", first, _names(plant)))
    body = plant.GetBodyByName(name, instance)
    joint = free_joints(plant).get(body.index())
    if joint is None:
        raise InputError(
            f"{model}/{name} is not free; a position of its joint can be given"
        )
    X_WB = plant.EvalBodyPoseInWorld(context, body)
    angles = RollPitchYaw(X_WB.rotation()).vector()
    before = dict(zip(_POSE, [*X_WB.translation(), *angles], strict=True))
    pose = [given.get(part, before[part]) for part in _POSE]
    X_WB = RigidTransform(RollPitchYaw(pose[3:]), pose[:3])
    X_WF = joint.frame_on_parent().CalcPoseInWorld(context)
    X_BM = joint.frame_on_child().GetFixedPoseInBodyFrame()
    joint.SetPose(context, X_WF.inverse() @ X_WB @ X_BM)


def _names(plant: MultibodyPlant) -> list[str]:
    names = joint_names(plant, 7)
    for joint in free_joints(plant).values():
        body = joint.child_body()
        model = plant.GetModelInstanceName(body.model_instance())
        names += [f"{model}/{body.name()}/{part}" for part in _POSE]
    return names
