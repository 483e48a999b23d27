"""The effort limits of a plant's servos: one set, shared by all its runs."""

from collections.abc import Sequence

import numpy as np
from pydrake.multibody.tree import JointActuator

from webmotor_drake.errors import warn

# Drake refuses an effort limit of 0. This one is too small to change a bit of a
# velocity.
OFF = 1e-300
_OTHERS = (
    "actuator {name} was given the effort limit {limit:g} after ApplyDriverConfig; its"
    " motor's own counts (max_torque, max_force, available_effort)"
)


class EffortLimits:
    """Writes a plant's effort limits where a run needs others.

    Effort limits belong to the plant, while motors' bounds belong to a run and can
    change. A run with constant bounds relies on the plant's limits. A run of the same
    diagram with changing bounds restores them after each plant step.

    Attributes:
        held: limits in the plant, shape (m,), N m or N; NaN before the first time.

    Args:
        servos: the actuators, m of them.
    """

    def __init__(self, servos: Sequence[JointActuator]):
        self._servos = servos
        self.held = np.full(len(servos), np.nan)
        self._relied_on: np.ndarray | None = None
        self._set = [servo.effort_limit() for servo in servos]
        self._bytes = self.held.tobytes()  # fast to compare

    def keep(self) -> None:
        """Writes the limits again if others have set theirs, and warns of that."""
        found = [servo.effort_limit() for servo in self._servos]
        if found == self._set:
            return
        for servo, limit, own in zip(
            self._servos, found, self._set, strict=True
        ):
            if limit != own:
                servo.set_effort_limit(own)
                warn(_OTHERS.format(name=servo.name(), limit=limit))

    def write(self, bound: np.ndarray) -> None:
        """Writes these limits to the plant, shape (m,), N m or N."""
        if bound.tobytes() == self._bytes:
            return
        self._set = [max(limit, OFF) for limit in bound.tolist()]
        for servo, limit in zip(self._servos, self._set, strict=True):
            servo.set_effort_limit(limit)
        self.held, self._bytes = bound.copy(), bound.tobytes()

    def rely_on(self, bound: np.ndarray) -> None:
        """Writes limits that a run relies on from now on, shape (m,), N m or N."""
        self.write(bound)
        self._relied_on = self.held

    def give_back(self) -> None:
        """Restores the limits that another run relies on, if there is one."""
        if self._relied_on is not None:
            self.write(self._relied_on)
