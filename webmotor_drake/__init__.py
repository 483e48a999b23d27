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
    "ApplyDriverConfig": "drive.driver",
    "ApplyDriverConfigToMany": "drive.many_robots",
    "BallJoint": "nodes.joints",
    "Brake": "nodes.joints",
    "Camera": "nodes.images",
    "Comparison": "comparison.comparison",
    "Compass": "nodes.body_sensors",
    "DcMotor": "nodes.motor_models",
    "DirectionalLight": "nodes.lights",
    "Display": "nodes.images",
    "DistanceSensor": "nodes.distance",
    "Elastic": "nodes.motor_models",
    "Emitter": "nodes.radio",
    "Evaluation": "fitting.evaluation",
    "FitSettings": "fitting.solve",
    "Friction": "nodes.motor_models",
    "GPS": "nodes.body_sensors",
    "Gyro": "nodes.body_sensors",
    "Hinge2Joint": "nodes.joints",
    "InertialUnit": "nodes.body_sensors",
    "InputError": "errors",
    "JointParameters": "nodes.joints",
    "JointWrenches": "drive.joint_wrenches",
    "LED": "nodes.radio",
    "Learned": "nodes.motor_models",
    "Lidar": "nodes.images",
    "LightSensor": "nodes.lights",
    "LinearMotor": "nodes.motors",
    "Linearization": "simulation.linearize",
    "LivePage": "view.live_page",
    "MODELS": "data",
    "ModelRank": "fitting.ranking",
    "MotorFit": "fitting.motor_fit",
    "MotorLoop": "simulation.motor_loop",
    "MotorStepper": "simulation.motor_stepper",
    "MotorSystem": "drive.motor_system",
    "MotorWarning": "errors",
    "ParameterSpec": "fitting.parameter",
    "Pd": "nodes.motor_models",
    "PointLight": "nodes.lights",
    "Pose": "nodes.device",
    "PositionSensor": "nodes.joints",
    "RangeFinder": "nodes.images",
    "Receiver": "nodes.radio",
    "Recognition": "nodes.images",
    "Results": "results.results",
    "RobotLog": "fitting.robot_log",
    "RobotSession": "controllers.session",
    "RotationalMotor": "nodes.motors",
    "RunInterrupted": "interrupts",
    "SCENARIOS": "data",
    "Scenario": "scenario.scenario",
    "Servo": "nodes.servo",
    "SimulationError": "errors",
    "SpotLight": "nodes.lights",
    "Study": "sweep.study",
    "SweepRuns": "sweep.runs",
    "Thermal": "nodes.motor_models",
    "TimedCommand": "motor.commands",
    "TouchSensor": "nodes.distance",
    "WebmotorError": "errors",
    "WebotsMotorDriver": "drive.driver",
    "Zoom": "nodes.images",
    "add_ball_joint": "drive.multi_axis_joints",
    "add_forces": "drive.external_forces",
    "add_hinge2_joint": "drive.multi_axis_joints",
    "add_models": "scenario.add_models",
    "add_packages": "scenario.directives",
    "build_diagram": "simulation.diagram",
    "compare": "comparison.comparison_run",
    "configure_actuators": "drive.driver",
    "configure_contact": "contact.configure",
    "evaluate": "fitting.evaluation",
    "fit": "fitting.fit",
    "linearize": "simulation.linearize",
    "load_log": "fitting.log_file",
    "load_motion": "results.motion_file",
    "load_scenario": "worlds.load",
    "load_study": "sweep.study",
    "rank_models": "fitting.ranking",
    "replay": "view.replay",
    "run": "runner",
    "run_study": "sweep.study_run",
    "write_motion": "results.motion_file",
    "write_sound": "results.sound",
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
