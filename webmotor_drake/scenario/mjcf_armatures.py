"""Armatures of an MJCF that Drake leaves out.

Drake (1.51 and 1.58) gives a joint's armature to the actuator that it makes of a
<motor> or <position>. Where it makes none, such as of a <general>, it is lost without
a word, and the actuator that a motor brings along has none.
"""

from pathlib import Path
from xml.etree import ElementTree as ET

_READ = ("motor", "position")


def unread_armatures(mjcf: Path) -> dict[str, float]:
    """Returns the armatures, kg m^2 or kg, that Drake leaves out, by joint.

    A file that cannot be read has none: Drake says why.
    """
    try:
        root = ET.parse(mjcf).getroot()
        read = {
            actuator.get("joint")
            for kind in _READ
            for actuator in root.iterfind(f"actuator/{kind}")
        }
        classes: dict[str, str] = {}
        for default in root.iterfind("default"):
            _read_defaults(default, "0", classes)
        armatures: dict[str, float] = {}
        for world in root.iterfind("worldbody"):
            _read_joints(world, "main", classes, armatures)
    except (OSError, ET.ParseError, ValueError):
        return {}
    return {j: a for j, a in armatures.items() if a > 0 and j not in read}


def _read_defaults(
    default: ET.Element, outer: str, classes: dict[str, str]
) -> None:
    """Adds the armature of a default class, and of those inside it."""
    joint = default.find("joint")
    own = outer if joint is None else joint.get("armature", outer)
    classes[default.get("class", "main")] = own
    for inner in default.iterfind("default"):
        _read_defaults(inner, own, classes)


def _read_joints(
    body: ET.Element,
    around: str,
    classes: dict[str, str],
    armatures: dict[str, float],
) -> None:
    """Adds the armatures of the joints of a body, and of those inside it."""
    child_class = body.get("childclass", around)
    for joint in body.iterfind("joint"):
        default = classes.get(joint.get("class", child_class), "0")
        name = joint.get("name", "")
        armatures[name] = float(joint.get("armature", default))
    for inner in body.iterfind("body"):
        _read_joints(inner, child_class, classes, armatures)
