"""Names the elements of a plant's state."""

from pydrake.multibody.plant import MultibodyPlant

from webmotor_drake.contact.inboard import joints_of


def state_name(plant: MultibodyPlant, index: int) -> str:
    """Returns the name of element `index` of the plant's [q, v], for messages.

    A joint of a free body is called by its body.
    """
    is_position = index < plant.num_positions()
    place = index if is_position else index - plant.num_positions()
    quantity = "position" if is_position else "velocity"
    for joint in joints_of(plant):
        start, size = (
            (joint.position_start(), joint.num_positions())
            if is_position
            else (joint.velocity_start(), joint.num_velocities())
        )
        if start <= place < start + size:
            model = plant.GetModelInstanceName(joint.model_instance())
            kind, name = "joint", joint.name()
            if joint.num_velocities() == 6:
                kind, name = "body", joint.child_body().name()
            return f"{quantity} of {kind} {name} of model {model}"
    return f"{quantity} {place} of the plant"
