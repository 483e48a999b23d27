"""What arrives is stopped at the surface, with Coulomb's friction of that impulse.

Drake bounds the friction of a step by how deep things are in each other at its start.
A corner that came in by a step's way would be held by many times its load, and what
lands while it slides would trip; what is thin would pass. So before a step the corners
that it would bring to a face are found, and impulses let them come as far as they will
rest. Where shapes bounce they part as in `impulses`; a bounce of 0 is the lowest case.

The corner and the face are seen as a point and a convex shape on a straight way, so
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
from pydrake.math import RotationMatrix
from pydrake.multibody.plant import MultibodyPlant
from pydrake.systems.framework import Context

from webmotor_drake.contact.before_step import jacobian_at
from webmotor_drake.contact.bounce import Bounce, contacts_of
from webmotor_drake.contact.friction_fit import combined
from webmotor_drake.contact.impulses import speeds_after, with_friction
from webmotor_drake.contact.inboard import ShapePair
from webmotor_drake.contact.landing_pairs import LandingPairs, Near
from webmotor_drake.contact.landing_ways import Meeting
from webmotor_drake.contact.proximity import friction_of

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
        return bool(LandingPairs(self._plant, inspector).pairs)

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
        plant = self._plant
        query = plant.get_geometry_query_input_port().Eval(context)
        inspector = query.inspector()
        known = self._known_now(inspector)
        if not known.pairs or self._is_quiet(x):
            return None, set()
        falls = known.falls(context)
        near = known.near(context, falls)
        slack = near.slack
        reach = np.r_[known.reach_q, plant.time_step() * known.reach_v]
        self._quiet = (
            _Quiet(x.copy(), reach, slack / 2, np.empty(x.shape))
            if slack > _NEAR
            else None
        )
        if slack > 0:
            return None, set()
        found: dict[tuple[int, ...], Meeting] = {}
        change = None
        for _ in range(_ROUNDS if context.get_time() else _FIRST_ROUNDS):
            new = self._arriving(near, inspector, found)
            if not new:
                break
            found.update((meeting.key, meeting) for meeting in new)
            together = {meeting.key[:2] for meeting in found.values()}
            touching = [
                meeting
                for way in near.ways
                for meeting in way.touching(together)
                if meeting.key not in found
                # What is deeper bears its part already.
                and -meeting.gap < known.rest_depths.get(meeting.a.place, 0.0)
            ]
            meetings = [*found.values(), *touching]
            change = self._stopped(
                context, inspector, meetings, len(found), falls
            )
            # What is stopped stops what comes with it, such as a stack.
            near = known.near(context, falls, change)
        pairs = [(m.a.geometry, m.b.geometry) for m in found.values()]
        return change, {p for a, b in pairs for p in ((a, b), (b, a))}

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

    def _arriving(
        self,
        near: Near,
        inspector: SceneGraphInspector,
        found: Mapping[tuple[int, ...], Meeting],
    ) -> list[Meeting]:
        """Returns what arrives besides what was found."""
        return [
            meeting
            for way in near.ways
            for meeting in way.arriving()
            if meeting.key not in found
            and not self._bounces_later(meeting)
            and not inspector.CollisionFiltered(
                meeting.a.ball, meeting.b.geometry
            )
        ]

    def _stopped(
        self,
        context: Context,
        inspector: SceneGraphInspector,
        meetings: list[Meeting],
        count: int,
        falls: np.ndarray,
    ) -> np.ndarray:
        """Returns the change of velocities by the first `count` meetings.

        The others touch already: they bear their part, and that is Drake's.
        """
        plant, known = self._plant, self._known
        step = plant.time_step()
        J = np.vstack([self._jacobian(context, m) for m in meetings])
        A, W = _per_impulse(plant.CalcMassMatrix(context), J, known.trees)
        free = J @ (plant.GetVelocities(context) + falls)
        held = (J @ falls)[2::3]
        depths = known.rest_depths
        wanted = np.zeros(len(meetings))
        wanted[:count] = [
            (-m.gap - depths.get(m.a.place, 0.0)) / step - m.bend
            if m.lands
            else fall
            for m, fall in zip(meetings[:count], held, strict=False)
        ]
        before = free[2::3] - held
        self._bounce(W[2::3, 2::3], before, meetings[:count], wanted)
        missing = free.copy()
        missing[2::3] -= wanted
        p = with_friction(W, missing, _frictions(inspector, meetings))
        p[3 * count :] = 0.0
        # Without the others' part energy could rise.
        work, half = free @ p, p @ W @ p / 2
        if work + half > 0:
            p *= max(0.0, -work / (2 * half))
        return A @ p

    def _bounces_later(self, meeting: Meeting) -> bool:
        """Returns whether a meeting may wait until the corner is in, as in ODE.

        Drake pushes it out by the nearest face.
        """
        if not meeting.lands:
            return False
        pair = meeting.a.geometry, meeting.b.geometry
        bounce = self._bounces.get(pair)
        if bounce is None or meeting.speed <= bounce.patch_speed:
            return False
        deep = self._plant.time_step() * meeting.speed - meeting.gap
        return deep < meeting.inside

    def _bounce(
        self,
        W: np.ndarray,
        before: np.ndarray,
        meetings: list[Meeting],
        wanted: np.ndarray,
    ) -> None:
        """Raises the wanted speeds of those that bounce, m/s."""
        step = self._plant.time_step()
        chosen, bounces, depths = [], [], []
        for i, m in enumerate(meetings):
            bounce = self._bounces.get((m.a.geometry, m.b.geometry))
            if bounce is not None and -before[i] > bounce.patch_speed:
                chosen.append(i)
                bounces.append(bounce)
                # Of the shape itself: what only its corner touches ODE lets in for
                # one more step.
                deep = -m.gap - m.out
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

    def _jacobian(self, context: Context, meeting: Meeting) -> np.ndarray:
        """Returns d(velocity of A relative to B, in C) / dv, shape (3, n)."""
        bodies = self._known.bodies
        J_A, J_B = (
            jacobian_at(self._plant, context, bodies[s.place], meeting.p_WC)
            for s in (meeting.a, meeting.b)
        )
        R_WC = RotationMatrix.MakeFromOneVector(meeting.n_W, 2).matrix()
        return R_WC.T @ (J_A - J_B)


def _per_impulse(
    M: np.ndarray, J: np.ndarray, trees: list[np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    """Returns M^-1 J^T and J M^-1 J^T, tree by tree: M has nothing between these.

    Whole, they are large enough for numpy to share them among processors, which costs
    more than it saves.

    Args:
        M: the mass matrix.
        J: of velocities in question.
        trees: the places of the velocities of each.
    """
    A, W = np.zeros(J.T.shape), np.zeros((len(J), len(J)))
    for own in trees:
        rows = np.flatnonzero(J[:, own].any(axis=1))
        if rows.size:
            mine = J[np.ix_(rows, own)]
            found = np.linalg.solve(M[np.ix_(own, own)], mine.T)
            A[np.ix_(own, rows)] = found
            W[np.ix_(rows, rows)] += mine @ found
    return A, W


def _frictions(
    inspector: SceneGraphInspector, meetings: list[Meeting]
) -> np.ndarray:
    """Returns Coulomb's coefficients."""
    known: dict[ShapePair, float] = {}
    for m in meetings:
        pair = m.a.geometry, m.b.geometry
        if pair not in known:
            known[pair] = combined(*(friction_of(inspector, g) for g in pair))
    return np.array([known[m.a.geometry, m.b.geometry] for m in meetings])
