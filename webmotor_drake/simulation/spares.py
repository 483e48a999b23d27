"""Models in stock: out of the world until a supervisor imports them."""

import copy
from collections.abc import Iterator

from pydrake.geometry import Role, SceneGraph, Sphere
from pydrake.math import RigidTransform
from pydrake.multibody.plant import CoulombFriction, MultibodyPlant
from pydrake.multibody.tree import Joint, SpatialInertia
from pydrake.systems.framework import Context

from webmotor_drake.drive.driver import model_instance
from webmotor_drake.errors import InputError
from webmotor_drake.scenario.blame import blame
from webmotor_drake.scenario.scenario import Scenario, robots_of

# Place of waiting spares, m: higher than any world, so far apart that none touch.
_HEIGHT, _APART = 1000.0, 50.0
# The name of the only body of a model in stock, and the most shapes that it may collide
# with.
SOLID, MAX_COLLISIONS = "solid", 6
# Number of Solids in stock for a supervisor that imports some, as a rule.
USUAL_STOCK = 16
_CONTINUOUS = (
    "a continuous plant (time_step 0) cannot hold spares back; a time above 0 is"
    " needed"
)


def waiting_place(number: int) -> RigidTransform:
    """Returns the pose in which the spare of this number waits."""
    return RigidTransform([_APART * number, 0.0, _HEIGHT])


def waits(X_WB: RigidTransform) -> bool:
    """Returns whether a body is as high as spares wait: out of the world."""
    return X_WB.translation()[2] > _HEIGHT - 1


def spare_models(scenario: Scenario) -> list[str]:
    """Returns all spares, in their order, then the models in stock."""
    declared = [m for models in scenario.spares.values() for m in models]
    return declared + stock_models(scenario)


def spare_robots(scenario: Scenario) -> list[str]:
    """Returns the spares that are robots: their controllers start when they come."""
    robots = robots_of(scenario)
    return [model for model in spare_models(scenario) if model in robots]


def stock_models(scenario: Scenario) -> list[str]:
    """Returns the models in stock, which imported Solids take."""
    return [f"imported_{i + 1}" for i in range(scenario.stock or 0)]


def without_stock(scenario: Scenario) -> Scenario:
    """Returns the scenario as it is recorded: without the models in stock."""
    stocked = stock_models(scenario)
    if not stocked:
        return scenario
    without = copy.copy(scenario)
    without.stock = None
    without.recorded_bodies = {
        model: bodies
        for model, bodies in scenario.recorded_bodies.items()
        if model not in stocked
    }
    return without


def add_stock(
    scenario: Scenario, plant: MultibodyPlant, scene_graph: SceneGraph
) -> None:
    """Adds bodies before the plant is finalized; their shapes do not collide.

    Raises:
        InputError: the plant cannot hold them back, or has a model of that name.
    """
    if not scenario.stock:
        return
    with blame(scenario, "stock"):
        if plant.time_step() == 0:
            raise InputError(_CONTINUOUS)
        for model in stock_models(scenario):
            if plant.HasModelInstanceNamed(model):
                raise InputError(f"there is a model {model}, as those in stock")
            inertia = SpatialInertia.SolidSphereWithMass(1.0, 0.1)
            own = plant.AddModelInstance(model)
            body = plant.AddRigidBody(SOLID, own, inertia)
            for i in range(MAX_COLLISIONS):
                friction = CoulombFriction(1, 1)
                ball = RigidTransform(), Sphere(0.1), f"{i}", friction
                shape = plant.RegisterCollisionGeometry(body, *ball)
                source = plant.get_source_id()
                scene_graph.RemoveRole(source, shape, Role.kProximity)


def place_spares(scenario: Scenario, plant: MultibodyPlant) -> None:
    """Puts the spares at their waiting places, once the plant is finalized.

    Raises:
        InputError: a model cannot be a spare.
    """
    seen: set[str] = set()
    for kind, models in scenario.spares.items():
        for i, model in enumerate(models):
            with blame(scenario, "spares", kind, i):
                instance, problem = model_instance(plant, model), ""
                if model in seen:
                    problem = f"{model} is a spare already"
                elif not plant.HasUniqueFloatingBaseBody(instance):
                    problem = (
                        f"{model} is not free to move; a spare has a free base"
                    )
                elif plant.time_step() == 0:
                    problem = _CONTINUOUS
                if problem:
                    raise InputError(problem)
                _place(plant, model, len(seen))
                seen.add(model)
    for model in stock_models(scenario):
        _place(plant, model, len(seen))
        seen.add(model)


def _place(plant: MultibodyPlant, model: str, number: int) -> None:
    own = plant.GetModelInstanceByName(model)
    body = plant.GetUniqueFloatingBaseBodyOrThrow(own)
    plant.SetDefaultFloatingBaseBodyPose(body, waiting_place(number))


def hold(plant: MultibodyPlant, context: Context, model: str) -> None:
    """Holds a model where it is.

    Args:
        plant: owner of the spare.
        context: Context of the plant, which is changed.
        model: name of the spare.
    """
    for joint in _moving_joints(plant, model):
        joint.Lock(context)


def release(plant: MultibodyPlant, context: Context, model: str) -> None:
    """Lets a model go that was held; see `hold`."""
    for joint in _moving_joints(plant, model):
        joint.Unlock(context)


def _moving_joints(plant: MultibodyPlant, model: str) -> Iterator[Joint]:
    instance = plant.GetModelInstanceByName(model)
    joints = map(plant.get_joint, plant.GetJointIndices(instance))
    return (joint for joint in joints if joint.num_velocities())
