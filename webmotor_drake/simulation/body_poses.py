"""Poses of bodies over time, as signals.

They cost nothing while a simulation runs: they follow from the plant's state, which
is always recorded.
"""

from collections.abc import Collection, Mapping, Sequence

import numpy as np
from pydrake.math import RigidTransform
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import (
    BodyIndex,
    Joint,
    QuaternionFloatingJoint,
    RigidBody,
    RpyFloatingJoint,
)

from webmotor_drake.drive.plant_queries import model_instance
from webmotor_drake.errors import InputError, below, unknown_name, warn
from webmotor_drake.results.run_record import BODY_SIGNALS, check_name
from webmotor_drake.scenario.blame import blame
from webmotor_drake.scenario.scenario import Scenario
from webmotor_drake.simulation.spares import stock_models


class BodyPoses:
    """The poses in the world of free bodies, and of named bodies.

    Args:
        plant: finalized plant.
        named: bodies that are recorded besides the free ones, by model name.
        motors: every "<model>/<motor>": signals that are taken.
        in_stock: models of which only those bodies that are named are recorded.

    Raises:
        InputError: there is no such body, or a motor has its name.
    """

    def __init__(
        self,
        plant: MultibodyPlant,
        named: Mapping[str, Sequence[str]] | None = None,
        motors: Collection[str] = (),
        *,
        in_stock: Collection[str] = (),
    ):
        self._plant = plant
        joints = free_joints(plant)
        chosen = _named_bodies(plant, named or {}, motors)
        free = {}
        for joint in joints.values():
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
        # For which `_poses_by_joint` can be used, which is quick.
        self._joints = {
            name: joint
            for name, body in self._bodies.items()
            if isinstance(
                joint := joints.get(body.index()), QuaternionFloatingJoint
            )
            and plant.IsAnchored(joint.parent_body())
        }

    @property
    def names(self) -> list[str]:
        """Every "<model>/<body>" that is recorded."""
        return list(self._bodies)

    def signals(self, states: np.ndarray) -> dict[str, np.ndarray]:
        """Returns positions, shape (K+1, 3), and quaternions, shape (K+1, 4).

        A position is that of the body's frame in the world, m; a quaternion is
        w, x, y, z, of length 1, its sign such that it doesn't jump.

        Args:
            states: of the plant, [q, v], shape (nq + nv, K+1).
        """
        q = states[: self._plant.num_positions()].T
        poses = self._poses_by_kinematics(q)
        with np.errstate(all="ignore"):  # a run that failed may end in inf
            for name, joint in self._joints.items():
                poses[name] = _poses_by_joint(self._plant, joint, q)
        signals = {}
        for name in self._bodies:
            positions, quaternions = poses[name]
            signals[f"{name}/position"] = positions
            signals[f"{name}/quaternion"] = _continuous(quaternions)
        return signals

    def _poses_by_kinematics(
        self, q: np.ndarray
    ) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        bodies = [
            (n, b) for n, b in self._bodies.items() if n not in self._joints
        ]
        positions = {name: np.full((len(q), 3), np.nan) for name, _ in bodies}
        quaternions = {name: np.full((len(q), 4), np.nan) for name, _ in bodies}
        plant, context = self._plant, self._plant.CreateDefaultContext()
        rows = np.flatnonzero(np.isfinite(q).all(axis=1)) if bodies else ()
        for k in rows:
            plant.SetPositions(context, q[k])
            for name, body in bodies:
                X_WB = plant.EvalBodyPoseInWorld(context, body)
                positions[name][k] = X_WB.translation()
                quaternions[name][k] = X_WB.rotation().ToQuaternion().wxyz()
        return {
            name: (positions[name], quaternions[name]) for name in positions
        }


def recorded_poses(
    scenario: Scenario, plant: MultibodyPlant, motors: Collection[str]
) -> BodyPoses:
    """Returns the poses that a scenario has recorded; see `BodyPoses`.

    Raises:
        InputError: it names a body that is not there, or has a motor's name.
    """
    with blame(scenario, "recorded_bodies"):
        return BodyPoses(
            plant,
            scenario.recorded_bodies,
            motors,
            in_stock=stock_models(scenario),
        )


def free_joints(plant: MultibodyPlant) -> dict[BodyIndex, Joint]:
    """Returns the joints of six degrees of freedom by their bodies, in order."""
    joints = [plant.get_joint(i) for i in plant.GetJointIndices()]
    free = [
        joint
        for joint in joints
        if isinstance(joint, QuaternionFloatingJoint | RpyFloatingJoint)
    ]
    free.sort(key=lambda joint: int(joint.child_body().index()))
    return {joint.child_body().index(): joint for joint in free}


def _poses_by_joint(
    plant: MultibodyPlant, joint: Joint, q: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Returns positions and quaternions of a body that is free in the world.

    X_WB = X_WF X_FM X_MB, of which only the joint's own X_FM, in q, changes.

    Args:
        plant: with the joint, whose parent doesn't move.
        joint: of six degrees of freedom, with a quaternion.
        q: positions of the plant, shape (K+1, nq).
    """
    context = plant.CreateDefaultContext()
    X_WF = joint.frame_on_parent().CalcPoseInWorld(context)
    X_MB = joint.frame_on_child().GetFixedPoseInBodyFrame().inverse()
    start = joint.position_start()
    q_FM, p_FM = q[:, start : start + 4], q[:, start + 4 : start + 7]
    q_FM = q_FM / np.linalg.norm(q_FM, axis=1, keepdims=True)
    p_FB = p_FM + _rotated(q_FM, X_MB.translation())
    q_WF, q_MB = _wxyz(X_WF), _wxyz(X_MB)
    positions = X_WF.translation() + _rotated(q_WF[np.newaxis], p_FB)
    return positions, _product(_product(q_WF, q_FM), q_MB)


def _wxyz(X: RigidTransform) -> np.ndarray:
    return X.rotation().ToQuaternion().wxyz()


def _product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Returns the products of quaternions w, x, y, z, shape (..., 4)."""
    w = a[..., :1] * b[..., :1] - np.sum(
        a[..., 1:] * b[..., 1:], axis=-1, keepdims=True
    )
    xyz = a[..., :1] * b[..., 1:] + b[..., :1] * a[..., 1:]
    return np.concatenate([w, xyz + np.cross(a[..., 1:], b[..., 1:])], axis=-1)


def _rotated(q: np.ndarray, p: np.ndarray) -> np.ndarray:
    """Returns vectors p turned by unit quaternions q, shape (K, 3)."""
    once = np.cross(q[:, 1:], p)
    return p + 2 * (q[:, :1] * once + np.cross(q[:, 1:], once))


def _named_bodies(
    plant: MultibodyPlant,
    named: Mapping[str, Sequence[str]],
    motors: Collection[str],
) -> dict[str, RigidBody]:
    found = {}
    for model, bodies in named.items():
        with below(model):
            indices = plant.GetBodyIndices(model_instance(plant, model))
        by_name = {plant.get_body(i).name(): plant.get_body(i) for i in indices}
        for i, name in enumerate(bodies):
            with below(model, i):
                if name not in by_name:
                    raise InputError(unknown_name("body", name, by_name))
                problem = _refused(f"{model}/{name}", motors)
                if problem:
                    raise InputError(problem)
            found[f"{model}/{name}"] = by_name[name]
    return found


def _refused(name: str, motors: Collection[str]) -> str:
    """Returns why no signals can be called after `name`; empty if they can."""
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
