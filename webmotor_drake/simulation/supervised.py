"""Prepares the diagram of a scenario for a supervisor that changes the world."""

import numpy as np
from pydrake.common.value import Value
from pydrake.math import RigidTransform
from pydrake.multibody.plant import (
    ExternallyAppliedSpatialForce,
    MultibodyPlant,
)
from pydrake.multibody.tree import BodyIndex, FixedOffsetFrame, WeldJoint
from pydrake.systems.framework import BasicVector, Context, LeafSystem

from webmotor_drake.contact.inboard import bodies_of, joints_of
from webmotor_drake.drive.external_forces import spatial_forces
from webmotor_drake.scenario.scenario import Scenario, robots_of

NAME = "supervisor.pushes"


def supervisors(scenario: Scenario) -> list[str]:
    """Returns the robots whose controllers may be supervisors, in their order."""
    return [
        model
        for model, driver in robots_of(scenario).items()
        if driver.supervisor
    ]


def make_welds_movable(plant: MultibodyPlant) -> None:
    """Puts welds to the world on frames that the Context can move."""
    world, joints = plant.world_body(), joints_of(plant)
    for joint in sorted(joints, key=lambda joint: int(joint.model_instance())):
        if isinstance(joint, WeldJoint) and joint.parent_body() == world:
            X_WF = joint.frame_on_parent().GetFixedPoseInBodyFrame()
            X_WF, child = X_WF @ joint.X_FM(), joint.frame_on_child()
            name, instance = joint.name(), joint.model_instance()
            place = FixedOffsetFrame(
                f"{name}.place", plant.world_frame(), X_WF, instance
            )
            plant.RemoveJoint(joint)
            frame = plant.AddFrame(place)
            plant.AddJoint(WeldJoint(name, frame, child, RigidTransform()))


class Pushes(LeafSystem):
    """The forces and torques by which supervisors push bodies.

    .. pydrake_system::

        name: Pushes
        output_ports:
        - forces

    There are two parameters, for supervisors and for pushes by hand. Each has six
    numbers per body of the plant: torque (N m) and force (N) in the world frame, which
    act on the body's centre of mass.
    """

    def __init__(self, plant: MultibodyPlant):
        super().__init__()
        self.set_name(NAME)
        self._bodies = bodies_of(plant)
        for _ in range(2):
            self.DeclareNumericParameter(
                BasicVector(np.zeros(6 * plant.num_bodies()))
            )
        self.DeclareAbstractOutputPort(
            "forces",
            lambda: Value[list[ExternallyAppliedSpatialForce]]([]),
            self._calc_forces,
            {self.all_parameters_ticket()},
        )

    def _calc_forces(self, context: Context, output: Value) -> None:
        values = sum(
            context.get_numeric_parameter(i).get_value() for i in range(2)
        ).reshape(-1, 6)
        pushed = np.flatnonzero(values.any(axis=1))
        bodies = [self._bodies[i] for i in pushed]
        indices = [body.index() for body in bodies]
        centers = [body.default_com() for body in bodies]
        torques, forces = values[pushed, :3], values[pushed, 3:]
        output.set_value(spatial_forces(indices, centers, torques, forces))

    def push(self, context: Context, body: BodyIndex, push: np.ndarray) -> None:
        """Adds a force and a torque to those on a body.

        Args:
            context: this system's Context, which is changed.
            body: index of the body.
            push: torque and force, shape (6,), in the world frame.
        """
        parameter = context.get_mutable_numeric_parameter(0)
        values = parameter.get_value().copy()
        values.reshape(-1, 6)[int(body)] += push
        parameter.SetFromVector(values)

    def push_by_hand(
        self, context: Context, body: BodyIndex | None, push: np.ndarray
    ) -> None:
        """Sets the push of one body; None: nobody pushes.

        Args:
            context: this system's Context, which is changed.
            body: index of the body.
            push: torque and force, shape (6,), in the world frame.
        """
        values = np.zeros((len(self._bodies), 6))
        if body is not None:
            values[int(body)] = push
        parameter = context.get_mutable_numeric_parameter(1)
        parameter.SetFromVector(values.ravel())

    def rest(self, context: Context) -> None:
        """Ends all pushes of supervisors."""
        parameter = context.get_mutable_numeric_parameter(0)
        parameter.SetFromVector(np.zeros(parameter.size()))
