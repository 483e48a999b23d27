"""Stops bodies that arrive at the surface, with Coulomb's friction of that impulse.

Drake bounds the friction of a step by the depths of contacts at its start. A corner
that came in by a step's way would be held by many times its load: what lands while it
slides would trip. Thin things would pass. So before a step we find the corners that it
would bring to a face, and impulses let them go in only as far as they will rest. Shapes
that bounce part as in `impulses`.

Corner and face are a sphere and a convex shape that move straight, so that nothing is
too thin or too fast. Faces may be those of robots, whose motors hold them in the step
as Drake's do, but without a limit of effort.
"""

import types
import weakref
from collections.abc import Callable, Mapping

import numpy as np
from pydrake.geometry import GeometryVersion, Role, SceneGraph
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import RigidBody
from pydrake.systems.framework import Context

from webmotor_drake.contact.bounce import Bounces
from webmotor_drake.contact.impulses import Bounce, speeds_after, with_friction
from webmotor_drake.contact.inboard import ShapePair, both_ways, shape_bodies
from webmotor_drake.contact.landing_pairs import LandingPairs
from webmotor_drake.errors import warn
from webmotor_drake.loops.arrivals import (
    COLUMNS,
    COMES,
    CORNER,
    FALL,
    GAP,
    INSIDE,
    LANDS,
    PAIR,
    RATE,
    RESTS,
    STRAIGHT,
)

# Rounds in which shapes that were stopped stop those behind them; in the first step, in
# which a stack may stand, there are more.
_ROUNDS, _FIRST_ROUNDS = 3, 10
# The share of its impulse that stops a corner which is inside already.
_SINKING = 0.5
# Period of the look at cores that creep in, s.
_CREEPS = 0.25


class Landing:
    """The impulses of corners that arrive.

    Args:
        plant: discrete plant with geometry; finalized by its first step.
        scene_graph: scene graph with its geometry.
        bounces: pairs of shapes that bounce.
        shapes_change: True if supervisors change shapes, or move fixed bodies: looks
            for that in each step, else only before something arrives.
    """

    def __init__(
        self,
        plant: MultibodyPlant,
        scene_graph: SceneGraph,
        bounces: Mapping[ShapePair, Bounce] = types.MappingProxyType({}),
        *,
        shapes_change: bool = False,
    ):
        self._plant, self._scene_graph = plant, scene_graph
        self._step = plant.time_step()
        self._bounces = both_ways(bounces)
        own = plant, scene_graph, bounces
        self._bounces_inside = Bounces(*own) if bounces else None
        self._shapes_change = shapes_change
        self._known: LandingPairs | None = None
        # All shapes by cores, which may creep in; None: nothing has a core.
        self._every: LandingPairs | None = None
        # Look at `_known`, if that alone says that nothing lands or bounces.
        self._is_quiet: Callable[[np.ndarray], bool] | None = None
        self._told: set[ShapePair] = set()
        # See `read_in_place`.
        self._own: tuple[Callable, Callable] | None = None

    @property
    def is_needed(self) -> bool:
        """True if anything can arrive; the plant has to be finalized."""
        plant, inspector = self._plant, self._scene_graph.model_inspector()
        context = plant.CreateDefaultContext()
        found = LandingPairs(plant, inspector, context, cores="others")
        return bool(len(found.pairs))

    def read_in_place(self, context: Context, state: np.ndarray) -> None:
        """Reads the plant's state where it lies, in the steps of one Context.

        It is for the owner of the Context, who keeps both arguments alive.

        Args:
            context: the plant's Context.
            state: [q, v] of that Context, which Drake writes in place.
        """
        self._own = weakref.ref(context), weakref.ref(state)

    def change(self, context: Context) -> np.ndarray | None:
        """Returns how the plant's velocities change; None: they do not.

        Args:
            context: Context of the plant, in a diagram.
        """
        own, is_quiet = self._own, self._is_quiet
        if own is not None and own[0]() is context:
            x = own[1]()
        else:
            x = context.get_discrete_state(0).value()
        creeps = self._every and context.get_time() % _CREEPS < self._step
        looks = is_quiet is not None and not creeps
        if looks and is_quiet(x):
            return None
        known = self._looked_at(context, x)
        landed, pairs = None, set[ShapePair]()
        if (looks and known is self._known) or not known.ways.is_quiet(x):
            landed, pairs = self._landed(context, x, known)
        if self._bounces_inside is None:
            return landed
        bounced = self._bounces_inside.change(context, pairs)
        if landed is None or bounced is None:
            return bounced if landed is None else landed
        return landed + bounced

    def _looked_at(self, context: Context, x: np.ndarray) -> LandingPairs:
        """Returns the pairs to look at; tells of cores that have crept in."""
        known = self._known
        if known is None or self._shapes_change:
            known = self._known_now(context)
        cores, every = self._with_cores, self._every
        if cores.is_fast(x):
            return cores
        if every is not None and context.get_time() % _CREEPS < self._step:
            self._tell_of_deep(every, every.touching(context))
        return known

    def _landed(
        self, context: Context, x: np.ndarray, known: LandingPairs
    ) -> tuple[np.ndarray | None, set[ShapePair]]:
        """Returns the change of velocities, and the pairs of shapes that arrive."""
        if not len(known.pairs):
            return None, set()
        slack, steps = known.look(context, known.ways.steps_ahead())
        if slack > 0:
            v = self._plant.GetVelocities(context) if steps > 1 else np.zeros(0)
            rate = self._plant.MapVelocityToQDot(context, v) if steps > 1 else v
            known.ways.keep(x, slack / 3, rate, steps)
            return None, set()
        known.ways.forget()
        before = self._known
        if before is not self._known_now(context):
            return self._landed(context, x, self._looked_at(context, x))
        found, near = np.zeros((0, COLUMNS)), known.found()
        every = self._every
        rows = near if every is None else every.touching(context)
        self._tell_of_deep(every or known, rows)
        known.hold(context)
        change = np.zeros(0)
        for _ in range(_ROUNDS if context.get_time() else _FIRST_ROUNDS):
            new = near[~_among(near, found, CORNER)]
            rests = new[:, COMES] == RESTS
            comes = new[~rests]
            comes = comes[~self._bounces_later(known, comes)]
            if not len(comes):
                break
            found = np.vstack([found, comes])
            # Corners that touch already, no deeper than they rest, bear their part.
            beside = new[rests & _among(new, found, PAIR)]
            pairs = beside[:, PAIR].astype(int)
            beside = beside[-beside[:, GAP] < known.rests[pairs]]
            meetings = np.vstack([found, beside])
            change = self._stopped(known, meetings, len(found))
            known.look_again(change)
            # A shape that is stopped stops those behind it, as in a stack.
            near = known.found()
        if not len(found):
            return None, set()
        landed = {known.shapes_of(pair) for pair in found[:, PAIR].astype(int)}
        return change, landed | {pair[::-1] for pair in landed}

    def lift(
        self, context: Context, body: RigidBody | None = None
    ) -> np.ndarray | None:
        """Returns the change of positions that lets things placed on others rest.

        Files place faces exactly on each other, so corners are deeper than they rest:
        Drake would hold what slides there by four times its friction for a step.

        Args:
            context: Context of the plant, in a diagram.
            body: free body that was placed; None: all that are free.

        Returns:
            The change of q; None: there is none.
        """
        known = self._known_now(context)
        found = known.placed(context, body) if len(known.pairs) else ()
        if not len(found):
            return None
        known.hold(context)
        deeper = np.zeros(3 * len(found))
        deeper[2::3] = found[:, GAP] + known.shares_of_rest(found)
        W, turned = known.per_impulse(found)
        p = with_friction(W, deeper, np.zeros(len(found)))
        return self._plant.MapVelocityToQDot(
            context, known.change_by(p, turned)
        )

    def _known_now(self, context: Context) -> LandingPairs:
        """Returns the known pairs; anew if shapes changed or fixed bodies moved."""
        query = self._plant.get_geometry_query_input_port().Eval(context)
        version = query.inspector().geometry_version()
        if (
            self._known is None
            or not self._version.IsSameAs(version, Role.kProximity)
            or not self._known.stands(context)
        ):
            # Drake's own is a part of the Context.
            self._version = GeometryVersion(version)
            own = self._plant, query.inspector(), context
            self._known = self._with_cores = LandingPairs(*own)
            self._every = None
            if self._known.leaves_out:
                cores = self._with_cores = LandingPairs(*own, cores="others")
                self._every = LandingPairs(*own, cores="all")
                self._known.ways.watch(cores.ways, cores.least)
            alone = not (self._bounces_inside or self._shapes_change)
            self._is_quiet = self._known.ways.is_quiet if alone else None
        return self._known

    def _tell_of_deep(self, known: LandingPairs, rows: np.ndarray) -> None:
        """Warns of balls and cores that may pass another shape, once."""
        pairs = rows[:, PAIR].astype(int)
        radii = known.radii[rows[:, CORNER].astype(int)]
        deep = known.let_in[pairs] & (rows[:, GAP] < -radii)
        for pair in pairs[deep & (rows[:, INSIDE] < radii)]:
            shapes = known.shapes_of(pair)
            if shapes not in self._told:
                self._told.add(shapes)
                bodies = shape_bodies(self._plant)
                a, b = (bodies[shape].scoped_name() for shape in shapes)
                warn(
                    f"{a}: its middle is in {b}, which it may pass; a plant step"
                    f" shorter than {self._step:g} s, or a thicker"
                    " shape, keeps it out"
                )

    def _stopped(
        self, known: LandingPairs, meetings: np.ndarray, count: int
    ) -> np.ndarray:
        """Returns the change of velocities by the first `count` meetings.

        The other meetings touch already: Drake itself applies the part that they bear.
        """
        pairs, step = meetings[:, PAIR].astype(int), self._step
        W, turned = known.per_impulse(meetings)
        free, held = np.zeros(len(W)), np.zeros(len(W))
        for at, own, J, _ in turned:
            held[own] += J @ known.falls[at]
            free[own] += J @ known.v[at]
        free += held
        first = meetings[:count]
        wanted = held[2::3].copy()
        wanted[count:] = 0.0
        lands = np.flatnonzero(first[:, COMES] == LANDS)
        wanted[lands] = (
            (-first[:, GAP] - known.rests[pairs[:count]]) / step
            - first[:, RATE]
            + first[:, STRAIGHT]
        )[lands]
        before = free[2::3] - held[2::3]
        self._bounce(known, W[2::3, 2::3], before, first, wanted)
        missing = free.copy()
        missing[2::3] -= wanted
        p = with_friction(W, missing, known.frictions[pairs])
        p[3 * count :] = 0.0
        # Drake, too, holds corners that are in already. If all of a pair are, the whole
        # impulse would keep the shape above its rest, where Drake has too little
        # friction for what is kicked.
        if not self._bounces:
            deep = (first[lands, GAP] < 0) & ~known.let_in[pairs[lands]]
            comes = first[lands, PAIR][~deep]
            p[3 * lands[~np.isin(first[lands, PAIR], comes)] + 2] *= _SINKING
        # Without the part of the other meetings energy could rise.
        work, half = free @ p, p @ W @ p / 2
        if work + half > 0:
            p *= max(0.0, -work / (2 * half))
        return known.change_by(p, turned)

    def _bounces_later(
        self, known: LandingPairs, comes: np.ndarray
    ) -> np.ndarray:
        """Returns which corners bounce only once they are inside, as in ODE.

        Drake pushes them out by the nearest face, which has to be the face they met.
        """
        later = np.zeros(len(comes), bool)
        for i, bounce in self._bouncing(known, comes):
            row, step = comes[i], self._step
            speed, lands = row[FALL] - row[RATE], row[COMES] == LANDS
            is_ball = known.shapes[known.pairs[int(row[PAIR]), 0]].let_in > 0
            if is_ball or speed > bounce.patch_speed:
                inside = row[INSIDE] / 2 if is_ball else row[INSIDE]
                later[i] = lands and step * speed - row[GAP] < inside
            # A ball that is inside already bounces as points do.
            later[i] |= is_ball and not lands
        return later

    def _bounce(
        self,
        known: LandingPairs,
        W: np.ndarray,
        before: np.ndarray,
        meetings: np.ndarray,
        wanted: np.ndarray,
    ) -> None:
        """Raises the wanted speeds of meetings that bounce, m/s."""
        bounces = {
            i: bounce
            for i, bounce in self._bouncing(known, meetings)
            if -before[i] > bounce.patch_speed
        }
        if bounces:
            rows = [*bounces]
            own, v, step = W[np.ix_(rows, rows)], before[rows], self._step
            # Depths of the shapes without the height of their corners: ODE lets these
            # shapes in for one more step.
            outs = known.outs[meetings[rows, CORNER].astype(int)]
            deep = -meetings[rows, GAP] - outs
            deep = np.where(deep > 0, deep, np.maximum(0.0, deep - step * v))
            after = speeds_after(own, v, [*bounces.values()], deep, step)
            wanted[rows] = np.maximum(wanted[rows], after)

    def _bouncing(
        self, known: LandingPairs, rows: np.ndarray
    ) -> list[tuple[int, Bounce]]:
        """Returns the indices of rows whose shapes bounce, with the bounce."""
        if not self._bounces:
            return []
        pairs = map(known.shapes_of, rows[:, PAIR].astype(int).tolist())
        found = enumerate(map(self._bounces.get, pairs))
        return [(i, bounce) for i, bounce in found if bounce is not None]


def _among(rows: np.ndarray, others: np.ndarray, last: int) -> np.ndarray:
    """Returns which rows equal one of `others` up to the column `last`."""
    same = rows[:, None, : last + 1] == others[None, :, : last + 1]
    return same.all(axis=2).any(axis=1)
