"""The fields of WorldInfo: which world it is, its gravity, and its axes.

Fields that are only kept can be set to anything; gravity acts from the next step on.
A reset brings all of it back.
"""

import typing
from collections.abc import Iterator

import numpy as np

from webmotor_drake.errors import InputError
from webmotor_drake.host.scene.physics import Physics
from webmotor_drake.host.scene.scene_field import (
    FieldType,
    SceneField,
    constant,
)
from webmotor_drake.host.stepped_simulation import SteppedSimulation
from webmotor_drake.scenario.scenario import robots_of

_T = FieldType


class WorldInfo:
    """The values of a scene's WorldInfo.

    Args:
        stepped: the simulation.
        physics: the plant's side.

    Attributes:
        stored: values that were set and not reset since, by field.
    """

    def __init__(self, stepped: SteppedSimulation, physics: Physics):
        scenario = stepped.simulation.scenario
        robots = list(robots_of(scenario).values())
        source = scenario.source
        self._title = source.name if source is not None else ""
        self._seed = scenario.random_seed
        self._step, self._cfm = stepped.basic_time_step, robots[0].cfm
        self._physics = physics
        self._gravity = np.array(scenario.gravity)
        devices = [d for robot in robots for d in robot.devices.values()]
        self._axes = _first(devices, "axes", _axes_by(self._gravity))
        self._gps = _first(devices, "coordinate_system", "local")
        self._reference = _first(devices, "reference", [0.0, 0.0, 0.0])
        self.stored: dict[str, typing.Any] = {}

    def fields(self) -> Iterator[SceneField]:
        """Yields the fields in Webots' order."""
        yield SceneField(
            "gravity",
            _T.SF_FLOAT,
            lambda: self.stored.get("gravity", self._strength),
            self._change_gravity,
        )
        for name, kind, value in (
            ("title", _T.SF_STRING, self._title),
            ("CFM", _T.SF_FLOAT, self._cfm),
            ("basicTimeStep", _T.SF_FLOAT, self._step),
            ("coordinateSystem", _T.SF_STRING, self._axes),
            ("gpsCoordinateSystem", _T.SF_STRING, self._gps),
            ("gpsReference", _T.SF_VEC3F, self._reference),
            ("randomSeed", _T.SF_INT32, self._seed),
        ):
            yield constant(name, kind, value)

    @property
    def _strength(self) -> float:
        return float(np.linalg.norm(self._gravity))

    def _change_gravity(self, value: float) -> None:
        """Gives the world another gravity, in the same direction.

        Raises:
            InputError: a negative one, which Webots has not either.
        """
        if not 0 <= value < np.inf:
            raise InputError(
                f"{value:g} m/s^2 is not allowed; must be at least 0"
            )
        physics, plant = self._physics, self._physics.plant
        down = self._gravity / (self._strength or 1.0)
        if not self._strength:
            down = -np.eye(3)[self._axes.index("U")]
        context = physics.context
        plant.mutable_gravity_field().set_gravity_vector(value * down)
        # Gravity is no part of the Context: what was calculated for the present
        # state has to go.
        plant.SetPositions(context, plant.GetPositions(context))
        physics.tell_motors()
        self.stored["gravity"] = value


def _first(
    devices: list[typing.Any], field: str, otherwise: typing.Any
) -> typing.Any:
    """Returns a field of the first device that has it."""
    found = (getattr(d, field) for d in devices if hasattr(d, field))
    return next(found, otherwise)


def _axes_by(gravity: np.ndarray) -> str:
    """Returns the coordinate system by its way down."""
    return "NUE" if gravity[1] and not gravity[[0, 2]].any() else "ENU"
