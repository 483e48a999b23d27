"""Frees a simulation's memory."""

from webmotor_drake.simulation.simulation import Simulation


def release(simulation: Simulation) -> None:
    """Frees the memory of a simulation that is over; it cannot be used again.

    Systems in Python are held by their own callbacks, in C++, where Python does not
    find the circle; without what they hold the rest goes.
    """
    for system in simulation.simulator.get_system().GetSystems():
        getattr(system, "__dict__", {}).clear()
