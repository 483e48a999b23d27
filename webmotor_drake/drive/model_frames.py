"""The frames of a model, by the names that users give them."""

from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import Frame, FrameIndex, ModelInstanceIndex

from webmotor_drake.drive.plant_queries import model_names
from webmotor_drake.errors import InputError, unknown_name


def model_frame(
    plant: MultibodyPlant,
    instance: ModelInstanceIndex,
    name: str,
    field: str = "frame",
    kind: str = "body or frame",
) -> Frame:
    """Returns a body's frame, or another, of a model by its name.

    Raises:
        InputError: no such frame, which `kind` says what it is; the path is the field.
    """
    if plant.HasFrameNamed(name, instance):
        return plant.GetFrameByName(name, instance)
    frames = map(plant.get_frame, map(FrameIndex, range(plant.num_frames())))
    known = [f.name() for f in frames if f.model_instance() == instance]
    problem = unknown_name(kind, name, filter(None, known))
    raise InputError(problem, path=(field,))


def carrier_frame(
    plant: MultibodyPlant,
    instance: ModelInstanceIndex,
    name: str,
    field: str = "frame",
) -> Frame:
    """Returns `model_frame`; without a name that of the model's first body."""
    if not name:
        return plant.get_body(plant.GetBodyIndices(instance)[0]).body_frame()
    return model_frame(plant, instance, name, field)


def named_frame(
    plant: MultibodyPlant,
    instance: ModelInstanceIndex,
    name: str,
    field: str,
) -> Frame:
    """Returns a body's frame, or another, by its name in a plant.

    Args:
        plant: with the model.
        instance: the model of names without one.
        name: "name", "model::name" or "world".
        field: the path of an error.

    Raises:
        InputError: no such frame.
    """
    if name == "world":
        return plant.world_frame()
    model, _, local = name.rpartition("::")
    if model:
        if not plant.HasModelInstanceNamed(model):
            problem = unknown_name("model", model, model_names(plant, 0))
            raise InputError(problem, path=(field,))
        instance = plant.GetModelInstanceByName(model)
    return model_frame(plant, instance, local, field, "body")
