"""Suspension of hinges: a spring and damper along an axis, before the hinge.

Webots softens its hinge along that axis by ERP and CFM of the spring and damper
(WbHingeJoint.cpp). Drake's hinges are hard; so a small hub slides between.
"""

from importlib import metadata

import numpy as np
from pydrake.geometry import CollisionFilterDeclaration, GeometrySet
from pydrake.math import RigidTransform
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import (
    FixedOffsetFrame,
    Frame,
    ModelInstanceIndex,
    PrismaticJoint,
    RevoluteJoint,
    SpatialInertia,
)
from pydrake.systems.framework import DiagramBuilder

from webmotor_drake.drive.plant_queries import find_actuators, find_joint
from webmotor_drake.drive.self_collision import find_scene_graph
from webmotor_drake.drive.topology import solid_ends
from webmotor_drake.errors import InputError
from webmotor_drake.motor.driver_config import DriverConfig
from webmotor_drake.nodes.joints import JointParameters, suspension_name

# The hub: a sphere, kg and m.
_MASS, _RADIUS = 1e-3, 0.01


def add_suspension(
    plant: MultibodyPlant,
    instance: ModelInstanceIndex,
    name: str,
    parameters: JointParameters,
) -> None:
    """Puts a slider along the suspension's axis between a hinge and its parent.

    Args:
        plant: not yet finalized.
        instance: the model.
        name: name of the hinge, which keeps its name; the slider is
            "<name>_suspension".
        parameters: with a suspension.

    Raises:
        InputError: the joint is not a hinge.
    """
    old = find_joint(plant, instance, name, ("joints", name))
    if not isinstance(old, RevoluteJoint):
        raise InputError(
            f"joint {name} is a {old.type_name()} joint; hinges have a suspension",
            path=("joints", name, "suspension_spring_constant"),
        )
    parent = old.frame_on_parent()
    ends = old.frame_on_child(), old.revolute_axis()
    limits = old.position_lower_limits(), old.position_upper_limits()
    position = old.default_positions()
    # A copy: Drake's lies in the joint, which will be gone.
    damping = old.default_damping_vector().copy()
    actuator = find_actuators(plant, instance).get(name)
    if actuator is not None:
        _check_removable(old)
        motor = actuator.name(), actuator.effort_limit()
        rotor = actuator.default_rotor_inertia()
        gear = actuator.default_gear_ratio()
        plant.RemoveJointActuator(actuator)
    plant.RemoveJoint(old)
    axle = add_slider(plant, instance, name, parent, parameters)
    new = plant.AddJoint(RevoluteJoint(name, axle, *ends))
    new.set_position_limits(*limits)
    new.set_default_positions(position)
    new.set_default_damping_vector(damping)
    if actuator is not None:
        again = plant.AddJointActuator(motor[0], new, motor[1])
        again.set_default_rotor_inertia(rotor)
        again.set_default_gear_ratio(gear)


def add_slider(
    plant: MultibodyPlant,
    instance: ModelInstanceIndex,
    name: str,
    parent: Frame,
    parameters: JointParameters,
) -> Frame:
    """Returns the frame of a hinge's axle, on a slider that hangs on its parent.

    Args:
        plant: not yet finalized.
        instance: the model.
        name: name of the hinge.
        parent: frame of the hinge without a suspension.
        parameters: with a suspension.
    """
    axis = np.array(parameters.suspension_axis)
    R_PF = parent.GetFixedPoseInBodyFrame().rotation()
    inertia = SpatialInertia.SolidSphereWithMass(_MASS, _RADIUS)
    hub = plant.AddRigidBody(f"{name}_hub", instance, inertia)
    plant.AddJoint(
        PrismaticJoint(
            suspension_name(name),
            parent,
            hub.body_frame(),
            R_PF.inverse() @ (axis / np.linalg.norm(axis)),
        )
    )
    return plant.AddFrame(
        FixedOffsetFrame(
            f"{name}_axle", hub.body_frame(), RigidTransform(), instance
        )
    )


def _check_removable(joint: RevoluteJoint) -> None:
    """Refuses removed actuators, which Drake 1.51 answers with NaN."""
    drake = metadata.version("drake")
    if drake.startswith("1.51."):
        raise InputError(
            f"Drake {drake} cannot move the actuator of joint {joint.name()} onto a"
            " suspension; leave the joint's transmission out of the model (the motor"
            " brings an actuator), or use a newer Drake",
            path=("joints", joint.name(), "suspension_spring_constant"),
        )


def keep_suspended_apart(
    builder: DiagramBuilder,
    plant: MultibodyPlant,
    instance: ModelInstanceIndex,
    config: DriverConfig,
) -> None:
    """Filters collisions of wheels with the bodies that their suspensions hang on.

    Webots filters bodies that a joint connects; here the hub is between them.
    """
    scene_graph = find_scene_graph(builder, plant)
    for name, parameters in config.joints.items():
        if not parameters.has_suspension or scene_graph is None:
            continue
        sides = [
            GeometrySet(
                [
                    geometry
                    for body in plant.GetBodiesWeldedTo(end)
                    for geometry in plant.GetCollisionGeometriesForBody(body)
                ]
            )
            for end in solid_ends(plant, plant.GetJointByName(name, instance))
        ]
        scene_graph.collision_filter_manager().Apply(
            CollisionFilterDeclaration().ExcludeBetween(*sides)
        )
