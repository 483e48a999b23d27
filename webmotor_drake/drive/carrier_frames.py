"""The frames of a model that carry propellers and tracks."""

from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import Frame, FrameIndex, ModelInstanceIndex

from webmotor_drake.errors import InputError, unknown_name


def carrier_frame(
    plant: MultibodyPlant,
    instance: ModelInstanceIndex,
    name: str,
    field: str = "frame",
) -> Frame:
    """Returns a frame of a model by its name; without one, its first body's.

    Raises:
        InputError: no such frame; the path is the field.
    """
    if not name:
        return plant.get_body(plant.GetBodyIndices(instance)[0]).body_frame()
    if plant.HasFrameNamed(name, instance):
        return plant.GetFrameByName(name, instance)
    frames = map(plant.get_frame, map(FrameIndex, range(plant.num_frames())))
    known = [f.name() for f in frames if f.model_instance() == instance]
    raise InputError(
        unknown_name("body or frame", name, filter(None, known)), path=(field,)
    )
