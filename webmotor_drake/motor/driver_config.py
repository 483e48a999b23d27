"""The fields of the YAML driver: a model's motors, and what is around them."""

import dataclasses as dc

from webmotor_drake.motor.commands import TimedCommand
from webmotor_drake.motor.joint_nodes import BallJoint, Hinge2Joint
from webmotor_drake.motor.nodes import (
    Brake,
    JointParameters,
    LinearMotor,
    PositionSensor,
    RotationalMotor,
    Servo,
)

DRIVES = ("auto", "torque", "implicit", "kinematic")


@dc.dataclass
class DriverConfig:
    """The motors of a model instance, as Webots describes them."""

    # Period of the motor law, a multiple of the plant's time step, s (Webots'
    # WorldInfo.basicTimeStep). None: the plant's time step.
    basic_time_step: float | None = None
    # What moves the joints: "torque" (exact where nothing touches the driven
    # bodies), "implicit" (solved with contacts), "auto" (one of these), or
    # "kinematic" (joints that simply move, as in Webots without Physics).
    drive: str = "auto"
    # Softness of the velocity servos, rad/s/(N m) or m/s/N (WorldInfo.CFM).
    cfm: float = 1e-5
    # The motors by name; their order is Webots' device order.
    motors: dict[str, RotationalMotor | LinearMotor | Servo] = dc.field(
        default_factory=dict
    )
    # Stops, springs, dampers and friction by the name of the joint.
    joints: dict[str, JointParameters] = dc.field(default_factory=dict)
    # Joints of two and three axes to add to the model, by name; motors, `joints`
    # and so on name their parts "<name>_1" to "<name>_3".
    multi_axis_joints: dict[str, Hinge2Joint | BallJoint] = dc.field(
        default_factory=dict
    )
    # For controllers, by name.
    position_sensors: dict[str, PositionSensor] = dc.field(default_factory=dict)
    # By name; `commands` and controllers set them.
    brakes: dict[str, Brake] = dc.field(default_factory=dict)
    # Energy at the start (J), capacity (J), recharge (W); empty: no battery.
    battery: list[float] = dc.field(default_factory=list)
    # Drawn from the battery always, W.
    cpu_consumption: float = 10.0
    # Whether to record the reaction wrenches of the motors' joints (Drake's
    # `reaction_forces`; see `JointWrenches`). The plant's output ports have to
    # be sampled, which costs time.
    reaction_forces: bool = False
    # Whether the model's bodies, and those mounted on it, collide with each other
    # (Robot.selfCollision, false in Webots). None: they do, with a warning if
    # they overlap at the start.
    self_collision: bool | None = None
    # The LCM bus, of `lcm_buses`, by which others command the motors and see them,
    # as Drake's own drivers have it; empty: none. See `add_channels`.
    lcm_bus: str = ""
    # What to command, when.
    commands: list[TimedCommand] = dc.field(default_factory=list)
    # A Webots controller in Python, instead of or beside the commands; relative
    # to the scenario file.
    controller: str = ""
    controller_args: list[str] = dc.field(default_factory=list)
