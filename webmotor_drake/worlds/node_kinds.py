"""The kinds of nodes: Solids, joints, groups, lights, looks, nodes without effect.

Webots has some 600 PROTOs. If one is missing, the question is whether anything moves
or collides differently without it.
"""

import collections
import re
from collections.abc import Iterable, Mapping

from webmotor_drake.errors import InputError
from webmotor_drake.nodes import DirectionalLight, PointLight, SpotLight
from webmotor_drake.nodes.device import DEVICES
from webmotor_drake.nodes.node_types import TYPES
from webmotor_drake.nodes.webots_fields import fields_of_type
from webmotor_drake.worlds.nodes import Node, typed_value
from webmotor_drake.worlds.project import NO_NAMES
from webmotor_drake.worlds.source import Place

# Nodes that a file may hold without a declaration: today's, and historic ones.
BASE_NODES = TYPES.keys() | frozenset(
    """
    CameraFocus CameraLensDistortion CameraZoom ColladaShapes Cubemap
    CustomRobot DifferentialWheels HyperGate Servo Supervisor
    VacuumCup VisualShape
    """.split()
)

# Fields whose PROTOs only change looks.
_LOOKS = re.compile(
    r"(?i)appearance|texture|baseColorMap|background|lens|recognition|fog"
)
_LOOKS_FOLDER = re.compile(
    r"/(?:appearances|backgrounds|lights|lens_?flares?|cubemaps)/"
)
_LOOKS_NAME = re.compile(
    r"TexturedBackground|TexturedBackgroundLight|EmptyBackground|.*Lens(?:Flare)?"
    r"|.*(?:Light|Painting|Paint|Poster)"
)
_STATIC_FOLDER = re.compile(r"/projects/(?:objects|samples|vehicles)/")
_ROBOT_FOLDER = re.compile(r"/projects/(?:robots|devices)/")
# Fields of robots and devices.
_ROBOT_FIELDS = frozenset(
    """
    controller controllerArgs supervisor customData bodySlot
    extensionSlot turretSlot toolSlot groundSensorsSlot handSlot
    """.split()
)
# Robots and devices that old files name without a declaration.
_ROBOT_NAMES = re.compile(
    r"Nao|NaoRobot|Pioneer.*|Khepera.*|Khr2hv|Hemisson.*|Thymio2?|.*[Ee]-?puck.*"
    r"|UR(?:3|5|10)e?|P-?[Rr]ob.*|Ipr.*|Panda.*|Spot|Youbot.*|Tiago.*|Mavic.*|"
    r"TurtleBot3.*|Create|Surveyor|SummitXl.*|Robotino.*|.*[Gg]ripper.*|.*Hand|"
    r"Sick.*|Hokuyo.*|Velodyne.*|RobotisLds.*|Ibeo.*|Atlas|Darwin.*|Robotis.*|"
    r"Fetch|Husky|Jackal|Heron|Shrimp|Nasa.*|Sojourner|Moose|Crazyflie|Elisa.*"
)
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
# Nodes of a world's file that add nothing to its scene.
IGNORED = frozenset({"WorldInfo", "Viewpoint"})
# Nodes that act in Webots, but not here.
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
# Longer lists, as those of meshes, are checked where they are read.
_LONG = 100
DROPPED = IGNORED | UNSUPPORTED.keys() | _UNDRAWN.keys()


def children_of(node: Node) -> list[Node]:
    """Returns the children of a node; those of a Slot stand in endPoint."""
    return node.nodes("endPoint" if node.type == "Slot" else "children")


def devices_in(node: Node) -> list[Node]:
    """Returns all devices of a joint, a Track or a Propeller."""
    return [d for field in DEVICE_FIELDS for d in node.nodes(field)]


def motors_in(node: Node) -> list[Node]:
    """Returns all motors of a joint, a Track or a Propeller."""
    return [d for d in devices_in(node) if d.type in MOTORS]


def parameters_of(node: Node) -> list[Node | None]:
    """Returns the jointParameters of a joint, one per axis."""
    parameters = [node.node("jointParameters")]
    if node.type in ("Hinge2Joint", "BallJoint"):
        parameters.append(node.node("jointParameters2"))
    if node.type == "BallJoint":
        parameters.append(node.node("jointParameters3"))
    return parameters


def leave_out(node: Node) -> None:
    """Reports a misplaced or unknown node, unless `report_dropped` does."""
    if node.type not in DROPPED:
        known = node.type in TYPES
        text = "not for this place, as in Webots" if known else "not known here"
        node.place.add("left out", node.type, f"{text}; left out")


def report_dropped(nodes: Iterable[Node]) -> None:
    """Reports which of a world's nodes, and of their fields, do nothing here."""
    for node in nodes:
        if text := UNSUPPORTED.get(node.type):
            node.place.add("left out", node.type, text)
        elif text := _UNDRAWN.get(node.type):
            node.place.add("info", node.type, text)
        if not node.place.source.instead:  # our own PROTOs need no report
            _report_fields(node)


def _report_fields(node: Node) -> None:
    """Reports fields of a wrong type, and those that are set and do nothing here."""
    declared = fields_of_type(node.type)
    for name in declared.keys() & node.fields.keys():
        field, about = node.fields[name], declared[name]
        key = f"{node.type}.{name}"
        if len(field.items) > _LONG:
            continue
        try:
            value = typed_value(field, about.kind)
        except InputError as error:
            if not field.place.is_reported:
                text = f"{error.problem}; its default is taken"
                field.place.add("changed", key, text)
            continue
        # Nearly every world sets its Viewpoint.
        is_set = value != about.default and node.type != "Viewpoint"
        if is_set and not about.acts:
            field.place.add("info", key, "kept, and without effect here")


def name_of(node: Node) -> str:
    """Returns the name of a Solid or a device, or its type's default.

    Other nodes, which may stand where a device should, have the name of their type.
    """
    known = fields_of_type("Robot" if node.type in ROBOTS else node.type)
    default = known["name"].default if "name" in known else node.type
    return node.text("name", default)


def is_cosmetic(name: str, url: str, field: str) -> bool:
    """Returns whether an instance of a PROTO of Webots' only changes looks.

    Args:
        name: name of the PROTO.
        url: URL of its EXTERNPROTO line; "" without one.
        field: name of the field that holds the instance.
    """
    if _LOOKS.search(field) or _LOOKS_FOLDER.search(url):
        return True
    return not _ROBOT_FOLDER.search(url) and bool(_LOOKS_NAME.fullmatch(name))


def looks_like_robot(node: Node, url: str) -> bool:
    """Returns whether an instance of an unknown PROTO is a robot or a part of one.

    Vehicles and objects mostly stand still: they count only with a controller.
    """
    field = node.fields.get("controller")
    if field is not None and field.items[:1] and field.items[0] not in NO_NAMES:
        return True
    named = bool(_ROBOT_NAMES.fullmatch(node.type))
    fields = _ROBOT_FIELDS & node.fields.keys()
    stands = _STATIC_FOLDER.search(url) and not named
    return not stands and bool(_ROBOT_FOLDER.search(url) or named or fields)


def motors_by_place(nodes: Iterable[Node]) -> Mapping[Place, set[str]]:
    """Finds, for each place, the motors of the innermost joint, Track or Propeller.

    Args:
        nodes: a world's nodes, expanded.

    Returns:
        Names of motors, by the places of nodes, fields and instances.
    """
    found: dict[Place, set[str]] = collections.defaultdict(set)
    waiting = [(node, ()) for node in nodes]
    seen: set[tuple[Node, tuple[str, ...]]] = set()
    while waiting:
        node, around = waiting.pop()
        motors = tuple(map(name_of, motors_in(node))) or around
        if (node, motors) not in seen:
            seen.add((node, motors))
            fields = node.fields.values()
            for part in (node, *fields, *node.protos):
                found[part.place].update(motors)
            inside = (item for field in fields for item in field.all_nodes)
            waiting += [(item, motors) for item in inside]
    return found
