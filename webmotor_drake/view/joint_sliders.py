"""Robots to look at without running them, with a slider per joint."""

from collections.abc import Iterable

import numpy as np
from pydrake.geometry import Meshcat
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import Joint

from webmotor_drake.scenario.scenario import Scenario
from webmotor_drake.simulation.extent import robot_sphere
from webmotor_drake.simulation.muscles import MeshcatCanvas
from webmotor_drake.view.framing import look_at
from webmotor_drake.view.hand_joints import (
    UNITS,
    hand_joints,
    joint_ends,
    joint_names,
    slider_step,
)
from webmotor_drake.view.marks import marks_of
from webmotor_drake.view.moment import Moment
from webmotor_drake.view.posed_muscles import PosedMuscles
from webmotor_drake.view.puppet import Puppet


class JointSliders:
    """A scenario's robots, whose joints the browser's sliders move.

    A slider goes from stop to stop and is named after the motor, else the joint.

    Args:
        scenario: whose robots.
        meshcat: where they are drawn.
        show: the marks to draw over them, of `MARKS`.
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
        motors = joint_names(puppet)
        self._joints: dict[str, Joint] = {}
        for joint in hand_joints(plant):
            label = _label(plant, joint, motors)
            while label in self._joints:  # a motor may be called as a joint
                label += "'"
            self._joints[label] = joint
        for label, joint in self._joints.items():
            value = joint.GetOnePosition(context)
            low, high = joint_ends(joint, value)
            step = slider_step(low, high)
            meshcat.AddSlider(label, low, high, step, value)
        self._shown = self._values()
        self._draw(puppet.positions)
        sphere = robot_sphere(plant, puppet.scene_graph, context)
        look_at(sphere, meshcat, scenario.gravity)

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


def _label(plant: MultibodyPlant, joint: Joint, motors: dict[int, str]) -> str:
    """Returns the name of a joint's slider: unique, and short where it can be."""
    name = motors.get(int(joint.index()), joint.name())
    models = {int(other.model_instance()) for other in hand_joints(plant)}
    if len(models) > 1:
        model = plant.GetModelInstanceName(joint.model_instance())
        name = f"{model}/{name}"
    return f"{name} ({UNITS[joint.type_name()]})"
