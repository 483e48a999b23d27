"""The names of Webots' base nodes, and the kinds of its PROTOs.

Webots has some 600 PROTOs. What counts here is whether anything moves or collides
differently without one.
"""

import re

from webmotor_drake.nodes.node_types import TYPES
from webmotor_drake.worlds.controllers import NO_NAMES
from webmotor_drake.worlds.nodes import Node

# Nodes that a file may hold without a declaration: today's, and historic ones.
BASE_NODES = TYPES.keys() | frozenset(
    """
    CameraFocus CameraLensDistortion CameraZoom ColladaShapes Cubemap
    CustomRobot DifferentialWheels HyperGate Servo Supervisor
    VacuumCup VisualShape
    """.split()
)

# Fields whose PROTOs are looks.
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
# Fields that robots have, and devices.
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


def is_cosmetic(name: str, url: str, field: str) -> bool:
    """Returns whether an instance of a PROTO of Webots' only changes looks.

    Args:
        name: the PROTO's.
        url: URL of its EXTERNPROTO line; "" without one.
        field: the field that the instance stands in.
    """
    if _LOOKS.search(field) or _LOOKS_FOLDER.search(url):
        return True
    return not _ROBOT_FOLDER.search(url) and bool(_LOOKS_NAME.fullmatch(name))


def looks_like_robot(node: Node, url: str) -> bool:
    """Returns whether an instance of an unknown PROTO is a robot or a part of one.

    Of vehicles and objects, which stand there as a rule, one with a controller is.
    """
    field = node.fields.get("controller")
    if field is not None and field.items[:1] and field.items[0] not in NO_NAMES:
        return True
    named = bool(_ROBOT_NAMES.fullmatch(node.type))
    fields = _ROBOT_FIELDS & node.fields.keys()
    stands = _STATIC_FOLDER.search(url) and not named
    return not stands and bool(_ROBOT_FOLDER.search(url) or named or fields)
