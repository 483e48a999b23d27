"""The content of a robot's file, with the lines of its numbers, and its scenario."""

import copy
import dataclasses as dc
import math
import re

import numpy as np
from pydrake.math import RigidTransform
from pydrake.multibody.parsing import AddModel, AddWeld, ModelDirective

from webmotor_drake.drive.driver import WebotsMotorDriver
from webmotor_drake.motor.commands import TimedCommand
from webmotor_drake.nodes import (
    Brake,
    JointParameters,
    LinearMotor,
    RotationalMotor,
)
from webmotor_drake.nodes.motors import MotorNode
from webmotor_drake.scenario.sampled import fixed_transform
from webmotor_drake.scenario.scenario import Scenario

# Stands for a limit that the file does not give, N m or N, rad/s or m/s.
NO_LIMIT = 1e6
# The demonstration: times to go, to come back and to end, s; distances, rad or m.
_GOES, _COMES, _LASTS = 0.5, 2.5, 5.0
_FAR, _FAR_SLIDING, _SHARE = 0.3, 0.05, 0.25


@dc.dataclass
class FoundRobot:
    """A robot as its file has it.

    Attributes:
        name: name of the model.
        motors: its motors by name.
        joints: springs, friction and rotors by joint.
        brakes: its brakes by name.
        places: lines of the fields of these three, by table, name and fields.
        starts: positions of joints at the start, and their lines, by joint.
        base: pose of a free base at the start: x, y, z, and the quaternion w, x, y, z.
        base_is_free: True or False if the file says so.
        self_collision: False if its own shapes do not collide; None: they may.
        gravity: gravity along x, y and z, m/s^2.
        reach: positions that joints can have, by joint.
        has_floor: True if the file has a ground of its own.
        efforts: effort limits in the file by joint, whether it has a motor or not;
            infinite without a limit.
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
        """Adds a copy of a motor, without soft limits, for a joint that follows."""
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


def scenario_of(
    robot: FoundRobot, file: str, base: str, X_WB: RigidTransform | None
) -> Scenario:
    """Returns the scenario of a robot, with commands that move each motor a little.

    Args:
        robot: content of the robot's file.
        file: file of the model, as the scenario names it.
        base: body that floats or is to be welded to the world; "": the file welds it.
        X_WB: pose of a floating base at the start; None: the base is welded.
    """
    name = robot.name
    scenario = Scenario(simulation_duration=_LASTS)
    scenario.plant_config.time_step = 0.002
    scenario.gravity = robot.gravity
    add = AddModel(name=name, file=file)
    welded = f"{name}::{base}" if base else ""
    if X_WB is not None:
        add.default_free_body_pose = {base: fixed_transform(X_WB)}
        ground = AddModel(
            name="ground", file="package://webmotor_models/ground.urdf"
        )
        scenario.directives = [ModelDirective(add_model=ground)]
        welded = "ground::ground"
    scenario.directives.append(ModelDirective(add_model=add))
    if welded:
        weld = AddWeld(parent="world", child=welded)
        scenario.directives.append(ModelDirective(add_weld=weld))
    if robot.starts:
        scenario.initial_position[robot.name] = {
            joint: np.array([q]) for joint, (q, _) in robot.starts.items()
        }
    scenario.model_drivers[robot.name] = WebotsMotorDriver(
        motors=robot.motors,
        joints={
            n: p for n, p in robot.joints.items() if p != JointParameters()
        },
        brakes=robot.brakes,
        self_collision=robot.self_collision,
        commands=_commands(robot),
    )
    return scenario


def places_in(robot: FoundRobot) -> dict[tuple[str, ...], str]:
    """Returns the lines of a scenario's values, by their paths in it."""
    starts = {
        ("initial_position", robot.name, joint): place
        for joint, (_, place) in robot.starts.items()
    }
    driver = {
        ("model_drivers", robot.name, *path): place
        for path, place in robot.places.items()
    }
    return starts | driver


def _commands(robot: FoundRobot) -> list[TimedCommand]:
    """Returns commands that move each motor a little, within its limits."""
    commands: list[TimedCommand] = []
    for time, part in ((_GOES, 1.0), (_COMES, 0.0)):
        told: set[str] = set()
        for name, motor in robot.motors.items():
            group = name.partition("::")[0] if "::" in name else name
            seeks = motor.motor_model != "pd" or motor.pd.kp
            if seeks and group not in told:
                told.add(group)
                start = robot.starts.get(motor.joint, (0.0, ""))[0]
                way = _way(motor, start, *robot.reach[motor.joint])
                target = float(f"{start + part * way:.6g}")
                commands.append(TimedCommand(time, name, set_position=target))
    return commands


def _way(motor: MotorNode, start: float, low: float, high: float) -> float:
    """Returns how far a motor goes from its start, on the side with more room."""
    far = _FAR_SLIDING if isinstance(motor, LinearMotor) else _FAR
    side = max(high - start, low - start, key=abs)
    return math.copysign(min(far, _SHARE * abs(side)), side)
