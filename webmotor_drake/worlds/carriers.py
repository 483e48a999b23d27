"""Tracks and Propellers, which carry or push a Solid without a joint."""

import dataclasses as dc

import numpy as np

from webmotor_drake.drive.tracks import lacks_surfaces
from webmotor_drake.nodes.joints import Propeller, Track
from webmotor_drake.worlds.around import Around
from webmotor_drake.worlds.devices import read_node
from webmotor_drake.worlds.models import unique
from webmotor_drake.worlds.node_kinds import name_of
from webmotor_drake.worlds.nodes import Node
from webmotor_drake.worlds.poses import short
from webmotor_drake.worlds.robot_devices import add_of_joint, add_to_joint


def add_track(node: Node, inside: Around) -> None:
    """Adds a Track: the surface of its body moves."""
    model, link, robot = inside.model, inside.link, inside.robot
    motors = [d for d in node.nodes("device") if d.type == "LinearMotor"]
    problem = ""
    if not motors or robot is None:
        problem = "no LinearMotor or no Robot"
    elif not link.collisions:
        problem = "nothing of it collides"
    elif lacking := lacks_surfaces():
        problem = f"it needs {lacking}"
    if problem:
        name, text = name_of(node), "a Track that carries nothing along"
        node.place.add("left out", f"{name} ({problem})", text)
    if robot is None:
        return
    names = []
    if not problem:
        names = [unique(f"{name_of(node)} travel", model.names)]
        robot.put("tracks", names[0], Track(body=link.name), node.place)
    add_of_joint(dc.replace(node, type="SliderJoint"), inside, names)


def add_propeller(node: Node, around: Around) -> None:
    """Adds a Propeller: its thrust acts on the Solid around it."""
    model, link, robot = around.model, around.link, around.robot
    motor = node.node("device")
    if motor is None or robot is None:
        text = "no motor or no Robot"
        node.place.add("left out", "Propeller", text)
        return
    propeller = read_node(Propeller, node)
    X_LU = link.X_W.inverse() @ around.X_W
    axis = np.array(propeller.shaft_axis)
    center = around.scale * np.array(propeller.center_of_thrust)
    propeller.frame = link.name
    propeller.shaft_axis = [*map(short, X_LU.rotation() @ axis)]
    propeller.center_of_thrust = [*map(short, X_LU @ center)]
    name = unique(f"{name_of(motor)} shaft", model.names)
    robot.put("propellers", name, propeller, node.place)
    add_to_joint(motor, name, node, robot)
