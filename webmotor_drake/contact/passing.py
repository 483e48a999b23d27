"""Tells of bodies that can pass others, having no corners that land."""

import numpy as np
from pydrake.geometry import SceneGraphInspector
from pydrake.multibody.plant import MultibodyPlant
from pydrake.systems.framework import Context

from webmotor_drake.contact.inboard import shape_bodies
from webmotor_drake.contact.landing_pairs import LandingPairs
from webmotor_drake.errors import warn
from webmotor_drake.loops.arrivals import COMES, GAP, LANDS, PAIR, RATE

# Nothing is accelerated by more, m/s^2, or its first steps in may be overlooked: after
# so many steps at most there is a look.
_MOST, _SELDOM = 30.0, 32


class Passing:
    """Warns of each robot or body once, in the step in which it comes in too far.

    That is by half of the radius or least extent of a shape. Nothing is looked at
    while all are slower than that.

    Args:
        plant: finalized plant.
        inspector: of its geometry.
        context: the plant's.
    """

    def __init__(
        self,
        plant: MultibodyPlant,
        inspector: SceneGraphInspector,
        context: Context,
    ):
        self._plant, self._bodies = plant, shape_bodies(plant)
        self._known = known = LandingPairs(
            plant, inspector, context, passing=True
        )
        self._told = set[int]()
        self._x = np.zeros(0)
        depths = {known.shapes[i].let_in for i in known.pairs[:, 0].tolist()}
        self._least = min(depths, default=0.0)
        # Steps until the next look; of what comes nearer by that much more in a step.
        self._wait = 1.0 if depths else np.inf
        self._gain = _MOST * plant.time_step() ** 2

    def look(self, context: Context, x: np.ndarray) -> None:
        """Looks whether anything comes in so far in the coming step.

        Args:
            context: the plant's.
            x: its state.
        """
        self._wait -= 1.0
        if self._wait >= 1.0:
            return
        before, self._x = self._x, x.copy()
        if self._wait >= 0.0:
            return
        known, self._wait = self._known, 0.0
        way = known.levers.way(before, x)
        if way < self._least:
            steps = int((self._least - way) / self._gain)
            self._wait = 1.0 + min(steps, _SELDOM) if steps else 0.0
            return
        known.look(context, 1)
        step = self._plant.time_step()
        for row in known.found():
            if row[COMES] == LANDS:
                self._tell(int(row[PAIR]), -row[GAP] - step * row[RATE])

    def _tell(self, pair: int, deep: float) -> None:
        tree = self._known.tree(int(self._known.movers[pair, 0]))
        if tree not in self._told:
            self._told.add(tree)
            body, other = (
                self._bodies[shape].scoped_name()
                for shape in self._known.shapes_of(pair)
            )
            warn(
                f"{body} comes into {other} by {1e3 * deep:.3g} mm in one step of"
                f" {1e3 * self._plant.time_step():g} ms, and can pass: wheels, feet"
                " that are balls and robots of many corners do not land; a shorter"
                " step helps"
            )
