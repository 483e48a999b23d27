"""Webots motors on Drake."""

import importlib

_HOME = {
    "ApplyDriverConfig": "motor_driver",
    "ApplyDriverConfigToMany": "many_robots",
    "Comparison": "comparison",
    "InputError": "errors",
    "JointParameters": "nodes",
    "JointWrenches": "joint_wrenches",
    "LinearMotor": "nodes",
    "MotorSystem": "motor_system",
    "MotorWarning": "errors",
    "RobotSession": "robot.session",
    "Results": "results",
    "RotationalMotor": "nodes",
    "Scenario": "scenario",
    "SimulationError": "errors",
    "TimedCommand": "commands",
    "Servo": "nodes",
    "WebmotorError": "errors",
    "WebotsMotorDriver": "motor_driver",
    "add_ball_joint": "multi_axis_joints",
    "add_hinge2_joint": "multi_axis_joints",
    "build_diagram": "diagram",
    "compare": "comparison_run",
    "configure_actuators": "motor_driver",
    "read_motion": "motion_file",
    "write_motion": "motion_file",
    "load_scenario": "scenario",
    "run": "simulation",
}
__all__ = sorted(_HOME)


def __getattr__(name: str) -> object:
    """Imports what is asked for: Drake takes its time, `--help` shouldn't."""
    if name in _HOME:
        module = importlib.import_module(f"webmotor_drake.{_HOME[name]}")
        return getattr(module, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
