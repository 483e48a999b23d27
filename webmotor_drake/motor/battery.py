"""A robot's battery, which motors and computer draw from (WbRobot.cpp)."""

import dataclasses as dc
import math
from collections.abc import Sequence

import numpy as np

from webmotor_drake.errors import InputError


@dc.dataclass(frozen=True)
class Battery:
    """Webots' Robot.battery and Robot.cpuConsumption.

    Attributes:
        energy: at the start, J.
        capacity: largest charge, J.
        recharge: power that a charger gives at most, W.
        cpu_consumption: drawn always, W.
    """

    energy: float
    capacity: float
    recharge: float
    cpu_consumption: float

    def use(
        self,
        level: np.ndarray,
        power: float,
        charge: float,
        period: float,
        available: np.ndarray,
        max_efforts: np.ndarray,
    ) -> None:
        """Takes the energy of a motor step, and the motors' effort if it is gone.

        A charge gives them back their maximum, whatever was available before
        (WbMotor.cpp powerOn). A battery that is empty at the start never turns
        the motors off, as in Webots.

        Args:
            level: energy, J, and 1 or 0 for on or off; changed.
            power: drawn by the motors, W.
            charge: power of a charger, W; `recharge` is taken at most.
            period: length of the step, s.
            available: the motors' available efforts, shape (n,); changed.
            max_efforts: their largest, shape (n,), N m or N.
        """
        energy, was_on = level.tolist()
        on = was_on
        if energy > 0:
            energy -= (self.cpu_consumption + power) * period
            if energy <= 0:
                energy, on = 0.0, 0.0
        if charge > 0:
            energy += min(charge, self.recharge) * period
            energy, on = min(energy, self.capacity), 1.0
        level[:] = energy, on
        if on != was_on:
            available[:] = on * max_efforts


def battery_of(
    fields: Sequence[float], cpu_consumption: float
) -> Battery | None:
    """Returns the battery of a scenario's `battery` field; None if it is empty.

    Raises:
        InputError: it is not three numbers from 0 on; path "battery" or
            "cpu_consumption".
    """
    if not 0 <= cpu_consumption < math.inf:
        raise InputError(
            f"{cpu_consumption} W; at least 0 is allowed",
            path=("cpu_consumption",),
        )
    if not fields:
        return None
    good = len(fields) == 3 and all(0 <= f < math.inf for f in fields)
    if not good:
        raise InputError(
            f"{list(fields)}; three numbers from 0 on are allowed: energy (J),"
            " capacity (J), recharge (W)",
            path=("battery",),
        )
    energy, capacity, recharge = fields
    return Battery(energy, capacity, recharge, cpu_consumption)
