"""Which bodies belong to one mechanism, whose shapes do not stand on each other."""

import numpy as np
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import BodyIndex, RigidBody

from webmotor_drake.contact.inboard import (
    bodies_of,
    inboard_joints,
    moving_root,
    to_weld_root,
)

_EARTH = 9.81


class Mechanisms:
    """The mechanisms of a plant, before and after its Finalize.

    All that hangs on a free body by joints is one; so is a model that is fixed to the
    world, with all that hangs on it by joints.

    Args:
        plant: with all its bodies and joints.
    """

    def __init__(self, plant: MultibodyPlant):
        self._plant = plant
        self._joints = inboard_joints(plant)
        self._of = {int(b.index()): self._found(b) for b in bodies_of(plant)}

    def of(self, body: RigidBody) -> tuple[str, int]:
        """Returns the mechanism of a body."""
        return self._of[int(body.index())]

    def weight(self, body: RigidBody) -> float:
        """Returns the weight that may stand on a body, N, on Earth if nothing falls.

        That of its mechanism if it is free; else its own, with what is welded to it.
        """
        gravity = self._plant.gravity_field().gravity_vector()
        strength = float(np.linalg.norm(gravity)) or _EARTH
        kind, _ = mechanism = self.of(body)
        root = self._root(body)
        return strength * sum(
            other.default_mass()
            for other in bodies_of(self._plant)[1:]
            if self.of(other) == mechanism
            and (kind == "free" or self._root(other) == root)
        )

    def _root(self, body: RigidBody) -> int:
        return int(to_weld_root(body, self._joints)[0].index())

    def _found(self, body: RigidBody) -> tuple[str, int]:
        place = moving_root(self._plant, body, self._joints)
        if place < 0:
            return "model", int(body.model_instance())
        joint = self._joints.get(BodyIndex(place))
        if joint is None or joint.num_velocities() == 6:
            return "free", place
        return "model", int(joint.child_body().model_instance())
