"""Poses and velocities of the nodes' bodies: reads and sets them."""

import math
from collections.abc import Callable, Iterable

import numpy as np
import numpy.typing as npt
from pydrake.math import RigidTransform
from pydrake.multibody.math import SpatialVelocity
from pydrake.multibody.tree import Joint, PlanarJoint, RigidBody, SpatialInertia
from pydrake.systems.framework import Context

from webmotor_drake.contact.inboard import (
    inboard_joints,
    joints_of,
    movable_frame,
)
from webmotor_drake.errors import InputError
from webmotor_drake.host.scene.scene_node import SceneNode
from webmotor_drake.host.stepped_simulation import SteppedSimulation
from webmotor_drake.simulation.supervised import NAME as PUSHES

# The largest error by rounding of a pose in a plane: m, and of a cosine.
_ROUNDING = 1e-6


class Physics:
    """The plant's side of a scene.

    All positions are in m, angles in rad, in the world frame unless said otherwise.

    Attributes:
        plant: plant of the simulation.

    Args:
        stepped: the simulation.
    """

    def __init__(self, stepped: SteppedSimulation):
        simulation = stepped.simulation
        self.plant = simulation.plant
        self._stepped, self._motors = stepped, simulation.motors
        self._root = simulation.simulator.get_mutable_context()
        self._mutable = self.plant.GetMyMutableContextFromRoot(self._root)
        self._joints = inboard_joints(self.plant)

    @property
    def context(self) -> Context:
        """The plant's Context, which may be changed, at the present step."""
        self._stepped.catch_up()
        return self._mutable

    def pose(self, node: SceneNode) -> RigidTransform | None:
        """Returns the pose of a node in the world; None without one."""
        if node.frame is None:
            is_place = node.is_solid or node.parent is None
            return RigidTransform() if is_place else None
        X_WF = node.frame.CalcPoseInWorld(self.context)
        return X_WF if node.offset is None else X_WF @ node.offset

    def _around(self, node: SceneNode) -> RigidTransform:
        """Returns the pose of the nearest node above that has one."""
        above = next((n for n in node.above() if n.frame is not None), None)
        return (above and self.pose(above)) or RigidTransform()

    def pose_in_parent(self, node: SceneNode) -> RigidTransform:
        """Returns a node's pose in the nearest node above with a pose."""
        X_WN = self.pose(node) or RigidTransform()
        return self._around(node).inverse() @ X_WN

    def set_pose_in_parent(self, node: SceneNode, X_PN: RigidTransform) -> None:
        """Moves a model in the nearest node above with a pose; see `set_pose`."""
        self.set_pose(node, self._around(node) @ X_PN)

    def set_pose(self, node: SceneNode, X_WB: RigidTransform) -> None:
        """Moves a model as a whole; its velocities stay the same.

        Raises:
            InputError: its base cannot reach the pose: it is held by a joint, or its
                shape is fixed to the world.
        """
        body = node.body
        context = self.context
        joint = self._inboard(body)
        if body is not None and self._has_half_space(body):
            raise InputError(
                f"{node.name} has a half space, which is fixed to the world"
            )
        if joint is not None and joint.num_velocities() == 6:
            # A held model is moved, too; Lock() has zeroed its velocities.
            self.plant.SetFloatingBaseBodyPoseInWorldFrame(context, body, X_WB)
            self._stepped.simulation.lift(body)
            return
        if isinstance(joint, PlanarJoint) and joint.parent_body().index() == 0:
            _move_in_plane(context, joint, node, X_WB)
            return
        frame = movable_frame(self.plant, joint)
        if frame is None:
            raise InputError(_why_fixed(node, joint))
        X_BF = joint.frame_on_child().GetFixedPoseInBodyFrame()
        frame.SetPoseInParentFrame(context, X_WB @ X_BF)
        self.tell_motors()

    def is_welded(self, node: SceneNode) -> bool:
        """Returns whether a node's body is welded to the world, and can be moved."""
        return movable_frame(self.plant, self._inboard(node.body)) is not None

    def _has_half_space(self, body: RigidBody) -> bool:
        model = self.plant.GetModelInstanceName(body.model_instance())
        return any(
            contact.shape == "HalfSpace"
            and (contact.model, contact.body) == (model, body.name())
            for contact in self._stepped.simulation.contacts
        )

    def tell_motors(self) -> None:
        """Makes the motors take over changes of the plant's Context at once."""
        self._stepped.simulation.stepper.read_plant()

    def _inboard(self, body: RigidBody | None) -> Joint | None:
        return None if body is None else self._joints.get(body.index())

    def velocity(self, node: SceneNode) -> list[float]:
        """Returns linear and angular velocity, m/s and rad/s.

        The linear velocity is that of the centre of mass of the body together with
        all bodies welded to it (WbSolid: that of ODE's body).
        """
        if not node.is_solid or node.frame is None:
            return [0.0] * 6
        body = node.body or node.frame.body()
        context = self.context
        V_WB = body.EvalSpatialVelocityInWorld(context)
        arm = self._welded_arm(body)
        linear = V_WB.translational() + np.cross(V_WB.rotational(), arm)
        return [*linear.tolist(), *V_WB.rotational().tolist()]

    def center_of_mass(self, node: SceneNode) -> np.ndarray:
        """Returns the centre of mass of a solid and its children, shape (3,)."""
        center = self._center_of(s.body for s in solids(node))
        if center is None:
            return (self.pose(node) or RigidTransform()).translation()
        return center

    def _center_of(self, bodies: Iterable[RigidBody]) -> np.ndarray | None:
        """Returns the centre of mass of bodies, m, shape (3,); None without mass."""
        heavy = [
            body.index() for body in bodies if body.get_mass(self.context) > 0
        ]
        if not heavy:
            return None
        plant = self.plant
        W = plant.world_frame()
        return plant.CalcSpatialInertia(self._mutable, W, heavy).get_com()

    def _welded_arm(self, body: RigidBody) -> np.ndarray:
        """Returns the centre of mass of a body and its welds, relative to it."""
        world = self.plant.world_body()
        welded = self.plant.GetBodiesWeldedTo(body)
        center = self._center_of(other for other in welded if other != world)
        if center is None:
            return np.zeros(3)
        return center - body.EvalPoseInWorld(self._mutable).translation()

    def set_velocity(self, node: SceneNode, velocity: list[float]) -> None:
        """Sets linear and angular velocity of a free body; see `velocity`.

        Raises:
            InputError: the body is not free.
        """
        joint = self._inboard(node.body)
        if joint is None or joint.num_velocities() != 6:
            raise InputError(_why_fixed(node, joint))
        context = self.context
        if joint.is_locked(context):
            return
        linear, angular = np.array(velocity[:3]), np.array(velocity[3:])
        linear = linear - np.cross(angular, self._welded_arm(node.body))
        self.plant.SetFreeBodySpatialVelocity(
            context=context,
            body=node.body,
            V_JpJc=SpatialVelocity(angular, linear),
        )

    def set_mass(self, body: RigidBody, mass: float) -> None:
        """Gives a body another mass, its inertia in proportion.

        Raises:
            InputError: the mass is impossible.
        """
        if not 0 < mass < math.inf:
            raise InputError(f"a mass of {mass:g} kg; above 0 is needed")
        context = self.context
        M = body.CalcSpatialInertiaInBodyFrame(context)
        self.set_inertia(
            body, SpatialInertia(mass, M.get_com(), M.get_unit_inertia())
        )

    def set_inertia(self, body: RigidBody, M: SpatialInertia) -> None:
        """Gives a body another mass, centre of mass and inertia."""
        body.SetSpatialInertiaInBodyFrame(self.context, M)
        self.tell_motors()

    def stop(self, nodes: list[SceneNode]) -> None:
        """Stops all bodies of `nodes`, and their motors' ramps (resetPhysics)."""
        context = self.context
        bodies = {s.body.index() for node in nodes for s in solids(node)}
        stopped: list[int] = []
        for joint in map(
            self._joints.__getitem__, bodies & self._joints.keys()
        ):
            start = joint.velocity_start()
            stopped += range(start, start + joint.num_velocities())
        velocities = self.plant.GetVelocities(context)
        velocities[stopped] = 0.0
        self.plant.SetVelocities(context, velocities)
        for system in self._motors.values():
            places = system.velocity_indices - self.plant.num_positions()
            motors = [i for i, v in enumerate(places) if v in stopped]
            system.ramp_from(
                system.GetMyMutableContextFromRoot(self._root), motors, 0.0
            )

    def set_joint_position(
        self, joint: Joint, axis: int, position: float
    ) -> float:
        """Moves a joint within its stops, and stops the bodies that hang on it.

        Args:
            joint: joint of the plant.
            axis: number of the axis, from 0.
            position: rad or m.

        Returns:
            The position that it has now, rad or m.
        """
        low = joint.position_lower_limits()[axis]
        high = joint.position_upper_limits()[axis]
        position = min(max(position, low), high)
        context = self.context
        q = self.plant.GetPositions(context)
        q[joint.position_start() + axis] = position
        self.plant.SetPositions(context, q)
        return position

    def joint_position(self, joint: Joint, axis: int) -> float:
        """Returns a joint's position, rad or m."""
        place = joint.position_start() + axis
        return float(self.plant.GetPositions(self.context)[place])

    def saved(
        self, node: SceneNode, *, at_start: bool = False
    ) -> Callable[[], None]:
        """Saves the positions of the joints and welds in a node.

        Args:
            node: node of the scene.
            at_start: True for the positions at the start of the run.

        Returns:
            The function that moves them back.
        """
        plant, context = self.plant, self.context
        if at_start:
            start = self._stepped.simulation.start
            context = plant.GetMyContextFromRoot(start)
        bodies = {solid.body.index() for solid in solids(node)}
        places, welds = [], []
        for joint in joints_of(plant):
            if joint.child_body().index() in bodies:
                first = joint.position_start()
                places += range(first, first + joint.num_positions())
                if (frame := movable_frame(plant, joint)) is not None:
                    welds.append((frame, frame.GetPoseInParentFrame(context)))
        positions = plant.GetPositions(context)[places]

        def restore() -> None:
            q = plant.GetPositions(self.context)
            q[places] = positions
            plant.SetPositions(self._mutable, q)
            for frame, pose in welds:
                frame.SetPoseInParentFrame(self._mutable, pose)
            if welds:
                self.tell_motors()

        return restore

    def push(
        self,
        node: SceneNode,
        *,
        force: npt.ArrayLike = (0.0, 0.0, 0.0),
        torque: npt.ArrayLike = (0.0, 0.0, 0.0),
        offset: npt.ArrayLike | None = None,
        relative: bool = False,
    ) -> None:
        """Pushes a body in the next basic step.

        Args:
            node: a solid.
            force: N, in the world frame.
            torque: N m, in the world frame.
            offset: point of the force in the body's frame, m; None: its
                centre of mass.
            relative: True if force and torque are in the body's frame.

        Raises:
            InputError: the body is welded to the world, or the node has no body.
        """
        context, body = self.context, node.body
        if body is None or body in self.plant.GetBodiesWeldedTo(
            self.plant.world_body()
        ):
            raise InputError(f"{node.name} cannot move; nothing pushes it")
        force, torque = np.array(force), np.array(torque)
        X_WB = self.plant.EvalBodyPoseInWorld(context, body)
        if relative:
            force, torque = X_WB.rotation() @ force, X_WB.rotation() @ torque
        if offset is not None:
            arm = offset - body.CalcCenterOfMassInBodyFrame(context)
            torque = torque + np.cross(X_WB.rotation() @ arm, force)
        diagram = self._stepped.simulation.simulator.get_system()
        pushes = diagram.GetSubsystemByName(PUSHES)
        own = pushes.GetMyMutableContextFromRoot(self._root)
        pushes.push(own, body.index(), np.concatenate([torque, force]))
        self._stepped.changes.at_end.append(lambda: pushes.rest(own))


def solids(node: SceneNode) -> list[SceneNode]:
    """Returns the bodies of a node and its children."""
    return [n for n in node.subtree() if n.body is not None and n.is_solid]


def _move_in_plane(
    context: Context, joint: PlanarJoint, node: SceneNode, X_WB: RigidTransform
) -> None:
    """Moves a base that a planar joint holds; its velocities stay the same."""
    X_WF = joint.frame_on_parent().GetFixedPoseInBodyFrame()
    X_BM = joint.frame_on_child().GetFixedPoseInBodyFrame()
    X_FM = X_WF.inverse() @ X_WB @ X_BM
    R_FM, (x, y, z) = X_FM.rotation().matrix(), X_FM.translation()
    if abs(z) > _ROUNDING or R_FM[2, 2] < 1 - _ROUNDING:
        raise InputError(f"{node.name} is held in a plane, and upright")
    joint.set_pose(context, [x, y], math.atan2(R_FM[1, 0], R_FM[0, 0]))


def _why_fixed(node: SceneNode, joint: Joint | None) -> str:
    if node.body is None:
        return f"{node.name} has no body of its own to move"
    if joint is None or joint.parent_body().index() == 0:
        return f"{node.name} is held by {type(joint).__name__} {joint.name()}"
    if joint.num_velocities() == 0:
        return (
            f"{node.name} is welded to {joint.parent_body().name()}; move the"
            " model that it is of"
        )
    return (
        f"{node.name} hangs on the joint {joint.name()}; setJointPosition moves"
        " it"
    )
