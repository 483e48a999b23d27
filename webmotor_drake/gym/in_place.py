"""Parameters of a scenario that change in the plant's Context, without a rebuild."""

import functools
import typing
from collections.abc import Callable

from pydrake.multibody.plant import MultibodyPlant
from pydrake.systems.framework import Context

from webmotor_drake.scenario.parameter_path import Keys

# Sets a value in the plant's Context; the model's name comes first.
Setter = Callable[[MultibodyPlant, Context, str, typing.Any], None]


def setter_of(path: Keys) -> Setter | None:
    """Returns the setter of the value at a path, in place; None: it needs a rebuild.

    Masses take the inertia along, as in `BodyParameters`. Damping goes to the joint
    itself, so that the scenario that is built must have none there, see `neutral`.
    """
    match path:
        case ("bodies", str(), str(body), "mass"):
            return functools.partial(_set_mass, body)
        case ("model_drivers", str(), "joints", str(joint), "damping_constant"):
            return functools.partial(_set_damping, joint)
        case ("gravity",) | ("gravity", int()):
            axis = path[1] if len(path) > 1 else slice(None)
            return functools.partial(_set_gravity, axis)
    return None


def _set_mass(
    body: str, plant: MultibodyPlant, context: Context, model: str, value: float
) -> None:
    instance = plant.GetModelInstanceByName(model)
    plant.GetBodyByName(body, instance).SetMass(context, value)


def _set_damping(
    name: str, plant: MultibodyPlant, context: Context, model: str, value: float
) -> None:
    joint = plant.GetJointByName(name, plant.GetModelInstanceByName(model))
    own = joint.default_damping_vector()
    joint.SetDampingVector(context, own + abs(value))


def _set_gravity(
    axis: int | slice,
    plant: MultibodyPlant,
    context: Context,
    model: str,
    value: float,
) -> None:
    field = plant.mutable_gravity_field()
    vector = field.gravity_vector().copy()
    vector[axis] = value
    field.set_gravity_vector(vector)


def neutral(path: Keys) -> float | None:
    """Returns the value with which a scenario is built; None: its own."""
    return 0.0 if path[-1] == "damping_constant" else None


def model_of(path: Keys) -> str:
    """Returns the model that a path is about; "": none."""
    return str(path[1]) if path[0] in ("bodies", "model_drivers") else ""
