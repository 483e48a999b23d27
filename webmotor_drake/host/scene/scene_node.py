"""A node of the scene tree."""

import dataclasses as dc
import itertools
import typing

from pydrake.geometry import GeometryId
from pydrake.math import RigidTransform
from pydrake.multibody.tree import Frame, Joint, RigidBody

from webmotor_drake.nodes.node_types import Node, type_name

if typing.TYPE_CHECKING:
    from webmotor_drake.worlds.nodes import Field, Node as TextNode

_SOLIDS = (Node.ROBOT, Node.SOLID, Node.TRACK, Node.CHARGER)


@dc.dataclass
class FileParameter:
    """A parameter of an instance.

    Attributes:
        type: type's name, such as "SFVec3f".
        given: its value in the file.
        fields: connected fields (IS), each as a node and the field's name.
        kept: nodes in the parameter if no field is connected.
    """

    type: str
    given: "Field"
    fields: "list[tuple[SceneNode, str]]"
    kept: "list[SceneNode]" = dc.field(default_factory=list["SceneNode"])


@dc.dataclass
class FileProto:
    """A PROTO that a node is an instance of.

    Attributes:
        name: the PROTO's.
        parameters: its interface, by name.
        defs: the nodes with a DEF name in its body.
    """

    name: str
    parameters: dict[str, FileParameter]
    defs: "dict[str, SceneNode]"


@dc.dataclass(eq=False)
class SceneNode:
    """A node that a supervisor can look up.

    Attributes:
        id: its number; that of the root is 0.
        type: number of `Node`.
        name: Webots' `name`; for a joint the joint's name.
        parent: its parent; None for the root, or out of the world.
        children: its children.
        definition: its DEF name; "" without one.
        kind: name for getTypeName, if it differs from the type's own.
        model: the model whose Robot or Solid it is; "" without one.
        frame: its frame in the plant, if it has a pose.
        offset: its pose in that frame; None without one.
        body: the body that moves with it.
        joint: Drake joint of this node (a joint, its parameters or its device).
        settings: a device's node in the driver, or a joint's.
        robot: robot that the device belongs to; "" if it is no device.
        tag: the device's tag.
        slot: field of its parent that contains it.
        geometry: the shape that it stands for.
        label: Webots' `model`.
        material: the Solid's contactMaterial.
        protos: the PROTOs that it is an instance of, the outer one first.
        uses: further nodes with the same definition (USE).
        file: node in the text of the world or of an import; None: it is in neither.
    """

    id: int
    type: int
    name: str = ""
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
    material: str = "default"
    protos: list[FileProto] = dc.field(default_factory=list[FileProto])
    uses: list["SceneNode"] = dc.field(default_factory=list["SceneNode"])
    file: "TextNode | None" = None

    @property
    def type_name(self) -> str:
        """The name for getTypeName; for an instance the name of its PROTO."""
        proto = self.protos[0].name if self.protos else ""
        return self.kind or proto or type_name(self.type)

    @property
    def is_solid(self) -> bool:
        """True if it is a body, or stands for one."""
        return self.type in _SOLIDS or (
            self.body is not None and bool(self.robot)
        )

    def above(self) -> typing.Iterator["SceneNode"]:
        """Yields the nodes that contain it, the nearest first."""
        if self.parent is not None:
            yield self.parent
            yield from self.parent.above()

    def subtree(self) -> typing.Iterator["SceneNode"]:
        """Yields the node and its descendants, parents first."""
        yield self
        for child in self.children:
            yield from child.subtree()

    def inside(self, field: str) -> list["SceneNode"]:
        """Returns the nodes in a field; "visual" and "collision" hold body shapes."""
        if field == "visual":
            kinds = Node.POSE, Node.SHAPE
            holders = [n for n in self.children if n.type in kinds]
            shapes = [s for n in holders for s in (n, *n.children)]
            return [s for s in shapes if s.type == Node.SHAPE]
        if field == "collision":
            return [
                part
                for node in self.inside("boundingObject")
                for part in node.subtree()
                if part.geometry is not None
            ]
        return [n for n in self.children if n.slot == field]

    @property
    def body_name(self) -> str:
        """The name of its body, if it is a Solid; else ""."""
        return (
            self.body.name() if self.is_solid and self.body is not None else ""
        )


def named(nodes: typing.Iterator[SceneNode], name: str) -> SceneNode | None:
    """Returns the first node with this DEF, else the first with this name."""
    known = list(nodes) if name else []
    by_definition = (node for node in known if node.definition == name)
    by_name = (node for node in known if name in (node.name, node.body_name))
    return next(itertools.chain(by_definition, by_name), None)
