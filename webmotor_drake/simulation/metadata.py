"""The metadata of a run: enough to repeat it."""

import functools
import platform
from collections.abc import Mapping
from importlib import metadata
from typing import Any

import numpy as np
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import Joint, PrismaticJoint

from webmotor_drake.data import version
from webmotor_drake.drive.motor_system import MotorSystem
from webmotor_drake.drive.plant_queries import position_limits
from webmotor_drake.nodes.motors import max_effort
from webmotor_drake.scenario.scenario import Scenario, path_in
from webmotor_drake.scenario.source import metadata_of

# Fields of motors that their descriptions have, too.
_AS_THEY_ARE = (
    *("motor_model", "control_pid", "acceleration", "max_velocity"),
    *("min_position", "max_position", "multiplier"),
    *("consumption_factor", "sound"),
)


def run_metadata(
    scenario: Scenario,
    motors: Mapping[str, dict[str, Any]],
    *,
    simulated: float,
    wall_time: float,
    warnings: Mapping[str, int],
) -> dict[str, Any]:
    """Returns the metadata of a run.

    Args:
        scenario: scenario that ran.
        motors: descriptions by "<model>/<motor>", of `motor_descriptions`.
        simulated: the time that was simulated, s.
        wall_time: the time that it took, s.
        warnings: texts, and how often each was issued.
    """
    return {
        **metadata_of(scenario.source),
        "package_xmls": [
            str(path_in(scenario, given)) for given in scenario.package_xmls
        ],
        "random_seed": scenario.random_seed,
        "versions": dict(_versions()),
        "plant_time_step": scenario.plant_config.time_step,
        "motors": dict(motors),
        "simulation_time": simulated,
        "wall_time": wall_time,
        "real_time_factor": simulated / wall_time if wall_time else None,
        "warnings": dict(warnings),
    }


@functools.cache  # it reads files
def _versions() -> dict[str, str]:
    """Returns the versions that a run's numbers depend on, besides the scenario."""
    return {
        "webmotor_drake": version(),
        "drake": metadata.version("drake"),
        "numpy": np.__version__,
        "python": platform.python_version(),
    }


def position_names(plant: MultibodyPlant) -> list[str]:
    """Returns the names of the plant's positions, as "<model>_<joint>_q"."""
    return plant.GetPositionNames(
        add_model_instance_prefix=True, always_add_suffix=True
    )


def motor_descriptions(
    systems: Mapping[str, MotorSystem],
) -> dict[str, dict[str, Any]]:
    """Returns a description of each motor, by "<model>/<motor>".

    Args:
        systems: by model name.
    """
    described = {}
    for model, motors in systems.items():
        for i, (name, node) in enumerate(motors.model.motors.items()):
            min_stop, max_stop = position_limits(motors.model.joints[i])
            kinematic = motors.devices.kinematic[i]
            described[f"{model}/{name}"] = {
                "joint": motors.model.joints[i].name(),
                "type": type(node).__name__,
                "unit": node.units["position"],
                "drive": "kinematic" if kinematic else motors.drive,
                "basic_time_step": motors.period,
                "max_effort": max_effort(node),
                "min_stop": min_stop,
                "max_stop": max_stop,
                **{field: getattr(node, field) for field in _AS_THEY_ARE},
            }
    return described


def joint_descriptions(
    joints: Mapping[str, Joint],
) -> dict[str, dict[str, Any]]:
    """Returns a description of each joint without a motor, by "<model>/<joint>"."""
    described = {}
    for name, joint in joints.items():
        min_stop, max_stop = position_limits(joint)
        described[name] = {
            "unit": "m" if isinstance(joint, PrismaticJoint) else "rad",
            "min_stop": min_stop,
            "max_stop": max_stop,
        }
    return described
