"""The shapes of a Solid: those that are drawn, and those that collide."""

from collections.abc import Iterator

from webmotor_drake.errors import InputError
from webmotor_drake.worlds.around import Around
from webmotor_drake.worlds.convex import convex_parts
from webmotor_drake.worlds.models import FELT, Placed
from webmotor_drake.worlds.nodes import Node
from webmotor_drake.worlds.shapes import (
    NEVER_COLLIDES,
    UNSEEN,
    Geometry,
    Shape,
    read_color,
    read_geometry,
)
from webmotor_drake.worlds.solid_mass import bounding_parts
from webmotor_drake.worlds.terrain import pieces
from webmotor_drake.worlds.textures import textured

# Less than this is flat, m.
_FLAT = 1e-6


def add_visual(node: Node, around: Around) -> bool:
    """Adds a drawn shape; returns whether it can be drawn."""
    link = around.link
    geometry = node if node.type == "CadShape" else node.node("geometry")
    if geometry is None or geometry.type in UNSEEN:
        return False
    try:
        read = read_geometry(geometry, around.scale)
    except InputError as error:
        name = f"{geometry.type} of {around.solid or 'the world'}"
        geometry.place.add("left out", name, f"not drawn: {error.problem}")
        return False
    if read.shape is None:
        text = f"not drawn: {read.problem}"
        geometry.place.add("left out", geometry.type, text)
        return False
    X_LG = link.X_W.inverse() @ around.X_W @ read.X
    visual = Placed(around.solid, read.shape, X_LG)
    if node.type == "Shape":
        visual.color = read_color(node)
        if found := textured(node, read.shape, around.scale):
            visual.shape, visual.color = found
    link.visuals.append(visual)
    return True


def add_collisions(node: Node, inside: Around) -> Iterator[tuple[int, Node]]:
    """Adds the shapes of a Solid that collide.

    Yields:
        The index in its body of each shape that is a whole geometry, and the geometry;
        not of planes, which Drake has on the world's own body.
    """
    bounds = node.node("boundingObject")
    link = inside.link
    if bounds is None:
        return
    material, name = inside.material, f"boundingObject of {inside.solid}"
    goes_along = not inside.dynamic and inside.above
    if goes_along and node.type in ("TouchSensor", "VacuumGripper"):
        material = FELT
        text = "without Physics: it feels what it touches, and goes through it"
        bounds.place.add("note", name, f"a {node.type} {text}")
    elif goes_along:
        text = (
            "its Solid has no Physics and moves along with one that has; it"
            " touches nothing that stands still, as in Webots"
        )
        bounds.place.add("left out", name, text)
        return
    X_LS = link.X_W.inverse() @ inside.X_W
    for geometry, X_SG, collides in bounding_parts(
        bounds, inside.scale, tell=True
    ):
        read = _bounding_geometry(geometry, inside) if collides else None
        if read is None or read.shape is None:
            continue
        X_LG = X_LS @ X_SG @ read.X
        shapes = _colliding(read.shape, geometry, inside)
        if len(shapes) == 1 and read.shape.kind != "plane":
            before = [c for c in link.collisions if c.shape.kind != "plane"]
            yield len(before), geometry
        link.collisions += [
            Placed(inside.solid, shape, X_LG, material) for shape in shapes
        ]


def _bounding_geometry(geometry: Node, inside: Around) -> Geometry | None:
    """Returns a geometry of a boundingObject; None, reported, if it cannot collide."""
    name, problem = geometry.type, "never collides"
    if geometry.type not in NEVER_COLLIDES:
        try:
            read = read_geometry(geometry, inside.scale)
        except InputError as error:
            name, problem = f"boundingObject of {inside.solid}", error.problem
        else:
            problem, moves = read.problem, inside.link.kind != "static"
            if moves and geometry.type == "Plane" and not problem:
                problem = (
                    "a Plane of a Solid with Physics collides with nothing"
                )
            if not problem:
                return read
    geometry.place.add("left out", name, problem)
    return None


def _colliding(shape: Shape, geometry: Node, inside: Around) -> list[Shape]:
    """Returns the shapes that Drake collides with: for a mesh, its convex parts."""
    if shape.kind != "mesh":
        return [shape]
    assert shape.triangles is not None
    fixed = inside.link.kind == "static"
    if shape.grid is not None and fixed:
        parts, above = pieces(shape.grid)
        text = f"collides as {len(parts)} convex pieces"
        if is_more := above > _FLAT:
            text = f"{text}, at most {above:.2g} m above it"
    else:
        parts, is_more = convex_parts(shape.triangles, fixed=fixed)
        text = f"collides as {len(parts)} convex parts"
        if is_more:
            text = "what collides is its convex hull"
    if is_more or len(parts) > 1:
        name = f"{geometry.type} of {inside.solid}"
        geometry.place.add("hull" if is_more else "info", name, text)
    return [Shape("mesh", triangles=part) for part in parts]
