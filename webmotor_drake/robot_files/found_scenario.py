"""The scenario of a robot: its driver, and commands that move each motor a little."""

import math

import numpy as np
from pydrake.math import RigidTransform
from pydrake.multibody.parsing import AddModel, AddWeld, ModelDirective

from webmotor_drake.drive.driver import WebotsMotorDriver
from webmotor_drake.motor.commands import TimedCommand
from webmotor_drake.nodes import JointParameters, LinearMotor
from webmotor_drake.nodes.motors import MotorNode
from webmotor_drake.robot_files.found import FoundRobot
from webmotor_drake.scenario.sampled import fixed_transform
from webmotor_drake.scenario.scenario import Scenario

# The demonstration: when it goes and comes back, s, and how far, rad or m.
_GOES, _COMES, _LASTS = 0.5, 2.5, 5.0
_FAR, _FAR_SLIDING, _SHARE = 0.3, 0.05, 0.25


def scenario_of(
    robot: FoundRobot, file: str, base: str, X_WB: RigidTransform | None
) -> Scenario:
    """Returns a scenario of a robot.

    Args:
        robot: its motors and joints.
        file: file of the model, as the scenario names it.
        base: the body to weld to the world, or that floats; "" for neither.
        X_WB: pose at the start of the base that floats; None: it is welded.
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
