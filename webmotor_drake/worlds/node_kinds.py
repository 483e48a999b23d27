"""Which nodes are Solids, joints, groups or lights, and which do nothing."""

import contextlib
from collections.abc import Iterable

from webmotor_drake.errors import InputError
from webmotor_drake.nodes import DirectionalLight, PointLight, SpotLight
from webmotor_drake.nodes.device import DEVICES
from webmotor_drake.nodes.webots_fields import fields_of_type
from webmotor_drake.worlds.nodes import Node
from webmotor_drake.worlds.value_text import typed_value

MOTORS = frozenset({"RotationalMotor", "LinearMotor"})
# The fields with the devices of a joint, one per axis.
DEVICE_FIELDS = ("device", "device2", "device3")
ROBOTS = frozenset({"Robot", "Supervisor", "CustomRobot"})
SOLIDS = frozenset({"Solid", "Track", "Charger", *ROBOTS, *DEVICES})
JOINTS = frozenset({"HingeJoint", "SliderJoint", "Hinge2Joint", "BallJoint"})
GROUPS = frozenset({"Group", "Pose", "Transform", "Slot"})
LIGHTS = {
    kind.__name__: kind for kind in (DirectionalLight, PointLight, SpotLight)
}
# Nodes of the world that are no part of it.
IGNORED = frozenset({"WorldInfo", "Viewpoint"})
# Nodes that do act in Webots and do not here.
UNSUPPORTED = {
    "Fluid": "nothing floats or is slowed by it",
    "ImmersionProperties": "nothing floats or is slowed by a Fluid",
    "Charger": "it stands there, and charges nothing",
    "DifferentialWheels": "a node of Webots up to 8; nothing stands there",
    "Servo": "a node of Webots up to 7; nothing stands there",
    "Microphone": "no such device: getDevice does not find it",
    "Radio": "no such device: getDevice does not find it",
    "Skin": "a device that is off; it is not drawn",
}
# Nodes that are only looked at, and are not drawn here.
_UNDRAWN = {
    **dict.fromkeys(
        ("Background", "Billboard", "Cubemap", "Fog", "LensFlare", "Muscle"),
        "not drawn",
    ),
    **dict.fromkeys(("Focus", "Lens"), "images are sharp and straight"),
    "TrackWheel": "it does not turn",
    "VisualShape": "a node of older versions; not drawn",
}
DROPPED = IGNORED | UNSUPPORTED.keys() | _UNDRAWN.keys()


def children_of(node: Node) -> list[Node]:
    """Returns the children of a node; those of a Slot stand in endPoint."""
    return node.nodes("endPoint" if node.type == "Slot" else "children")


def devices_in(node: Node) -> list[Node]:
    """Returns all devices of a joint, a Track or a Propeller."""
    return [d for field in DEVICE_FIELDS for d in node.nodes(field)]


def motors_in(node: Node) -> list[Node]:
    """Returns those of them that are motors."""
    return [d for d in devices_in(node) if d.type in MOTORS]


def leave_out(node: Node) -> None:
    """Reports a node that is not known here; others see `report_dropped`."""
    if node.type not in DROPPED:
        text = "not known here; left out"
        node.place.add("left out", node.type, text)


def report_dropped(nodes: Iterable[Node]) -> None:
    """Reports those nodes, of all in a world, that do nothing here."""
    for node in nodes:
        if text := UNSUPPORTED.get(node.type):
            node.place.add("left out", node.type, text)
        elif text := _UNDRAWN.get(node.type):
            node.place.add("info", node.type, text)
        # Nearly every world has its own Viewpoint; a text of ours is no news.
        if node.type != "Viewpoint" and not node.place.source.instead:
            _report_kept(node)


def _report_kept(node: Node) -> None:
    """Reports fields that are only kept here, and are not as by default."""
    declared = fields_of_type(node.type)
    for name, field in node.fields.items():
        if name not in declared or declared[name].acts:
            continue
        with contextlib.suppress(InputError):
            if (
                typed_value(field, declared[name].kind)
                != declared[name].default
            ):
                text = "kept, and without effect here"
                field.place.add("info", f"{node.type}.{name}", text)


def name_of(node: Node) -> str:
    """Returns the name of a Solid or a device, or its type's default.

    Other nodes, which may stand where a device should, have the name of their type.
    """
    known = fields_of_type("Robot" if node.type in ROBOTS else node.type)
    default = known["name"].default if "name" in known else node.type
    return node.text("name", default)
