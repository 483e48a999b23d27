"""The number of nodes of a world with a node for each USE."""

from webmotor_drake.limits import too_many
from webmotor_drake.worlds.nodes import Node
from webmotor_drake.worlds.reader import MAX_NODES


def check_unfolded(nodes: list[Node]) -> None:
    """Refuses a world whose USEs, each of a group with others in it, have no end.

    Raises:
        InputError: with the place of the node that is too large.
    """
    sizes: dict[int, int] = {}
    for node in nodes:
        _size(node, sizes)


def _size(node: Node, sizes: dict[int, int]) -> int:
    """Returns the nodes in a node, and itself; what is used twice counts twice.

    Args:
        node: expanded.
        sizes: those known, by the nodes' ids; added to.
    """
    if id(node) not in sizes:
        inner = (item for field in node.fields.values() for item in field.nodes)
        sizes[id(node)] = size = 1 + sum(_size(item, sizes) for item in inner)
        if problem := too_many(size, MAX_NODES, "nodes, USE expanded"):
            raise node.error(problem)
    return sizes[id(node)]
