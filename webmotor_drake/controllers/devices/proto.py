"""Webots' Proto, of which a node is an instance."""

from collections.abc import Callable

from webmotor_drake.controllers.devices.field import Field
from webmotor_drake.host.scene.proto_fields import parameters_of
from webmotor_drake.host.scene.scene import Scene
from webmotor_drake.host.scene.scene_field import SceneField
from webmotor_drake.host.scene.scene_node import SceneNode


class Proto:
    """The PROTO of a node, or one that this derives from.

    Args:
        scene: the node's.
        node: an instance.
        level: 0 for its PROTO, 1 for the one that this derives from, and so on.
        make_field: returns what a controller gets of a field.
    """

    def __init__(
        self,
        scene: Scene,
        node: SceneNode,
        level: int,
        make_field: Callable[[SceneField], Field],
    ):
        self._scene, self._node, self._level = scene, node, level
        self._make_field = make_field

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
        return Proto(self._scene, self._node, self._level + 1, self._make_field)

    def _parameters(self) -> dict[str, SceneField]:
        return parameters_of(self._scene, self._node, self._level)

    def getField(self, fieldName: str) -> Field | None:
        """Returns a parameter; None if it has no such one."""
        field = self._parameters().get(fieldName)
        return None if field is None else self._make_field(field)

    def getFieldByIndex(self, index: int) -> Field | None:
        """Returns parameter 0, 1, ...; None outside of them."""
        fields = list(self._parameters().values())
        if not 0 <= index < len(fields):
            return None
        return self._make_field(fields[index])

    def getNumberOfFields(self) -> int:
        """Returns the number of parameters."""
        return len(self._parameters())

    # Their names while R2025a was made.
    getParent = getProtoParent
    getParameter, getParameterByIndex = getField, getFieldByIndex
    getNumberOfParameters = getNumberOfFields

    type_name = property(getTypeName)
    number_of_fields = property(getNumberOfFields)
    number_of_parameters = property(getNumberOfFields)
