"""An arm of three joints with data sheets of its motors, and a log of it."""

import numpy as np
import yaml

from webmotor_drake.fitting.robot_log import RobotLog

JOINTS = ("waist", "shoulder", "elbow")
SHEET = {
    "torque_constant": 0.042,
    "resistance": 0.6,
    "supply_voltage": 24,
    "gear_ratio": 50,
    "rotor_inertia": 4e-6,
}
ROTOR = 0.01  # kg m², at the joint: that inertia times 50²


def _link(name):
    return (
        f'<link name="{name}"><inertial><origin xyz="0.1 0 0"/><mass value="1"/>'
        '<inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/>'
        "</inertial></link>"
    )


def _joint(name, parent, child, axis):
    return (
        f'<joint name="{name}" type="continuous"><parent link="{parent}"/>'
        f'<child link="{child}"/><origin xyz="0.2 0 0"/><axis xyz="{axis}"/>'
        '<limit effort="20" velocity="6"/></joint>'
    )


URDF = (
    '<robot name="arm"><link name="base"/>'
    + "".join(map(_link, ("a", "b", "c")))
    + _joint("waist", "base", "a", "0 0 1")
    + _joint("shoulder", "a", "b", "0 1 0")
    + _joint("elbow", "b", "c", "0 1 0")
    + "</robot>"
)


def write_arm(folder):
    """Writes the arm's scenario, as its engineer has it; returns the file."""
    (folder / "arm.urdf").write_text(URDF)
    motors = {
        joint: {
            "joint": joint,
            "max_torque": 20,
            "max_velocity": 6,
            "dc_motor": SHEET,
        }
        for joint in JOINTS
    }
    scenario = {
        "simulation_duration": 0.016,
        "plant_config": {"time_step": 0.008},
        "directives": [
            {"add_model": {"name": "arm", "file": "arm.urdf"}},
            {"add_weld": {"parent": "world", "child": "arm::base"}},
        ],
        "model_drivers": {
            "arm": {
                "basic_time_step": 0.008,
                "motor_model": "dc_motor",
                "motors": motors,
                "position_sensors": {
                    f"{j} sensor": {"joint": j} for j in JOINTS
                },
            }
        },
    }
    text = yaml.safe_dump({"Arm": scenario}, sort_keys=False)
    tags = {"arm": "WebotsMotorDriver"}
    tags |= dict.fromkeys(JOINTS, "RotationalMotor")
    for name, tag in tags.items():
        text = text.replace(f" {name}:\n", f" {name}: !{tag}\n")
    file = folder / "arm.scenario.yaml"
    file.write_text(text)
    return file


def log_of_arm():
    """Returns 0.3 s of all three joints that follow sines."""
    time = np.arange(0, 0.3, 0.02)
    signals = {}
    for i, joint in enumerate(JOINTS):
        target = 0.3 * np.sin((4 + i) * time)
        signals[joint, "target"] = target
        # Somewhat late, as a loop is.
        signals[joint, "position"] = 0.3 * np.sin((4 + i) * (time - 0.05))
    return RobotLog(time, signals)
