"""Webots' friction by direction and forceDependentSlip, which Drake does not have.

Drake gets no friction between such shapes; an impulse before each step replaces it. By
this impulse they slide no further, at the step's end, than friction allows. To find it
we foresee the step: shapes press less as they come apart, and motors hold what the
impulse would turn. So pressure, friction and motors are solved at once, as in ODE. Only
the friction of the result is used; the rest is left to Drake.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from pydrake.geometry import GeometryId, QueryObject
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import Joint, ModelInstanceIndex, MultibodyForces
from pydrake.systems.framework import Context

from webmotor_drake.contact.before_step import jacobian_at
from webmotor_drake.contact.friction_fit import combined
from webmotor_drake.contact.impulses import boxed
from webmotor_drake.contact.inboard import (
    ShapePair,
    both_ways,
    fixed_shapes,
    inboard_joints,
    joints_of,
    moving_root,
    shape_bodies,
)
from webmotor_drake.contact.materials import (
    Touching,
    mean_friction,
    set_friction,
    slick_materials,
)
from webmotor_drake.contact.pressed import PressedPoint, pressed_points
from webmotor_drake.contact.proximity import friction_of
from webmotor_drake.contact.sliding_directions import (
    DIRECTED,
    Grip,
    Sliding,
    axes_across,
    grip,
)
from webmotor_drake.errors import warn

# Rounds until friction and the pressure that bounds it settle, within a share of it.
_ROUNDS, _SETTLED = 10, 1e-3
# Compliance of friction that holds (WorldInfo.CFM), m/(N s).
_CFM = 1e-5
# Drake's default of hunt_crossley_dissipation, s/m.
_DISSIPATION = 50.0
_INFINITE = 1e6


class _Rows(NamedTuple):
    """Impulses p that bring J v + soft p to wanted values.

    Attributes:
        J: Jacobian of the velocities, shape (m, n).
        soft: compliance: velocity per impulse, shape (m,).
        wanted: goal of J v + soft p, shape (m,).
        most: largest values of |p|, shape (m,).
    """

    J: np.ndarray
    soft: np.ndarray
    wanted: np.ndarray
    most: np.ndarray


class SlidingFriction:
    """The friction of pairs of shapes, by direction and with slip.

    Args:
        plant: finalized, discrete plant with geometry.
        pairs: pairs without friction in Drake.
        corners: shape of each corner.
    """

    def __init__(
        self,
        plant: MultibodyPlant,
        pairs: Mapping[ShapePair, Sliding],
        corners: Mapping[GeometryId, GeometryId],
    ):
        self._plant = plant
        self._shapes = dict(corners)
        self._pairs = both_ways(pairs)
        self._bodies = shape_bodies(plant)
        joints = inboard_joints(plant)
        # Index of the innermost moving body that carries a shape; -1: none.
        self._trees = {
            shape: moving_root(plant, body, joints)
            for shape, body in self._bodies.items()
        }
        self._forces = MultibodyForces(plant)
        moving = [j for j in joints_of(plant) if j.num_velocities()]
        self._joints = sorted(moving, key=Joint.velocity_start)

    def change(self, context: Context) -> np.ndarray | None:
        """Returns how the plant's velocities change; None: they do not.

        Args:
            context: Context of the plant, in a diagram.
        """
        plant = self._plant
        query = plant.get_geometry_query_input_port().Eval(context)
        points = [
            p._replace(shapes=tuple(self._shapes.get(s, s) for s in p.shapes))
            for p in pressed_points(query)
        ]
        points = self._concerned(points)
        ours = np.array([p.shapes in self._pairs for p in points], bool)
        if not ours.any():
            return None
        # Jacobians of A's velocity less B's at each point, shape (k, 3, n).
        of = self._bodies
        places = [(*map(of.get, p.shapes), p.p_WC) for p in points]
        J = np.array([jacobian_at(plant, context, *at) for at in places])
        grips = [self._grip(query, point) for point in points]
        efforts = _servo_efforts(plant, context)
        M = plant.CalcMassMatrix(context)
        pressing, holding = self._pressing(points, J), self._holding(grips, J)
        rows = pressing, holding, self._motors(efforts)
        every = _Rows(*map(np.concatenate, zip(*rows, strict=True)))
        p = self._solved(context, every, grips, M, efforts)
        across = np.repeat(ours, 2)
        k = len(points)
        return np.linalg.solve(M, holding.J[across].T @ p[k : 3 * k][across])

    def _concerned(self, points: list[PressedPoint]) -> list[PressedPoint]:
        """Returns the points of sliding trees, and of all trees that touch these."""
        both = [(p, {self._trees[s] for s in p.shapes} - {-1}) for p in points]
        known = set().union(*(t for p, t in both if p.shapes in self._pairs))
        before = -1
        while len(known) > before:
            before = len(known)
            known.update(*(tree for _, tree in both if tree & known))
        return [p for p, tree in both if tree & known]

    def _solved(
        self,
        context: Context,
        rows: _Rows,
        grips: list[Grip],
        M: np.ndarray,
        efforts: np.ndarray,
    ) -> np.ndarray:
        """Returns the impulses of all rows: of pressure, friction and motors."""
        plant, k = self._plant, len(grips)
        h = plant.time_step()
        damping = [j.GetDampingVector(context) for j in self._joints]
        free = M @ plant.GetVelocities(context) - h * self._load(
            context, efforts
        )
        found = np.linalg.solve(
            M + h * np.diag(np.concatenate(damping)),
            np.column_stack([free, rows.J.T]),
        )
        W = rows.J @ found[:, 1:] + np.diag(rows.soft)
        missing = rows.J @ found[:, 0] - rows.wanted
        friction = np.minimum([g.friction for g in grips], _INFINITE)
        least, most = -rows.most, rows.most.copy()
        least[:k] = 0.0
        p = np.zeros(len(most))
        for _ in range(_ROUNDS):
            pressure = p[:k].copy()
            most[k : 3 * k] = (friction * pressure[:, None]).ravel()
            least[k : 3 * k] = -most[k : 3 * k]
            p = boxed(W, missing, least, most)
            if abs(p[:k] - pressure).max() <= _SETTLED * pressure.max():
                break
        return p

    def _pressing(self, points: list[PressedPoint], J: np.ndarray) -> _Rows:
        """Returns the rows along the normals.

        Drake's force k (x - h v) (1 - d v), at a depth x, is linear in v but for v^2.
        """
        h = self._plant.time_step()
        force = np.array([point.force for point in points])
        stiffness = np.array([point.stiffness for point in points])
        less = h * stiffness + _DISSIPATION * np.maximum(force, 0.0)
        normals = np.array([point.n_W for point in points])
        return _Rows(
            np.einsum("ki,kin->kn", normals, J),
            1 / (h * less),
            force / less,
            np.full(len(points), np.inf),
        )

    def _holding(self, grips: list[Grip], J: np.ndarray) -> _Rows:
        axes = np.array([g.axes for g in grips])
        slip = np.array([g.slip for g in grips]).ravel()
        return _Rows(
            np.einsum("kai,kin->kan", axes, J).reshape(len(slip), -1),
            (slip + _CFM) / self._plant.time_step(),
            np.zeros(len(slip)),
            np.zeros(len(slip)),
        )

    def _motors(self, efforts: np.ndarray) -> _Rows:
        h = self._plant.time_step()
        places, gain, wanted, fed, most = efforts[:, efforts[1] > 0]
        return _Rows(
            np.eye(self._plant.num_velocities())[places.astype(int)],
            1 / (h * gain),
            wanted + fed / gain,
            h * most,
        )

    def _load(self, context: Context, efforts: np.ndarray) -> np.ndarray:
        """Returns the efforts that keep all joints from accelerating, N m or N."""
        plant, forces = self._plant, self._forces
        plant.CalcForceElementsContribution(context, forces)
        generalized = forces.mutable_generalized_forces()
        port = plant.get_applied_generalized_force_input_port()
        if port.HasValue(context):
            generalized += port.Eval(context)
        places, _, _, fed, _ = efforts[:, efforts[1] == 0]
        np.add.at(generalized, places.astype(int), fed)
        port = plant.get_applied_spatial_force_input_port()
        for applied in port.Eval(context) if port.HasValue(context) else ():
            body = plant.get_body(applied.body_index)
            R_BW = body.EvalPoseInWorld(context).rotation().inverse()
            body.AddInForce(
                context,
                p_BP_E=applied.p_BoBq_B,
                F_Bp_E=applied.F_Bq_W.Rotate(R_BW),
                frame_E=body.body_frame(),
                forces=forces,
            )
        still = np.zeros(plant.num_velocities())
        return plant.CalcInverseDynamics(context, still, forces)

    def _grip(self, query: QueryObject, point: PressedPoint) -> Grip:
        sliding = self._pairs.get(point.shapes)
        if sliding is not None:
            into = sliding.turned == point.shapes[0]
            return grip(query, sliding, point.n_W if into else -point.n_W)
        inspector = query.inspector()
        mu = combined(*(friction_of(inspector, g) for g in point.shapes))
        return Grip(axes_across(point.n_W), (mu, mu), (0.0, 0.0))


def sliding_pairs(touching: Touching) -> dict[ShapePair, Sliding]:
    """Returns the pairs that slide by our impulses, and sets Drake's friction to 0."""
    plant, materials = touching.plant, touching.materials
    names = slick_materials(touching.entries)
    if not names:
        return {}
    if not plant.time_step():
        _tell_of_losses(touching)
        return {}
    slick = {
        shape
        for shape, material in materials.items()
        if material.name in names and material.friction is None
    }
    inspector = touching.scene_graph.model_inspector()
    fixed = fixed_shapes(plant)
    pairs: dict[ShapePair, Sliding] = {}
    without: dict[tuple[str, str], str] = {}
    for (a, b), entry in touching.pairs.items():
        if a not in slick and b not in slick:
            continue
        first, second = (
            (a, b) if materials[a].name == entry.material1 else (b, a)
        )
        turned = second if first in fixed else first
        pairs[a, b] = Sliding(entry, first, second, turned)
        for shape in (a, b) if entry.by_direction else ():
            kind = inspector.GetShape(shape)
            if not isinstance(kind, DIRECTED):
                without[entry.materials] = type(kind).__name__
    for shape in slick:
        set_friction(plant, touching.scene_graph, shape, 0.0)
    for (one, other), kind in without.items():
        warn(
            f"contact_properties of {one} and {other}: a {kind} has no directions;"
            " the first friction and the first slip count there, as in Webots"
        )
    return pairs


def _tell_of_losses(touching: Touching) -> None:
    """Warns of friction that a continuous plant does not have."""
    met = {entry.materials: entry for entry in touching.pairs.values()}
    for (one, other), entry in met.items():
        if entry.slides_otherwise:
            warn(
                f"contact_properties of {one} and {other}: friction is"
                f" {mean_friction(entry):g} in all directions, and nothing slips by"
                " force_dependent_slip, on a continuous plant (time_step 0)"
            )


def _servo_efforts(plant: MultibodyPlant, context: Context) -> np.ndarray:
    """Returns the terms of actuators' efforts gain (wanted - v) + fed, shape (5, m).

    The rows are the indices of the joints' velocities v; gains, N m s/rad or N s/m, 0
    without a controller; wanted speeds, rad/s or m/s; efforts that are fed, and their
    limits, N m or N.
    """
    rows: list[tuple[int, float, float, float, float]] = []
    for model in map(ModelInstanceIndex, range(plant.num_model_instances())):
        indices = plant.GetJointActuatorIndices(model)
        if not indices:
            continue
        wanted = plant.get_desired_state_input_port(model)
        aims = wanted.Eval(context) if wanted.HasValue(context) else ()
        speeds = iter(np.array_split(aims, 2)[1])
        port = plant.get_actuation_input_port(model)
        fed = (
            port.Eval(context)
            if port.HasValue(context)
            else np.zeros(len(indices))
        )
        for index, effort in zip(indices, fed, strict=True):
            actuator, gain, aim = plant.get_joint_actuator(index), 0.0, 0.0
            if actuator.has_controller():
                gain = actuator.get_controller_gains().d
                aim = next(speeds, 0.0)
            place = actuator.joint().velocity_start()
            rows.append((place, gain, aim, effort, actuator.effort_limit()))
    return np.array(rows).reshape(-1, 5).T
