"""What Webots says its nodes are: fields, units, defaults, and the rules at them."""

from webmotor_drake.nodes.body_sensors import (
    GPS,
    Accelerometer,
    Altimeter,
    Compass,
    Gyro,
    InertialUnit,
    Pose,
)
from webmotor_drake.nodes.distance import DistanceSensor, TouchSensor
from webmotor_drake.nodes.images import (
    Camera,
    Display,
    Lidar,
    RangeFinder,
    Recognition,
    Zoom,
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
    MotorNode,
    Muscle,
    PositionSensor,
    RotationalMotor,
    Servo,
    max_effort,
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

__all__ = [
    "GPS",
    "LED",
    "Accelerometer",
    "Altimeter",
    "BallJoint",
    "Brake",
    "Camera",
    "Compass",
    "Connector",
    "DirectionalLight",
    "Display",
    "DistanceSensor",
    "Emitter",
    "Gyro",
    "Hinge2Joint",
    "InertialUnit",
    "JointParameters",
    "Lidar",
    "LightSensor",
    "LinearMotor",
    "MotorNode",
    "Muscle",
    "Pen",
    "PointLight",
    "Pose",
    "PositionSensor",
    "Radar",
    "RangeFinder",
    "Receiver",
    "Recognition",
    "RotationalMotor",
    "Servo",
    "Skin",
    "Speaker",
    "SpotLight",
    "TouchSensor",
    "VacuumGripper",
    "Zoom",
    "max_effort",
]
