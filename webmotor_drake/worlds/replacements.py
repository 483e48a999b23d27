"""Our own stand-ins for the PROTOs of Webots' that worlds use most.

They are written from the interfaces in Webots' reference manual. Each is a function
from an instance to the text of a node and what differs from Webots' own: its shapes
are computed. Others are files (`stand_ins`).

Files of before R2022a have y up in them: there vectors are ordered x, height, z, and
what lies in the floor lies in x and z.
"""

import math
from collections.abc import Callable

from webmotor_drake.worlds.nodes import Node
from webmotor_drake.worlds.replaced_shapes import (
    extrusion,
    uneven_terrain,
)
from webmotor_drake.worlds.stand_in import FLOOR, StandIn, positive

_WALL, _WOOD, _CARDBOARD, _STEEL = (
    ".6 .66 .72",
    ".72 .53 .33",
    ".75 .62 .45",
    ".35 .4 .5",
)
# How thick floors are below what one sees, m: nothing gets through a metre.
_DEEP = 1.0
# Floors end far from what one sees: Webots' are planes, which have no end.
_WIDE = 2000.0
# The length of a segment of a ring, over the one that just meets the next.
_OVERLAP = 1.02

Vector = tuple[float, float, float]
# Returns the text of a node for an instance, and what differs from Webots' own.
Replacement = Callable[[Node], tuple[str, str]]


def _size(node: Node, default: Vector, old_default: Vector) -> Vector:
    """Returns a field `size` as x, y and up, whatever the age of the file.

    Args:
        node: the instance.
        default: in newer files: x, y, up.
        old_default: in older ones: x, up, y.
    """
    if node.place.source.has_old_axes:
        x, z, y = positive(node, "size", old_default)
    else:
        x, y, z = positive(node, "size", default)
    return x, y, z


def _ground(solid: StandIn) -> None:
    """Adds the collision shapes of a floor."""
    size, center = (_WIDE, _WIDE, _DEEP), (0, 0, -_DEEP / 2)
    solid.box(size, center, color=FLOOR, is_drawn=False)


def _rectangle_arena(node: Node) -> tuple[str, str]:
    x, y = positive(node, "floorSize", (1, 1))
    thick = positive(node, "wallThickness", (0.01,))[0]
    high = positive(node, "wallHeight", (0.1,))[0]
    solid = StandIn(node)
    _ground(solid)
    solid.tiles((x, y), "floorAppearance", "floorTileSize")
    for side in (-1, 1):
        along = (x + 2 * thick, thick, high)
        solid.box(along, (0, side * (y + thick) / 2, high / 2), color=_WALL)
        across = (thick, y, high)
        solid.box(across, (side * (x + thick) / 2, 0, high / 2), color=_WALL)
    return (
        solid.text("rectangle arena"),
        "floor and four walls of our own; no tiles",
    )


def _circle_arena(node: Node) -> tuple[str, str]:
    radius = positive(node, "radius", (1,))[0]
    thick = positive(node, "wallThickness", (0.01,))[0]
    high = positive(node, "wallHeight", (0.1,))[0]
    parts = max(8, min(128, int(node.number("subdivision", 48))))
    solid = StandIn(node)
    _ground(solid)
    disc = f"Cylinder {{ radius {radius + thick!r} height 0.002 }}"
    solid.add(disc, (0, 0, -0.001), color=FLOOR, collides=False)
    middle = radius / math.cos(math.pi / parts) + thick / 2
    length = _OVERLAP * 2 * (middle + thick / 2) * math.tan(math.pi / parts)
    for i in range(parts):
        yaw = 2 * math.pi * i / parts
        place = (middle * math.cos(yaw), middle * math.sin(yaw), high / 2)
        solid.box((thick, length, high), place, color=_WALL, yaw=yaw)
    return (
        solid.text("circle arena"),
        f"a floor and {parts} boxes around it; no tiles",
    )


def _floor(node: Node) -> tuple[str, str]:
    x, y = positive(node, "size", (10, 10))
    solid = StandIn(node)
    _ground(solid)
    solid.tiles((x, y), "appearance", "tileSize")
    return solid.text("floor"), "a floor of our own; no tiles"


def _wall(node: Node) -> tuple[str, str]:
    size = _size(node, (0.2, 1.0, 2.4), (1.0, 2.4, 0.2))
    solid = StandIn(node)
    solid.box(size, (0, 0, size[2] / 2), color=_WALL)
    return solid.text("wall"), "a plain box that stands on its origin"


def _crate(kind: str, color: str, side: float) -> Replacement:
    """Returns the replacement of a box about its origin, free if it has a mass."""

    def replaced(node: Node) -> tuple[str, str]:
        size = _size(node, (side,) * 3, (side,) * 3)
        solid = StandIn(node)
        solid.box(size, (0, 0, 0), color=color)
        mass = node.number("mass", 0.0)
        physics = f"Physics {{ density -1 mass {mass!r} }}" if mass > 0 else ""
        lifted = solid.lifted((0, 0, side / 2))
        return solid.text(kind, physics, lifted), "a plain box of its size"

    return replaced


def _table(node: Node) -> tuple[str, str]:
    x, y, z = _size(node, (1.0, 1.8, 0.74), (1.8, 0.74, 1.0))
    thick = positive(node, "frameThickness", (0.05,))[0]
    foot_x, foot_y = positive(node, "feetSize", (0.1, 0.1))
    pad = node.number("feetPadding", 0.0)
    solid = StandIn(node)
    solid.box((x, y, thick), (0, 0, z - thick / 2), color=_WOOD)
    for side in (-1, 1):
        for end in (-1, 1):
            place = (
                side * (x / 2 - foot_x / 2 - pad),
                end * (y / 2 - foot_y / 2 - pad),
                (z - thick) / 2,
            )
            solid.box((foot_x, foot_y, z - thick), place, color=_WOOD)
    return solid.text("table"), "a top and four legs, of boxes"


def standing_box(node: Node) -> str:
    """Returns a box for an unknown PROTO with a size; "" without one."""
    field = node.fields.get("size")
    if field is None or len(field.items) != 3:
        return ""
    if not all(isinstance(item, float) and item > 0 for item in field.items):
        return ""
    a, b, c = field.numbers(3)
    size = (a, c, b) if node.place.source.has_old_axes else (a, b, c)
    solid = StandIn(node)
    solid.box(size, (0, 0, size[2] / 2), color=_WALL)
    return solid.text(node.type)


REPLACEMENTS: dict[str, Replacement] = {
    "RectangleArena": _rectangle_arena,
    "CircleArena": _circle_arena,
    "Floor": _floor,
    "Wall": _wall,
    "WoodenBox": _crate("wooden box", _WOOD, 0.6),
    "CardboardBox": _crate("cardboard box", _CARDBOARD, 0.6),
    "PlasticCrate": _crate("plastic crate", _STEEL, 0.6),
    "Table": _table,
    "UnevenTerrain": uneven_terrain,
    "Extrusion": extrusion,
}
