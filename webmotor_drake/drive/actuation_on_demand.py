"""The torque drive's efforts where forces act: computed when the plant asks."""

import math
from collections.abc import Callable

import numpy as np
from pydrake.systems.framework import (
    BasicVector,
    Context,
    DependencyTicket,
    LeafSystem,
)


class ActuationOnDemand:
    """The ports `actuation_on_demand` and `net_actuation` of `TorqueMotors`.

    Args:
        system: gets the ports.
        size: the number of the plant's actuators.
        solve: returns the plant's actuation for a Context of `system`, shape (size,),
            and the velocities that it leads to.
        tickets: dependencies of the actuation.
    """

    def __init__(
        self,
        system: LeafSystem,
        size: int,
        solve: Callable[[Context], tuple[np.ndarray, np.ndarray]],
        tickets: set[DependencyTicket],
    ):
        self._solve = solve
        # When was solved, and the velocities.
        self._last = -math.inf, np.array(math.nan)
        self._net_port = system.DeclareVectorInputPort("net_actuation", size)
        system.DeclareVectorOutputPort(
            "actuation_on_demand", size, self._calc, tickets
        )

    def applied(self, context: Context) -> np.ndarray:
        """Returns the actuators' efforts in the last plant step, shape (size,)."""
        return self._net_port.Eval(context)

    def foreseen(self, time: float, step: float) -> np.ndarray | float:
        """Returns the velocities that the last plant step was to lead to.

        Args:
            time: now, s.
            step: of the plant, s.

        Returns:
            As `solve` found them; NaN if it was not asked in that step. In another
            run of the diagram it may have been: that only matters for a warning.
        """
        solved, velocities = self._last
        return velocities if 0 < time - solved < step else math.nan

    def _calc(self, context: Context, output: BasicVector) -> None:
        actuation, velocities = self._solve(context)
        self._last = context.get_time(), velocities
        output.SetFromVector(actuation)
