"""The nodes of a world that supervisors look up, by their names in the scenario."""

from pydrake.math import RigidTransform

from webmotor_drake.scenario.protos import Proto, ProtoParameter
from webmotor_drake.worlds.nodes import Instance, Node
from webmotor_drake.worlds.value_text import value_text


class Definitions:
    """Collects DEF names and instances of PROTOs.

    Attributes:
        names: the nodes that DEF names stand for, as a scenario calls them.
        uses: by the first place of a node where else it stands (USE).
        groups: the models and groups in each Group or Pose with a DEF name.
        poses: the poses of those that have one, in the world.
    """

    def __init__(self) -> None:
        self.names: dict[str, str] = {}
        self.uses: dict[str, list[str]] = {}
        self.groups: dict[str, list[str]] = {}
        self.poses: dict[str, RigidTransform] = {}
        self._first: dict[Node, str] = {}
        self._instances: dict[str, tuple[Instance, ...]] = {}
        self._inside: dict[Instance, dict[str, str]] = {}
        self._connected: dict[tuple[Instance, str], list[str]] = {}

    def add(self, node: Node | None, stands_for: str) -> None:
        """Notes a node of the scenario: its DEF name, its PROTOs and their parameters.

        Args:
            node: an expanded one; None for one that the file leaves out.
            stands_for: its name in the scenario, such as "arm::elbow".
        """
        if node is None:
            return
        node.stands_for.append(stands_for)
        if node.definition:
            self.names.setdefault(node.definition, stands_for)
        if node.protos:
            self._instances.setdefault(stands_for, node.protos)
        for proto, name in node.body_definitions:
            self._inside.setdefault(proto, {}).setdefault(name, stands_for)
        for field in node.fields.values():
            for parameter in field.parameters:
                fields = self._connected.setdefault(parameter, [])
                if (path := f"{stands_for}.{field.name}") not in fields:
                    fields.append(path)

    def add_shape(self, node: Node, stands_for: str) -> None:
        """Notes a drawn Shape, its appearance and its geometry."""
        self.add_shared(node, stands_for)
        self.add_shared(node.node("geometry"), f"{stands_for}.geometry")
        look = node.node("appearance")
        self.add_shared(look, f"{stands_for}.appearance")
        if look is not None:
            material = look.node("material")
            self.add_shared(material, f"{stands_for}.appearance.material")

    def add_shared(self, node: Node | None, stands_for: str) -> None:
        """Notes a node of which one with a DEF name may stand in several places."""
        self.add(node, stands_for)
        if node is None or not (node.definition or node.body_definitions):
            return
        first = self._first.setdefault(node, stands_for)
        if first != stands_for:
            self.uses.setdefault(first, []).append(stands_for)

    def protos(self) -> dict[str, list[Proto]]:
        """Returns the instances of PROTOs as a scenario has them."""
        return {
            stands_for: [*map(self._written, instances)]
            for stands_for, instances in self._instances.items()
        }

    def _written(self, proto: Instance) -> Proto:
        return Proto(
            proto.name,
            {name: self._parameter(proto, name) for name in proto.parameters},
            self._inside.get(proto, {}),
        )

    def _parameter(self, proto: Instance, name: str) -> ProtoParameter:
        kind, field = proto.parameters[name]
        connected = self._connected.get((proto, name), [])
        return ProtoParameter(kind, value_text(field), connected)
