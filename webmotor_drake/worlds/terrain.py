"""ElevationGrids: their surface, and the convex pieces that collide.

Drake has no height fields. A piece is the hull of some cells down to the base. A convex
cell is one piece, a concave cell two. If there are too many, flat neighbours are merged
under a slightly higher top.
"""

import dataclasses as dc
import heapq

import numpy as np

from webmotor_drake.worlds.nodes import Node

# More pieces than this take Drake tens of seconds to set up.
MOST_PIECES = 700
# Points that a grid may have.
_MOST_POINTS = 1_000_000

# A block of cells: indices in x and y of its first point, then of its last.
Block = tuple[int, int, int, int]


@dc.dataclass(frozen=True, eq=False)
class Grid:
    """The points of an ElevationGrid.

    Attributes:
        x: coordinates of its columns, shape (nx,), m.
        y: coordinates of its rows, shape (ny,), m.
        z: heights, shape (ny, nx), m.
        base: height of the bottom, m.
    """

    x: np.ndarray
    y: np.ndarray
    z: np.ndarray
    base: float

    def triangles(self, block: Block | None = None) -> np.ndarray:
        """Returns the surface, seen from above anticlockwise, shape (n, 3, 3), m."""
        i0, j0, i1, j1 = block or (0, 0, len(self.x) - 1, len(self.y) - 1)
        x, y = np.meshgrid(self.x[i0 : i1 + 1], self.y[j0 : j1 + 1])
        points = np.stack([x, y, self.z[j0 : j1 + 1, i0 : i1 + 1]], axis=2)
        a, b = points[:-1, :-1], points[:-1, 1:]
        c, d = points[1:, 1:], points[1:, :-1]
        pairs = np.array([(a, b, c), (a, c, d)])
        corners = np.moveaxis(pairs, 1, 3).reshape(-1, 3, 3)
        if (self.y[-1] < self.y[0]) != (self.x[-1] < self.x[0]):
            corners = corners[:, ::-1]
        return corners


def read_grid(node: Node, scale: np.ndarray) -> Grid | None:
    """Reads an ElevationGrid; None if it has less than two by two points.

    Args:
        node: the node. In files of before R2022a its rows run along z.
        scale: scale of its frame, along x, y and z.

    Raises:
        InputError: more points than can be computed with; with a place.
    """
    old = node.place.source.has_old_axes and "zDimension" in node.fields
    rows = "z" if old else "y"
    nx = int(node.number("xDimension", 0))
    ny = int(node.number(f"{rows}Dimension", 0))
    dx = node.number("xSpacing", 1.0) * float(scale[0])
    dy = node.number(f"{rows}Spacing", 1.0) * float(scale[1])
    if min(nx, ny) < 2 or not (dx > 0 and dy > 0):
        return None
    if nx * ny > _MOST_POINTS:
        raise node.error(f"more than {_MOST_POINTS:,} points")
    given = node.fields.get("height")
    heights = np.zeros(nx * ny)
    numbers = list(given.numbers())[: nx * ny] if given is not None else []
    heights[: len(numbers)] = numbers
    z = heights.reshape(ny, nx) * float(scale[2])
    thickness = max(node.number("thickness", 1.0), 0.01) * float(scale[2])
    # Its z was the frame's y: rows go the other way.
    way = -1.0 if node.place.source.has_old_axes else 1.0
    return Grid(
        dx * np.arange(nx),
        way * dy * np.arange(ny),
        z,
        float(z.min()) - thickness,
    )


def pieces(
    grid: Grid, most: int = MOST_PIECES
) -> tuple[list[np.ndarray], float]:
    """Splits a grid into convex pieces: the roughest is halved until all are flat.

    Args:
        grid: the points.
        most: largest number of pieces.

    Returns:
        Triangles of each piece, which stand for their hull; and the largest height of a
        piece above the grid, m.
    """
    whole: Block = (0, 0, len(grid.x) - 1, len(grid.y) - 1)
    rough = [(-_roughness(grid, whole), whole)]
    found: list[np.ndarray] = []
    while rough and rough[0][0] < -1e-12 and len(rough) + len(found) < most:
        _, block = heapq.heappop(rough)
        i0, j0, i1, j1 = block
        i, j = (i0 + i1) // 2, (j0 + j1) // 2
        if i1 - i0 == 1 and j1 - j0 == 1:
            found += _cell(grid, block)
            continue
        halves = ((i0, j0, i, j1), (i, j0, i1, j1))
        if i1 - i0 < j1 - j0:
            halves = ((i0, j0, i1, j), (i0, j, i1, j1))
        for half in halves:
            heapq.heappush(rough, (-_roughness(grid, half), half))
    above = max((-least for least, _ in rough), default=0.0)
    blocks = [_piece(grid, grid.triangles(block)) for _, block in rough]
    return blocks + found, above if above > 1e-12 else 0.0


def _roughness(grid: Grid, block: Block) -> float:
    """Returns a bound on the height of the hull of a block's points above them, m."""
    i0, j0, i1, j1 = block
    z = grid.z[j0 : j1 + 1, i0 : i1 + 1]
    # Heights above a plane of the mean slopes: the hull stays below the highest.
    along = (z[:, -1] - z[:, 0]).mean() / (i1 - i0)
    across = (z[-1] - z[0]).mean() / (j1 - j0)
    flat = z - along * np.arange(i1 - i0 + 1)
    return float(np.ptp(flat - across * np.arange(j1 - j0 + 1)[:, None]))


def _cell(grid: Grid, cell: Block) -> list[np.ndarray]:
    """Returns the pieces of a cell: one if its surface is convex, else two."""
    i0, j0, i1, j1 = cell
    z, triangles = grid.z, grid.triangles(cell)
    ridge = z[j0, i0] + z[j1, i1] - z[j0, i1] - z[j1, i0]
    parts = [triangles] if ridge >= 0 else [triangles[:1], triangles[1:]]
    return [_piece(grid, part) for part in parts]


def _piece(grid: Grid, top: np.ndarray) -> np.ndarray:
    """Returns triangles with all points of a piece and those at its base below."""
    below = top[:, ::-1].copy()
    below[:, :, 2] = grid.base
    return np.concatenate([top, below])
