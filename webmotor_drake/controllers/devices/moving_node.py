"""Poses, velocities, contacts and forces of a Node: reads and sets them."""

import functools
import math
import typing
from collections.abc import Callable

import numpy as np

from webmotor_drake.controllers.devices.supervised import Supervised, numbers
from webmotor_drake.controllers.link.client import Client
from webmotor_drake.host import messages, supervision
from webmotor_drake.host.scene.scene_node import SceneNode

Answer = typing.TypeVar("Answer")
_NAN = [math.nan] * 9


class ContactPoint:
    """A point where a solid touches another.

    Attributes:
        point: position in the world, m.
        node_id: the id of the solid; see `Node.getId`.
    """

    def __init__(self, point: list[float], node_id: int):
        self.point = point
        self.node_id = node_id

    def getPoint(self) -> list[float]:
        """Returns the point in the world, m."""
        return self.point

    def getNodeId(self) -> int:
        """Returns the id of the solid."""
        return self.node_id


class MovingNode(Supervised):
    """The part of Webots' Node that moves, and can be moved.

    Args:
        client: the supervisor's side.
        node: node of the scene; None without one.
    """

    def __init__(self, client: Client, node: SceneNode | None):
        super().__init__(client)
        self._node = node

    def _call(self, method: str) -> str:
        node = self._node
        name = node.name or node.type_name if node is not None else None
        return f"Node {name!r}: {method}"

    def _here(self, call: str) -> SceneNode | None:
        """Returns the node if it is in the world; else None, with an error."""
        if not self._ask(call):
            return None
        if self._node is None or not self._scene.is_here(self._node):
            messages.error(call, "the node is not in the world")
            return None
        return self._node

    def _try(
        self,
        method: str,
        request: Callable[..., Answer],
        refused: Answer,
        *values: typing.Any,
    ) -> Answer:
        """Returns the answer to a request of the node, or `refused`, with an error."""
        node = self._here(self._call(method))
        with messages.refusals(self._call(method)):
            if node is not None:
                return request(self._scene, node, *values)
        return refused

    def getPosition(self) -> list[float]:
        """Returns x, y, z in the world, m."""
        return self._try("getPosition", supervision.position, _NAN[:3])

    def getOrientation(self) -> list[float]:
        """Returns the rotation matrix in the world, row by row."""
        return self._try("getOrientation", supervision.orientation, _NAN[:])

    def _pose(self) -> np.ndarray:
        """Returns the pose in the world, shape (4, 4); NaN without one."""
        refused = np.full((4, 4), math.nan)
        return self._try("getPose", supervision.pose, refused)

    def getPose(self, fromNode: "MovingNode | None" = None) -> list[float]:
        """Returns the pose, seen from another node, as a 4 x 4 matrix row by row.

        Raises:
            TypeError: `fromNode` is not a node.
        """
        if not isinstance(fromNode, MovingNode | None):
            raise TypeError(
                f"{self._call('getPose')}: {fromNode!r} is not a Node"
            )
        pose = self._pose()
        if fromNode is not None:
            pose = np.linalg.inv(fromNode._pose()) @ pose
        return pose.ravel().tolist()

    def getCenterOfMass(self) -> list[float]:
        """Returns the centre of mass of all bodies in the node, m."""
        ask = supervision.center_of_mass
        return self._try("getCenterOfMass", ask, _NAN[:3])

    def getVelocity(self) -> list[float]:
        """Returns linear (m/s) and angular velocity (rad/s) in the world.

        The linear velocity is that of the body's centre of mass, as in Webots.
        """
        return self._try("getVelocity", supervision.velocity, _NAN[:6])

    def setVelocity(self, velocity: list[float]) -> None:
        """Sets linear and angular velocity of a free body, at once."""
        method = f"setVelocity({velocity!r})"
        values = numbers(self._call(method), velocity, 6, least=3)
        if values is not None:
            self._try(method, supervision.set_velocity, None, values)

    def getContactPoints(
        self, includeDescendants: bool = False
    ) -> list[ContactPoint]:
        """Returns the points where the solid touches others.

        Args:
            includeDescendants: True to include the solids in it.
        """
        ask = functools.partial(
            supervision.contacts, descendants=includeDescendants
        )
        return [
            ContactPoint(*p) for p in self._try("getContactPoints", ask, [])
        ]

    def getNumberOfContactPoints(self, includeDescendants: bool = False) -> int:
        """Returns how many contact points there are (before R2023)."""
        return len(self.getContactPoints(includeDescendants))

    def getContactPoint(self, index: int) -> list[float]:
        """Returns a contact point, m; NaN if there is none (before R2023)."""
        points = self.getContactPoints()
        if 0 <= index < len(points):
            return points[index].point
        return [math.nan] * 3

    enablePoseTracking = disablePoseTracking = Supervised._track
    enableContactPointsTracking = disableContactPointsTracking = (
        Supervised._track
    )
    # Their names before R2023.
    enableContactPointTracking = disableContactPointTracking = Supervised._track

    def getStaticBalance(self) -> bool:
        """Returns whether the centre of mass of a model is above its contacts."""
        return self._try("getStaticBalance", supervision.static_balance, False)

    def resetPhysics(self) -> None:
        """Stops the node and its children."""
        self._try("resetPhysics", supervision.stop, None)

    def saveState(self, stateName: str) -> None:
        """Saves the positions of the node and its children, by a name."""
        name = str(stateName)
        self._try("saveState", supervision.save_state, None, name)

    def loadState(self, stateName: str) -> None:
        """Goes back to positions that were saved, at rest.

        Args:
            stateName: the name; "__init__" is the state at the start.
        """
        method, name = f"loadState({stateName!r})", str(stateName)
        self._try(method, supervision.load_state, None, name)

    def setJointPosition(self, position: float, index: int = 1) -> None:
        """Moves a joint at once, within its stops; the bodies that hang on it stop.

        Args:
            position: rad or m.
            index: the axis, 1 for the first.
        """
        method = f"setJointPosition({position!r})"
        number = messages.number(self._call(method), position)
        self._try(method, supervision.move_joint, None, number, index)

    def addForce(self, force: list[float], relative: bool) -> None:
        """Pushes the centre of mass in the next basic step.

        Args:
            force: vector in N.
            relative: True if the force is in the node's frame, not the world's.
        """
        self._push("addForce", supervision.add_force, relative, force)

    def addForceWithOffset(
        self, force: list[float], offset: list[float], relative: bool
    ) -> None:
        """Pushes a point of the body in the next basic step.

        Args:
            force: vector in N.
            offset: offset of the point, in the node's frame, m.
            relative: True if the force is in the node's frame, not the world's.
        """
        push = supervision.add_force_with_offset
        self._push("addForceWithOffset", push, relative, force, offset)

    def addTorque(self, torque: list[float], relative: bool) -> None:
        """Turns the body in the next basic step.

        Args:
            torque: vector in N m.
            relative: True if the torque is in the node's frame, not the world's.
        """
        self._push("addTorque", supervision.add_torque, relative, torque)

    def _push(
        self,
        method: str,
        push: Callable[..., None],
        relative: bool,
        *vectors: list[float],
    ) -> None:
        checked = [numbers(self._call(method), v, 3) for v in vectors]
        if None not in checked:
            self._try(method, push, None, *checked, relative)
