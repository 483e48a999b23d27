"""A node of the scene tree."""

import dataclasses as dc
import typing

from pydrake.geometry import GeometryId
from pydrake.math import RigidTransform
from pydrake.multibody.tree import Frame, Joint, RigidBody

from webmotor_drake.nodes.node_types import Node, type_name


@dc.dataclass(eq=False)
class SceneNode:
    """What a supervisor can get hold of.

    Attributes:
        id: its number; that of the root is 0.
        type: of `Node`.
        name: Webots' `name`, or of a joint the joint's.
        parent: what it is in; None: it is the root, or out of the world.
        children: what is in it.
        definition: its DEF name; "": none.
        kind: what getTypeName says, if that is not the type's own name.
        model: the model that it is the Robot or Solid of; "": none.
        frame: its frame in the plant, if it has a pose.
        offset: its pose in that frame; None: none.
        body: what moves with it.
        joint: the joint that it is, or is the parameters or a device of.
        settings: a device's node in the driver, or a joint's.
        robot: the robot whose device it is; "": it is none.
        tag: the device's tag.
        slot: the field of its parent that it is in.
        geometry: the shape that it is, or tells of.
        label: Webots' `model`.
    """

    id: int
    type: int
    name: str
    parent: "SceneNode | None" = None
    children: list["SceneNode"] = dc.field(default_factory=list["SceneNode"])
    definition: str = ""
    kind: str = ""
    model: str = ""
    frame: Frame | None = None
    offset: RigidTransform | None = None
    body: RigidBody | None = None
    joint: Joint | None = None
    settings: typing.Any = None
    robot: str = ""
    tag: int = 0
    slot: str = "children"
    geometry: GeometryId | None = None
    label: str = ""

    @property
    def type_name(self) -> str:
        """What getTypeName says."""
        return self.kind or type_name(self.type)

    @property
    def is_solid(self) -> bool:
        """Whether it is a body, or stands for one."""
        return self.type in (Node.ROBOT, Node.SOLID)

    def subtree(self) -> typing.Iterator["SceneNode"]:
        """Gives the node and all that is in it, parents first."""
        yield self
        for child in self.children:
            yield from child.subtree()
