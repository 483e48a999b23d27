"""A spring by which somebody pulls a body, from the page."""

import numpy as np
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import Joint, RigidBody

from webmotor_drake.simulation.simulation import Simulation
from webmotor_drake.simulation.supervised import NAME, Pushes
from webmotor_drake.view.puppet import free_joints

# Stiffness per mass, 1/s²: a robot's weight stretches the spring by a third of a metre.
_STIFFNESS = 30.0
# Share of m/h² and m/h, of a body, at which an explicit spring and damper are stable.
_STABLE = 0.25


class Pull:
    """Pulls a point of a body to a target, with a spring and a damper.

    The spring is as stiff as the robot is heavy. On a light body it is weaker, as a
    step that is explicit in the force needs.

    Attributes:
        works: True if the simulation was made with `by_hand`.
        body: the body that is pulled.

    Args:
        simulation: simulation of the bodies.
    """

    def __init__(self, simulation: Simulation):
        self._plant = simulation.plant
        root = simulation.simulator.get_mutable_context()
        self._context = self._plant.GetMyMutableContextFromRoot(root)
        diagram = simulation.simulator.get_system()
        self.works = diagram.HasSubsystemNamed(NAME)
        if self.works:
            self._pushes: Pushes = diagram.GetSubsystemByName(NAME)
            self._own = self._pushes.GetMyMutableContextFromRoot(root)
        self._bases = _bases(self._plant)
        self._step = self._plant.time_step() or 1e-3
        self.body: RigidBody | None = None

    def hold(self, body: RigidBody, p_BP: np.ndarray, p_WT: np.ndarray) -> None:
        """Pulls from now on.

        Args:
            body: the body to pull.
            p_BP: the point that is held, in the body's frame, shape (3,), m.
            p_WT: place that it is pulled to, shape (3,), m.
        """
        if not self.works:
            return
        self.body, self._p_BP, self._p_WT = body, p_BP, p_WT
        model = self._plant.GetBodyIndices(body.model_instance())
        mass = sum(
            self._plant.get_body(i).default_mass()
            for i in model
            if not self._plant.IsAnchored(self._plant.get_body(i))
        )
        own = body.default_mass()
        self._k = min(_STIFFNESS * mass, _STABLE * own / self._step**2)
        self._d = min(2 * np.sqrt(self._k * own), _STABLE * own / self._step)

    def release(self) -> None:
        """Pulls no more."""
        if self.body is not None:
            self.body = None
            self._pushes.push_by_hand(self._own, None, np.zeros(6))

    def act(self) -> float:
        """Sets the force of the next step; returns its size, N."""
        if self.body is None:
            return 0.0
        X_WB = self._plant.EvalBodyPoseInWorld(self._context, self.body)
        V_WB = self._plant.EvalBodySpatialVelocityInWorld(
            self._context, self.body
        )
        p_BP_W = X_WB.rotation() @ self._p_BP
        v_WP = V_WB.Shift(p_BP_W).translational()
        force = self._k * (self._p_WT - X_WB.translation() - p_BP_W)
        force -= self._d * v_WP
        arm = X_WB.rotation() @ (self._p_BP - self.body.default_com())
        push = np.concatenate([np.cross(arm, force), force])
        self._pushes.push_by_hand(self._own, self.body.index(), push)
        return float(np.linalg.norm(force))

    def place(self, p_BP: np.ndarray, body: RigidBody) -> np.ndarray:
        """Returns the place of a point of a body in the world, shape (3,), m."""
        return self._plant.EvalBodyPoseInWorld(self._context, body) @ p_BP

    def put(self, p_BP: np.ndarray, p_WT: np.ndarray, body: RigidBody) -> bool:
        """Moves a free robot or thing by a point of one of its bodies, and stops it.

        Its attitude and its joints' positions stay.

        Args:
            p_BP: the point that it is held by, in the body's frame, shape (3,), m.
            p_WT: place that this point goes to, shape (3,), m.
            body: one of its bodies.

        Returns:
            True if it is free.
        """
        joint = self._bases.get(int(body.index()))
        if joint is None:
            return False
        context = self._context
        moved = p_WT - self.place(p_BP, body)
        X_WF = joint.frame_on_parent().CalcPoseInWorld(context)
        moved_F = X_WF.rotation().inverse() @ moved
        if joint.type_name() == "planar":
            joint.set_translation(
                context, joint.get_translation(context) + moved_F[:2]
            )
        else:
            joint.SetTranslation(
                context, joint.get_translation(context) + moved_F
            )
        velocities = self._plant.GetVelocities(context).copy()
        start = joint.velocity_start()
        velocities[start : start + joint.num_velocities()] = 0
        self._plant.SetVelocities(context, velocities)
        return True


def _bases(plant: MultibodyPlant) -> dict[int, Joint]:
    """Returns the free joint that carries a body, by the index of the body."""
    bases = {}
    for joint in free_joints(plant):
        carried = plant.GetBodiesKinematicallyAffectedBy([joint.index()])
        for index in {*carried, joint.child_body().index()}:
            bases[int(index)] = joint
    return bases
