"""Expands instances of PROTOs until only Webots' base nodes are left.

Expansion order is Webots' (WbNode.cpp createProtoInstance): the instance's values,
the template, IS, then nested instances.
"""

import dataclasses as dc
import os
from pathlib import Path

from webmotor_drake.limits import too_many
from webmotor_drake.worlds.node_kinds import (
    BASE_NODES,
    is_cosmetic,
    looks_like_robot,
)
from webmotor_drake.worlds.nodes import (
    Field,
    Instance,
    Named,
    Node,
    guessed_type,
)
from webmotor_drake.worlds.project import Project
from webmotor_drake.worlds.reader import MAX_NODES, Texts
from webmotor_drake.worlds.stand_ins import (
    has_size,
    has_stand_in,
    load_stand_in,
)
from webmotor_drake.worlds.template_process import Spent
from webmotor_drake.worlds.templates import expanded_body

# Deepest nesting of instances in instances, and of nodes in nodes.
_MAX_NESTED, _MAX_DEPTH = 40, 220
# Most instances by the estimate of `_expected`.
_MOST_EXPECTED = 10_000_000
_TOO_MANY = "nodes, PROTOs expanded"


class Expander:
    """Expands the nodes of a world.

    Args:
        project: files with PROTOs.
    """

    def __init__(self, project: Project):
        self.project = project
        self._count = 0
        self._spent = Spent()
        self._open: list[str] = []
        self._done: dict[Node, Node] = {}
        # Size of each expanded node, in nodes; a node that is used twice counts twice.
        self._sizes: dict[Node, int] = {}
        # Per instance: the numbers of instances in the bodies around it, multiplied.
        self._expected: dict[Node, int] = {}

    def expand_all(self, nodes: list[Node]) -> list[Node]:
        """Returns the nodes of a file without instances of PROTOs; see `expand`."""
        if not nodes:
            return []
        all_ = Field("children", [*nodes], nodes[0].place)
        world = self.expand(Node("Group", {"children": all_}, nodes[0].place))
        return world.fields["children"].all_nodes

    def expand(self, node: Node, field: str = "", depth: int = 0) -> Node:
        """Returns a node without instances of PROTOs.

        Args:
            node: node of the file; a node that is used twice is expanded once.
            field: name of the field that holds the node.
            depth: number of nodes around the node.

        Raises:
            InputError: a node cannot be expanded, or there are too many.
        """
        if node not in self._done:
            new = self._done[node] = self._expanded(node, field, depth)
            inner = (item for f in new.fields.values() for item in f.all_nodes)
            size = self._sizes[new] = 1 + sum(self._sizes[n] for n in inner)
            if problem := too_many(size, MAX_NODES, "nodes, USE expanded"):
                raise node.error(problem)
        return self._done[node]

    def _expanded(self, node: Node, field: str, depth: int) -> Node:
        self._step(node)
        if depth > _MAX_DEPTH:
            raise node.error(f"nested deeper than {_MAX_DEPTH} levels")
        for values in node.fields.values():
            if values.alias:
                raise values.error("IS stands in PROTOs only")
        if node.type in self.project.options.without:
            node.place.add("left out", node.type, "left out, as was asked for")
            return _absent(node, field)
        if _is_instance(node):
            return self._instance(node, field, depth)
        return self._base(node, depth)

    def _step(self, node: Node) -> None:
        """Counts a node, and refuses PROTOs that expand without end."""
        self._count += 1
        if problem := too_many(self._count, MAX_NODES, _TOO_MANY):
            raise node.error(problem)

    def _base(self, node: Node, depth: int) -> Node:
        """Returns a base node with expanded nodes in its fields."""
        new = dc.replace(node, fields={})
        for name, field in node.fields.items():
            new.fields[name] = field.mapped(
                lambda inner, name=name: self.expand(inner, name, depth + 1)
            )
        return new

    def _instance(self, node: Node, field: str, depth: int) -> Node:
        body = self._body(node, field)
        if body is None:
            return _absent(node, field)
        root, opened, proto = body
        # An instance may hold another one of its own PROTO, as a link of an arm does:
        # only the depth reveals a cycle.
        if len(self._open) >= _MAX_NESTED:
            raise node.error(
                f"PROTOs nested deeper than {_MAX_NESTED} levels, the last"
                f" {' in '.join(map(os.path.basename, self._open[-3:]))}"
            )
        self._open.append(opened)
        expanded = self.expand(root, field, depth + 1)
        self._open.pop()
        return dc.replace(
            expanded,
            definition=node.definition,
            # They count the Solids of Webots' PROTO; a replacement has others.
            hidden={}
            if opened == node.type
            else node.hidden or expanded.hidden,
            protos=(proto, *expanded.protos),
            body_definitions=(
                *node.body_definitions,
                *expanded.body_definitions,
            ),
        )

    def _body(
        self, node: Node, field: str
    ) -> tuple[Node, str, Instance] | None:
        """Returns an instance's body, the PROTO opened for it, and its values."""
        source, name = node.place.source, node.type
        project = self.project
        users = project.users_file(name, source)
        file = users if users and project.may_read(users) else None
        if file is None and has_stand_in(node):
            if users is not None:
                node.place.add("note", name, _forbidden(users))
            return self._stand_in(node)
        if file is None and is_cosmetic(name, source.urls.get(name, ""), field):
            node.place.add("info", name, "looks; not drawn")
            return None
        webots = project.webots_file(name, source)
        if file is None and webots and project.may_read(webots):
            file = webots
        if file is not None:
            proto = project.load_proto(file, source.version)
            root, instance = self._instantiated(node, proto)
            return root, str(project.resolved(file)), instance
        self._left_out(node, users or webots)
        return self._stand_in(node) if has_size(node) else None

    def _left_out(self, node: Node, forbidden: Path | None) -> None:
        """Reports an instance of a PROTO without a file, or whose file is forbidden."""
        name, url = node.type, node.place.source.urls.get(node.type, "")
        without = f"--without {name} goes on without it"
        movable = looks_like_robot(node, url)
        text = "a PROTO that is not at hand"
        if forbidden is not None:
            text = _forbidden(forbidden)
        if forbidden is None and url and "://" not in url:
            kind = "missing"  # the user's own
            text = f"its file {url} is not there; {without}"
        elif movable:
            kind = "missing"
            where = "--proto_path DIR says where it is, "
            text = f"a robot or a device: {text}; {where * (not forbidden)}{without}"
        else:
            kind = "left out"
            there = "a box of its size" if has_size(node) else "nothing"
            text = f"{text}; {there} stands there"
        node.place.add(kind, name, text)

    def _stand_in(self, node: Node) -> tuple[Node, str, Instance]:
        """Returns the same as `_body`, for our replacement of an instance's PROTO."""
        proto, differs = load_stand_in(node)
        if has_stand_in(node) and not node.place.source.instead:
            node.place.add("replaced", node.type, differs)
        if "controller" in proto.parameters.keys() - node.fields.keys():
            text = "no controller is given; motors hold. Webots' may bring one"
            node.place.add("idle", node.type, text)
        root, instance = self._instantiated(node, proto)
        for name, field in node.fields.items():
            if name in _POSE_AND_NAME:
                root.fields[name] = _connected(field, name, (instance, name))
        return root, node.type, instance

    def _instantiated(self, node: Node, proto: Texts) -> tuple[Node, Instance]:
        """Returns the body of a PROTO with an instance's values in it."""
        given = dict(proto.parameters)
        for name, field in node.fields.items():
            if name in given:
                given[name] = given[name][0], field
            else:
                text = f"it has no parameter {name}; left out"
                field.place.add("note", node.type, text)
        body = proto.nodes[0] if proto.nodes else None
        if body is None:
            body = expanded_body(proto, given, node.place, self._spent)
        instance = Instance(node.type, given, node.place)
        copies: dict[int, Node] = {}
        root = self._substituted(body, instance, copies)
        inner = [each for each in copies.values() if _is_instance(each)]
        expected = self._expected.get(node, 1) * len(inner)
        self._expected |= dict.fromkeys(inner, expected)
        if expected > _MOST_EXPECTED and (
            problem := too_many(expected, MAX_NODES, _TOO_MANY)
        ):
            raise node.error(problem)
        return root, instance

    def _substituted(
        self, node: Node, proto: Instance, done: dict[int, Node]
    ) -> Node:
        """Returns a copy of a node of a PROTO's body, with values in place of IS."""
        if id(node) in done:
            return done[id(node)]
        self._step(node)
        # DEF names of a body are its own: nobody outside finds them.
        new = done[id(node)] = Node(node.type, {}, node.place, "", node.hidden)
        if node.definition:
            new.body_definitions = ((proto, node.definition),)
        for name, field in node.fields.items():
            value = field
            if alias := field.alias:
                if alias not in proto.parameters:
                    text = "IS names no parameter; its default is taken"
                    field.place.add("note", name, text)
                    continue
                # The field keeps the value's place: relative files start there.
                given = proto.parameters[alias][1]
                value = _connected(given, name, (proto, alias))
            elif field.nodes:
                value = field.mapped(
                    lambda inner: self._substituted(inner, proto, done)
                )
            new.fields[name] = value
        return new


def _is_instance(node: Node) -> bool:
    urls = node.place.source.urls
    return node.type in urls or node.type not in BASE_NODES


def _absent(node: Node, field: str) -> Node:
    """Returns a placeholder for an instance without PROTO: only supervisors see it."""
    given = {n: (guessed_type(f), f) for n, f in node.fields.items()}
    kind = "PBRAppearance" if field == "appearance" else "Group"
    if node.type.endswith("Background"):
        kind = "Background"
    elif node.fields.keys() & {"translation", "rotation", "name"}:
        kind = "Solid"
    pose = {n: f for n, f in node.fields.items() if n in _POSE_AND_NAME}
    return Node(
        kind,
        pose,
        node.place,
        node.definition,
        protos=(Instance(node.type, given, node.place),),
        body_definitions=node.body_definitions,
        left_out=True,
    )


def _forbidden(file: Path) -> str:
    return (
        f"the header of {os.path.relpath(file)} allows Webots only; it is not read"
        " without --allow_webots_assets"
    )


def _connected(given: Field, name: str, parameter: Named) -> Field:
    """Returns the field of a body that takes its value from a parameter."""
    parameters = (*given.parameters, parameter)
    return dc.replace(given, name=name, parameters=parameters)


# Fields that an instance of any PROTO may set; a replacement takes them, too.
_POSE_AND_NAME = frozenset(
    """
    translation rotation name controller controllerArgs customData
    supervisor synchronization battery cpuConsumption selfCollision
    contactMaterial window
    """.split()
)
