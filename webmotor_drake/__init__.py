"""Webots motors on Drake.

Motors as Webots describes them, as the drivers of a MultibodyPlant.

Example:
    ::

        import webmotor_drake as wm

        results = wm.run("package:two_link_arm")
        print(results["arm/elbow motor/position"][-1])

Scenarios: `load_scenario`, `run`, `compare`, `run_study`, `fit`, `evaluate`. A diagram
of your own: `WebotsMotorDriver`, `configure_actuators`, `ApplyDriverConfig`. A Webots
controller in your program: `RobotSession`. The command line is `webmotor --help`, the
documentation is in docs/.
"""

import importlib

_HOME = {
    "Accelerometer": "nodes.body_sensors",
    "Altimeter": "nodes.body_sensors",
    "Compass": "nodes.body_sensors",
    "GPS": "nodes.body_sensors",
    "Gyro": "nodes.body_sensors",
    "InertialUnit": "nodes.body_sensors",
    "Pose": "nodes.device",
    "DistanceSensor": "nodes.distance",
    "TouchSensor": "nodes.distance",
    "LightSensor": "nodes.lights",
    "PointLight": "nodes.lights",
    "SpotLight": "nodes.lights",
    "DirectionalLight": "nodes.lights",
    "Emitter": "nodes.radio",
    "Receiver": "nodes.radio",
    "LED": "nodes.radio",
    "Camera": "nodes.images",
    "Recognition": "nodes.images",
    "Zoom": "nodes.images",
    "RangeFinder": "nodes.images",
    "Lidar": "nodes.images",
    "Display": "nodes.images",
    "ApplyDriverConfig": "drive.driver",
    "ApplyDriverConfigToMany": "drive.many_robots",
    "BallJoint": "nodes.joints",
    "Brake": "nodes.motors",
    "Comparison": "comparison.comparison",
    "DcMotor": "nodes.motor_models",
    "Elastic": "nodes.motor_models",
    "Evaluation": "fitting.evaluation",
    "MotorFit": "fitting.motor_fit",
    "FitSettings": "fitting.solve",
    "Friction": "nodes.motor_models",
    "Hinge2Joint": "nodes.joints",
    "InputError": "errors",
    "JointParameters": "nodes.motors",
    "JointWrenches": "drive.joint_wrenches",
    "Learned": "nodes.motor_models",
    "LinearMotor": "nodes.motors",
    "LivePage": "view.live_page",
    "RobotLog": "fitting.robot_log",
    "MODELS": "data",
    "ModelRank": "fitting.ranking",
    "MotorLoop": "simulation.motor_loop",
    "MotorStepper": "simulation.motor_stepper",
    "MotorSystem": "drive.motor_system",
    "MotorWarning": "errors",
    "ParameterSpec": "fitting.parameter",
    "Pd": "nodes.motor_models",
    "PositionSensor": "nodes.motors",
    "RobotSession": "controllers.session",
    "Results": "results.results",
    "RunInterrupted": "runner",
    "Runs": "sweep.runs",
    "Study": "sweep.study",
    "RotationalMotor": "nodes.motors",
    "SCENARIOS": "data",
    "Scenario": "scenario.scenario",
    "SimulationError": "errors",
    "Thermal": "nodes.motor_models",
    "TimedCommand": "motor.commands",
    "Servo": "nodes.motors",
    "WebmotorError": "errors",
    "WebotsMotorDriver": "drive.driver",
    "add_ball_joint": "drive.multi_axis_joints",
    "add_hinge2_joint": "drive.multi_axis_joints",
    "add_models": "scenario.add_models",
    "add_forces": "drive.external_forces",
    "add_packages": "scenario.directives",
    "build_diagram": "simulation.diagram",
    "compare": "comparison.comparison_run",
    "configure_actuators": "drive.driver",
    "configure_contact": "contact.configure",
    "evaluate": "fitting.evaluation",
    "fit": "fitting.fit",
    "load_log": "fitting.log_file",
    "load_motion": "results.motion_file",
    "write_motion": "results.motion_file",
    "write_sound": "results.sound",
    "Linearization": "simulation.linearize",
    "linearize": "simulation.linearize",
    "load_scenario": "worlds.load",
    "load_study": "sweep.study",
    "rank_models": "fitting.ranking",
    "replay": "view.replay",
    "run": "runner",
    "run_study": "sweep.study_run",
    "write_video": "view.video",
}
__all__ = sorted([*_HOME, "__version__", "nodes"])
# Rooms with names of their own; `gym` needs its extra.
_ROOMS = ("gym", "nodes")


def __getattr__(name: str) -> object:
    """Imports what is asked for: Drake takes its time, `--help` shouldn't."""
    if name in _HOME:
        module = importlib.import_module(f"webmotor_drake.{_HOME[name]}")
        return getattr(module, name)
    if name in _ROOMS:
        return importlib.import_module(f"webmotor_drake.{name}")
    if name == "__version__":
        from importlib.metadata import version  # it costs more than all else

        return version("webmotor-drake")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
