"""The fields of the YAML driver: a model's motors, and what is around them."""

import dataclasses as dc

from webmotor_drake.motor.commands import TimedCommand
from webmotor_drake.nodes.body_sensors import (
    GPS,
    Accelerometer,
    Altimeter,
    Compass,
    Gyro,
    InertialUnit,
)
from webmotor_drake.nodes.distance import DistanceSensor, TouchSensor
from webmotor_drake.nodes.images import (
    Camera,
    Display,
    Lidar,
    RangeFinder,
)
from webmotor_drake.nodes.joints import BallJoint, Hinge2Joint
from webmotor_drake.nodes.lights import (
    DirectionalLight,
    LightSensor,
    PointLight,
    SpotLight,
)
from webmotor_drake.nodes.motors import (
    Brake,
    JointParameters,
    LinearMotor,
    PositionSensor,
    RotationalMotor,
    Servo,
)
from webmotor_drake.nodes.radio import LED, Emitter, Receiver
from webmotor_drake.nodes.unsimulated import (
    Connector,
    Pen,
    Radar,
    Skin,
    Speaker,
    VacuumGripper,
)

# What `devices` may hold.
Device = (
    GPS
    | InertialUnit
    | Gyro
    | Accelerometer
    | Compass
    | DistanceSensor
    | TouchSensor
    | LightSensor
    | LED
    | Emitter
    | Receiver
    | Camera
    | RangeFinder
    | Lidar
    | Display
    | Altimeter
    | Connector
    | Pen
    | Radar
    | Skin
    | Speaker
    | VacuumGripper
)

DRIVES = ("auto", "torque", "implicit", "kinematic")

AnyLight = PointLight | SpotLight | DirectionalLight


@dc.dataclass
class DriverConfig:
    """The motors of a model instance, as Webots describes them.

    Attributes:
        basic_time_step: period of the motor law, a multiple of the plant's time
            step, s (Webots' WorldInfo.basicTimeStep). None: the plant's time
            step.
        drive: what moves the joints: "torque" (exact where nothing touches the
            driven bodies), "implicit" (solved with contacts), "auto" (one of
            these), or "kinematic" (joints that simply move, as in Webots
            without Physics).
        cfm: softness of the velocity servos, rad/s/(N m) or m/s/N
            (WorldInfo.CFM).
        delay: how long commands take to the motors, s; not a multiple of
            anything, see `CommandDelay`. Brakes get theirs at once.
        motors: the motors by name; their order is Webots' device order.
        joints: stops, springs, dampers and friction by the name of the joint.
        multi_axis_joints: joints of two and three axes to add to the model, by
            name; motors, `joints` and so on name their parts "<name>_1" to
            "<name>_3".
        position_sensors: for controllers, by name.
        brakes: by name; `commands` and controllers set them.
        devices: sensors and other devices for controllers, by name; in the order
            of Webots' tags they come after motors, position sensors and brakes.
        lights: what LightSensors of all robots see, by name.
        battery: energy at the start (J), capacity (J), recharge (W); empty: no
            battery.
        cpu_consumption: drawn from the battery always, W.
        reaction_forces: whether to record the reaction wrenches of the motors'
            joints (Drake's `reaction_forces`; see `JointWrenches`). The plant's
            output ports have to be sampled, which costs time.
        self_collision: whether the model's bodies, and those mounted on it,
            collide with each other (Robot.selfCollision, false in Webots).
            None: they do, with a warning if they overlap at the start.
        lcm_bus: the LCM bus, of `lcm_buses`, by which others command the motors
            and see them, as Drake's own drivers have it; empty: none. See
            `add_channels`.
        commands: what to command, when.
        controller: a Webots controller in Python, instead of or beside the
            commands; relative to the scenario file.
        controller_args: what the controller finds in sys.argv after its name.
        supervisor: whether its controller may see and change all of the world
            (Robot.supervisor). A driver whose name is no model's is then a
            robot without a body.
    """

    basic_time_step: float | None = None
    drive: str = "auto"
    cfm: float = 1e-5
    delay: float = 0.0
    motors: dict[str, RotationalMotor | LinearMotor | Servo] = dc.field(
        default_factory=dict[str, RotationalMotor | LinearMotor | Servo]
    )
    joints: dict[str, JointParameters] = dc.field(
        default_factory=dict[str, JointParameters]
    )
    multi_axis_joints: dict[str, Hinge2Joint | BallJoint] = dc.field(
        default_factory=dict[str, Hinge2Joint | BallJoint]
    )
    position_sensors: dict[str, PositionSensor] = dc.field(
        default_factory=dict[str, PositionSensor]
    )
    brakes: dict[str, Brake] = dc.field(default_factory=dict[str, Brake])
    devices: dict[str, Device] = dc.field(default_factory=dict[str, Device])
    lights: dict[str, AnyLight] = dc.field(default_factory=dict[str, AnyLight])
    battery: list[float] = dc.field(default_factory=list[float])
    cpu_consumption: float = 10.0
    reaction_forces: bool = False
    self_collision: bool | None = None
    lcm_bus: str = ""
    commands: list[TimedCommand] = dc.field(default_factory=list[TimedCommand])
    controller: str = ""
    controller_args: list[str] = dc.field(default_factory=list[str])
    supervisor: bool = False
