"""The muscles of a run, for a page of ours."""

import dataclasses as dc
import typing

from webmotor_drake.simulation.muscles import MeshcatCanvas, has_muscles
from webmotor_drake.simulation.simulation import Simulation
from webmotor_drake.view.moment import Mark
from webmotor_drake.view.page_canvas import PageCanvas
from webmotor_drake.view.posed_muscles import PosedMuscles


@dc.dataclass(frozen=True)
class _Robots:
    """A simulation's robots as `PosedMuscles` has them."""

    plant: typing.Any
    motors: typing.Any
    context: typing.Any


def live_muscles(simulation: Simulation, canvas: PageCanvas) -> list[Mark]:
    """Returns the mark that draws the muscles of a simulation, if it has any."""
    if not has_muscles(simulation.motors):
        return []
    root = simulation.simulator.get_context()
    context = simulation.plant.GetMyContextFromRoot(root)
    posed = _Robots(simulation.plant, simulation.motors, context)
    return [PosedMuscles(posed, MeshcatCanvas(canvas))]
