"""Actuators of an MJCF as motors of ours.

An actuator's length is l = g q with the gear g and the joint's position q; its force f
acts on the joint as g f. So gains count g squared at the joint, and limits g:

- f = gain ctrl + b0 + b1 l + b2 l' with b1 < 0 is a PD loop: kp = -b1 g², kd = -b2 g²;
  its target is (gain ctrl + b0) / (-b1 g);
- without b1 but with b2 < 0 it is a velocity loop: kd = -b2 g²;
- without both it is a motor whose command is a force.
"""

import math
from collections.abc import Callable

from webmotor_drake.nodes import Brake
from webmotor_drake.robot_files.found import NO_LIMIT, FoundRobot
from webmotor_drake.robot_files.mjcf import Mjcf, Range
from webmotor_drake.scenario.model_file import Element

# The inertias that joints feel, kg m^2 or kg, by joint name.
Inertias = dict[str, float]
# Attributes that are read or do not change the motion; others are listed as lost.
_READ = frozenset(
    """
    name class group user joint jointinparent gear input
    ctrlrange ctrllimited forcerange forcelimited inheritrange
    armature damping kp kv dampratio gainprm biasprm gaintype biastype dyntype
    nominal motorconst resistance saturation controller
    """.split()
)


def read_mjcf(
    root: Element, inertias: Callable[[Inertias], Inertias]
) -> FoundRobot:
    """Returns a robot's motors as its MJCF has them.

    Args:
        root: root element of the file.
        inertias: function from the armatures that Drake does not read to the inertias
            that joints feel at the start.

    Raises:
        InputError: a number is impossible; with its place.
    """
    robot = FoundRobot(root.given.get("model", "robot"))
    robot.has_floor = root.first("worldbody", "geom") is not None
    mjcf = Mjcf(root)
    mjcf.read_joints(robot)
    mjcf.read_starts(robot)
    mjcf.read_equalities(robot)
    for node in mjcf.actuators:
        name = node.given.get("joint", node.given.get("jointinparent", ""))
        joint = mjcf.joints.get(name)
        if joint is None or joint.given["type"] not in ("hinge", "slide"):
            _lose(robot, node, "it acts on no hinge or slide")
        elif node.tag == "damper":
            _add_brake(robot, node, name)
        elif name in robot.efforts:
            _lose(
                robot, node, f"joint {name} has a motor already; one is allowed"
            )
        else:
            _Actuator(mjcf, robot, node, joint, inertias).read()
    mjcf.read_surroundings(robot)
    mjcf.list_others(robot)
    return robot


def _lose(robot: FoundRobot, node: Element, what: str) -> None:
    robot.lose(node.place, f"actuator {node.name or node.tag}: {what}")


def _add_brake(robot: FoundRobot, node: Element, joint: str) -> None:
    kv = node.numbers("kv", 1.0)[0] * node.numbers("gear", 1.0)[0] ** 2
    name = node.name or joint
    robot.brakes[name] = Brake()
    place = f"{node.place}; set_damping_constant: {kv:g} times its ctrl"
    robot.set(joint, place, "brakes", name, "joint")


class _Actuator:
    """An actuator that is being turned into a motor."""

    def __init__(
        self,
        mjcf: Mjcf,
        robot: FoundRobot,
        node: Element,
        joint: Element,
        inertias: Callable[[Inertias], Inertias],
    ):
        self.mjcf, self.robot, self.inertias = mjcf, robot, inertias
        self.node, self.joint = node, joint
        gear = self._number("gear", 1.0)
        self._gear, self._turned = abs(gear) or 1.0, gear < 0
        self._joint_name = name = joint.name
        self._name = self.node.name or name
        self._followers = self.mjcf.followers.get(name, [])
        if self._followers:
            self._name = f"{self._name}::{name}"

    def read(self) -> None:
        """Adds the motor, or says why there is none."""
        robot, name, joint = self.robot, self._name, self._joint_name
        slides = self.joint.given["type"] == "slide"
        motor = robot.add_motor(name, joint, slides=slides)
        self._add_rotor()
        if self.node.tag == "dcmotor":
            is_read = self._dcmotor()
        else:
            affine = self._affine()
            is_read = affine is not None and self._servo(*affine)
        if not is_read:
            robot.drop("motors", name)
            return
        if motor.motor_model and joint in robot.joints:
            # In these models the joint's friction belongs to the motor.
            parameters = robot.joints[joint]
            bound, parameters.static_friction = parameters.static_friction, 0.0
            place = robot.places.pop(("joints", joint, "static_friction"), "")
            if place:
                self._set(bound, "friction", "coulomb", place=place)
        for attribute in self.node.given.keys() - _READ:
            self._lose(f"its {attribute} {self.node.given[attribute]}")
        if self._turned:
            self._lose("its negative gear: our commands turn the joint")
        # The joints that follow have motors coupled by name, as in Webots.
        for follower, factor, place in self._followers:
            other = f"{name.partition('::')[0]}::{follower}"
            robot.couple(name, other, follower)
            robot.set(factor, place, "motors", other, "multiplier")
            what = "gets a motor of its own, with the same limit"
            robot.lose(place, f"joint {follower} {what}")

    def _add_rotor(self) -> None:
        armature = self.joint.numbers("armature", 0.0)[0]
        for attribute, field, own in (
            ("armature", "reflected_inertia", armature),
            ("damping", "damping_constant", 0.0),
        ):
            value = self._number(attribute) * self._gear**2
            self.robot.set_joint(
                self._joint_name, field, value and own + value, self.node.place
            )

    def _number(self, name: str, default: float = 0.0) -> float:
        return self.node.numbers(name, default)[0]

    def _lose(self, what: str) -> None:
        _lose(self.robot, self.node, what)

    def _set(self, value: object, *fields: str, place: str = "") -> None:
        place = place or self.node.place
        self.robot.set(value, place, "motors", self._name, *fields)

    def _bound(self, *others: float) -> None:
        """Sets the largest effort at the joint."""
        bounds = [abs(other) * self._gear for other in others]
        force = self._range("forcerange", "forcelimited")
        if force is not None:
            bounds.append(self._symmetric(force, "forcerange") * self._gear)
        of_joint = self.mjcf.range_of(
            self.joint, "actuatorfrcrange", "actuatorfrclimited"
        )
        if of_joint is not None:
            bounds.append(self._symmetric(of_joint, "actuatorfrcrange"))
        bound = min(bounds, default=math.inf)
        place = self.node.place
        if self._gear != 1:
            place = f"{place}, gear {self._gear:g}"
        field = self.robot.motors[self._name].effort_field
        self._set(min(bound, NO_LIMIT), field, place=place)
        self.robot.efforts[self._joint_name] = (
            bound if bound < NO_LIMIT else math.inf
        )

    def _range(self, name: str, switch: str) -> Range | None:
        return self.mjcf.range_of(self.node, name, switch)

    def _symmetric(self, bounds: Range, name: str) -> float:
        if bounds[0] != -bounds[1]:
            self._lose(
                f"its {name} is not symmetric; the larger side bounds both"
            )
        return max(map(abs, bounds))

    def _limit_targets(self, gain: float, offset: float, kp: float) -> None:
        """Sets soft limits from the range of the actuator's commands."""
        given = self._range("ctrlrange", "ctrllimited")
        share = self._number("inheritrange")
        stops = self.mjcf.ranges.get(self._joint_name)
        if given is None and share and stops is not None:
            low, high = stops
            more = (share - 1) * (high - low) / 2
            given, gain, offset = (low - more, high + more), kp, 0.0
            ends = list(given)
        else:
            if gain != kp or offset:
                self._lose(
                    f"its target is ({gain:g} ctrl + {offset:g}) / {kp:g}; here it"
                    " is the joint's own position"
                )
            if given is None:
                return
            turn = -self._gear if self._turned else self._gear
            ends = sorted((gain * c + offset) / kp / turn for c in given)
        place = self.node.place
        self.robot.set_soft_limits(self._name, *ends, place)

    def _servo(self, gain: float, b0: float, kp: float, kv: float) -> bool:
        """Makes the motor a PD or velocity loop, or a plain one; False if it cannot."""
        if kp < 0 or kv < 0:
            self._lose("it drives away from its target")
            return False
        if not kp and not kv:
            if b0:
                self._lose(f"its constant force {b0:g}")
            ctrl = self._range("ctrlrange", "ctrllimited")
            if ctrl is None:
                self._bound()
            else:
                self._bound(gain * self._symmetric(ctrl, "ctrlrange"))
            return True
        self._set("pd", "motor_model")
        self._loop(kp, kv)
        self._bound()
        if kp:
            self._limit_targets(gain, b0, kp)
        elif gain != kv or b0:
            self._lose(
                f"its target velocity is ({gain:g} ctrl + {b0:g}) / {kv:g}"
            )
        return True

    def _loop(self, kp: float, kv: float) -> None:
        self._set(kp * self._gear**2, "pd", "kp")
        self._set(kv * self._gear**2, "pd", "kd")
        self._set(NO_LIMIT, "max_velocity")

    def _affine(self) -> tuple[float, float, float, float] | None:
        """Returns gain, b0, -b1 and -b2 of an actuator; None, listed: it has none."""
        tag, given = self.node.tag, self.node.given
        kp = self._number("kp", 0.0 if tag == "pid" else 1.0)
        kv = self._number("kv", 1.0 if tag == "velocity" else 0.0)
        if tag == "motor":
            return 1.0, 0.0, 0.0, 0.0
        if tag == "velocity":
            return kv, 0.0, 0.0, kv
        if tag in ("position", "intvelocity", "pid"):
            if tag == "intvelocity":
                self._lose(
                    "its ctrl is the speed of its target; here the target is given"
                )
            if ki := self._number("ki"):
                self._lose(f"its integral gain {ki:g}")
            if "dampratio" in given:  # of the inertia at the start
                felt = self.inertias(self.robot.lost_armatures)
                root = math.sqrt(kp * felt.get(self._joint_name, 0))
                kv = 2 * self._number("dampratio") * root / self._gear
            return kp, 0.0, kp, kv
        if tag != "general":
            self._lose(f"a <{tag}>")
            return None
        gain = given.get("gaintype", "fixed")
        bias = given.get("biastype", "none")
        dynamics = given.get("dyntype", "none")
        is_affine = gain == "fixed" and bias in ("none", "affine")
        if not is_affine or dynamics != "none":
            self._lose(f"gaintype {gain}, biastype {bias}, dyntype {dynamics}")
            return None
        b = [*self.node.numbers("biasprm") * (bias == "affine"), 0.0, 0.0, 0.0]
        return self._number("gainprm", 1.0), b[0], -b[1], -b[2]

    def _dcmotor(self) -> bool:
        nominal = self.node.numbers("nominal", 0.0, 0.0, 0.0)
        constant = [k for k in self.node.numbers("motorconst") if k]
        resistance = self._number("resistance")
        ctrl = self._range("ctrlrange", "ctrllimited")
        if nominal[0]:
            stall, free = nominal[1:3]
        elif constant and resistance and ctrl is not None:
            volt = max(map(abs, ctrl))
            K = math.sqrt(constant[0] * constant[-1])
            stall, free = K * volt / resistance, volt / K
        else:
            self._lose("its voltage is not known")
            return False
        self._set("dc_motor", "motor_model")
        self._set(stall, "dc_motor", "stall_torque")
        self._set(free, "dc_motor", "no_load_speed")
        self._set(self._gear, "dc_motor", "gear_ratio")
        most = self._number("saturation")
        # The stall torque is no bound: a braking motor exceeds it.
        self._bound(*([most] if most else []))
        kp, ki, kv = [*self.node.numbers("controller"), 0.0, 0.0, 0.0][:3]
        self._set(NO_LIMIT, "max_velocity")
        if ki:
            self._lose(f"its integral gain {ki:g}")
        if kp or kv:
            self._loop(kp, kv)
        else:
            self._lose(
                "its input is a voltage; here it is a target or a torque"
            )
        return True
