"""Poses of bodies over time, as signals.

They cost nothing while a simulation runs: they follow from the plant's state, which
is always recorded.
"""

import contextlib
from collections.abc import Collection

import numpy as np
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import (
    BodyIndex,
    Joint,
    QuaternionFloatingJoint,
    RigidBody,
    RpyFloatingJoint,
)

from webmotor_drake.contact.inboard import joints_of
from webmotor_drake.drive.plant_queries import model_instance
from webmotor_drake.errors import InputError, unknown_name, warn
from webmotor_drake.results.run_record import BODY_SIGNALS, check_name
from webmotor_drake.scenario.blame import blame
from webmotor_drake.scenario.scenario import Scenario
from webmotor_drake.simulation.spares import stock_models


class BodyPoses:
    """The poses in the world of free bodies, and of bodies that a scenario names.

    Of models in stock only bodies that are named are recorded.

    Args:
        scenario: scenario of the bodies.
        plant: finalized plant.
        motors: every "<model>/<motor>": names that are taken.

    Raises:
        InputError: a body is not there, or a motor has its name.
    """

    def __init__(
        self, scenario: Scenario, plant: MultibodyPlant, motors: Collection[str]
    ):
        self._plant = plant
        chosen = _named_bodies(scenario, plant, motors)
        free, in_stock = {}, stock_models(scenario)
        for joint in free_joints(plant).values():
            body = joint.child_body()
            model = plant.GetModelInstanceName(body.model_instance())
            if model in in_stock:
                continue
            name = f"{model}/{body.name()}"
            problem = _refused(name, motors)
            if not problem:
                free[name] = body
            elif name not in chosen:
                warn(f"the pose of {name} is not recorded: {problem}")
        self._bodies: dict[str, RigidBody] = free | chosen

    @property
    def names(self) -> list[str]:
        """Every "<model>/<body>" that is recorded."""
        return list(self._bodies)

    def signals(self, states: np.ndarray) -> dict[str, np.ndarray]:
        """Returns positions, shape (K+1, 3), and quaternions, shape (K+1, 4).

        A position is that of the body's frame in the world, m; a quaternion is
        w, x, y, z, of length 1, its sign such that it doesn't jump.

        Args:
            states: states of the plant, [q, v], shape (nq + nv, K+1).
        """
        plant, context = self._plant, self._plant.CreateDefaultContext()
        q = states[: plant.num_positions()].T
        poses = {name: np.full((len(q), 7), np.nan) for name in self._bodies}
        rows = np.flatnonzero(np.isfinite(q).all(axis=1)) if poses else ()
        for k in rows:
            plant.SetPositions(context, q[k])
            for name, body in self._bodies.items():
                with contextlib.suppress(RuntimeError):  # a quaternion of zeros
                    X_WB = plant.EvalBodyPoseInWorld(context, body)
                    wxyz = X_WB.rotation().ToQuaternion().wxyz()
                    poses[name][k] = [*X_WB.translation(), *wxyz]
        signals = {}
        for name, pose in poses.items():
            signals[f"{name}/position"] = pose[:, :3]
            signals[f"{name}/quaternion"] = _continuous(pose[:, 3:])
        return signals


def free_joints(plant: MultibodyPlant) -> dict[BodyIndex, Joint]:
    """Returns the joints of six degrees of freedom by their bodies, in order."""
    free = [
        joint
        for joint in joints_of(plant)
        if isinstance(joint, QuaternionFloatingJoint | RpyFloatingJoint)
    ]
    free.sort(key=lambda joint: int(joint.child_body().index()))
    return {joint.child_body().index(): joint for joint in free}


def _named_bodies(
    scenario: Scenario, plant: MultibodyPlant, motors: Collection[str]
) -> dict[str, RigidBody]:
    found = {}
    for model, bodies in scenario.recorded_bodies.items():
        with blame(scenario, "recorded_bodies", model):
            indices = plant.GetBodyIndices(model_instance(plant, model))
        by_name = {plant.get_body(i).name(): plant.get_body(i) for i in indices}
        for i, name in enumerate(bodies):
            with blame(scenario, "recorded_bodies", model, i):
                if name not in by_name:
                    raise InputError(unknown_name("body", name, by_name))
                problem = _refused(f"{model}/{name}", motors)
                if problem:
                    raise InputError(problem)
            found[f"{model}/{name}"] = by_name[name]
    return found


def _refused(name: str, motors: Collection[str]) -> str:
    """Returns why no signals can be called `name`; empty if they can."""
    if name in motors:
        return f"a motor is called {name}, too; their signals would mix"
    try:
        for signal in BODY_SIGNALS:
            check_name(f"{name}/{signal}")
    except InputError as error:
        return error.problem
    return ""


def _continuous(quaternions: np.ndarray) -> np.ndarray:
    """Returns the quaternions, their signs such that they don't jump."""
    turned = np.einsum("ki,ki->k", quaternions[1:], quaternions[:-1]) < 0
    signs = np.cumprod(np.where(turned, -1.0, 1.0))
    return quaternions * np.concatenate([[1.0], signs])[:, np.newaxis]
