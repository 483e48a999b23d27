"""The Solids that our own stand-ins are written as."""

import typing
from collections.abc import Sequence

from webmotor_drake.worlds.nodes import Node

FLOOR = ".78 .78 .75"


class StandIn:
    """A Solid made of shapes, written with z up; an old file gets y up."""

    def __init__(self, node: Node):
        self.node = node
        self.old = node.place.source.has_old_axes
        self.children: list[str] = []
        self.bounds: list[str] = []

    def add(
        self,
        geometry: str,
        center: Sequence[float],
        *,
        color: str,
        yaw: float = 0.0,
        is_drawn: bool = True,
        collides: bool = True,
    ) -> None:
        """Adds a shape whose geometry is turned about the vertical."""
        x, y, z = center
        where = (x, z, -y) if self.old else (x, y, z)
        up = (0, 1, 0) if self.old else (0, 0, 1)
        pose = f"translation {numbers(where)} rotation {numbers((*up, yaw))}"
        if is_drawn:
            shape = drawn(geometry, color)
            self.children.append(f"Pose {{ {pose} children {shape} }}")
        if collides:
            self.bounds.append(f"Pose {{ {pose} children {geometry} }}")

    def box(
        self,
        size: Sequence[float],
        center: Sequence[float],
        **how: typing.Any,
    ) -> None:
        """Adds a box of a size along x, y and up."""
        x, y, z = size
        sizes = (x, z, y) if self.old else (x, y, z)
        self.add(f"Box {{ size {numbers(sizes)} }}", center, **how)

    def tiles(self, size: Sequence[float], looks: str, tile: str) -> None:
        """Adds the visible surface of a floor.

        Args:
            size: along x and y, m.
            looks: the field with its appearance; without one it is plain.
            tile: the field with the size of its texture, which repeats.
        """
        x, y = size
        given = self.node.node(looks)
        if given is None or given.type not in ("Appearance", "PBRAppearance"):
            center = (0, 0, -0.001)
            self.box((x, y, 0.002), center, color=FLOOR, collides=False)
            return
        width, height = positive(self.node, tile, (0.5, 0.5))
        corners = ((-1, -1), (1, -1), (1, 1), (-1, 1))
        places = [(x / 2 * i, y / 2 * j) for i, j in corners]
        points = [(a, 0, -b) if self.old else (a, b, 0) for a, b in places]
        shown = [((a + x / 2) / width, (b + y / 2) / height) for a, b in places]
        self.children.append(
            f"Shape {{ appearance IS {looks} geometry IndexedFaceSet {{"
            f" coord Coordinate {{ point [ {listed(points)} ] }}"
            f" texCoord TextureCoordinate {{ point [ {listed(shown)} ] }}"
            " coordIndex [ 0 1 2 3 ] } }"
        )

    def lifted(self, center: Sequence[float]) -> str:
        """Returns the translation that an instance has unless it gives one."""
        x, y, z = center
        return numbers((x, z, -y) if self.old else (x, y, z))

    def text(self, kind: str, physics: str = "", lifted: str = "0 0 0") -> str:
        """Returns the Solid's text.

        Args:
            kind: its name.
            physics: its Physics; "IS": that of the instance.
            lifted: where it stands unless the instance says so.
        """
        if physics == "IS":
            physics = "IS physics"
        children, bounds = "\n".join(self.children), "\n".join(self.bounds)
        return (
            f'Solid {{ name "{kind}" translation {lifted}'
            f" children [ {children} ]"
            f" boundingObject Group {{ children [ {bounds} ] }}"
            f" {f'physics {physics}' if physics else ''} }}"
        )


def drawn(geometry: str, color: str) -> str:
    """Returns the text of a Shape in a colour."""
    return (
        f"Shape {{ appearance PBRAppearance {{ baseColor {color} metalness 0"
        f" roughness 1 }} geometry {geometry} }}"
    )


def numbers(values: Sequence[float]) -> str:
    """Returns numbers as a text has them."""
    return " ".join(repr(float(value)) for value in values)


def listed(rows: Sequence[Sequence[float]]) -> str:
    """Returns vectors as a text has a list of them."""
    return ", ".join(map(numbers, rows))


def positive(node: Node, name: str, default: Sequence[float]) -> list[float]:
    """Returns a field, or its default if not all of it is positive, as Webots."""
    values = node.numbers(name, default)
    return values if min(values) > 0 else list(default)
