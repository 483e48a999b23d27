"""The class of each type of device."""

from webmotor_drake.controllers.devices.body_sensors import (
    GPS,
    Accelerometer,
    Altimeter,
    Compass,
    Gyro,
    InertialUnit,
)
from webmotor_drake.controllers.devices.camera import Camera
from webmotor_drake.controllers.devices.device import Device
from webmotor_drake.controllers.devices.display import Display
from webmotor_drake.controllers.devices.joint_devices import (
    Brake,
    Motor,
    PositionSensor,
)
from webmotor_drake.controllers.devices.led import LED
from webmotor_drake.controllers.devices.radio import Emitter, Receiver
from webmotor_drake.controllers.devices.ranging import Lidar, RangeFinder
from webmotor_drake.controllers.devices.sight import (
    DistanceSensor,
    LightSensor,
    TouchSensor,
)
from webmotor_drake.controllers.devices.unsimulated import (
    Connector,
    Pen,
    Radar,
    Skin,
    Speaker,
    VacuumGripper,
)
from webmotor_drake.nodes.node_types import Node

# By the number of the type, as in Node.GPS.
DEVICE_CLASSES: dict[int, type[Device]] = {
    Node.ACCELEROMETER: Accelerometer,
    Node.BRAKE: Brake,
    Node.COMPASS: Compass,
    Node.GPS: GPS,
    Node.GYRO: Gyro,
    Node.INERTIAL_UNIT: InertialUnit,
    Node.LINEAR_MOTOR: Motor,
    Node.POSITION_SENSOR: PositionSensor,
    Node.ROTATIONAL_MOTOR: Motor,
    Node.CAMERA: Camera,
    Node.RANGE_FINDER: RangeFinder,
    Node.LIDAR: Lidar,
    Node.DISPLAY: Display,
    Node.DISTANCE_SENSOR: DistanceSensor,
    Node.LIGHT_SENSOR: LightSensor,
    Node.TOUCH_SENSOR: TouchSensor,
    Node.EMITTER: Emitter,
    Node.RECEIVER: Receiver,
    Node.LED: LED,
    Node.ALTIMETER: Altimeter,
    Node.CONNECTOR: Connector,
    Node.PEN: Pen,
    Node.RADAR: Radar,
    Node.SKIN: Skin,
    Node.SPEAKER: Speaker,
    Node.VACUUM_GRIPPER: VacuumGripper,
}
