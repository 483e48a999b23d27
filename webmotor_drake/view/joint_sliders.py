"""Robots to look at without running them, with a slider per joint."""

import math
from collections.abc import Iterable

import numpy as np
from pydrake.geometry import Meshcat
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import Joint

from webmotor_drake.drive.plant_queries import position_limits
from webmotor_drake.scenario.scenario import Scenario
from webmotor_drake.simulation.extent import robot_sphere
from webmotor_drake.simulation.muscles import MeshcatCanvas
from webmotor_drake.view.framing import look_at
from webmotor_drake.view.marks import marks_of
from webmotor_drake.view.moment import Moment
from webmotor_drake.view.posed_muscles import PosedMuscles
from webmotor_drake.view.puppet import Puppet

# What a slider without stops offers to each side: half a turn, or 1 m.
_FREE = {"revolute": math.pi, "prismatic": 1.0}
_UNITS = {"revolute": "rad", "prismatic": "m"}


class JointSliders:
    """A scenario's robots, whose joints the browser's sliders move.

    A slider goes from stop to stop and is named after the motor, else the joint.

    Args:
        scenario: whose robots.
        meshcat: where they are drawn.
        show: what to draw over them, of `MARKS`.
    """

    def __init__(
        self, scenario: Scenario, meshcat: Meshcat, *, show: Iterable[str] = ()
    ):
        self._meshcat = meshcat
        marks = marks_of(scenario, meshcat, show)
        self._puppet = puppet = Puppet(scenario, meshcat)
        self._marks = [PosedMuscles(puppet, MeshcatCanvas(meshcat)), *marks]
        meshcat.DeleteAddedControls()
        plant, context = puppet.plant, puppet.context
        motors = _motors(puppet)
        self._joints: dict[str, Joint] = {}
        for joint in map(plant.get_joint, plant.GetJointIndices()):
            if joint.type_name() in _FREE:
                label = _label(plant, joint, motors)
                while label in self._joints:  # a motor may be called as a joint
                    label += "'"
                self._joints[label] = joint
        for label, joint in self._joints.items():
            value = joint.GetOnePosition(context)
            low, high = _ends(joint, value)
            step = 10.0 ** (math.floor(math.log10(high - low)) - 3)
            meshcat.AddSlider(label, low, high, step, value)
        self._shown = self._values()
        self._draw(puppet.positions)
        look_at(robot_sphere(plant, puppet.scene_graph, context), meshcat)

    def update(self) -> None:
        """Moves the joints whose sliders were moved."""
        values = self._values()
        if values == self._shown:
            return
        positions = self._puppet.positions
        for label, value in values.items():
            if value != self._shown[label]:
                positions[self._joints[label].position_start()] = value
        self._shown = values
        self._draw(positions)

    def _draw(self, positions: np.ndarray) -> None:
        self._puppet.pose(positions)
        for mark in self._marks:
            mark.draw(Moment(0.0, positions, {}))

    def _values(self) -> dict[str, float]:
        get = self._meshcat.GetSliderValue
        return {label: get(label) for label in self._joints}


def _motors(puppet: Puppet) -> dict[int, str]:
    """Returns the names of the motors by the index of their joint."""
    return {
        int(joint.index()): motor
        for system in puppet.motors.values()
        for motor, joint in zip(
            system.devices.names, system.model.joints, strict=False
        )
    }


def _label(plant: MultibodyPlant, joint: Joint, motors: dict[int, str]) -> str:
    """Returns the name of a joint's slider: unique, and short where it can be."""
    name = motors.get(int(joint.index()), joint.name())
    models = {
        int(plant.get_joint(index).model_instance())
        for index in plant.GetJointIndices()
        if plant.get_joint(index).type_name() in _FREE
    }
    if len(models) > 1:
        model = plant.GetModelInstanceName(joint.model_instance())
        name = f"{model}/{name}"
    return f"{name} ({_UNITS[joint.type_name()]})"


def _ends(joint: Joint, value: float) -> tuple[float, float]:
    """Returns the ends of a joint's slider: its stops, if it has any."""
    low, high = position_limits(joint)
    free = _FREE[joint.type_name()]
    low = low if math.isfinite(low) else min(value, 0.0) - free
    high = high if math.isfinite(high) else max(value, 0.0) + free
    return (low, high) if low < high else (value - free, value + free)
