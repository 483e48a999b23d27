"""The kinds of nodes: Solids, joints, groups, lights, looks, nodes without effect.

Webots has some 600 PROTOs. If one is missing, the question is whether anything moves
or collides differently without it.
"""

import collections
import importlib.resources
import re
import tomllib
from collections.abc import Iterable, Mapping

from webmotor_drake.errors import InputError
from webmotor_drake.nodes import DirectionalLight, PointLight, SpotLight
from webmotor_drake.nodes.device import DEVICES
from webmotor_drake.nodes.node_types import TYPES
from webmotor_drake.nodes.webots_fields import fields_of_type
from webmotor_drake.worlds.nodes import Node, typed_value
from webmotor_drake.worlds.project import NO_NAMES
from webmotor_drake.worlds.source import Place

_KINDS = tomllib.loads(
    importlib.resources.files(__package__ or "")
    .joinpath("node_kinds.toml")
    .read_text(encoding="utf-8")
)
# Nodes that a file may hold without a declaration: today's, and historic ones.
BASE_NODES = TYPES.keys() | _KINDS["historic"]
# Patterns of PROTOs' names and folders, and of fields that hold instances.
_PATTERNS = {
    name: re.compile("|".join(patterns))
    for name, patterns in _KINDS["patterns"].items()
}
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
# Nodes that act in Webots, but not here, and the reasons.
UNSUPPORTED: dict[str, str] = _KINDS["unsupported"]
# Nodes that are only looked at, and are not drawn here.
_UNDRAWN: dict[str, str] = _KINDS["undrawn"]
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
    for name in [n for n in node.fields if n in declared]:
        field, about = node.fields[name], declared[name]
        if len(field.items) > _LONG:
            continue
        kind, text = "info", "kept, and without effect here"
        try:
            is_set = typed_value(field, about.kind) != about.default
        except InputError as error:
            kind, text = "changed", f"{error.problem}; its default is taken"
            entries = field.place.source.report.entries
            is_told = any(str(field.place) in e.places for e in entries)
        else:
            # Nearly every world sets its Viewpoint.
            is_told = about.acts or not is_set or node.type == "Viewpoint"
        if not is_told:
            field.place.add(kind, f"{node.type}.{name}", text)


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
    if _PATTERNS["look_fields"].search(field):
        return True
    if _PATTERNS["look_folders"].search(url):
        return True
    is_robot = _PATTERNS["robot_folders"].search(url)
    return not is_robot and bool(_PATTERNS["looks"].fullmatch(name))


def looks_like_robot(node: Node, url: str) -> bool:
    """Returns whether an instance of an unknown PROTO is a robot or a part of one.

    Vehicles and objects mostly stand still: they count only with a controller.
    """
    field = node.fields.get("controller")
    if field is not None and field.items[:1] and field.items[0] not in NO_NAMES:
        return True
    named = _PATTERNS["robots"].fullmatch(node.type)
    if _PATTERNS["static_folders"].search(url) and not named:
        return False
    fields = node.fields.keys() & _KINDS["robot_fields"]
    return bool(_PATTERNS["robot_folders"].search(url) or named or fields)


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
