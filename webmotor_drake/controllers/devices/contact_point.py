"""Webots' ContactPoint."""


class ContactPoint:
    """A point where a solid touches another.

    Attributes:
        point: in the world, m.
        node_id: the id of the solid; see `Node.getId`.
    """

    def __init__(self, point: list[float], node_id: int):
        self.point = point
        self.node_id = node_id

    def getPoint(self) -> list[float]:
        """Returns the point in the world, m."""
        return self.point

    def getNodeId(self) -> int:
        """Returns the id of the solid."""
        return self.node_id
