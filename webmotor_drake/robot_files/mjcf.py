"""An MJCF: its joints, with their classes of defaults, its keyframes and actuators."""

import dataclasses as dc
import math
from pathlib import Path

from webmotor_drake.errors import InputError
from webmotor_drake.robot_files.found import Found, FoundRobot, number
from webmotor_drake.robot_files.xml_tree import Node, read_tree

# The class of defaults that is around all others.
_MAIN = "main"
_ACTUATORS = (
    *("general", "motor", "position", "velocity", "intvelocity", "damper"),
    *("cylinder", "muscle", "adhesion", "dcmotor", "pid"),
)
_SIZES = {"free": 7, "ball": 4, "slide": 1, "hinge": 1}
# Elements that make others of what stands there.
_MAKERS = ("replicate", "attach", "composite", "flexcomp")


@dc.dataclass
class Joint:
    """A joint of an MJCF, with what its classes give it.

    Attributes:
        name: Drake's, too.
        kind: "hinge", "slide", "ball" or "free".
        given: its attributes and those of its classes.
        range: in rad or m; None: not limited.
        place: "file:line".
    """

    name: str
    kind: str
    given: dict[str, str]
    range: tuple[float, float] | None
    place: str

    @property
    def armature(self) -> float:
        """The inertia of what turns with the joint, kg m^2 or kg."""
        return number(self.given.get("armature", "0"), self.place, "armature")


class Mjcf:
    """An MJCF: its joints in the order of their positions, its actuators.

    Attributes:
        joints: by name.
        actuators: elements, with the attributes of their classes.
        root: the file.

    Args:
        root: of the file, see `read_tree`.

    Raises:
        InputError: a number that cannot be; with its place.
    """

    def __init__(self, root: Node):
        self.root = root
        compiler: dict[str, str] = {}
        for node in root.all("compiler"):
            compiler |= node.given
        self._degrees = compiler.get("angle", "degree") == "degree"
        self._auto = compiler.get("autolimits", "true") == "true"
        self._defaults: dict[str, dict[str, dict[str, str]]] = {_MAIN: {}}
        for node in root.all("default"):
            self._read_defaults(node, None)
        self.joints: dict[str, Joint] = {}
        for world in root.all("worldbody"):
            self._read_body(world, _MAIN)
        self.actuators = [
            (node, self.with_defaults(node, _MAIN))
            for section in root.all("actuator")
            for node in section.children
        ]

    def _read_defaults(self, node: Node, around: str | None) -> None:
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

    def with_defaults(self, node: Node, around: str) -> dict[str, str]:
        """Returns the attributes of an element, with those of its class."""
        classes = self._defaults.get(node.given.get("class", around), {})
        own = classes.get(node.tag, {})
        if node.tag in _ACTUATORS:
            own = {**classes.get("actuator", {}), **own}
        return {**own, **node.given}

    def _read_body(self, node: Node, around: str) -> None:
        around = node.given.get("childclass", around)
        for child in node.children:
            if child.tag == "freejoint":
                self._add_joint(child, child.given, "free")
            elif child.tag == "joint":
                given = self.with_defaults(child, around)
                self._add_joint(child, given, given.get("type", "hinge"))
        for child in node.children:
            if child.tag in ("body", "frame", *_MAKERS):
                self._read_body(child, around)

    def _add_joint(self, node: Node, given: dict[str, str], kind: str) -> None:
        name = given.get("name", f"{kind} without a name, {node.place}")
        joint = Joint(name, kind, given, None, node.place)
        joint.range = self.range_of(given, "range", "limited", node.place)
        if joint.range is not None and kind == "hinge":
            joint.range = self.angle(joint.range[0]), self.angle(joint.range[1])
        self.joints[name] = joint

    def angle(self, value: float) -> float:
        """Returns an angle of the file in rad."""
        return math.radians(value) if self._degrees else value

    def range_of(
        self, given: dict[str, str], name: str, switch: str, place: str
    ) -> tuple[float, float] | None:
        """Returns a range of attributes that acts; None: it does not."""
        on = given.get(switch, "auto")
        if (
            name not in given
            or on == "false"
            or (on == "auto" and not self._auto)
        ):
            return None
        low, high = (number(n, place, name) for n in given[name].split()[:2])
        return low, high

    def read_joints(self, robot: FoundRobot) -> None:
        """Adds friction, rotors and springs of all joints to a robot."""
        for joint in self.joints.values():
            if joint.kind not in ("hinge", "slide"):
                robot.base_is_free = robot.base_is_free or joint.kind == "free"
                continue
            for attribute, field in (
                ("frictionloss", "static_friction"),
                ("armature", "reflected_inertia"),
                ("stiffness", "spring_constant"),
            ):
                text = joint.given.get(attribute, "0").split()[0]
                value = number(text, joint.place, attribute)
                robot.set_joint(joint.name, field, Found(value, joint.place))
            rest = number(
                joint.given.get("springref", "0"), joint.place, "springref"
            )
            if rest and "spring_constant" in robot.joints.get(joint.name, {}):
                del robot.joints[joint.name]["spring_constant"]
                robot.lose(
                    joint.place,
                    f"the spring of joint {joint.name} rests at springref {rest:g},"
                    " ours at 0",
                )

    def read_positions(self, robot: FoundRobot) -> None:
        """Adds the positions of the first keyframe, where there is one."""
        key = self.root.first("keyframe", "key")
        if key is None or "qpos" not in key.given:
            return
        numbers = [
            number(n, key.place, "qpos") for n in key.given["qpos"].split()
        ]
        place = 0
        for joint in self.joints.values():
            size = _SIZES[joint.kind]
            values = numbers[place : place + size]
            place += size
            if joint.kind == "free" and place == size and len(values) == size:
                robot.base = values
            elif size == 1 and values:
                robot.positions[joint.name] = Found(values[0], key.place)

    def read_equalities(
        self, robot: FoundRobot
    ) -> dict[str, tuple[str, float, str]]:
        """Returns the joints that follow another one: it, the factor, the place."""
        followers = {}
        for node in self.root.all("equality", "joint"):
            given = self.with_defaults(node, _MAIN)
            name, leader = given.get("joint1", ""), given.get("joint2", "")
            powers = [
                number(n, node.place, "polycoef")
                for n in given.get("polycoef", "0 1 0 0 0").split()
            ]
            powers += [0.0] * (5 - len(powers))
            if given.get("active") == "false":
                continue
            if not leader or powers[0] or any(powers[2:]) or not powers[1]:
                robot.lose(
                    node.place, f"the equality of joint {name} is not a factor"
                )
            else:
                followers[name] = leader, powers[1], node.place
        for node in self.root.walk():
            if node.tag in _MAKERS:
                robot.lose(
                    node.place, f"what <{node.tag}> makes is not looked into"
                )
        return followers

    def unread_armatures(self) -> dict[str, float]:
        """Returns the armatures, kg m^2 or kg, that Drake leaves out, by joint.

        Drake (1.51 and 1.58) gives a joint's armature to the actuator that it makes of
        a <motor> or <position>. Where it makes none, such as of a <general>, it is lost
        without a word, and the actuator that a motor brings along has none.
        """
        read = {
            given.get("joint")
            for node, given in self.actuators
            if node.tag in ("motor", "position")
        }
        return {
            joint.name: joint.armature
            for joint in self.joints.values()
            if joint.armature > 0 and joint.name not in read
        }


def unread_armatures(file: Path) -> dict[str, float]:
    """Returns the armatures of a file that Drake leaves out; see `Mjcf`.

    A file that cannot be read has none: Drake says why.
    """
    try:
        return Mjcf(read_tree(file)).unread_armatures()
    except InputError:
        return {}
