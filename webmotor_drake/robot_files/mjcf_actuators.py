"""Actuators of an MJCF as motors of ours.

An actuator's length is l = g q with the gear g and the joint's position q; its force f
acts on the joint as g f. So gains count g squared at the joint, and limits g:

- f = gain ctrl + b0 + b1 l + b2 l' with b1 < 0 is a PD loop: kp = -b1 g², kd = -b2 g²;
  its target is (gain ctrl + b0) / (-b1 g);
- without b1 but with b2 < 0 it is a velocity loop: kd = -b2 g²;
- without both it is a motor that is told its force.
"""

import dataclasses as dc
import math
from collections.abc import Callable

from webmotor_drake.robot_files.found import (
    Found,
    FoundMotor,
    FoundRobot,
    number,
)
from webmotor_drake.robot_files.mjcf import Mjcf
from webmotor_drake.robot_files.urdf import set_soft_limits
from webmotor_drake.robot_files.xml_tree import Node

# Nothing limits it in MuJoCo; so much is no limit here, N m or N, rad/s or m/s.
NO_LIMIT = 1e6
# What joints feel, by their names.
Inertias = dict[str, float]


def read_mjcf(root: Node, inertias: Callable[[], Inertias]) -> FoundRobot:
    """Returns what an MJCF says of a robot's motors.

    Args:
        root: the file.
        inertias: returns what joints feel where they start, kg m^2 or kg, by name,
            without armatures that Drake does not read.

    Raises:
        InputError: a number that cannot be; with its place.
    """
    robot = FoundRobot(root.given.get("model", "robot").replace(" ", "_"))
    mjcf = Mjcf(root)
    mjcf.read_joints(robot)
    mjcf.read_positions(robot)
    for node, given in mjcf.actuators:
        _Actuator(mjcf, robot, node, given, inertias).read()
    _couple(robot, mjcf.read_equalities(robot))
    _move_friction(robot)
    return robot


@dc.dataclass
class _Actuator:
    """An actuator on its way to a motor."""

    mjcf: Mjcf
    robot: FoundRobot
    node: Node
    given: dict[str, str]
    inertias: Callable[[], Inertias]

    def read(self) -> None:
        """Adds the motor, or says why there is none."""
        node, given, robot = self.node, self.given, self.robot
        name = given.get("name", given.get("joint", ""))
        joint = self.mjcf.joints.get(given.get("joint", ""))
        reader = getattr(self, f"_{node.tag}", None)
        if joint is None or joint.kind not in ("hinge", "slide"):
            self._lose("it acts on no hinge or slide")
        elif reader is None:
            self._lose(f"a <{node.tag}>")
        elif node.tag != "damper" and any(
            m.joint == joint.name for m in robot.motors.values()
        ):
            self._lose(
                f"joint {joint.name} has a motor already; one is allowed"
            )
        else:
            self.gear = abs(self.numbers("gear", "1")[0]) or 1.0
            self.turned = self.numbers("gear", "1")[0] < 0
            self.motor = FoundMotor(joint.name, joint.kind == "slide")
            self.joint = joint
            self._add_rotor()
            if reader():
                robot.motors[name] = self.motor
                if self.turned:
                    self._lose("its negative gear: our commands turn the joint")

    def _add_rotor(self) -> None:
        """Adds what the actuator itself turns and damps to its joint."""
        for attribute, field, own in (
            ("armature", "reflected_inertia", self.joint.armature),
            ("damping", "damping_constant", 0.0),
        ):
            value = self.numbers(attribute, "0")[0] * self.gear**2
            if value:
                found = Found(own + value, self.node.place)
                self.robot.set_joint(self.joint.name, field, found)

    def numbers(self, name: str, default: str) -> list[float]:
        text = self.given.get(name, default)
        return [number(n, self.node.place, name) for n in text.split()]

    def _lose(self, what: str) -> None:
        name = self.given.get("name", self.node.tag)
        self.robot.lose(self.node.place, f"actuator {name}: {what}")

    def _set(self, field: str, value: object) -> None:
        self.motor.fields[field] = Found(value, self.node.place)

    def _bound(self, *others: float) -> None:
        """Sets the largest effort at the joint."""
        bounds = [abs(other) * self.gear for other in others]
        force = self._range("forcerange", "forcelimited")
        if force is not None:
            bounds.append(self._symmetric(force, "forcerange") * self.gear)
        joint = self.mjcf.range_of(
            *(self.joint.given, "actuatorfrcrange", "actuatorfrclimited"),
            self.joint.place,
        )
        if joint is not None:
            bounds.append(self._symmetric(joint, "actuatorfrcrange"))
        field = "max_force" if self.motor.slides else "max_torque"
        bound = min(bounds, default=math.inf)
        place = self.node.place
        if self.gear != 1:
            place = f"{place}, gear {self.gear:g}"
        self.motor.fields[field] = Found(min(bound, NO_LIMIT), place)
        self._set("max_velocity", NO_LIMIT)

    def _range(self, name: str, switch: str) -> tuple[float, float] | None:
        return self.mjcf.range_of(self.given, name, switch, self.node.place)

    def _symmetric(self, bounds: tuple[float, float], name: str) -> float:
        if bounds[0] != -bounds[1]:
            self._lose(
                f"its {name} is not symmetric; the larger side bounds both"
            )
        return max(map(abs, bounds))

    def _control(self, gain: float, offset: float, per: float) -> None:
        """Sets soft limits from the range of what it is told."""
        given = self._range("ctrlrange", "ctrllimited")
        share = self.numbers("inheritrange", "0")[0]
        if given is None and share and self.joint.range is not None:
            low, high = self.joint.range
            half = share * (high - low) / 2
            set_soft_limits(
                self.motor,
                (low + high) / 2 - half,
                (low + high) / 2 + half,
                self.node.place,
            )
            return
        if gain != per or offset:
            self._lose(
                f"its target is ({gain:g} ctrl + {offset:g}) / {per:g}; here it is"
                " the joint's own position"
            )
        if given is None:
            return
        ends = sorted((gain * c + offset) / per / self.gear for c in given)
        if self.turned:
            ends = [-ends[1], -ends[0]]
        set_soft_limits(self.motor, ends[0], ends[1], self.node.place)

    def _servo(self, gain: float, b0: float, kp: float, kv: float) -> bool:
        """Makes it a PD loop, a velocity loop, or a motor."""
        squared = self.gear**2
        if kp < 0 or kv < 0:
            self._lose("it drives away from its target")
            return False
        if not kp and not kv:
            if b0:
                self._lose(f"its constant force {b0:g}")
            ctrl = self._range("ctrlrange", "ctrllimited")
            limits = []
            if ctrl is not None:
                limits = [gain * self._symmetric(ctrl, "ctrlrange")]
            self._bound(*limits)
            if "max_velocity" in self.motor.fields:
                del self.motor.fields["max_velocity"]
            return True
        self._set("motor_model", "pd")
        self._set("pd.kp", kp * squared)
        self._set("pd.kd", kv * squared)
        self._bound()
        if kp:
            self._control(gain, b0, kp)
        elif gain != kv or b0:
            self._lose(
                f"its target velocity is ({gain:g} ctrl + {b0:g}) / {kv:g}"
            )
        timeconst = self.numbers("timeconst", "0")[0]
        if timeconst:
            self._lose(f"the filter of {timeconst:g} s on its target")
        return True

    def _position(self) -> bool:
        kp = self.numbers("kp", "1")[0]
        kv = self.numbers("kv", "0")[0]
        if "dampratio" in self.given:
            ratio = self.numbers("dampratio", "0")[0]
            kv = self._ratio_damping(ratio, kp)
        return self._servo(kp, 0.0, kp, kv)

    def _ratio_damping(self, ratio: float, kp: float) -> float:
        """Returns the damping of a ratio, where the joint starts, of the actuator."""
        felt = self.inertias().get(self.joint.name, 0.0)
        if self.joint.name in self.mjcf.unread_armatures():
            felt += self.joint.armature
        return 2 * ratio * math.sqrt(kp * felt) / self.gear

    def _velocity(self) -> bool:
        kv = self.numbers("kv", "1")[0]
        return self._servo(kv, 0.0, 0.0, kv)

    def _motor(self) -> bool:
        return self._servo(1.0, 0.0, 0.0, 0.0)

    def _pid(self) -> bool:
        kp, kv, ki = (self.numbers(n, "0")[0] for n in ("kp", "kv", "ki"))
        if ki:
            self._lose(f"its integral gain {ki:g}")
        return self._servo(kp, 0.0, kp, kv)

    def _general(self) -> bool:
        given = self.given
        gain, bias = (
            given.get("gaintype", "fixed"),
            given.get("biastype", "none"),
        )
        dynamics = given.get("dyntype", "none")
        if (
            gain != "fixed"
            or bias not in ("none", "affine")
            or dynamics != "none"
        ):
            self._lose(f"gaintype {gain}, biastype {bias}, dyntype {dynamics}")
            return False
        factor = self.numbers("gainprm", "1")[0]
        b0, b1, b2 = 0.0, 0.0, 0.0
        if bias == "affine":
            b0, b1, b2 = [*self.numbers("biasprm", "0"), 0.0, 0.0][:3]
        return self._servo(factor, b0, -b1, -b2)

    def _damper(self) -> bool:
        kv = self.numbers("kv", "1")[0] * self.gear**2
        name = self.given.get("name", self.joint.name)
        self.robot.brakes[name] = Found(
            self.joint.name,
            f"{self.node.place}; set_damping_constant: {kv:g} times its ctrl",
        )
        return False

    def _dcmotor(self) -> bool:
        nominal, volt = self.numbers("nominal", "0 0 0"), 0.0
        constant = [k for k in self.numbers("motorconst", "0") if k]
        resistance = self.numbers("resistance", "0")[0]
        ctrl = self._range("ctrlrange", "ctrllimited")
        if nominal[0]:
            volt, stall, free = nominal[:3]
        elif constant and resistance and ctrl is not None:
            volt = max(map(abs, ctrl))
            K = math.sqrt(constant[0] * constant[-1])
            stall, free = K * volt / resistance, volt / K
        else:
            self._lose("its voltage is not known")
            return False
        self._set("motor_model", "dc_motor")
        self._set("dc_motor.stall_torque", stall)
        self._set("dc_motor.no_load_speed", free)
        self._set("dc_motor.gear_ratio", self.gear)
        most = self.numbers("saturation", "0")[0]
        # Braking takes more than it gives at standstill, as far as the supply can.
        self._bound(*([most] if most else []))
        loop = [*self.numbers("controller", "0"), 0.0, 0.0, 0.0][:3]
        if loop[0] or loop[2]:
            self._set("pd.kp", loop[0] * self.gear**2)
            self._set("pd.kd", loop[2] * self.gear**2)
        else:
            self._lose(
                "its input is a voltage; here it is a target or a torque"
            )
        for name in ("inductance", "thermal", "cogging", "lugre"):
            if name in self.given:
                self._lose(f"its {name}")
        return True


def _couple(
    robot: FoundRobot, followers: dict[str, tuple[str, float, str]]
) -> None:
    """Couples motors of joints that follow others, as Webots does by names."""
    by_joint = {motor.joint: name for name, motor in robot.motors.items()}
    for joint, (leader, factor, place) in followers.items():
        if leader not in by_joint or joint in by_joint:
            robot.lose(
                place, f"joint {joint} follows {leader}; nothing couples them"
            )
            continue
        name = by_joint[leader]
        first = robot.motors.pop(name)
        base = name.partition("::")[0]
        fields = {**first.fields, "multiplier": Found(factor, place)}
        for field in ("min_position", "max_position"):
            fields.pop(field, None)
        by_joint[leader] = f"{base}::{leader}"
        robot.motors[f"{base}::{leader}"] = first
        robot.motors[f"{base}::{joint}"] = FoundMotor(
            joint, first.slides, fields
        )


def _move_friction(robot: FoundRobot) -> None:
    """Gives dry friction to motors that bear it beside their own effort."""
    for motor in robot.motors.values():
        if "motor_model" in motor.fields:
            found = robot.joints.get(motor.joint, {}).pop(
                "static_friction", None
            )
            if found is not None:
                motor.fields["friction.coulomb"] = found
