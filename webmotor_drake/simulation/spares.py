"""Models in stock: out of the world until a supervisor imports them."""

from pydrake.math import RigidTransform
from pydrake.multibody.plant import MultibodyPlant
from pydrake.systems.framework import Context

from webmotor_drake.drive.driver import model_instance
from webmotor_drake.errors import InputError
from webmotor_drake.scenario.blame import blame
from webmotor_drake.scenario.scenario import Scenario

# Where they wait, m: higher than any world, so far apart that they don't touch.
_HEIGHT, _APART = 1000.0, 50.0


def waiting_place(number: int) -> RigidTransform:
    """Returns where the spare of this number waits."""
    return RigidTransform([_APART * number, 0.0, _HEIGHT])


def spare_models(scenario: Scenario) -> list[str]:
    """Returns all spares, in their order."""
    return [model for models in scenario.spares.values() for model in models]


def place_spares(scenario: Scenario, plant: MultibodyPlant) -> None:
    """Puts the spares where they wait, once the plant is finalized.

    Raises:
        InputError: a model cannot be one.
    """
    seen: set[str] = set()
    for kind, models in scenario.spares.items():
        for i, model in enumerate(models):
            with blame(scenario, "spares", kind, i):
                _check(scenario, plant, model, seen)
                body = plant.GetUniqueFloatingBaseBodyOrThrow(
                    plant.GetModelInstanceByName(model)
                )
                place = waiting_place(len(seen))
                plant.SetDefaultFloatingBaseBodyPose(body, place)
                seen.add(model)


def _check(
    scenario: Scenario, plant: MultibodyPlant, model: str, seen: set[str]
) -> None:
    instance = model_instance(plant, model)
    problem = ""
    if model in seen:
        problem = f"{model} is a spare already"
    elif model in scenario.model_drivers:
        problem = f"{model} has a driver; a spare has none"
    elif not plant.HasUniqueFloatingBaseBody(instance):
        problem = f"{model} is not free to move; a spare has a free base"
    elif plant.time_step() == 0:
        problem = (
            "a continuous plant (time_step 0) cannot hold spares back; a time"
            " above 0 is needed"
        )
    if problem:
        raise InputError(problem)


def hold(plant: MultibodyPlant, context: Context, model: str) -> None:
    """Holds a model where it is.

    Args:
        plant: where it is.
        context: the plant's, which is changed.
        model: its name.
    """
    instance = plant.GetModelInstanceByName(model)
    for index in plant.GetJointIndices(instance):
        joint = plant.get_joint(index)
        if joint.num_velocities():
            joint.Lock(context)


def release(plant: MultibodyPlant, context: Context, model: str) -> None:
    """Lets a model that was held go; see `hold`."""
    instance = plant.GetModelInstanceByName(model)
    for index in plant.GetJointIndices(instance):
        joint = plant.get_joint(index)
        if joint.num_velocities():
            joint.Unlock(context)
