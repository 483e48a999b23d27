"""Joints that carry nothing: for devices that are there and move nothing.

Controllers get a motor or a sensor of a joint without an endPoint all the same.
"""

import numpy as np
from pydrake.math import RigidTransform

from webmotor_drake.nodes import JointParameters
from webmotor_drake.worlds.around import Around
from webmotor_drake.worlds.joints import parameters_of, position_of
from webmotor_drake.worlds.models import WEIGHTLESS, Joint, Robot, unique
from webmotor_drake.worlds.node_kinds import DEVICE_FIELDS
from webmotor_drake.worlds.nodes import Node
from webmotor_drake.worlds.solid_links import new_link

# Far more than the weight of what is held, N or N m.
_HOLDING = 1.0


def idle_joint(node: Node, field: str, around: Around, robot: Robot) -> str:
    """Adds a joint at whose end is a body without shapes and weight.

    Args:
        node: the joint whose devices need it.
        field: the field of the devices: "device", "device2" or "device3".
        around: the surroundings of the joint.
        robot: gets its parameters.

    Returns:
        Its name.
    """
    model, link = around.model, around.link
    axis = DEVICE_FIELDS.index(field)
    given = [*parameters_of(node), None, None][axis]
    slides = node.type == "SliderJoint"
    joint = Joint(
        unique(f"{node.definition or node.type} idle", model.names),
        "prismatic" if slides else "revolute",
        link,
        RigidTransform(),
        node.place,
        axes=[np.array([1.0, 0.0, 0.0])],
        positions=[position_of(node, given, axis)],
    )
    end = new_link(
        model, f"{joint.name} end", "kinematic", link.X_W, node, joint
    )
    end.parts.append(WEIGHTLESS)
    driven = any("Motor" in device.type for device in node.nodes(field))
    # What no motor moves stays where it is.
    parameters = JointParameters(
        kinematic=driven, static_friction=0.0 if driven else _HOLDING
    )
    robot.put("joints", joint.name, parameters, node.place)
    return joint.name
