"""The public names, and where they are; see `public_names`."""

from webmotor_drake.controllers.devices.ansi_codes import AnsiCodes as AnsiCodes
from webmotor_drake.controllers.devices.body_sensors import (
    GPS as GPS,
    Accelerometer as Accelerometer,
    Altimeter as Altimeter,
    Compass as Compass,
    Gyro as Gyro,
    InertialUnit as InertialUnit,
)
from webmotor_drake.controllers.devices.camera import Camera as Camera
from webmotor_drake.controllers.devices.connector import (
    Connector as Connector,
    VacuumGripper as VacuumGripper,
)
from webmotor_drake.controllers.devices.device import (
    Device as Device,
    Sensor as Sensor,
)
from webmotor_drake.controllers.devices.display import Display as Display
from webmotor_drake.controllers.devices.field import Field as Field
from webmotor_drake.controllers.devices.joint_devices import (
    Brake as Brake,
    Motor as Motor,
    PositionSensor as PositionSensor,
    Servo as Servo,
)
from webmotor_drake.controllers.devices.keyboard import Keyboard as Keyboard
from webmotor_drake.controllers.devices.motion import Motion as Motion
from webmotor_drake.controllers.devices.moving_node import (
    ContactPoint as ContactPoint,
)
from webmotor_drake.controllers.devices.radio import (
    Emitter as Emitter,
    Receiver as Receiver,
)
from webmotor_drake.controllers.devices.ranging import (
    Lidar as Lidar,
    LidarPoint as LidarPoint,
    Radar as Radar,
    RangeFinder as RangeFinder,
)
from webmotor_drake.controllers.devices.robot import Robot as Robot
from webmotor_drake.controllers.devices.scene_node import Node as Node
from webmotor_drake.controllers.devices.sight import (
    DistanceSensor as DistanceSensor,
    LightSensor as LightSensor,
    TouchSensor as TouchSensor,
)
from webmotor_drake.controllers.devices.signs import (
    LED as LED,
    Pen as Pen,
    Speaker as Speaker,
)
from webmotor_drake.controllers.devices.supervisor import (
    Supervisor as Supervisor,
)
from webmotor_drake.controllers.devices.unsimulated import (
    Joystick as Joystick,
    Mouse as Mouse,
    MouseState as MouseState,
    Skin as Skin,
)
from webmotor_drake.controllers.in_process.controller_file import (
    Controller as Controller,
    ControllerError as ControllerError,
    load_controller as load_controller,
    set_controller as set_controller,
)
from webmotor_drake.controllers.in_process.controller_run import (
    run_controllers as run_controllers,
    run_with_controllers as run_with_controllers,
)
from webmotor_drake.controllers.session import RobotSession as RobotSession
from webmotor_drake.host.senses.radar import RadarTarget as RadarTarget
from webmotor_drake.host.senses.recognition import (
    CameraRecognitionObject as CameraRecognitionObject,
)
