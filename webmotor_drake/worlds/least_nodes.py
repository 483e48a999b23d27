"""The number of nodes that PROTOs unfold to, told before they are unfolded."""

from webmotor_drake.errors import InputError
from webmotor_drake.worlds.catalogue import BASE_NODES
from webmotor_drake.worlds.nodes import Node
from webmotor_drake.worlds.project import Project
from webmotor_drake.worlds.reader import Texts

# PROTOs in PROTOs to which it looks.
_DEEPEST = 50


def least_nodes(
    proto: Texts, project: Project, known: dict[int, int], depth: int = 0
) -> int:
    """Returns the least number of nodes that an instance of a PROTO becomes.

    Of templates, and of what the instance's values bring along, nothing is known.

    Args:
        proto: the PROTO.
        project: files with those in it.
        known: the numbers of PROTOs by their ids; added to.
        depth: number of PROTOs that it stands in.
    """
    if id(proto) in known or depth > _DEEPEST:
        return known.get(id(proto), 1)
    known[id(proto)] = 1  # of one that is in itself, which is told elsewhere
    number, seen, waiting = 0, set[int](), list(proto.nodes)
    while waiting:
        node = waiting.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        number += 1
        source = node.place.source
        if node.type in source.urls or node.type not in BASE_NODES:
            number += _of_instance(node, project, known, depth)
        else:
            for field in node.fields.values():
                waiting += field.nodes
    known[id(proto)] = number
    return number


def _of_instance(
    node: Node, project: Project, known: dict[int, int], depth: int
) -> int:
    """Returns the least number of nodes that an instance in a body becomes."""
    source = node.place.source
    file = project.users_file(node.type, source)
    if file is None or node.type in project.options.without:
        return 0
    try:
        if not project.may_read(file):
            return 0
        proto = project.load_proto(file, source.version)
    except (InputError, OSError):  # told where it is expanded
        return 0
    return least_nodes(proto, project, known, depth + 1)
