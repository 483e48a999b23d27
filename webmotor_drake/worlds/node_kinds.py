"""Which nodes are Solids, joints, groups or lights, and which do nothing."""

from webmotor_drake.worlds.devices import DEVICES, device_name
from webmotor_drake.worlds.nodes import Node
from webmotor_drake.worlds.report import Report
from webmotor_drake.worlds.words import words

ROBOTS = frozenset({"Robot", "Supervisor", "CustomRobot"})
SOLIDS = frozenset({"Solid", "Track", "Charger", *ROBOTS, *DEVICES})
JOINTS = frozenset({"HingeJoint", "SliderJoint", "Hinge2Joint", "BallJoint"})
GROUPS = frozenset({"Group", "Pose", "Transform", "Slot"})
LIGHTS = frozenset({"PointLight", "SpotLight", "DirectionalLight"})
# Nodes that neither move nor collide.
IGNORED = frozenset(
    words(
        """
    WorldInfo Viewpoint Background Cubemap Fog Billboard Color
    Microphone Radio LensFlare VisualShape TrackWheel Muscle
        """
    )
)
# Nodes that do act in Webots and do not here.
UNSUPPORTED = {
    "Fluid": "nothing floats or is slowed by it",
    "Charger": "it stands there, and charges nothing",
    "DifferentialWheels": "a node of Webots up to 8; nothing stands there",
    "Servo": "a node of Webots up to 7; nothing stands there",
}


def children_of(node: Node) -> list[Node]:
    """Returns the children of a node; those of a Slot stand in endPoint."""
    return node.nodes("endPoint" if node.type == "Slot" else "children")


def leave_out(node: Node, report: Report) -> None:
    """Reports a node that does nothing here."""
    text = UNSUPPORTED.get(node.type, "not known here; left out")
    report.add("left out", node.type, node.place, text)


def solid_name(node: Node) -> str:
    """Returns the name of a Solid, or its type's default."""
    if node.type in DEVICES:
        return device_name(node)
    default = "robot" if node.type in ROBOTS else node.type.lower()
    return node.text("name", default)
