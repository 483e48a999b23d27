"""Which motors a place in a world has to do with: those of the joint around it."""

import collections
from collections.abc import Iterable, Mapping

from webmotor_drake.worlds.node_kinds import motors_in, name_of
from webmotor_drake.worlds.nodes import Node
from webmotor_drake.worlds.source import Place


def motors_by_place(nodes: Iterable[Node]) -> Mapping[Place, set[str]]:
    """Returns the motors of the innermost joint, Track or Propeller that has any.

    Args:
        nodes: a world's nodes, expanded.

    Returns:
        Their names by the places of nodes, fields and instances in the joint.
    """
    found: dict[Place, set[str]] = collections.defaultdict(set)
    waiting = [(node, ()) for node in nodes]
    seen: set[tuple[Node, tuple[str, ...]]] = set()
    while waiting:
        node, around = waiting.pop()
        motors = tuple(map(name_of, motors_in(node))) or around
        if (node, motors) in seen:
            continue
        seen.add((node, motors))
        places = [node.place, *(field.place for field in node.fields.values())]
        places += [proto.place for proto in node.protos]
        for place in places:
            found[place].update(motors)
        for field in node.fields.values():
            waiting += [(item, motors) for item in field.all_nodes]
    return found
