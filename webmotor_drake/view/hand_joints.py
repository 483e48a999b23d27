"""The joints that somebody moves by hand where nothing runs, and how far."""

import math

from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import Joint

from webmotor_drake.drive.plant_queries import position_limits
from webmotor_drake.view.puppet import Puppet

# The range of a joint without stops, to each side: half a turn, or 1 m.
_FREE = {"revolute": math.pi, "prismatic": 1.0}
UNITS = {"revolute": "rad", "prismatic": "m"}


def hand_joints(plant: MultibodyPlant) -> list[Joint]:
    """Returns the joints of one axis."""
    joints = map(plant.get_joint, plant.GetJointIndices())
    return [joint for joint in joints if joint.type_name() in UNITS]


def joint_names(puppet: Puppet) -> dict[int, str]:
    """Returns the names of the motors by the index of their joint."""
    return {
        int(joint.index()): name
        for system in puppet.motors.values()
        for name, joint in zip(
            system.devices.names, system.model.joints, strict=False
        )
    }


def joint_ends(joint: Joint, value: float) -> tuple[float, float]:
    """Returns the ends of a joint's slider: its stops, if it has any."""
    low, high = position_limits(joint)
    free = _FREE[joint.type_name()]
    low = low if math.isfinite(low) else min(value, 0.0) - free
    high = high if math.isfinite(high) else max(value, 0.0) + free
    return (low, high) if low < high else (value - free, value + free)


def slider_step(low: float, high: float) -> float:
    """Returns a power of ten of which 1000 to 10,000 go from end to end."""
    return 10.0 ** (math.floor(math.log10(high - low)) - 3)
