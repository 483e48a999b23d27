"""Webots' controller API for robots in Drake.

Controllers written for Webots run unmodified; see `run_with_controllers` for files and
`RobotSession` for programs and notebooks.
"""

import importlib

_HOME = {
    "Altimeter": "devices.body_sensors",
    "Connector": "devices.unsimulated",
    "Pen": "devices.unsimulated",
    "Radar": "devices.unsimulated",
    "Skin": "devices.unsimulated",
    "Speaker": "devices.unsimulated",
    "VacuumGripper": "devices.unsimulated",
    "Mouse": "devices.unsimulated",
    "MouseState": "devices.unsimulated",
    "Joystick": "devices.unsimulated",
    "RadarTarget": "devices.unsimulated",
    "Camera": "devices.camera",
    "RangeFinder": "devices.ranging",
    "Lidar": "devices.ranging",
    "Display": "devices.display",
    "CameraRecognitionObject": "devices.camera",
    "LidarPoint": "devices.ranging",
    "DistanceSensor": "devices.sight",
    "LightSensor": "devices.sight",
    "TouchSensor": "devices.sight",
    "Emitter": "devices.radio",
    "Receiver": "devices.radio",
    "LED": "devices.led",
    "Accelerometer": "devices.body_sensors",
    "AnsiCodes": "devices.ansi_codes",
    "Brake": "devices.joint_devices",
    "Compass": "devices.body_sensors",
    "ContactPoint": "devices.contact_point",
    "Controller": "controllers.controller_file",
    "ControllerError": "controllers.controller_file",
    "Device": "devices.device",
    "Field": "devices.field",
    "GPS": "devices.body_sensors",
    "Gyro": "devices.body_sensors",
    "InertialUnit": "devices.body_sensors",
    "Keyboard": "devices.keyboard",
    "Motion": "devices.motion",
    "Motor": "devices.joint_devices",
    "Node": "devices.scene_node",
    "PositionSensor": "devices.joint_devices",
    "Robot": "devices.robot",
    "RobotSession": "session",
    "Sensor": "devices.device",
    "Servo": "devices.servo",
    "Supervisor": "devices.supervisor",
    "load_controller": "controllers.controller_file",
    "run_controllers": "controllers.controller_run",
    "run_with_controllers": "controllers.controller_run",
    "set_controller": "controllers.scenario_controllers",
}
__all__ = sorted(_HOME)


def __getattr__(name: str) -> object:
    """Imports what is asked for."""
    if name in _HOME:
        module = importlib.import_module(f"{__name__}.{_HOME[name]}")
        return getattr(module, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
