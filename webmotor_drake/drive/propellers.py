"""Propellers: thrust and torque of Webots' formula on the bodies that carry them.

The motor of a propeller is the motor of a joint, with Webots' kinematic law. Its
velocity w is that of the plant step just finished; Webots takes the one of the step to
come (WbPropeller.cpp).
"""

from collections.abc import Mapping

import numpy as np
from pydrake.math import RigidTransform
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import (
    FixedOffsetFrame,
    Joint,
    ModelInstanceIndex,
    RevoluteJoint,
    SpatialInertia,
)
from pydrake.systems.framework import BasicVector, Context, DiagramBuilder

from webmotor_drake.drive.external_forces import BodyForces, add_body_forces
from webmotor_drake.drive.motor_system import PROPELLER_EFFORTS, MotorSystem
from webmotor_drake.drive.plant_queries import carrier_frame
from webmotor_drake.errors import InputError
from webmotor_drake.motor.driver_config import DriverConfig
from webmotor_drake.nodes.joints import Propeller

# The body that turns if the model has no helix: a sphere, kg and m.
_MASS, _RADIUS = 1e-6, 0.01


def add_propeller_joint(
    plant: MultibodyPlant,
    instance: ModelInstanceIndex,
    name: str,
    node: Propeller,
) -> Joint:
    """Returns the joint of a propeller, which is added unless the model has it.

    Args:
        plant: not yet finalized.
        instance: the model.
        name: name of the joint.
        node: checked propeller node.

    Raises:
        InputError: a frame that is not there, or a joint that is not revolute.
    """
    frame = carrier_frame(plant, instance, node.frame)
    if plant.HasJointNamed(name, instance):
        joint = plant.GetJointByName(name, instance)
        if not isinstance(joint, RevoluteJoint):
            raise InputError(
                f"joint {name} is a {joint.type_name()} joint; a propeller turns"
                " a revolute one, or brings its own"
            )
        return joint
    inertia = SpatialInertia.SolidSphereWithMass(_MASS, _RADIUS)
    helix = plant.AddRigidBody(f"{name}_helix", instance, inertia)
    hub = plant.AddFrame(
        FixedOffsetFrame(
            f"{name}_hub",
            frame,
            RigidTransform(node.center_of_thrust),
            instance,
        )
    )
    axis = np.array(node.shaft_axis)
    return plant.AddJoint(
        RevoluteJoint(
            name, hub, helix.body_frame(), axis / np.linalg.norm(axis)
        )
    )


class Propellers(BodyForces):
    """The thrusts and torques of a model's propellers.

    .. pydrake_system::

        name: Propellers
        input_ports:
        - body_poses
        - body_spatial_velocities
        - state
        output_ports:
        - forces
        - efforts

    `efforts` has |thrust| + |torque| of each propeller, for the battery.

    Args:
        plant: finalized plant.
        instance: the model.
        propellers: propeller nodes by the names of their joints.
        max_torques: largest torques of their motors, N m, by the same names.
    """

    def __init__(
        self,
        plant: MultibodyPlant,
        instance: ModelInstanceIndex,
        propellers: Mapping[str, Propeller],
        max_torques: Mapping[str, float],
    ):
        nodes = list(propellers.values())
        frames = [carrier_frame(plant, instance, node.frame) for node in nodes]
        X_BF = [frame.GetFixedPoseInBodyFrame() for frame in frames]
        axes = [
            np.array(n.shaft_axis) / np.linalg.norm(n.shaft_axis) for n in nodes
        ]
        p_BT = [
            X @ np.array(node.center_of_thrust)
            for X, node in zip(X_BF, nodes, strict=True)
        ]
        super().__init__([f.body().index() for f in frames], np.array(p_BT))
        self._axes_F = np.array(axes)
        self._axes_B = np.array(
            [X.rotation() @ axis for X, axis in zip(X_BF, axes, strict=True)]
        )
        self._thrust = np.array([node.thrust_constants for node in nodes])
        self._torque = np.array([node.torque_constants for node in nodes])
        self._most = np.array([max_torques[name] for name in propellers])
        joints = [plant.GetJointByName(name, instance) for name in propellers]
        self._places = [
            plant.num_positions() + joint.velocity_start() for joint in joints
        ]
        self.DeclareVectorInputPort("state", plant.num_multibody_states())
        self.DeclareVectorOutputPort("efforts", len(nodes), self._calc_efforts)

    def _forces(
        self, context: Context, R_WB: np.ndarray, w: np.ndarray, v_P: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        thrust, torque = self._thrust_and_torque(context, v_P)
        axes_W = np.einsum("nij,nj->ni", R_WB, self._axes_B)
        return -torque[:, np.newaxis] * axes_W, thrust[:, np.newaxis] * axes_W

    def _calc_efforts(self, context: Context, output: BasicVector) -> None:
        _, _, v_P = self._motion(context)
        output.SetFromVector(
            np.abs(self._thrust_and_torque(context, v_P)).sum(axis=0)
        )

    def _thrust_and_torque(
        self, context: Context, v_P: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Returns thrusts, N, and torques, N m, each of shape (n,)."""
        w = self.GetInputPort("state").Eval(context)[self._places]
        # Webots takes the shaft's axis as written, not as turned with the body.
        air = np.einsum("ni,ni->n", v_P, self._axes_F)
        squares = np.column_stack([w * abs(w), -abs(w) * air])
        thrust = (self._thrust * squares).sum(axis=1)
        torque = (self._torque * squares).sum(axis=1)
        return thrust, np.clip(torque, -self._most, self._most)


def add_propellers(
    builder: DiagramBuilder, config: DriverConfig, motors: MotorSystem
) -> None:
    """Adds the propellers of a driver; the motors' battery pays for them."""
    if not config.propellers:
        return
    plant, instance = motors.model.plant, motors.model.instance
    most = {
        m.joint: getattr(m, "max_torque", 0.0) for m in config.motors.values()
    }
    system = Propellers(plant, instance, config.propellers, most)
    system.set_name(f"{motors.get_name().removesuffix('.motors')}.propellers")
    add_body_forces(builder, plant, system)
    builder.Connect(plant.get_state_output_port(), system.GetInputPort("state"))
    if motors.HasInputPort(PROPELLER_EFFORTS):
        builder.Connect(
            system.GetOutputPort("efforts"),
            motors.GetInputPort(PROPELLER_EFFORTS),
        )
