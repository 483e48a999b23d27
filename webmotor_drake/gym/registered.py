"""The names that Gymnasium knows our environments by."""

import gymnasium

NAMESPACE = "webmotor_drake"
# Environments whose robots touch nothing: many of these fit in one plant.
ALONE = ("CartPole", "Reacher")
IN_CONTACT = ("Quadruped", "Rover")


def register() -> None:
    """Registers our environments with Gymnasium; again does no harm."""
    for name in (*ALONE, *IN_CONTACT):
        name_in_full = f"{NAMESPACE}/{name}-v0"
        if name_in_full in gymnasium.registry:
            continue
        gymnasium.register(
            name_in_full,
            entry_point="webmotor_drake.gym.tasks:make",
            vector_entry_point="webmotor_drake.gym.vectors:make_task_vec",
            kwargs={"task": name},
        )
