"""Webots motors on Drake."""

import importlib

_HOME = {
    "Accelerometer": "motor.device_nodes",
    "Altimeter": "motor.device_nodes",
    "Compass": "motor.device_nodes",
    "GPS": "motor.device_nodes",
    "Gyro": "motor.device_nodes",
    "InertialUnit": "motor.device_nodes",
    "Pose": "motor.device_nodes",
    "DistanceSensor": "motor.distance_nodes",
    "TouchSensor": "motor.distance_nodes",
    "LightSensor": "motor.light_nodes",
    "PointLight": "motor.light_nodes",
    "SpotLight": "motor.light_nodes",
    "DirectionalLight": "motor.light_nodes",
    "Emitter": "motor.radio_nodes",
    "Receiver": "motor.radio_nodes",
    "LED": "motor.radio_nodes",
    "Camera": "motor.image_nodes",
    "Recognition": "motor.image_nodes",
    "Zoom": "motor.image_nodes",
    "RangeFinder": "motor.image_nodes",
    "Lidar": "motor.image_nodes",
    "Display": "motor.image_nodes",
    "Connector": "motor.unsimulated_nodes",
    "Pen": "motor.unsimulated_nodes",
    "Radar": "motor.unsimulated_nodes",
    "Skin": "motor.unsimulated_nodes",
    "Speaker": "motor.unsimulated_nodes",
    "VacuumGripper": "motor.unsimulated_nodes",
    "ApplyDriverConfig": "drive.driver",
    "ApplyDriverConfigToMany": "drive.many_robots",
    "BallJoint": "motor.joint_nodes",
    "Brake": "motor.nodes",
    "Comparison": "comparison.comparison",
    "Fit": "fitting.outcome",
    "Hinge2Joint": "motor.joint_nodes",
    "InputError": "errors",
    "JointParameters": "motor.nodes",
    "JointWrenches": "drive.joint_wrenches",
    "LinearMotor": "motor.nodes",
    "Log": "fitting.log",
    "MODELS": "data",
    "MotorStepper": "simulation.motor_stepper",
    "MotorSystem": "drive.motor_system",
    "MotorWarning": "errors",
    "PositionSensor": "motor.nodes",
    "RobotSession": "robot.session",
    "Results": "results.results",
    "Runs": "sweep.runs",
    "Study": "sweep.study",
    "RotationalMotor": "motor.nodes",
    "SCENARIOS": "data",
    "Scenario": "scenario.scenario",
    "SimulationError": "errors",
    "TimedCommand": "motor.commands",
    "Servo": "motor.nodes",
    "WebmotorError": "errors",
    "WebotsMotorDriver": "drive.driver",
    "add_ball_joint": "drive.multi_axis_joints",
    "add_hinge2_joint": "drive.multi_axis_joints",
    "add_packages": "scenario.directives",
    "build_diagram": "simulation.diagram",
    "compare": "comparison.comparison_run",
    "configure_actuators": "drive.driver",
    "fit": "fitting.fit",
    "read_log": "fitting.log_file",
    "read_motion": "results.motion_file",
    "write_motion": "results.motion_file",
    "write_sound": "results.sound",
    "load_scenario": "scenario.load",
    "load_study": "sweep.study",
    "replay": "view.replay",
    "run": "runner",
    "run_study": "sweep.study_run",
    "write_video": "view.video",
}
__all__ = sorted([*_HOME, "__version__"])


def __getattr__(name: str) -> object:
    """Imports what is asked for: Drake takes its time, `--help` shouldn't."""
    if name in _HOME:
        module = importlib.import_module(f"webmotor_drake.{_HOME[name]}")
        return getattr(module, name)
    if name == "__version__":
        from importlib.metadata import version  # it costs more than all else

        return version("webmotor-drake")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
