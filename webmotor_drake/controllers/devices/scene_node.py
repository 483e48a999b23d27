"""Webots' Node and Proto."""

import typing
from collections.abc import Callable

from webmotor_drake.controllers.devices.field import Field
from webmotor_drake.controllers.devices.moving_node import MovingNode
from webmotor_drake.controllers.link import active
from webmotor_drake.controllers.link.client import Client
from webmotor_drake.errors import unknown_name
from webmotor_drake.host import messages, supervision
from webmotor_drake.host.scene.node_fields import fields_of
from webmotor_drake.host.scene.node_string import node_string
from webmotor_drake.host.scene.proto_fields import parameters_of, shown_fields
from webmotor_drake.host.scene.scene_field import SceneField
from webmotor_drake.host.scene.scene_node import SceneNode
from webmotor_drake.nodes.node_types import Node as NodeTypes, type_name


class Proto:
    """The PROTO of a node, or a PROTO that it derives from.

    Args:
        owner: instance of the PROTO.
        node: node of the scene for the instance.
        level: 0 for its PROTO, 1 for the one that this derives from, and so on.
    """

    def __init__(self, owner: "Node", node: SceneNode, level: int):
        self._owner, self._node, self._level = owner, node, level

    def __repr__(self) -> str:
        return f"Proto({self.getTypeName()!r})"

    def getTypeName(self) -> str:
        """Returns the PROTO's name."""
        return self._node.protos[self._level].name

    def isDerived(self) -> bool:
        """Returns whether it derives from another PROTO."""
        return self._level + 1 < len(self._node.protos)

    def getProtoParent(self) -> "Proto | None":
        """Returns the PROTO that it derives from; None if there is none."""
        if not self.isDerived():
            return None
        return Proto(self._owner, self._node, self._level + 1)

    def _parameters(self) -> dict[str, SceneField]:
        return parameters_of(self._owner._scene, self._node, self._level)

    def getField(self, fieldName: str) -> Field | None:
        """Returns the parameter with a name; None if there is none."""
        field = self._parameters().get(fieldName)
        return None if field is None else self._owner._field(field)

    def getFieldByIndex(self, index: int) -> Field | None:
        """Returns the parameter at an index, from 0 on; None beyond the last."""
        return self._owner._at(index, self._parameters())

    def getNumberOfFields(self) -> int:
        """Returns the number of parameters."""
        return len(self._parameters())

    # Their names in previews of R2025a.
    getParent = getProtoParent
    getParameter, getParameterByIndex = getField, getFieldByIndex
    getNumberOfParameters = getNumberOfFields

    type_name = property(getTypeName)
    number_of_fields = property(getNumberOfFields)
    number_of_parameters = property(getNumberOfFields)


class Node(MovingNode, NodeTypes):
    """A node of the scene: the root, a model, body, joint or device.

    Args:
        DEF: its DEF or name.
        tag: the tag of a device; 0: the robot itself.
        id: its number.
        selected: if it is given, no node is found: nothing can be selected here.
    """

    def __init__(
        self,
        DEF: str | None = None,
        tag: int | None = None,
        id: int | None = None,
        selected: bool | None = None,
        *,
        _client: Client | None = None,
        _node: SceneNode | None = None,
    ):
        super().__init__(_client or active.current(), _node)
        if _node is None and selected is None:
            self._node = self._find(DEF, tag, id)

    def _find(
        self, definition: str | None, tag: int | None, number: int | None
    ) -> SceneNode | None:
        if not self._ask("Node()"):
            return None
        scene, robot = self._scene, self._client.host.name
        if number is not None:
            return scene.node(number)
        if tag == 0:
            return scene.tree.model(robot)
        if tag is not None:
            return scene.device(robot, tag)
        if definition is None:
            return scene.root
        return scene.find(messages.text("Node()", definition))

    def __eq__(self, other: object) -> bool:
        """Returns whether both are the same node of the scene, as in Webots."""
        return isinstance(other, Node) and self._node is other._node

    def __hash__(self) -> int:
        return hash(self._node)

    def __repr__(self) -> str:
        name = self._node.name if self._node is not None else None
        return f"{type(self).__name__}({name!r})"

    def _wrap(self, node: SceneNode | None) -> "Node | None":
        if node is None:
            return None
        return Node(_client=self._client, _node=node)

    def getDef(self) -> str:
        """Returns the DEF name; "" without one."""
        return self._try("getDef", lambda _, node: node.definition, "")

    def getId(self) -> int:
        """Returns the number of the node; that of the root is 0."""
        return self._try("getId", lambda _, node: node.id, -1)

    def getParentNode(self) -> "Node | None":
        """Returns its parent; None for the root."""
        node = self._here(self._call("getParentNode"))
        return self._wrap(node.parent) if node else None

    def isProto(self) -> bool:
        """Returns whether it is an instance of a PROTO of a world."""
        return self._try("isProto", lambda _, node: bool(node.protos), False)

    def getProto(self) -> Proto | None:
        """Returns the PROTO that it is an instance of; None if it is no instance."""
        node = self._here(self._call("getProto"))
        if node is None or not node.protos:
            return None
        return Proto(self, node, 0)

    def getFromProtoDef(self, DEF: str) -> "Node | None":
        """Returns the node with a DEF or name inside this node; None without one.

        DEF names in the PROTO's body come first.
        """
        node = self._here(self._call("getFromProtoDef"))
        name = messages.text("getFromProtoDef()", DEF)
        return self._wrap(node and self._scene.find_in(node, name))

    def getType(self) -> int:
        """Returns the number of the node's type, such as Node.SOLID."""
        return self._try("getType", lambda _, node: node.type, 0)

    def getTypeName(self) -> str:
        """Returns the name of the type; for an instance the name of its PROTO."""
        return self._try("getTypeName", lambda _, node: node.type_name, "")

    def getBaseTypeName(self) -> str:
        """Returns the name of the type, such as "Solid"."""
        node = self._here(self._call("getBaseTypeName"))
        return type_name(node.type) if node else ""

    def remove(self) -> None:
        """Moves an imported node, or a model without motors, out of the world.

        A model has to be free, or welded to the world. If it is one of the scenario's
        `spares`, it can be imported again.
        """
        self._try("remove", supervision.remove, None)

    def exportString(self) -> str:
        """Returns the node with its children as text."""
        return self._try("exportString", node_string, "")

    def _fields(
        self, call: str, of: Callable = shown_fields
    ) -> dict[str, SceneField]:
        node = self._here(call)
        return of(self._scene, node) if node else {}

    def getField(self, fieldName: str) -> Field | None:
        """Returns the field `fieldName`; None, with a message of all names, if unknown.

        The fields of an instance are the parameters of its PROTO.
        """
        call = self._call(f"getField({fieldName!r})")
        return self._named(call, fieldName, self._fields(call))

    def getBaseNodeField(self, fieldName: str) -> Field | None:
        """Returns the own field `fieldName` even of an instance; see `getField`."""
        call = self._call(f"getBaseNodeField({fieldName!r})")
        return self._named(call, fieldName, self._fields(call, fields_of))

    def _named(
        self, call: str, name: str, fields: dict[str, SceneField]
    ) -> Field | None:
        if name in fields:
            return self._field(fields[name])
        if fields:
            self._scene.say_once(call, unknown_name("field", name, fields))
        return None

    def _field(self, field: SceneField) -> Field:
        return Field(
            self._client, self._node, field, typing.cast(Callable, self._wrap)
        )

    def getFieldByIndex(self, index: int) -> Field | None:
        """Returns the field at `index`, from 0 on; None beyond the last."""
        return self._at(index, self._fields(self._call("getFieldByIndex")))

    def getBaseNodeFieldByIndex(self, index: int) -> Field | None:
        """Returns the node's own field at `index`, from 0 on; None beyond the last."""
        call = self._call("getBaseNodeFieldByIndex")
        return self._at(index, self._fields(call, fields_of))

    def _at(self, index: int, fields: dict[str, SceneField]) -> Field | None:
        values = list(fields.values())
        return self._field(values[index]) if 0 <= index < len(values) else None

    def getNumberOfFields(self) -> int:
        """Returns the number of fields; -1: the node is not in the world."""
        return len(self._fields(self._call("getNumberOfFields"))) or -1

    def getNumberOfBaseNodeFields(self) -> int:
        """Returns the number of the node's own fields; see `getNumberOfFields`."""
        call = self._call("getNumberOfFields")
        return len(self._fields(call, fields_of)) or -1

    # Their names until R2023b.
    getProtoField = getBaseNodeField
    getProtoFieldByIndex = getBaseNodeFieldByIndex
    getProtoNumberOfFields = getNumberOfBaseNodeFields

    def restartController(self) -> None:
        """Ends the robot's controller, and starts it again, at the next step."""
        self._try("restartController", supervision.restart_controller, None)

    def moveViewpoint(self) -> None:
        """Does nothing: there is no viewpoint to move."""

    def setVisibility(self, fromNode: "Node", visible: bool) -> None:
        """Does nothing, with an error: all is visible."""
        self._refuse(self._call("setVisibility"), supervision.NO_HIDING)

    DEF = property(getDef)
    id = property(getId)
    type = property(getType)
    type_name = property(getTypeName)
    base_type_name = property(getBaseTypeName)
    number_of_fields = property(getNumberOfFields)
    number_of_base_node_fields = property(getNumberOfBaseNodeFields)
