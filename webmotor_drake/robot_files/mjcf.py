"""An MJCF: its includes, joints and actuators, with their classes of defaults."""

import dataclasses as dc
import itertools
import math
from collections.abc import Collection
from pathlib import Path

from webmotor_drake.errors import InputError, unknown_name
from webmotor_drake.robot_files.found import FoundRobot
from webmotor_drake.scenario.model_file import Element, ModelFile

Range = tuple[float, float]
# contype and conaffinity of a shape: their bits tell which shapes collide.
Bits = tuple[int, int]

# Deepest nesting of includes: beyond it, a file is taken to include itself.
_MOST_INCLUDES = 64
# The class of defaults that is around all others.
_MAIN = "main"
_ACTUATORS = (
    *("general", "motor", "position", "velocity", "intvelocity", "damper"),
    *("cylinder", "muscle", "adhesion", "dcmotor", "pid"),
)
_SIZES = {"free": 7, "ball": 4, "slide": 1, "hinge": 1}
# Elements from which MuJoCo makes further elements.
_MAKERS = ("replicate", "attach", "composite", "flexcomp")
# Shapes collide if contype of one and conaffinity of the other share a bit.
_COLLIDING = ("contype", "conaffinity")
# Attributes of joints without a counterpart here.
_NOT_OURS = ("springdamper", "springyield", "actuatorgravcomp")
# Attributes of joints that are carried over, and their fields here.
_FIELDS = {
    "frictionloss": "static_friction",
    "armature": "reflected_inertia",
    "stiffness": "spring_constant",
}


class Mjcf:
    """An MJCF: its joints in the order of their positions, its actuators.

    Attributes:
        joints: elements by name, as in Drake, with the attributes of their classes and
            their type: "hinge", "slide", "ball" or "free".
        ranges: stops of the joints that have any, rad or m, by joint.
        actuators: elements, with the attributes of their classes.
        followers: joints that follow a joint, by its name: name, factor and place.
        root: root element of the file.

    Args:
        root: root of the file.

    Raises:
        InputError: a number is impossible; with its place.
    """

    def __init__(self, root: Element):
        self.root = root
        compiler: dict[str, str] = {}
        for node in root.all("compiler"):
            compiler |= node.given
        self._degrees = compiler.get("angle", "degree") == "degree"
        self._auto = compiler.get("autolimits", "true") == "true"
        self._defaults: dict[str, dict[str, dict[str, str]]] = {_MAIN: {}}
        for node in root.all("default"):
            self._read_defaults(node, None)
        self.joints: dict[str, Element] = {}
        self.ranges: dict[str, Range] = {}
        self._colliding: set[Bits] = set()
        self._around: set[Bits] = set()
        for world in root.all("worldbody"):
            self._read_body(world, _MAIN)
        self.actuators = [
            self._with_defaults(node, _MAIN)
            for section in root.all("actuator")
            for node in section.children
        ]
        self.followers: dict[str, list[tuple[str, float, str]]] = {}

    def _read_defaults(self, node: Element, around: str | None) -> None:
        name = node.given.get("class", _MAIN)
        own = {
            tag: dict(given)
            for tag, given in self._defaults.get(around or name, {}).items()
        }
        for child in node.children:
            if child.tag == "default":
                continue
            own.setdefault(child.tag, {}).update(child.given)
            if child.tag in _ACTUATORS:  # they share most attributes
                own.setdefault("actuator", {}).update(child.given)
        self._defaults[name] = own
        for child in node.all("default"):
            self._read_defaults(child, name)

    def _with_defaults(self, node: Element, around: str) -> Element:
        """Returns an element with the default attributes of its class."""
        kind = node.given.get("class", around)
        if kind not in self._defaults:
            problem = unknown_name("class", kind, self._defaults)
            raise InputError(problem, where=node.place)
        classes = self._defaults[kind]
        own = classes.get(node.tag, {})
        if node.tag in _ACTUATORS:
            own = {**classes.get("actuator", {}), **own}
        return dc.replace(node, given={**own, **node.given})

    def _read_body(self, node: Element, around: str) -> None:
        around = node.given.get("childclass", around)
        for child in node.children:
            if child.tag == "geom":
                geom = self._with_defaults(child, around)
                kind, others = (
                    int(geom.numbers(n, 1.0)[0]) for n in _COLLIDING
                )
                where = (
                    self._around if node.tag == "worldbody" else self._colliding
                )
                where.add((kind, others))
            if child.tag == "freejoint":
                self._add_joint(child, "free")
            elif child.tag == "joint":
                joint = self._with_defaults(child, around)
                self._add_joint(joint, joint.given.get("type", "hinge"))
        for child in node.children:
            if child.tag in ("body", "frame", *_MAKERS):
                self._read_body(child, around)

    def _add_joint(self, node: Element, kind: str) -> None:
        name = node.name or f"{kind} without a name, {node.place}"
        self.joints[name] = dc.replace(node, given={**node.given, "type": kind})
        if kind not in ("hinge", "slide"):
            return
        if stops := self.range_of(node, "range", "limited"):
            if self._degrees and kind == "hinge":
                stops = math.radians(stops[0]), math.radians(stops[1])
            self.ranges[name] = stops

    def range_of(self, node: Element, name: str, switch: str) -> Range | None:
        """Returns the range in an attribute; None if it is missing or switched off."""
        on = node.given.get(switch, "auto")
        if (
            name not in node.given
            or on == "false"
            or (on == "auto" and not self._auto)
        ):
            return None
        low, high = node.numbers(name, 0.0, 0.0)[:2]
        return low, high

    def read_joints(self, robot: FoundRobot) -> None:
        """Adds friction, rotors and springs of all joints to a robot."""
        read = {
            node.given.get("joint")
            for node in self.actuators
            if node.tag in ("motor", "position")
        }
        for name, joint in self.joints.items():
            if joint.given["type"] == "free":
                robot.base_is_free = True
            elif joint.given["type"] != "ball":
                self._read_joint(robot, name, joint)
                # Drake (1.51 and 1.58) gives a joint's armature to the actuator that it
                # makes of a <motor> or <position>. Without those the armature is lost
                # silently: the actuator that our motor adds has none.
                armature = joint.numbers("armature", 0.0)[0]
                if armature > 0 and name not in read:
                    robot.lost_armatures[name] = armature

    def _read_joint(self, robot: FoundRobot, name: str, node: Element) -> None:
        rest = node.numbers("springref", 0.0)[0]
        for attribute, field in _FIELDS.items():
            value = node.numbers(attribute, 0.0)[0]
            if value and rest and attribute == "stiffness":
                robot.lose(
                    node.place,
                    f"the spring of joint {name} rests at springref {rest:g}, ours"
                    " at 0",
                )
            else:
                robot.set_joint(name, field, value, node.place)
        for attribute in _NOT_OURS:
            if attribute in node.given:
                robot.lose(node.place, f"{attribute} of joint {name}")
        for attribute in ("stiffness", "damping"):
            if any(node.numbers(attribute)[1:]):
                robot.lose(node.place, f"the powers of {attribute} of {name}")

    def read_starts(self, robot: FoundRobot) -> None:
        """Adds the positions of the first keyframe, where there is one."""
        key = self.root.first("keyframe", "key")
        if key is None or "qpos" not in key.given:
            return
        numbers, start = key.numbers("qpos"), 0
        for name, joint in self.joints.items():
            size = _SIZES[joint.given["type"]]
            values = numbers[start : start + size]
            start += size
            if (
                joint.given["type"] == "free"
                and start == size
                and len(values) == size
            ):
                robot.base = values
            elif size == 1 and values:
                robot.starts[name] = values[0], key.place

    def read_equalities(self, robot: FoundRobot) -> None:
        """Finds the joints that follow another one; lists other constraints."""
        driven = {node.given.get("joint") for node in self.actuators}
        for section in self.root.all("equality"):
            for child in section.children:
                node = self._with_defaults(child, _MAIN)
                if node.given.get("active") == "false":
                    continue
                name = node.given.get("joint1", node.name)
                leader = node.given.get("joint2", "")
                powers = [*(node.numbers("polycoef") or (0, 1)), *[0] * 5]
                problem = ""
                if node.tag in ("connect", "weld"):  # which Drake has
                    continue
                if node.tag != "joint":
                    problem = f"the <{node.tag}> equality {name}"
                elif (
                    not leader or powers[0] or any(powers[2:5]) or not powers[1]
                ):
                    problem = f"the equality of joint {name} is not a factor"
                elif leader not in driven or name in driven:
                    problem = (
                        f"joint {name} follows {leader}; nothing couples them"
                    )
                else:
                    pair = name, powers[1], node.place
                    self.followers.setdefault(leader, []).append(pair)
                if problem:
                    robot.lose(node.place, problem)

    def read_surroundings(self, robot: FoundRobot) -> None:
        """Adds gravity, and whether the robot's own shapes collide."""
        if not _meet(self._colliding, self._colliding):
            robot.self_collision = False
        if self._around and not _meet(self._colliding, self._around):
            what = "no shape meets those of the world; here they do"
            robot.lose(self.root.place, what)
        for option in self.root.all("option"):
            robot.gravity = option.numbers("gravity", *robot.gravity)
            for name in ("density", "viscosity", "wind"):
                if any(option.numbers(name)):
                    robot.lose(option.place, f"the {name} of what is around it")

    def list_others(self, robot: FoundRobot) -> None:
        """Lists as lost all else that makes or moves bodies."""
        for node in self.root.walk():
            if node.tag in _MAKERS:
                robot.lose(
                    node.place, f"what <{node.tag}> makes is not looked into"
                )
        for flag in self.root.all("option", "flag"):
            if flag.given.get("contact") == "disable":
                robot.lose(
                    flag.place, "no contact: here shapes touch each other"
                )
        for section in self.root.all("tendon"):
            for node in section.children:
                robot.lose(node.place, f"the tendon {node.name}")


def _meet(some: Collection[Bits], others: Collection[Bits]) -> bool:
    """Returns whether any two shapes collide by their bits."""
    pairs = itertools.product(some, others)
    return any(a & d or c & b for (a, b), (c, d) in pairs)


def read_tree(file: Path) -> Element:
    """Returns the root of an XML file, with an MJCF's includes in their places.

    Raises:
        InputError: the file cannot be read, is not XML, or includes itself.
    """
    return _read(file, [])


def _read(file: Path, including: list[Path]) -> Element:
    if file in including or len(including) > _MOST_INCLUDES:
        raise InputError(f"{file} includes itself")
    try:
        model = ModelFile(file)
    except OSError as error:
        raise InputError(f"cannot read {file}: {error.strerror}") from None
    if not model.is_whole or not model.elements:
        raise InputError("it is not XML to its end", where=str(file))
    root = model.elements[0]
    _include(root, [*including, file])
    return root


def _include(element: Element, including: list[Path]) -> None:
    """Puts the files that an MJCF includes in their places."""
    children: list[Element] = []
    for child in element.children:
        if child.tag == "include" and child.given.get("file"):
            # Relative to the outermost file, wherever the included one is.
            other = including[0].parent / child.given["file"]
            children += _read(other, including).children
        else:
            _include(child, including)
            children.append(child)
    element.children = children
