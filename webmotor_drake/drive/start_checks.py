"""What a motor system looks at when a run starts: by then the diagram is built.

Drake tells nobody of what is connected, filtered or set after `ApplyDriverConfig`.
"""

from collections.abc import Callable

from pydrake.multibody.plant import MultibodyPlant

from webmotor_drake.drive.model_motors import ModelMotors
from webmotor_drake.drive.own_gains import GainsWatch


class StartChecks:
    """Warns once, and refuses each time, what a run cannot start with.

    Args:
        plant: the finalized plant.
        model: the motors and what they act on.
    """

    def __init__(self, plant: MultibodyPlant, model: ModelMotors):
        self._gains = GainsWatch(plant, model)
        self._warnings: list[Callable[[], None]] = []

    def add(self, warn: Callable[[], None] | None) -> None:
        """Has `warn`, if there is one, called at the first start."""
        if warn is not None:
            self._warnings.append(warn)

    def warn(self) -> None:
        """Calls what has not been called yet; `check` does, which starts nothing."""
        while self._warnings:
            self._warnings.pop(0)()

    def run(self) -> None:
        """Looks at all; raises InputError for gains that were changed."""
        self.warn()
        self._gains.check()
