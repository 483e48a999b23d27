"""The hold of Connectors and grippers: welds that can be closed and opened.

Drake can open and close constraints in the Context, but a weld keeps its pose for ever.
So each Connector that may hold others has a dock: a body without mass on a frame that
the Context can move. Per pair a weld holds the other body to the dock. Welds are open
unless `lock` closes them. Bodies that grippers may hold are passive Connectors here.
"""

import dataclasses as dc
import itertools
import math
from collections.abc import Iterator

import numpy as np
from pydrake.geometry import (
    CollisionFilterDeclaration,
    FilterId,
    GeometrySet,
    SceneGraph,
)
from pydrake.math import RigidTransform
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import (
    FixedOffsetFrame,
    MultibodyConstraintId,
    RigidBody,
    SpatialInertia,
    WeldJoint,
)
from pydrake.systems.framework import Context

from webmotor_drake.contact.inboard import bodies_of
from webmotor_drake.drive.device_mounts import find_mounts
from webmotor_drake.drive.driver import model_instance
from webmotor_drake.drive.loops import ANCHOR, held_body
from webmotor_drake.drive.topology import uses_tamsi
from webmotor_drake.errors import InputError
from webmotor_drake.nodes.connectors import (
    Connector,
    HoldingNode,
    VacuumGripper,
)
from webmotor_drake.scenario.blame import blame
from webmotor_drake.scenario.scenario import Scenario, robots_of
from webmotor_drake.simulation.connector_alignment import held_pose, is_in_place

# Stands for a robot in the names of bodies that grippers may hold.
_BODY = ""
# The model of the docks, which users do not see.
DOCKS = "docks"
# So many pairs cost milliseconds per step.
_MOST_PAIRS = 20_000

Name = tuple[str, str]


@dc.dataclass(frozen=True)
class _End:
    """A Connector or VacuumGripper on its body, or a body that one may hold."""

    name: Name  # that of its robot, and its own
    node: Connector | VacuumGripper  # of a body a passive Connector
    body: RigidBody
    X_BC: RigidTransform


class Docks:
    """Connectors of a plant, and the welds between them.

    Args:
        scenario: scenario of the Connectors, to be built.
        plant: plant to weld in, not yet finalized.

    Attributes:
        locked: True for each Connector that is locked, by its robot and its name.

    Raises:
        InputError: the plant cannot hold locked Connectors, or they are too many.
    """

    def __init__(self, scenario: Scenario, plant: MultibodyPlant):
        self._plant = plant
        self._joints: dict[Name, WeldJoint] = {}
        self._welds: dict[tuple[Name, Name], MultibodyConstraintId] = {}
        self._filters: dict[tuple[Name, Name], FilterId] = {}
        self._peers: dict[Name, dict[Name, MultibodyConstraintId]] = {}
        self.locked: dict[Name, bool] = {}
        self._ends = {end.name: end for end in _ends_in(scenario, plant)}
        grips = self._grips()
        self.restart()
        pairs = [*self._pairs(), *grips]
        if not pairs:
            return
        with blame(scenario, "plant_config"):
            _check_plant(plant)
        self._instance = plant.AddModelInstance(DOCKS)
        for one, other in pairs:
            # The dock goes on the body that moves, if only one does.
            is_fixed = one.body.index() == plant.world_body().index()
            first, second = (other, one) if is_fixed else (one, other)
            weld = self._add_weld(first, second)
            self._welds[first.name, second.name] = weld
            self._peers.setdefault(one.name, {})[other.name] = weld
            self._peers.setdefault(other.name, {})[one.name] = weld

    def _pairs(self) -> list[tuple[_End, _End]]:
        connectors = [
            end
            for end in self._ends.values()
            if isinstance(end.node, Connector) and end.name[0] != _BODY
        ]
        pairs = [
            (one, other)
            for one, other in itertools.combinations(connectors, 2)
            if one.node.fits(other.node)
            and one.body.index() != other.body.index()
        ]
        if len(pairs) > _MOST_PAIRS:
            raise InputError(
                f"{len(pairs):,} pairs of Connectors could hold each other; at most"
                f" {_MOST_PAIRS:,} are computed with: give those that never meet"
                " different `model`s"
            )
        return pairs

    def _grips(self) -> list[tuple[_End, _End]]:
        """Returns the grippers, each with all bodies of other models."""
        passive, ends = Connector(type="passive"), self._ends.values()
        grippers = [e for e in ends if isinstance(e.node, VacuumGripper)]
        bodies = [
            _End(_of(body), passive, body, RigidTransform())
            for body in bodies_of(self._plant)
            if grippers and body.name() != ANCHOR
        ]
        self._ends |= {end.name: end for end in bodies}
        return [
            (gripper, end)
            for gripper in grippers
            for end in bodies
            if end.body.model_instance() != gripper.body.model_instance()
        ]

    def _add_weld(self, first: _End, second: _End) -> MultibodyConstraintId:
        plant, name, own = self._plant, "/".join(first.name), self._instance
        if first.name not in self._joints:
            dock = plant.AddRigidBody(name, own, SpatialInertia.Zero())
            frame = FixedOffsetFrame(
                f"{name}.place", first.body.body_frame(), first.X_BC, own
            )
            joint = plant.WeldFrames(plant.AddFrame(frame), dock.body_frame())
            self._joints[first.name] = joint
        return plant.AddWeldConstraint(
            body_A=plant.GetBodyByName(name, own),
            X_AP=RigidTransform(),
            body_B=held_body(plant, second.body, own),
            X_BQ=second.X_BC,
        )

    def restart(self) -> None:
        """Locks and unlocks as at the start."""
        for name, end in self._ends.items():
            self.locked[name] = end.node.is_locked

    def prepare(self, context: Context) -> None:
        """Opens all welds in a default Context, then closes those locked at the start.

        Args:
            context: Context of the plant.
        """
        for weld in self._welds.values():
            self._plant.SetConstraintActiveStatus(context, weld, False)
        present = dict(self.locked)
        self.restart()
        for name, locked in list(self.locked.items()):
            if locked:
                self.lock(context, name)
        self.locked.update(present)

    def peer(self, context: Context, name: Name) -> Name | None:
        """Returns the Connector that this one is connected to; None without one."""
        for other, weld in self._peers.get(name, {}).items():
            if self._plant.GetConstraintActiveStatus(context, weld):
                return other
        return None

    def _dock_of(self, one: Name, other: Name) -> Name:
        """Returns the one of two Connectors whose dock holds the other."""
        return one if (one, other) in self._welds else other

    def present(self, context: Context, name: Name) -> Name | None:
        """Returns the nearest Connector that this one could hold; None without one."""
        found, nearest = None, math.inf
        X_WA, node = self._pose(context, name), self._ends[name].node
        if isinstance(node, VacuumGripper):
            return self._touched(context, name)
        for other in self._peers.get(name, ()):
            X_AB = X_WA.InvertAndCompose(self._pose(context, other))
            distance = float(np.linalg.norm(X_AB.translation()))
            if distance < nearest and is_in_place(node, X_AB):
                found, nearest = other, distance
        return found

    def _touched(self, context: Context, name: Name) -> Name | None:
        """Returns the body that is deepest in the gripper's body; None without one."""
        plant, found, deepest = self._plant, None, 0.0
        query = plant.get_geometry_query_input_port().Eval(context)
        frame_of = query.inspector().GetFrameId
        own = plant.GetBodyFrameIdOrThrow(self._ends[name].body.index())
        for touch in query.ComputePointPairPenetration():
            frames = [frame_of(touch.id_A), frame_of(touch.id_B)]
            if own not in frames or touch.depth <= deepest:
                continue
            frames.remove(own)
            other = _of(plant.GetBodyFromFrameId(frames[0]))
            if other in self._peers.get(name, ()):
                found, deepest = other, touch.depth
        return found

    def presence(self, context: Context, name: Name) -> int:
        """Returns 1 if it holds another or could, 0 if not; -1 for a passive one."""
        if self._ends[name].node.type == "passive":
            return -1
        connected = self.peer(context, name) is not None
        return int(connected or self.present(context, name) is not None)

    def _pose(self, context: Context, name: Name) -> RigidTransform:
        end = self._ends[name]
        return self._plant.EvalBodyPoseInWorld(context, end.body) @ end.X_BC

    def lock(self, context: Context, name: Name) -> None:
        """Locks a Connector that is not passive; it holds a partner that is there.

        Args:
            context: Context of the plant, which is changed.
            name: name of its robot and its own.
        """
        self.locked[name] = True
        if self.peer(context, name) is None:
            other = self.present(context, name)
            if other is not None:
                self._attach(context, name, other)

    def _attach(self, context: Context, name: Name, other: Name) -> None:
        one, two = self._ends[name], self._ends[other]
        if isinstance(one.node, Connector) and self.peer(context, other):
            return
        if not (one.node.unilateral_lock or self.locked[other]):
            return
        if two.body in self._plant.GetBodiesWeldedTo(one.body):
            return  # Drake fails to hold what cannot move against each other
        X_WA = self._pose(context, name)
        X_AB = X_WA.InvertAndCompose(self._pose(context, other))
        if isinstance(one.node, Connector):
            X_AB = held_pose(one.node, X_AB)
        first = self._dock_of(name, other)
        if first != name:
            X_AB = X_AB.inverse()
        place = self._ends[first].X_BC @ X_AB
        frame = self._joints[first].frame_on_parent()
        frame.SetPoseInParentFrame(context, place)
        self._hold(context, name, other, True)

    def unlock(self, context: Context, name: Name) -> None:
        """Unlocks a Connector that is not passive; see `lock`."""
        self.locked[name] = False
        other = self.peer(context, name)
        if other is None:
            return
        if self._ends[name].node.unilateral_unlock or not self.locked[other]:
            self._hold(context, name, other, False)

    def _hold(
        self, context: Context, name: Name, other: Name, holds: bool
    ) -> None:
        weld = self._peers[name][other]
        self._plant.SetConstraintActiveStatus(context, weld, holds)

    def watch(self, context: Context, name: Name) -> None:
        """Breaks a weld that is overloaded, or holds a partner that has come near.

        To be called at the end of each basic step for a Connector with a strength
        or `auto_lock`.
        """
        other = self.peer(context, name)
        if other is not None:
            node = self._ends[name].node
            off = isinstance(node, VacuumGripper) and not self.locked[name]
            if off or self._is_overloaded(context, name, other):
                self._hold(context, name, other, False)
        elif self.locked[name] and self._ends[name].node.auto_lock:
            near = self.present(context, name)
            if near is not None:
                self._attach(context, name, near)

    def _is_overloaded(self, context: Context, name: Name, other: Name) -> bool:
        """Returns whether two are pulled apart by more than they bear."""
        pull, across = self.load(context, name, other)
        # Each counts as long as it is locked.
        nodes = [self._ends[n].node for n in (name, other) if self.locked[n]]
        return pull > sum(_force(node.tensile_strength) for node in nodes) or (
            across > sum(_force(node.shear_strength) for node in nodes)
        )

    def load(
        self, context: Context, name: Name, other: Name
    ) -> tuple[float, float]:
        """Returns the forces that pull two connected ones apart, and across, N."""
        first = self._dock_of(name, other)
        plant = self._plant
        joint = self._joints[first]
        forces = plant.get_reaction_forces_output_port().Eval(context)
        X_WD = joint.frame_on_child().CalcPoseInWorld(context)
        row = plant.GetJointIndices().index(joint.index())  # of those there are
        force = forces[row].translational()
        force_W = X_WD.rotation().matrix() @ force
        if first == name:  # the dock is pulled by the other body
            force_W = -force_W  # and held by the joint
        away = self._pose(context, name).rotation().matrix()[:, 0]
        pull = float(force_W @ away)
        across = math.sqrt(max(float(force_W @ force_W) - pull * pull, 0.0))
        return max(pull, 0.0), across

    def filter_contact(
        self, scene_graph: SceneGraph, root: Context, plant_context: Context
    ) -> None:
        """Keeps connected bodies from touching, as in Webots; others touch again.

        Args:
            scene_graph: scene graph of the plant.
            root: the Context of all, which is changed.
            plant_context: the plant's.
        """
        status = self._plant.GetConstraintActiveStatus
        closed = {
            pair
            for pair, weld in self._welds.items()
            if status(plant_context, weld)
        }
        if closed == self._filters.keys():
            return
        own = scene_graph.GetMyMutableContextFromRoot(root)
        manager = scene_graph.collision_filter_manager(own)
        for pair in self._filters.keys() - closed:
            manager.RemoveDeclaration(self._filters.pop(pair))
        for pair in sorted(closed - self._filters.keys()):
            bodies = (self._ends[name].body for name in pair)
            of = map(self._plant.GetCollisionGeometriesForBody, bodies)
            declaration = CollisionFilterDeclaration()
            declaration.ExcludeBetween(*map(GeometrySet, of))
            self._filters[pair] = manager.ApplyTransient(declaration)


def _of(body: RigidBody) -> Name:
    """Returns the name of a body that grippers may hold."""
    return _BODY, str(int(body.index()))


def _force(strength: float) -> float:
    return math.inf if strength == -1 else strength


def _check_plant(plant: MultibodyPlant) -> None:
    if plant.time_step() == 0:
        raise InputError(
            "a continuous plant (time_step 0) cannot hold what Connectors lock; a"
            " time above 0 is needed"
        )
    if uses_tamsi(plant):
        raise InputError(
            "the contact approximation tamsi cannot hold what Connectors lock; use"
            " sap, similar or lagged"
        )


def _ends_in(scenario: Scenario, plant: MultibodyPlant) -> Iterator[_End]:
    """Yields the ends on all robots, for a plant that is not yet finalized."""
    for model, driver in robots_of(scenario).items():
        nodes = {
            name: node
            for name, node in driver.devices.items()
            if isinstance(node, HoldingNode)
        }
        if nodes:
            with blame(scenario, "model_drivers", model):
                instance = model_instance(plant, model)
                mounts = find_mounts(plant, instance, nodes)
            for name, node in nodes.items():
                mount = mounts[name]
                yield _End((model, name), node, mount.body, mount.X_BD)
