"""Our own stand-ins for PROTOs of Webots' that are geometries, or made of one.

They are written from the interfaces in Webots' user guide.
"""

import numpy as np

from webmotor_drake.worlds.nodes import Node
from webmotor_drake.worlds.poses import turn

# Points of a terrain, and parts of an extrusion.
_MOST_POINTS, _MOST_SUBDIVISIONS = 40_000, 50


def _listed(rows: np.ndarray) -> str:
    return ", ".join(" ".join(f"{n:.9g}" for n in row) for row in rows)


# Extrusions


def extrusion(node: Node) -> tuple[str, str]:
    """Returns a cross section that is swept along a spine, as VRML97 does it."""
    section = _rows(node, "crossSection", 2, _SQUARE)
    spine = _rows(node, "spine", 3, ((0, 0, 0), (0, 1, 0)))
    parts = int(node.number("splineSubdivision", 4))
    if len(spine) > 2 and parts > 1:
        spine = _spline(spine, min(parts, _MOST_SUBDIVISIONS))
    scale = _rows(node, "scale", 2, ((1, 1),))
    turned = _rows(node, "orientation", 4, ((0, 0, 1, 0),))
    rings = _rings(section, spine, scale, turned)
    count = len(section)
    closed = bool(np.allclose(section[0], section[-1]))
    sides = count - 1
    faces = [
        (
            k * count + i,
            k * count + i + 1,
            (k + 1) * count + i + 1,
            (k + 1) * count + i,
        )
        for k in range(len(rings) - 1)
        for i in range(sides)
    ]
    around = range(count - closed)
    last = (len(rings) - 1) * count
    if node.truth("beginCap", True):
        faces.append(tuple(reversed(around)))
    if node.truth("endCap", True):
        faces.append(tuple(last + i for i in around))
    # Clockwise sections have their normals inside.
    if _signed_area(section) > 0:
        faces = [tuple(reversed(face)) for face in faces]
    ccw = "" if node.truth("ccw", True) else "ccw FALSE"
    indices = ", -1, ".join(", ".join(map(str, face)) for face in faces)
    text = (
        f"IndexedFaceSet {{ coord Coordinate {{ point [ {_listed(rings.reshape(-1, 3))}"
        f" ] }} {ccw} coordIndex [ {indices}, -1 ] }}"
    )
    return text, "its faces computed as VRML97 has it"


_SQUARE = ((1, 1), (1, -1), (-1, -1), (-1, 1), (1, 1))


def _rows(
    node: Node, name: str, width: int, default: tuple[tuple[float, ...], ...]
) -> np.ndarray:
    """Returns the rows of a field; shape (n, width)."""
    field = node.fields.get(name)
    rows = field.rows(width) if field is not None and field.items else []
    return np.array(rows or default, float)


def _signed_area(section: np.ndarray) -> float:
    """Returns the area of a section in its x and z, positive if anticlockwise."""
    x, z = section.T
    return float(x @ np.roll(z, -1) - z @ np.roll(x, -1)) / 2


def _spline(spine: np.ndarray, parts: int) -> np.ndarray:
    """Returns a uniform cubic B-spline with a spine's ends; shape (n, 3)."""
    ends = [2 * spine[0] - spine[1]], [2 * spine[-1] - spine[-2]]
    points = np.concatenate([ends[0], spine, ends[1]])
    t = np.arange(parts)[:, None] / parts
    weights = np.hstack(
        [
            (1 - t) ** 3,
            3 * t**3 - 6 * t**2 + 4,
            -3 * t**3 + 3 * t**2 + 3 * t + 1,
            t**3,
        ]
    )
    smooth = [weights @ points[k : k + 4] / 6 for k in range(len(points) - 3)]
    return np.concatenate([*smooth, spine[-1:]])


def _rings(
    section: np.ndarray,
    spine: np.ndarray,
    scale: np.ndarray,
    turned: np.ndarray,
) -> np.ndarray:
    """Returns the section at each point of the spine; shape (points, section, 3).

    Its y axis is along the spine, its z axis that of the bend (VRML97, 6.18).
    """
    along = (
        np.gradient(spine, axis=0)
        if len(spine) > 2
        else (np.repeat(spine[-1:] - spine[:1], len(spine), axis=0))
    )
    flat = np.column_stack(
        [section[:, 0], np.zeros(len(section)), section[:, 1]]
    )
    z_before = np.zeros(3)
    rings = []
    for k, (point, y) in enumerate(zip(spine, along, strict=True)):
        y = _unit(y, np.array([0.0, 1, 0]))
        before, after = spine[max(k - 1, 0)], spine[min(k + 1, len(spine) - 1)]
        z = _unit(np.cross(after - point, before - point), z_before)
        if z @ z_before < 0:
            z = -z
        z = _unit(z - (z @ y) * y, _across(y))
        z_before = z
        R = np.column_stack([np.cross(y, z), y, z])
        size = scale[min(k, len(scale) - 1)]
        *axis, angle = turned[min(k, len(turned) - 1)]
        own = turn(axis, angle).matrix()
        rings.append(flat * [size[0], 1, size[1]] @ (R @ own).T + point)
    return np.array(rings)


def _unit(vector: np.ndarray, default: np.ndarray) -> np.ndarray:
    length = float(np.linalg.norm(vector))
    return vector / length if length > 1e-9 else default


def _across(y: np.ndarray) -> np.ndarray:
    """Returns the z axis of a straight spine: the y axis turned to it turns z along."""
    start = np.array([0.0, 1, 0])
    axis = np.cross(start, y)
    angle = float(np.arctan2(np.linalg.norm(axis), start @ y))
    if np.linalg.norm(axis) < 1e-9:
        axis = np.array([1.0, 0, 0])
    return turn(axis.tolist(), angle).matrix()[:, 2]


# Terrains


def uneven_terrain(node: Node) -> tuple[str, str]:
    """Returns hills of our own noise."""
    old = node.place.source.has_old_axes
    size = node.numbers("size", (50, 5, 50) if old else (50, 50, 5))
    a, b, c = (max(n, 1e-3) for n in size)
    x, y, z = (a, c, b) if old else (a, b, c)
    rows = "zDimension" if old else "yDimension"
    nx = max(2, int(node.number("xDimension", 50)))
    ny = max(2, int(node.number(rows, 50)))
    if nx * ny > _MOST_POINTS:
        raise node.error(f"more than {_MOST_POINTS:,} points")
    heights = z * _hills(
        nx,
        ny,
        max(0, int(node.number("randomSeed", 1))),
        min(max(int(node.number("perlinNOctaves", 3)), 1), 8),
    )
    u, v = np.meshgrid(np.linspace(-1, 1, nx), np.linspace(-1, 1, ny))
    if node.truth("flatCenter", False):
        heights *= np.clip(2 * np.hypot(u, v) - 0.3, 0, 1)
    if node.truth("flatBounds", False):
        heights *= np.clip(4 * (1 - np.maximum(abs(u), abs(v))), 0, 1)
    dx, dy = x / (nx - 1), y / (ny - 1)
    letter, corner = (
        ("z", f"{-x / 2!r} 0 {-y / 2!r}")
        if old
        else ("y", f"{-x / 2!r} {-y / 2!r} 0")
    )
    grid = (
        f"ElevationGrid {{ xDimension {nx} {letter}Dimension {ny} xSpacing {dx!r}"
        f" {letter}Spacing {dy!r} height [ {' '.join(f'{h:.6g}' for h in heights.flat)}"
        " ] }"
    )
    text = (
        f'Solid {{ name "uneven terrain" children Pose {{ translation {corner}'
        " children Shape { appearance PBRAppearance { baseColor .75 .62 .45"
        f" metalness 0 roughness 1 }} geometry DEF GRID {grid} }} }}"
        f" boundingObject Pose {{ translation {corner} children USE GRID }} }}"
    )
    return text, "other hills than Webots', from a noise of our own"


def _hills(nx: int, ny: int, seed: int, octaves: int) -> np.ndarray:
    """Returns smooth noise from 0 to 1, shape (ny, nx): octaves of twice the detail."""
    rng = np.random.default_rng(seed)
    total = np.zeros((ny, nx))
    for octave in range(octaves):
        cells = 2 << octave
        values = rng.random((cells + 1, cells + 1))
        total += _smooth(values, nx, ny) / 2**octave
    low, high = total.min(), total.max()
    return (total - low) / max(high - low, 1e-12)


def _smooth(values: np.ndarray, nx: int, ny: int) -> np.ndarray:
    """Returns values of a coarse square grid between its points; shape (ny, nx)."""
    cells = len(values) - 1

    def weights(n: int) -> np.ndarray:
        at = np.linspace(0, cells, n)
        k = np.minimum(at.astype(int), cells - 1)
        t = at - k
        t = t * t * (3 - 2 * t)
        W = np.zeros((n, cells + 1))
        W[np.arange(n), k] = 1 - t
        W[np.arange(n), k + 1] = t
        return W

    return weights(ny) @ values @ weights(nx).T
