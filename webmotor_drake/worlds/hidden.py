"""The saved state of a running world: `hidden` lines of an instance of a PROTO.

They hold poses and joint positions of the Solids in it, by number (WbSolid.cpp):
`translation_3` of the fourth Solid in the order of the file, `position_3_0` of the
first joint that starts there.
"""

import dataclasses as dc
import re

from webmotor_drake.worlds.node_kinds import GROUPS, JOINTS, SOLIDS, children_of
from webmotor_drake.worlds.nodes import Field, Node

_NAME = re.compile(
    r"(translation|rotation|position|position2|position3|linearVelocity"
    r"|angularVelocity)_(\d{1,9})(?:_(\d{1,9}))?"
)
_PARAMETERS = {
    "position": "jointParameters",
    "position2": "jointParameters2",
    "position3": "jointParameters3",
}


def with_hidden(node: Node) -> Node:
    """Returns an expanded instance whose nodes have the values of its hidden fields.

    If one of them names a missing Solid or joint, all are ignored, as in Webots.
    """
    if not node.hidden:
        return node
    # Instances share the nodes of a PROTO's defaults: those stay as they are.
    copy = _copied(node, {})
    solids: list[tuple[Node, list[Node]]] = []
    _number(copy, solids)
    changes: list[tuple[Node, Field]] = []
    for name, field in node.hidden.items():
        match = _NAME.fullmatch(name)
        target = _named(match, solids) if match is not None else None
        if match is None or target is None:
            kind = node.protos[0].name if node.protos else node.type
            text = f"hidden {name} names nothing in it; all hidden fields are left out"
            field.place.add("note", kind, text)
            return node
        name = match[1]
        if inside := target.node(_PARAMETERS.get(name, "")):
            target, name = inside, "position"
        # The new field keeps the old one's connections to parameters.
        old = target.fields.get(name, field)
        changes.append(
            (target, dc.replace(field, name=name, parameters=old.parameters))
        )
    for target, field in changes:
        target.fields[field.name] = field
    return copy


def _named(
    match: re.Match[str], solids: list[tuple[Node, list[Node]]]
) -> Node | None:
    """Returns the Solid or joint that a hidden field names; None if it is missing."""
    for solid, joints in solids[int(match[2]) :][:1]:
        if match[1] not in _PARAMETERS:
            return solid
        return next(iter(joints[int(match[3] or 0) :]), None)
    return None


def _number(node: Node, solids: list[tuple[Node, list[Node]]]) -> None:
    """Lists a Solid and all Solids in it, each with the joints that start in it."""
    joints: list[Node] = []
    solids.append((node, joints))
    waiting = node.nodes("children")
    while waiting:
        inner = waiting.pop(0)
        if inner.type in SOLIDS:
            _number(inner, solids)
        elif inner.type in JOINTS:
            joints.append(inner)
            waiting = inner.nodes("endPoint") + waiting
        elif inner.type in GROUPS:
            waiting = children_of(inner) + waiting


def _copied(node: Node, done: dict[int, Node]) -> Node:
    """Returns a copy of a node and all in it; a node used twice stays one."""
    if id(node) not in done:
        new = done[id(node)] = dc.replace(node, fields={})
        for name, field in node.fields.items():
            new.fields[name] = field.mapped(lambda inner: _copied(inner, done))
    return done[id(node)]
