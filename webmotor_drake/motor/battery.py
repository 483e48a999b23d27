"""A robot's battery, which motors and computer draw from (WbRobot.cpp)."""

import dataclasses as dc
import math
from collections.abc import Sequence

from webmotor_drake.errors import InputError


@dc.dataclass(frozen=True)
class Battery:
    """Webots' Robot.battery and Robot.cpuConsumption.

    When a charge turns the motors on again, their available effort is the maximum,
    whatever it was before (WbMotor.cpp powerOn).

    Attributes:
        energy: energy at the start, J.
        capacity: largest charge, J.
        recharge: power that a charger gives at most, W.
        cpu_consumption: power that is always drawn, W.
    """

    energy: float
    capacity: float
    recharge: float
    cpu_consumption: float


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
