"""Recordings in Meshcat: of a length that browsers can play."""

import math

from pydrake.geometry import Meshcat

from webmotor_drake.simulation.simulation import Simulation

# More frames per second choke browsers on long recordings, as do more in all.
FRAMES_PER_SECOND = 30.0
_MOST = 9000


def frame_rate(duration: float) -> float:
    """Returns how many frames per second a recording gets.

    Args:
        duration: of the run, s; infinite: nobody knows.
    """
    if math.isinf(duration):
        return FRAMES_PER_SECOND
    return min(FRAMES_PER_SECOND, _MOST / max(duration, 1e-9))


def is_full(duration: float, now: float) -> bool:
    """Returns whether a recording of a run has all the frames it may have.

    Args:
        duration: of the run, s; may be infinite.
        now: length of the run that was recorded, s.
    """
    return now * frame_rate(duration) > _MOST + 1


def record(meshcat: Meshcat, simulation: Simulation) -> None:
    """Has Meshcat record a simulation from its start on.

    Args:
        meshcat: Meshcat that it is drawn in.
        simulation: simulation to draw.
    """
    meshcat.DeleteRecording()
    meshcat.StartRecording(
        frames_per_second=frame_rate(simulation.scenario.simulation_duration)
    )
