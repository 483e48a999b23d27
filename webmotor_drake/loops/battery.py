"""The energy of a robot's battery (WbRobot.cpp)."""


def use(level, power, charge, period, supply):
    """Takes the energy of a motor step.

    A battery that is empty at the start never turns the motors off, as in Webots.

    Args:
        level: energy, J, and 1 or 0 for on or off; written.
        power: drawn by the motors, W.
        charge: power of a charger, W; `recharge` is taken at most.
        period: length of the step, s.
        supply: capacity, J, recharge, W, and what is drawn always, W.
    """
    energy, on = level[0], level[1]
    if energy > 0:
        energy -= (supply[2] + power) * period
        if energy <= 0:
            energy, on = 0.0, 0.0
    if charge > 0:
        energy += min(charge, supply[1]) * period
        energy, on = min(energy, supply[0]), 1.0
    level[0], level[1] = energy, on
