"""Tracks and Propellers: what carries or pushes a Solid without a joint."""

import dataclasses as dc

import numpy as np
from pydrake.math import RigidTransform
from pydrake.multibody.plant import MultibodyPlant

from webmotor_drake.nodes import JointParameters
from webmotor_drake.nodes.carriers import Propeller, Track
from webmotor_drake.worlds.around import Around
from webmotor_drake.worlds.devices import device_name, read_node
from webmotor_drake.worlds.models import Joint, unique
from webmotor_drake.worlds.node_kinds import solid_name
from webmotor_drake.worlds.nodes import Node
from webmotor_drake.worlds.poses import short
from webmotor_drake.worlds.report import Report
from webmotor_drake.worlds.robot_devices import RobotDevices
from webmotor_drake.worlds.solid_links import new_link


def add_track(
    node: Node, inside: Around, devices: RobotDevices, report: Report
) -> None:
    """Adds a Track: the surface of its body moves."""
    model, link, robot = inside.model, inside.link, inside.robot
    motors = [d for d in node.nodes("device") if d.type == "LinearMotor"]
    problem = ""
    if not motors or robot is None:
        problem = "no LinearMotor or no Robot"
    elif link is None or not link.collisions:
        problem = "nothing of it collides"
    if problem or robot is None or link is None or model is None:
        report.add(
            "left out", solid_name(node), node.place, f"a Track: {problem}"
        )
        return
    name = unique(f"{solid_name(node)} travel", model.names)
    if hasattr(MultibodyPlant, "SetSurfaceVelocityAxis"):
        robot.tracks[name] = Track(body=link.name)
        robot.places["tracks", name] = node.place
    else:
        report.add(
            "left out",
            solid_name(node),
            node.place,
            "a Track carries nothing along: moving surfaces came after this"
            " version of Drake",
        )
        _idle_belt(name, node, inside)
    slider = dc.replace(node, type="SliderJoint")
    seen: set[str] = set()
    for device in node.nodes("device"):
        if device.type not in seen:
            devices.add_to_joint(device, name, slider, robot)
        seen.add(device.type)


def _idle_belt(name: str, node: Node, inside: Around) -> None:
    """Adds a joint for the motor of a Track to move, and nothing else."""
    model, link, robot = inside.model, inside.link, inside.robot
    assert model is not None
    assert link is not None
    assert robot is not None
    x = np.array([1.0, 0.0, 0.0])
    joint = Joint(
        name,
        "prismatic",
        link,
        RigidTransform(),
        np.zeros(3),
        [x],
        [0.0],
        node.place,
    )
    belt = f"{solid_name(node)} belt"
    new_link(model, belt, "kinematic", inside.X_W, node, joint)
    robot.joints[name] = JointParameters(kinematic=True)
    robot.places["joints", name] = node.place


def add_propeller(
    node: Node, around: Around, devices: RobotDevices, report: Report
) -> None:
    """Adds a Propeller: its thrust acts on the Solid around it."""
    model, link, robot = around.model, around.link, around.robot
    motor = node.node("device")
    if motor is None or robot is None or link is None or model is None:
        report.add("left out", "Propeller", node.place, "no motor or no Robot")
        return
    propeller = read_node(Propeller, node, report)
    X_LU = link.X_W.inverse() @ around.X_W
    axis = np.array(propeller.shaft_axis)
    center = around.scale * np.array(propeller.center_of_thrust)
    propeller.frame = link.name
    propeller.shaft_axis = [*map(short, X_LU.rotation() @ axis)]
    propeller.center_of_thrust = [*map(short, X_LU @ center)]
    name = unique(f"{device_name(motor)} shaft", model.names)
    robot.propellers[name] = propeller
    robot.places["propellers", name] = node.place
    devices.add_to_joint(motor, name, node, robot)
