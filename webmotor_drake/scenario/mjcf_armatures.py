"""Armatures of an MJCF that Drake leaves out.

Drake (1.51 and 1.58) gives a joint's armature to the actuator that it makes of a
<motor> or <position>. Where it makes none, such as of a <general>, it is lost without
a word, and the actuator that a motor brings along has none.
"""

from collections.abc import Iterator
from pathlib import Path

from webmotor_drake.scenario.model_file import Element, ModelFile

_READ = ("motor", "position")
# The class of defaults that is around all others, and its armature without one.
_MAIN, _NONE = "main", "0"


def unread_armatures(mjcf: Path) -> dict[str, float]:
    """Returns the armatures, kg m^2 or kg, that Drake leaves out, by joint.

    A file that cannot be read has none: Drake says why.
    """
    try:
        model = ModelFile(mjcf)
        armatures = _armatures(model.elements) if model.is_whole else {}
    except (OSError, ValueError):
        return {}
    read = {
        element.attributes.get("joint")
        for element in _within(model.elements, "actuator")
        if element.tag in _READ
    }
    return {j: a for j, a in armatures.items() if a > 0 and j not in read}


def _within(elements: list[Element], section: str) -> Iterator[Element]:
    """Gives a section of the file and all that is in it."""
    is_inside = False
    for element in elements:
        if element.depth <= 2:
            is_inside = (element.depth, element.tag) == (2, section)
        if is_inside:
            yield element


def _armatures(elements: list[Element]) -> dict[str, float]:
    """Returns the armatures of all joints, by name."""
    defaults = _defaults(elements)
    classes = {1: _MAIN}  # of the joints inside, by depth
    armatures: dict[str, float] = {}
    for element in _within(elements, "worldbody"):
        given, depth = element.attributes, element.depth
        around = classes[depth - 1]
        classes[depth] = given.get("childclass", around)
        if element.tag == "joint":
            default = defaults.get(given.get("class", around), _NONE)
            armature = float(given.get("armature", default))
            armatures[given.get("name", "")] = armature
    return armatures


def _defaults(elements: list[Element]) -> dict[str, str]:
    """Returns the armatures of joints by class; inner classes have those around."""
    own: dict[str, str] = {}
    outer: dict[str, str] = {}
    classes = {1: ""}  # by depth
    for element in _within(elements, "default"):
        given, depth = element.attributes, element.depth
        around = classes[depth - 1]
        classes[depth] = given.get("class", _MAIN)
        kind = element.parent, element.tag
        if element.tag == "default":
            outer[classes[depth]] = around
        elif kind == ("default", "joint") and "armature" in given:
            own[around] = given["armature"]
    # A class stands before those inside it.
    for name, around in outer.items():
        own.setdefault(name, own.get(around, _NONE))
    return own
