"""The fields of the YAML driver: a model's motors, devices and carriers."""

from collections.abc import Mapping

from webmotor_drake.motor.commands import TimedCommand
from webmotor_drake.nodes import (
    BallJoint,
    Brake,
    DirectionalLight,
    Hinge2Joint,
    JointParameters,
    LinearMotor,
    Loop,
    PointLight,
    PositionSensor,
    RotationalMotor,
    Servo,
    SpotLight,
)
from webmotor_drake.nodes.device import DeviceNode, hold_devices
from webmotor_drake.nodes.field import field, node
from webmotor_drake.nodes.joints import Propeller, Track
from webmotor_drake.nodes.motor_models import MODELS
from webmotor_drake.nodes.rules import AT_LEAST_0, one_of, within

# Longest delay, s: all commands on their way are kept.
_LONGEST_DELAY = 10.0
DRIVES = ("auto", "torque", "implicit", "kinematic")

AnyLight = PointLight | SpotLight | DirectionalLight


@node
class DriverConfig:
    """The motors of a model instance, as Webots describes them."""

    basic_time_step: float | None = field(
        None,
        "period of the motor law, a multiple of the plant's time step (Webots'"
        " WorldInfo.basicTimeStep); default: the plant's time step",
        unit="s",
    )
    drive: str = field(
        "auto",
        'the mover of the joints: "torque" (exact where nothing touches the driven'
        ' bodies), "implicit" (solved with contacts), "auto" (one of these), or'
        ' "kinematic" (joints that simply move, as in Webots without Physics)',
        rule=one_of(*DRIVES, kind="drive"),
    )
    cfm: float = field(
        1e-5,
        "softness of the velocity servos (WorldInfo.CFM)",
        unit="rad/s/(N m) or m/s/N",
        rule=AT_LEAST_0,
    )
    motor_model: str = field(
        "webots",
        "kind of these motors, see Motor models; a motor's own `motor_model`"
        " counts before it",
        rule=one_of(*MODELS, kind="motor model"),
    )
    delay: float = field(
        0.0,
        "time that commands take to the motors; not a multiple of anything: a target"
        " that arrives within a motor step acts in it by its average over the step;"
        " brakes get theirs at once",
        unit="s",
        rule=within(0, _LONGEST_DELAY),
    )
    motors: Mapping[str, RotationalMotor | LinearMotor | Servo] = field(
        dict[str, RotationalMotor | LinearMotor | Servo](),
        "the motors by name",
    )
    joints: Mapping[str, JointParameters] = field(
        dict[str, JointParameters](),
        "stops, springs, dampers and friction by the name of the joint",
    )
    multi_axis_joints: Mapping[str, Hinge2Joint | BallJoint] = field(
        dict[str, Hinge2Joint | BallJoint](),
        "joints of two and three axes to add to the model, by name; motors, `joints`"
        ' and so on name their parts "<name>_1" to "<name>_3"',
    )
    loops: Mapping[str, Loop] = field(
        dict[str, Loop](),
        "joints that close a chain, by name; a discrete plant holds them",
    )
    propellers: Mapping[str, Propeller] = field(
        dict[str, Propeller](),
        "by the name of their joint, which is added unless the model has it; motors"
        " name it",
    )
    tracks: Mapping[str, Track] = field(
        dict[str, Track](),
        "by the name of the joint of their travel, which is added; motors name it",
    )
    position_sensors: Mapping[str, PositionSensor] = field(
        dict[str, PositionSensor](), "for controllers, by name"
    )
    brakes: Mapping[str, Brake] = field(
        dict[str, Brake](), "by name; `commands` and controllers set them"
    )
    devices: Mapping[str, DeviceNode] = field(
        dict[str, DeviceNode](),
        "sensors and other devices for controllers, by name",
    )
    device_order: list[str] = field(
        list[str](),
        "names of devices as controllers count them (getDeviceByIndex); those that are"
        " not named follow: motors, position sensors, brakes, others",
    )
    lights: Mapping[str, AnyLight] = field(
        dict[str, AnyLight](),
        "lights that LightSensors of all robots see, by name",
    )
    battery: list[float] = field(
        list[float](),
        "energy at the start (J), capacity (J), recharge (W); empty: no battery",
    )
    cpu_consumption: float = field(
        10.0, "drawn from the battery always", unit="W"
    )
    reaction_forces: bool = field(
        False,
        "True to record the reaction wrenches of the motors' joints (Drake's"
        " `reaction_forces`; see `JointWrenches`); the plant's output ports have to be"
        " sampled, which costs time",
    )
    self_collision: bool | None = field(
        None,
        "True if the model's bodies, and those mounted on it, collide with each other"
        " (Robot.selfCollision, false in Webots); none: they do, with a warning if"
        " they overlap at the start",
    )
    lcm_bus: str = field(
        "",
        "the LCM bus, of `lcm_buses`, by which others command the motors and see"
        " them, as Drake's own drivers have it; empty: none; see `add_channels`",
    )
    commands: list[TimedCommand] = field(
        list[TimedCommand](), "commands with their times"
    )
    controller: str = field(
        "",
        "a Webots controller in Python, instead of or beside the commands; relative"
        " to the scenario file",
    )
    controller_args: list[str] = field(
        list[str](),
        "arguments that the controller finds in sys.argv after its name",
    )
    synchronization: bool = field(
        True,
        "True if the simulation waits for its controller (Robot.synchronization); one"
        " in Python in this process is always waited for",
    )
    custom_data: str = field(
        "", "text that the controller finds at the start (Robot.customData)"
    )
    robot_name: str = field(
        "",
        "name that the controller finds (Robot.name); empty: the model's. Two robots"
        " may have one",
    )
    model: str = field("", "the text that Robot.getModel gives (Solid.model)")
    supervisor: bool = field(
        False,
        "True if its controller may see and change all of the world"
        " (Robot.supervisor); a driver whose name is no model's is then a robot"
        " without a body",
    )


hold_devices(DriverConfig)
# The fields that are tables of entries by name.
TABLES = tuple(
    name
    for name, value in vars(DriverConfig()).items()
    if isinstance(value, dict)
)
# The tables of devices in the order in which controllers count them by default.
COUNTED = ("motors", "position_sensors", "brakes", "devices")
