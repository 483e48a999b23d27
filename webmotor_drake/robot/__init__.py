"""Webots' controller API for robots in Drake.

Controllers written for Webots run unmodified; see `run_with_controllers` for files and
`RobotSession` for programs and notebooks.
"""

import importlib

_HOME = {
    "Altimeter": "controllers.devices.body_sensors",
    "Connector": "controllers.devices.connector",
    "Pen": "controllers.devices.unsimulated",
    "Radar": "controllers.devices.unsimulated",
    "Skin": "controllers.devices.unsimulated",
    "Speaker": "controllers.devices.unsimulated",
    "VacuumGripper": "controllers.devices.unsimulated",
    "Mouse": "controllers.devices.unsimulated",
    "MouseState": "controllers.devices.unsimulated",
    "Joystick": "controllers.devices.unsimulated",
    "RadarTarget": "controllers.devices.unsimulated",
    "Camera": "controllers.devices.camera",
    "RangeFinder": "controllers.devices.ranging",
    "Lidar": "controllers.devices.ranging",
    "Display": "controllers.devices.display",
    "CameraRecognitionObject": "controllers.devices.camera",
    "LidarPoint": "controllers.devices.ranging",
    "DistanceSensor": "controllers.devices.sight",
    "LightSensor": "controllers.devices.sight",
    "TouchSensor": "controllers.devices.sight",
    "Emitter": "controllers.devices.radio",
    "Receiver": "controllers.devices.radio",
    "LED": "controllers.devices.led",
    "Accelerometer": "controllers.devices.body_sensors",
    "AnsiCodes": "controllers.devices.ansi_codes",
    "Brake": "controllers.devices.joint_devices",
    "Compass": "controllers.devices.body_sensors",
    "ContactPoint": "controllers.devices.contact_point",
    "Controller": "controllers.in_process.controller_file",
    "ControllerError": "controllers.in_process.controller_file",
    "Device": "controllers.devices.device",
    "Field": "controllers.devices.field",
    "GPS": "controllers.devices.body_sensors",
    "Gyro": "controllers.devices.body_sensors",
    "InertialUnit": "controllers.devices.body_sensors",
    "Keyboard": "controllers.devices.keyboard",
    "Motion": "controllers.devices.motion",
    "Motor": "controllers.devices.joint_devices",
    "Node": "controllers.devices.scene_node",
    "PositionSensor": "controllers.devices.joint_devices",
    "Robot": "controllers.devices.robot",
    "RobotSession": "controllers.session",
    "Sensor": "controllers.devices.device",
    "Servo": "controllers.devices.servo",
    "Supervisor": "controllers.devices.supervisor",
    "load_controller": "controllers.in_process.controller_file",
    "run_controllers": "controllers.in_process.controller_run",
    "run_with_controllers": "controllers.in_process.controller_run",
    "set_controller": "controllers.in_process.scenario_controllers",
}
__all__ = sorted(_HOME)


def __getattr__(name: str) -> object:
    """Imports what is asked for."""
    if name in _HOME:
        module = importlib.import_module(f"webmotor_drake.{_HOME[name]}")
        return getattr(module, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
