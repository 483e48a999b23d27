"""What arrives is stopped at the surface, with Coulomb's friction of that impulse.

Drake bounds the friction of a step by how deep things are in each other at its start.
A corner that came in by a step's way would be held by many times its load, and what
lands while it slides would trip; what is thin would pass. So before a step the corners
that it would bring to a face are found, and impulses let them come as far as they will
rest. Where shapes bounce they part as in `impulses`; a bounce of 0 is the lowest case.

The corner and the face are seen as a sphere and a convex shape on a straight way, so
that nothing is too thin or too fast. Motors are not seen: what a robot's joints hold
is left out, see `shapes_without_corners`.
"""

import types
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from pydrake.geometry import (
    GeometryVersion,
    Role,
    SceneGraph,
    SceneGraphInspector,
)
from pydrake.multibody.plant import MultibodyPlant
from pydrake.systems.framework import Context

from webmotor_drake.contact.bounce import Bounce, contacts_of
from webmotor_drake.contact.impulses import speeds_after, with_friction
from webmotor_drake.contact.inboard import ShapePair
from webmotor_drake.contact.landing_pairs import LandingPairs
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

# In so many rounds what is stopped stops what comes after it; in the first step of a
# stack that stands.
_ROUNDS, _FIRST_ROUNDS = 3, 10
# Where so little is missing until something arrives, all is looked at each step, m.
_NEAR = 1e-9


class _Quiet(NamedTuple):
    """A state of the plant, and how far anything may move until something arrives.

    Attributes:
        x: positions and velocities.
        reach: how far shapes move at most per change of x, until the step's end.
        slack: m.
        change: work space.
    """

    x: np.ndarray
    reach: np.ndarray
    slack: float
    change: np.ndarray


class Landing:
    """The impulses of corners that arrive.

    Args:
        plant: finalized when a step first comes, discrete, with geometry.
        scene_graph: with its geometry.
        bounces: pairs of shapes that part again.
        shapes_change: True if supervisors change shapes in a Context: seen at once
            then, else as soon as anything is about to arrive.
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
        self._bounces = {
            pair: bounce
            for (a, b), bounce in bounces.items()
            for pair in ((a, b), (b, a))
        }
        self._shapes_change = shapes_change
        self._quiet: _Quiet | None = None
        self._known: LandingPairs | None = None
        self._version: GeometryVersion | None = None

    @property
    def is_needed(self) -> bool:
        """True if anything can arrive; of a finalized plant."""
        inspector = self._scene_graph.model_inspector()
        return bool(len(LandingPairs(self._plant, inspector).pairs))

    def change(self, context: Context) -> np.ndarray | None:
        """Returns how the plant's velocities change; None: they do not.

        Args:
            context: the plant's, in a diagram.
        """
        return self.impulses(context)[0]

    def impulses(
        self, context: Context
    ) -> tuple[np.ndarray | None, set[ShapePair]]:
        """Returns the change of velocities, see `change`, and which shapes arrive.

        Args:
            context: the plant's, in a diagram.
        """
        x = context.get_discrete_state(0).value()
        if not self._shapes_change and self._is_quiet(x):
            return None, set()
        query = self._plant.get_geometry_query_input_port().Eval(context)
        known = self._known_now(query.inspector())
        if not len(known.pairs) or self._is_quiet(x):
            return None, set()
        falls = known.falls(context)
        changes = np.zeros(falls.shape)
        near, slack = known.near(context, changes, falls)
        self._quiet = (
            _Quiet(x.copy(), known.reach, slack / 2, np.empty(x.shape))
            if slack > _NEAR
            else None
        )
        if slack > 0:
            return None, set()
        found = np.zeros((0, COLUMNS))
        v = self._plant.GetVelocities(context)[known.velocities]
        M = self._plant.CalcMassMatrix(context)
        for _ in range(_ROUNDS if context.get_time() else _FIRST_ROUNDS):
            new = near[~_among(near, found, CORNER)]
            rests = new[:, COMES] == RESTS
            comes = new[~rests]
            comes = comes[~self._bounces_later(known, comes)]
            if not len(comes):
                break
            found = np.vstack([found, comes])
            # What touches already, and is not deeper than it will be, bears its part.
            beside = new[rests & _among(new, found, PAIR)]
            pairs = beside[:, PAIR].astype(int)
            beside = beside[-beside[:, GAP] < known.rests[pairs]]
            meetings = np.vstack([found, beside])
            changes = self._stopped(known, meetings, len(found), v, falls, M)
            # What is stopped stops what comes with it, such as a stack.
            near, _ = known.near(context, changes, falls)
        if not len(found):
            return None, set()
        change = np.zeros(len(M))
        change[known.velocities] = changes.reshape(-1, 6)
        landed = {known.shapes_of(pair) for pair in found[:, PAIR].astype(int)}
        return change, landed | {pair[::-1] for pair in landed}

    def _is_quiet(self, x: np.ndarray) -> bool:
        """Returns True if nothing has moved far enough to arrive."""
        quiet = self._quiet
        if quiet is None:
            return False
        np.subtract(x, quiet.x, out=quiet.change)
        np.abs(quiet.change, out=quiet.change)
        return bool(quiet.reach.dot(quiet.change) < quiet.slack)

    def _known_now(self, inspector: SceneGraphInspector) -> LandingPairs:
        """Returns the shapes, anew if any has changed."""
        version = inspector.geometry_version()
        if self._version is None or not self._version.IsSameAs(
            version, Role.kProximity
        ):
            # Drake's own is a part of the Context.
            self._version = GeometryVersion(version)
            self._known = LandingPairs(self._plant, inspector)
            self._quiet = None
        return self._known

    def _stopped(
        self,
        known: LandingPairs,
        meetings: np.ndarray,
        count: int,
        v: np.ndarray,
        falls: np.ndarray,
        M: np.ndarray,
    ) -> np.ndarray:
        """Returns the changes of velocities by the first `count` meetings.

        The others touch already: they bear their part, and that is Drake's.
        """
        pairs, step = meetings[:, PAIR].astype(int), self._plant.time_step()
        rows = known.jacobians(meetings)
        W = np.zeros((3 * len(meetings),) * 2)
        free, held = np.zeros(len(W)), np.zeros(len(W))
        turned = []
        for place, own, J in rows:
            at = known.velocities[place]
            A = np.linalg.solve(M[at[:, None], at], J.T)
            W[own[:, None], own] += J @ A
            held[own] += J @ falls[place].ravel()
            free[own] += J @ (v[place] + falls[place].ravel())
            turned.append((place, own, A))
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
        # Without the others' part energy could rise.
        work, half = free @ p, p @ W @ p / 2
        if work + half > 0:
            p *= max(0.0, -work / (2 * half))
        changes = np.zeros(falls.shape)
        for place, own, A in turned:
            changes[place] = (A @ p[own]).reshape(2, 3)
        return changes

    def _bounces_later(
        self, known: LandingPairs, comes: np.ndarray
    ) -> np.ndarray:
        """Returns which corners may wait until they are in, as in ODE.

        Drake pushes them out by the nearest face.
        """
        later = np.zeros(len(comes), bool)
        for i, row in enumerate(comes if self._bounces else ()):
            bounce = self._bounces.get(known.shapes_of(int(row[PAIR])))
            speed = row[FALL] - row[RATE]
            if row[COMES] == LANDS and bounce and speed > bounce.patch_speed:
                deep = self._plant.time_step() * speed - row[GAP]
                later[i] = deep < row[INSIDE]
        return later

    def _bounce(
        self,
        known: LandingPairs,
        W: np.ndarray,
        before: np.ndarray,
        meetings: np.ndarray,
        wanted: np.ndarray,
    ) -> None:
        """Raises the wanted speeds of those that bounce, m/s."""
        step = self._plant.time_step()
        chosen, bounces, depths = [], [], []
        for i, row in enumerate(meetings if self._bounces else ()):
            bounce = self._bounces.get(known.shapes_of(int(row[PAIR])))
            if bounce is not None and -before[i] > bounce.patch_speed:
                chosen.append(i)
                bounces.append(bounce)
                # Of the shape itself: what only its corner touches ODE lets in for
                # one more step.
                deep = -row[GAP] - known.outs[int(row[CORNER])]
                depths.append(
                    deep if deep > 0 else max(0.0, deep - step * before[i])
                )
        if chosen:
            after = speeds_after(
                W[np.ix_(chosen, chosen)],
                before[chosen],
                contacts_of(bounces, depths),
                step,
            )
            wanted[chosen] = np.maximum(wanted[chosen], after)


def _among(rows: np.ndarray, others: np.ndarray, last: int) -> np.ndarray:
    """Returns which rows are among others up to a column."""
    same = rows[:, None, : last + 1] == others[None, :, : last + 1]
    return same.all(axis=2).any(axis=1)
