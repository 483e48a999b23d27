"""Muscles as Webots draws them: in Meshcat, live and recorded, and in films.

A spheroid swells and changes colour by the formulas of WbMuscle.cpp; its joint gives it
a status by those of WbHingeJoint.cpp and WbSliderJoint.cpp.
"""

import contextlib
import functools
import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from pydrake.geometry import Meshcat, Rgba, Sphere
from pydrake.math import RigidTransform, RotationMatrix
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import PrismaticJoint, RigidBody
from pydrake.systems.framework import (
    Context,
    DiagramBuilder,
    EventStatus,
    LeafSystem,
)

from webmotor_drake.drive.motor_system import MotorSystem
from webmotor_drake.drive.multi_axis_joints import is_of_ball
from webmotor_drake.drive.topology import solid_ends
from webmotor_drake.loops.rows import Command
from webmotor_drake.motor.signals import direct_effort
from webmotor_drake.nodes.motors import Muscle, max_effort

FOLDER = "/drake/muscles"
# The colour of a muscle without a `color`.
_RED = (1.0, 0.0, 0.0)
# Shorter muscles would be infinitely thick, m.
_SHORTEST = 1e-6
# The mode of a motor in effort control.
_DIRECT = 2.0


class _Place(NamedTuple):
    """A muscle of a motor, its place in the scene, and the bodies at its ends."""

    path: str
    muscle: Muscle
    motor: str  # "<model>/<motor>"
    system: MotorSystem
    index: int  # of the motor there
    parent: RigidBody
    child: RigidBody


class Muscles:
    """The muscles of all motors, in a Meshcat, and in its recording if it records.

    Args:
        plant: finalized plant.
        motors: the motors by model name.
        meshcat: Meshcat to draw in, or a stand-in for one.
    """

    def __init__(
        self,
        plant: MultibodyPlant,
        motors: Mapping[str, MotorSystem],
        meshcat: Meshcat,
    ):
        self._plant, self._meshcat = plant, meshcat
        self._places = []
        for model, system in motors.items():
            for i, (name, motor) in enumerate(system.model.motors.items()):
                ends = solid_ends(plant, system.model.joints[i])
                self._places += [
                    _Place(
                        *(f"{FOLDER}/{model}/{name}/{k}", muscle),
                        *(f"{model}/{name}", system, i, *ends),
                    )
                    for k, muscle in enumerate(motor.muscles)
                    if muscle.visible
                ]
        self._lengths: dict[str, float] = {}
        for place in self._places:
            meshcat.SetObject(f"{place.path}/shape", Sphere(1.0), Rgba(1, 0, 0))

    def draw(
        self, context: Context, signals: Mapping[str, float], time: float
    ) -> None:
        """Draws all muscles.

        Args:
            context: Context of the plant, with its positions.
            signals: "<model>/<motor>/velocity", "effort" and "mode", as in `Results`;
                those of a motor at rest may be left out.
            time: simulated time, s.
        """
        for place in self._places:
            pose = functools.partial(self._plant.EvalBodyPoseInWorld, context)
            start = pose(place.parent) @ np.array(place.muscle.start_offset)
            end = pose(place.child) @ np.array(place.muscle.end_offset)
            status = self._status(place, signals)
            self._draw(place, start, end, status, time)

    def _status(self, place: _Place, signals: Mapping[str, float]) -> float:
        """Returns the status that a motor gives a muscle, -1 to 1."""
        velocity, effort, mode = (
            signals.get(f"{place.motor}/{name}", 0.0)
            for name in ("velocity", "effort", "mode")
        )
        devices, i = place.system.devices, place.index
        node, joint = devices.motors[i], place.system.model.joints[i]
        if is_of_ball(self._plant, joint):  # Webots never tells them
            return 0.0
        if devices.kinematic[i]:
            return motor_status(velocity, node.max_velocity)
        return motor_status(
            effort,
            max_effort(node),
            is_linear=isinstance(joint, PrismaticJoint),
            is_direct=mode == _DIRECT,
        )

    def _draw(
        self,
        place: _Place,
        start: np.ndarray,
        end: np.ndarray,
        status: float,
        time: float,
    ) -> None:
        axis = end - start
        length = max(float(np.linalg.norm(axis)), _SHORTEST)
        stretch = length - self._lengths.get(place.path, length)
        self._lengths[place.path] = length
        if length == _SHORTEST:
            axis = np.array([0.0, 1.0, 0.0])
        X_WM = RigidTransform(
            RotationMatrix.MakeFromOneVector(axis, 1), (start + end) / 2
        )
        radius = muscle_radius(place.muscle.volume, length)
        color = muscle_color(place.muscle.color, status, stretch)
        size = [radius, length / 2, radius]
        shape = f"{place.path}/shape"
        self._meshcat.SetTransform(place.path, X_WM, time)
        self._meshcat.SetProperty(shape, "scale", size, time)
        self._meshcat.SetProperty(f"{shape}/<object>", "color", [*color, 1.0])
        with contextlib.suppress(RuntimeError):  # it doesn't record
            recording = self._meshcat.get_mutable_recording()
            # A page plays a colour under another name than it shows.
            recording.SetProperty(
                recording.frame(time),
                *(f"{shape}/<object>", "material.color", list(color)),
            )


class _MuscleDrawing(LeafSystem):
    """Draws muscles by the ports "state" (the plant's) and "<model>" (motors' tables).

    With a period of 0 s it draws at each step.
    """

    def __init__(
        self,
        plant: MultibodyPlant,
        motors: Mapping[str, MotorSystem],
        meshcat: Meshcat,
        period: float,
    ):
        super().__init__()
        self._plant, self._motors = plant, motors
        self._muscles = Muscles(plant, motors, meshcat)
        self._plant_context = plant.CreateDefaultContext()
        self._state = self.DeclareVectorInputPort(
            "state", plant.num_multibody_states()
        )
        self._tables = {
            model: self.DeclareVectorInputPort(
                model, system.GetOutputPort("tables").size()
            )
            for model, system in motors.items()
        }
        if period > 0:
            self.DeclarePeriodicPublishEvent(period, 0.0, self._draw)
        else:
            self.DeclarePerStepPublishEvent(self._draw)
        self.DeclareForcedPublishEvent(self._draw)

    def _draw(self, context: Context) -> EventStatus:
        state = self._state.Eval(context)
        of_plant = self._plant_context
        self._plant.SetPositionsAndVelocities(of_plant, state)
        signals = {}
        for model, system in self._motors.items():
            tables = self._tables[model].Eval(context)
            command = system.tables.command_table(tables)
            modes = _DIRECT * command[Command.EFFORT_CONTROL]
            direct = direct_effort(command)
            feedback = tables[system.tables.effort] - direct
            efforts = np.where(modes == _DIRECT, direct, feedback)
            velocities = state[system.velocity_indices]
            for i, name in enumerate(system.model.motors):
                signals[f"{model}/{name}/velocity"] = velocities[i]
                signals[f"{model}/{name}/effort"] = efforts[i]
                signals[f"{model}/{name}/mode"] = modes[i]
        self._muscles.draw(of_plant, signals, context.get_time())
        return EventStatus.Succeeded()


def add_muscles(
    builder: DiagramBuilder,
    plant: MultibodyPlant,
    motors: Mapping[str, MotorSystem],
    meshcat: Meshcat,
    period: float,
) -> None:
    """Draws the muscles of motors, if they have any."""
    nodes = [node for m in motors.values() for node in m.model.motors.values()]
    if not any(muscle.visible for node in nodes for muscle in node.muscles):
        return
    drawing = builder.AddNamedSystem(
        "muscles", _MuscleDrawing(plant, motors, meshcat, period)
    )
    builder.Connect(
        plant.get_state_output_port(), drawing.GetInputPort("state")
    )
    for model, system in motors.items():
        builder.Connect(
            system.GetOutputPort("tables"), drawing.GetInputPort(model)
        )


def muscle_radius(volume: float, length: float) -> float:
    """Returns the radius at the thickest place, m, of a volume in m^3.

    Webots uses the full length instead of the half axis, so the drawn spheroid has half
    the volume.
    """
    return math.sqrt(3 * volume / (4 * math.pi * length))


def motor_status(
    effort: float,
    largest: float,
    *,
    is_linear: bool = False,
    is_direct: bool = False,
) -> float:
    """Returns the status that a motor gives a muscle, -1 to 1.

    It is the effort as a share of the largest; Webots negates it for sliders unless it
    is direct. For kinematic joints it is the velocity as a share of the largest.
    """
    sign = -1.0 if is_linear and not is_direct else 1.0
    return min(max(sign * effort / largest, -1.0), 1.0) if largest else 0.0


def muscle_color(
    colors: Sequence[Sequence[float]], status: float, stretch: float
) -> tuple[float, float, float]:
    """Returns the colour, RGB from 0 to 1, after a stretch, m, since the last drawing.

    At rest it is the first of the muscle's colours, at -1 the second, at 1 the third.
    These two are swapped if the muscle shortens at a negative status, or lengthens at a
    positive one. In between colours mix; the last stands for missing ones.
    """
    if not colors:
        return _RED
    index = 1 if status < 0 else 2
    if status * stretch > 0:
        index = 3 - index
    first, other = colors[0], colors[min(index, len(colors) - 1)]
    share = abs(status)
    red, green, blue = (
        (1 - share) * a + share * b for a, b in zip(first, other, strict=True)
    )
    return red, green, blue
