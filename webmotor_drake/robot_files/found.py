"""The content of a robot's file: its motors, and the lines of their numbers."""

import copy
import dataclasses as dc
import math
import re

from webmotor_drake.nodes import (
    Brake,
    JointParameters,
    LinearMotor,
    RotationalMotor,
)
from webmotor_drake.nodes.motors import MotorNode

# Nothing limits it in the file; so much is no limit here, N m or N, rad/s or m/s.
NO_LIMIT = 1e6


@dc.dataclass
class FoundRobot:
    """A robot as its file has it.

    Attributes:
        name: the model's.
        motors: its motors by name.
        joints: springs, friction and rotors by joint.
        brakes: its brakes by name.
        places: lines of their fields, by table, name and fields.
        starts: positions of joints at the start, and their lines, by joint.
        base: pose of a free base at the start: x, y, z, and the quaternion w, x, y, z.
        base_is_free: True or False if the file says so.
        self_collision: False if its own shapes do not collide; None: they may.
        gravity: gravity along x, y and z, m/s^2.
        reach: positions that joints can have, by joint.
        has_floor: True if the file has a ground of its own.
        efforts: effort limits by joint, infinite without one, as the file has them with
            or without a motor.
        lost_armatures: inertias of rotors, kg m^2 or kg, that Drake leaves out, by
            joint.
        lost: texts on numbers that cannot be carried over, with places.
    """

    name: str
    motors: dict[str, MotorNode] = dc.field(default_factory=dict)
    joints: dict[str, JointParameters] = dc.field(default_factory=dict)
    brakes: dict[str, Brake] = dc.field(default_factory=dict)
    places: dict[tuple[str, ...], str] = dc.field(default_factory=dict)
    starts: dict[str, tuple[float, str]] = dc.field(default_factory=dict)
    base: list[float] = dc.field(default_factory=list)
    base_is_free: bool | None = None
    self_collision: bool | None = None
    gravity: list[float] = dc.field(default_factory=lambda: [0, 0, -9.81])
    reach: dict[str, tuple[float, float]] = dc.field(default_factory=dict)
    has_floor: bool = False
    efforts: dict[str, float] = dc.field(default_factory=dict)
    lost_armatures: dict[str, float] = dc.field(default_factory=dict)
    lost: list[str] = dc.field(default_factory=list)

    def lose(self, place: str, what: str) -> None:
        """Notes something that cannot be carried over."""
        self.lost.append(f"{place}: {what}")

    def add_motor(self, name: str, joint: str, *, slides: bool) -> MotorNode:
        """Adds a motor of a joint, with Webots' defaults."""
        kind = LinearMotor if slides else RotationalMotor
        self.motors[name] = kind(joint=joint)
        return self.motors[name]

    def couple(self, name: str, follower: str, joint: str) -> None:
        """Adds a motor like another one, without soft limits, to a joint."""
        self.motors[follower] = copy.deepcopy(self.motors[name])
        self.motors[follower].joint = joint
        for path, place in [*self.places.items()]:
            if path[:2] == ("motors", name):
                self.places["motors", follower, *path[2:]] = place
        for field in ("min_position", "max_position"):
            setattr(self.motors[follower], field, 0.0)
            self.places.pop(("motors", follower, field), None)

    def set(self, value: object, place: str, *path: str) -> None:
        """Sets a field.

        Args:
            value: value of the field.
            place: line of the file that it comes from.
            path: table, name and fields, such as "motors", "lift", "pd", "kp".
        """
        table, name, *fields, last = path
        owner = getattr(self, table)[name]
        for field in fields:
            owner = getattr(owner, field)
        setattr(owner, last, value)
        self.places[path] = place

    def make_names_plain(self) -> None:
        """Gives robot, motors and brakes names that files and signals can have."""
        self.name = re.sub(r"[^\w.-]+", "_", self.name).strip("_.") or "robot"
        self.motors = {_plain(n): motor for n, motor in self.motors.items()}
        self.brakes = {_plain(n): brake for n, brake in self.brakes.items()}
        self.places = {
            (table, name if table == "joints" else _plain(name), *fields): place
            for (table, name, *fields), place in self.places.items()
        }

    def drop(self, table: str, name: str) -> None:
        """Drops a motor or a joint."""
        del getattr(self, table)[name]
        for path in [path for path in self.places if path[:2] == (table, name)]:
            del self.places[path]

    def set_joint(
        self, joint: str, field: str, value: float, place: str
    ) -> None:
        """Sets a field of a joint's JointParameters, unless it is 0."""
        if value:
            self.joints.setdefault(joint, JointParameters())
            self.set(value, place, "joints", joint, field)

    def set_soft_limits(
        self, motor: str, low: float, high: float, place: str
    ) -> None:
        """Sets the soft limits of a motor, if there are any."""
        if low < high and math.isfinite(low) and math.isfinite(high):
            self.set(low, place, "motors", motor, "min_position")
            self.set(high, place, "motors", motor, "max_position")


def _plain(name: str) -> str:
    return re.sub(r"[/\x00-\x1f\x7f]+", "_", name)
