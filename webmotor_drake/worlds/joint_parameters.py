"""Stops, springs, dampers and friction of joints, and who keeps them."""

import numpy as np
from pydrake.math import RotationMatrix

from webmotor_drake.nodes import JointParameters
from webmotor_drake.worlds.around import Around
from webmotor_drake.worlds.devices import read_parameters
from webmotor_drake.worlds.joints import parameters_of
from webmotor_drake.worlds.models import Joint, Robot
from webmotor_drake.worlds.nodes import Node
from webmotor_drake.worlds.poses import short

# Joints whose first axis has a suspension.
_SUSPENDED = ("HingeJoint", "Hinge2Joint")
_RIGID = "the joint is rigid there"
# Of what does not say it: WorldInfo's defaults.
_CFM, _ERP = 1e-5, 0.2


def add_parameters(
    node: Node, joint: Joint, around: Around, *, dynamic: bool
) -> None:
    """Adds stops, springs, dampers, friction and suspension.

    Args:
        node: the joint.
        joint: the same in the model.
        around: its surroundings.
        dynamic: True if its endPoint has Physics.
    """
    robot, names, parameters = (
        keeper_of(around),
        joint.parts,
        parameters_of(node),
    )
    R_PU = (joint.parent.X_W.inverse() @ around.X_W).rotation()
    if node.type == "BallJoint" and parameters[1:] == [None, None]:
        parameters = [parameters[0]] * 3
    for name, given in zip(names, parameters, strict=True):
        place = given.place if given is not None else node.place
        read = read_parameters(given)
        _note_zero_axis(given)
        if read.has_stops:
            _note_soft_stops(given)
        read.kinematic = not dynamic
        if read.has_suspension:
            is_first = name == names[0] and node.type in _SUSPENDED
            if not (is_first and _turn_suspension(read, R_PU)):
                place.add("left out", "suspension", _RIGID)
                read.suspension_spring_constant = 0.0
                read.suspension_damping_constant = 0.0
        if (
            read.kinematic
            or read.has_stops
            or read.has_effort
            or read.has_suspension
        ):
            robot.put("joints", name, read, place)
    if not dynamic:
        node.place.add(
            "kinematic",
            names[0],
            "its endPoint has no Physics: the motor simply moves it",
        )


def _note_zero_axis(given: Node | None) -> None:
    """Reports an axis that is no direction."""
    field = given.fields.get("axis") if given is not None else None
    if field is not None and not any(field.items):
        text = "it is 0; the default is taken, as in Webots"
        field.place.add("changed", "axis", text)


def _note_soft_stops(given: Node | None) -> None:
    """Reports the softness of stops, which Drake's do not have."""
    if given is None:
        return
    erp, cfm = (given.number(f"stop{name}", -1.0) for name in ("ERP", "CFM"))
    if erp < 0 and cfm < 0:  # the engine's own
        return
    give = (cfm if cfm >= 0 else _CFM) / (erp if erp > 0 else _ERP)
    given.place.add(
        "left out",
        "stopCFM, stopERP",
        f"stops are hard; Webots' give way by {give:g} times its time step (s), in rad"
        " per N m or m per N",
    )


def _turn_suspension(read: JointParameters, R_PU: RotationMatrix) -> bool:
    """Turns a suspension's axis into the frame of the body; False: it has none."""
    axis = np.array(read.suspension_axis)
    if read.kinematic or not axis.any():
        return False
    read.suspension_axis = [*map(short, R_PU @ axis)]
    return True


def keeper_of(around: Around) -> Robot:
    """Returns the Robot that has a joint's parameters; a model without one gets one."""
    if around.robot is not None:
        return around.robot
    model = around.model
    if model.robot is None:
        assert model.place is not None
        model.robot = Robot(model.name, model.place)
    return model.robot
