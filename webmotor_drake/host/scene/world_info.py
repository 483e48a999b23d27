"""The fields of WorldInfo: which world it is, its gravity, and its axes.

Gravity acts from the next step on; a reset brings back that of the start.
"""

import typing

import numpy as np

from webmotor_drake.errors import InputError
from webmotor_drake.host.scene.scene import Scene
from webmotor_drake.host.scene.scene_field import Live, constant
from webmotor_drake.scenario.scenario import robots_of


def world_info_fields(scene: Scene) -> dict[str, Live]:
    """Returns the fields of a scene's WorldInfo."""
    scenario, plant = scene.scenario, scene.physics.plant
    robots = list(robots_of(scenario).values())
    devices = [d for robot in robots for d in robot.devices.values()]
    gravity = plant.gravity_field().gravity_vector
    axes = _first(devices, "axes", _axes_by(np.array(scenario.gravity)))
    title = scenario.source.name if scenario.source is not None else ""
    return {
        "gravity": (
            lambda: float(np.linalg.norm(gravity())),
            lambda value: _change_gravity(scene, value, axes),
        ),
        "title": constant(title),
        "CFM": constant(robots[0].cfm),
        "basicTimeStep": constant(scene.physics.basic_time_step),
        "coordinateSystem": constant(axes),
        "gpsCoordinateSystem": constant(
            _first(devices, "coordinate_system", "local")
        ),
        "gpsReference": constant(_first(devices, "reference", [0.0] * 3)),
        "randomSeed": constant(scenario.random_seed),
    }


def _change_gravity(scene: Scene, value: float, axes: str) -> None:
    """Gives the world another gravity, in the direction of the start.

    Raises:
        InputError: a negative one, which Webots has not either.
    """
    if not 0 <= value < np.inf:
        raise InputError(f"{value:g} m/s^2 is not allowed; must be at least 0")
    given = np.array(scene.scenario.gravity)
    down = -np.eye(3)[axes.index("U")]
    if given.any():
        down = given / float(np.linalg.norm(given))
    physics, plant = scene.physics, scene.physics.plant
    context = physics.context
    plant.mutable_gravity_field().set_gravity_vector(value * down)
    # Gravity is no part of the Context: what was calculated for the present state has
    # to go.
    plant.SetPositions(context, plant.GetPositions(context))
    physics.tell_motors()


def _first(
    devices: list[typing.Any], field: str, otherwise: typing.Any
) -> typing.Any:
    """Returns a field of the first device that has it."""
    found = (getattr(d, field) for d in devices if hasattr(d, field))
    return next(found, otherwise)


def _axes_by(gravity: np.ndarray) -> str:
    """Returns the coordinate system by its way down."""
    return "NUE" if gravity[1] and not gravity[[0, 2]].any() else "ENU"
