"""Poses, velocities, contacts and forces of a Node: reads and sets them."""

import math
from collections.abc import Callable

import numpy as np

from webmotor_drake.controllers.devices.contact_point import ContactPoint
from webmotor_drake.controllers.devices.supervised import (
    Supervised,
    is_fit,
    numbers,
)
from webmotor_drake.controllers.link.client import Client
from webmotor_drake.host import messages
from webmotor_drake.host.scene.contact_points import (
    contact_points,
    is_balanced,
)
from webmotor_drake.host.scene.scene_node import SceneNode
from webmotor_drake.host.scene.scene_tree import JOINTS


class MovingNode(Supervised):
    """The part of Webots' Node that moves, and can be moved.

    Args:
        client: the supervisor's side.
        node: of the scene; None without one.
    """

    def __init__(self, client: Client, node: SceneNode | None):
        super().__init__(client)
        self._node = node

    def _call(self, method: str) -> str:
        node = self._node
        name = node.name or node.type_name if node is not None else None
        return f"Node {name!r}: {method}"

    def _here(self, call: str) -> SceneNode | None:
        """Returns the node, if it is in the world; if not, says so."""
        if not self._ask(call):
            return None
        if self._node is None or not self._scene.is_here(self._node):
            messages.error(call, "the node is not in the world")
            return None
        return self._node

    def _do(self, call: str, change: Callable[[], object]) -> None:
        """Tries a change; says so if it is refused."""
        with messages.refusals(call):
            change()

    def _ask_physics(
        self, method: str, ask: Callable[[SceneNode], object], size: int
    ) -> list[float]:
        """Returns a value of a node from the plant; NaN if it has none."""
        node = self._here(self._call(method))
        answer = ask(node) if node is not None else None
        if answer is None:
            if node is not None:
                messages.error(
                    self._call(method), "a node of this type does not have one"
                )
            return [math.nan] * size
        return np.ravel(answer).tolist()

    def getPosition(self) -> list[float]:
        """Returns x, y, z in the world, m."""
        return self._pose("getPosition")[:3, 3].tolist()

    def getOrientation(self) -> list[float]:
        """Returns the rotation matrix in the world, row by row."""
        return self._pose("getOrientation")[:3, :3].ravel().tolist()

    def _pose(self, method: str) -> np.ndarray:
        """Returns the pose in the world, shape (4, 4); NaN without one."""
        values = self._ask_physics(method, self._matrix, 16)
        return np.array(values).reshape(4, 4)

    def _matrix(self, node: SceneNode) -> np.ndarray | None:
        X_WN = self._scene.physics.pose(node)
        return None if X_WN is None else X_WN.GetAsMatrix4()

    def getPose(self, fromNode: "MovingNode | None" = None) -> list[float]:
        """Returns the pose, seen from another node, as a 4 x 4 matrix row by row.

        Raises:
            TypeError: `fromNode` is not a node.
        """
        if not isinstance(fromNode, MovingNode | None):
            raise TypeError(
                f"{self._call('getPose')}: {fromNode!r} is not a Node"
            )
        pose = self._pose("getPose")
        if fromNode is not None:
            pose = np.linalg.inv(fromNode._pose("getPose")) @ pose
        return pose.ravel().tolist()

    def enablePoseTracking(
        self, samplingPeriod: int, fromNode: "MovingNode | None" = None
    ) -> None:
        """Does nothing: poses are read at once, without any message."""

    def disablePoseTracking(self, fromNode: "MovingNode | None" = None) -> None:
        """Does nothing; see `enablePoseTracking`."""

    def getCenterOfMass(self) -> list[float]:
        """Returns the centre of mass of all bodies in the node, m."""
        return self._ask_solid(
            "getCenterOfMass", self._scene.physics.center_of_mass, 3
        )

    def _ask_solid(
        self, method: str, ask: Callable[[SceneNode], object], size: int
    ) -> list[float]:
        return self._ask_physics(
            method, lambda node: ask(node) if node.is_solid else None, size
        )

    def getVelocity(self) -> list[float]:
        """Returns linear (m/s) and angular velocity (rad/s) in the world.

        The linear one is that of the body's centre of mass, as in Webots.
        """
        return self._ask_solid("getVelocity", self._scene.physics.velocity, 6)

    def setVelocity(self, velocity: list[float]) -> None:
        """Sets linear and angular velocity of a free body, at once."""
        call = self._call(f"setVelocity({velocity!r})")
        values = numbers(call, velocity, 6, least=3)
        node = self._here(call)
        if node is not None and values is not None:
            physics = self._scene.physics
            self._do(call, lambda: physics.set_velocity(node, values))

    def getContactPoints(
        self, includeDescendants: bool = False
    ) -> list[ContactPoint]:
        """Returns where the solid touches others.

        Args:
            includeDescendants: whether all that is in it counts, too.
        """
        node = self._here(self._call("getContactPoints"))
        if node is None or not node.is_solid:
            return []
        points = contact_points(
            self._scene.physics, node, descendants=includeDescendants
        )
        return [ContactPoint(*point) for point in points]

    def getNumberOfContactPoints(self, includeDescendants: bool = False) -> int:
        """Returns how many contact points there are (before R2023)."""
        return len(self.getContactPoints(includeDescendants))

    def getContactPoint(self, index: int) -> list[float]:
        """Returns a contact point, m; NaN if there is none (before R2023)."""
        points = self.getContactPoints()
        if 0 <= index < len(points):
            return points[index].point
        return [math.nan] * 3

    def enableContactPointsTracking(
        self, samplingPeriod: int, includeDescendants: bool = False
    ) -> None:
        """Does nothing: contact points are read at once, without any message."""

    def disableContactPointsTracking(
        self, includeDescendants: bool = False
    ) -> None:
        """Does nothing; see `enableContactPointsTracking`."""

    enableContactPointTracking = enableContactPointsTracking
    disableContactPointTracking = disableContactPointsTracking

    def getStaticBalance(self) -> bool:
        """Returns whether the centre of mass of a model is above its contacts."""
        call = self._call("getStaticBalance")
        node = self._here(call)
        if node is None:
            return False
        if not node.is_solid or node.parent is not self._scene.root:
            messages.error(call, "only a model can be in balance")
            return False
        return is_balanced(self._scene.physics, node)

    def resetPhysics(self) -> None:
        """Stops the node and its children."""
        node = self._here(self._call("resetPhysics"))
        if node is not None:
            self._scene.physics.stop([node])

    def saveState(self, stateName: str) -> None:
        """Saves the positions of the node and its children, by a name."""
        node = self._here(self._call("saveState"))
        if node is not None:
            self._scene.save_state(node, str(stateName))

    def loadState(self, stateName: str) -> None:
        """Goes back to positions that were saved, at rest.

        Args:
            stateName: the name; "__init__" is the state at the start.
        """
        call = self._call(f"loadState({stateName!r})")
        node = self._here(call)
        if node is not None and not self._scene.load_state(
            node, str(stateName)
        ):
            messages.error(call, "no state was saved by this name")

    def setJointPosition(self, position: float, index: int = 1) -> None:
        """Moves a joint at once, within its stops; the bodies that hang on it stop.

        Args:
            position: rad or m.
            index: the axis, 1 for the first.
        """
        call = self._call(f"setJointPosition({position!r})")
        number = messages.number(call, position)
        node = self._here(call)
        if node is None or not is_fit(call, number):
            return
        if node.type not in JOINTS.values():
            messages.error(call, "the node is not a joint")
        elif not 1 <= index <= node.joint.num_positions():
            messages.error(
                call, f"the joint has {node.joint.num_positions()} axes"
            )
        else:
            self._scene.move_joint(node, index - 1, number)

    def addForce(self, force: list[float], relative: bool) -> None:
        """Pushes the centre of mass in the next basic step.

        Args:
            force: N.
            relative: whether it is in the node's frame, or the world's.
        """
        self._push("addForce", relative, force=force)

    def addForceWithOffset(
        self, force: list[float], offset: list[float], relative: bool
    ) -> None:
        """Pushes a point of the body in the next basic step.

        Args:
            force: N.
            offset: of the point, in the node's frame, m.
            relative: whether the force is in the node's frame, or the world's.
        """
        self._push("addForceWithOffset", relative, force=force, offset=offset)

    def addTorque(self, torque: list[float], relative: bool) -> None:
        """Turns the body in the next basic step.

        Args:
            torque: N m.
            relative: whether it is in the node's frame, or the world's.
        """
        self._push("addTorque", relative, torque=torque)

    def _push(
        self, method: str, relative: bool, **vectors: list[float]
    ) -> None:
        call = self._call(method)
        checked = {k: numbers(call, v, 3) for k, v in vectors.items()}
        node = self._here(call)
        if node is None or None in checked.values():
            return
        if not node.is_solid:
            messages.error(call, "the node is not a solid")
            return
        arrays = {k: np.array(v) for k, v in checked.items()}
        physics = self._scene.physics
        self._do(
            call,
            lambda: physics.push(node, relative=bool(relative), **arrays),
        )
