"""ElevationGrids: where their points are, and what collides of them."""

import numpy as np
import pytest
from pydrake.geometry import Convex
from world_files import OLD, plant_of, world_file

import webmotor_drake as wm
from webmotor_drake.loading import report_of
from webmotor_drake.scenario.meshes import obj_text
from webmotor_drake.worlds.reader import read_nodes
from webmotor_drake.worlds.terrain import pieces, read_grid

pytestmark = pytest.mark.filterwarnings("ignore::webmotor_drake.MotorWarning")


def grid_of(z, spacing=0.5):
    rows, columns = z.shape
    text = (
        f"ElevationGrid {{ xDimension {columns} yDimension {rows}"
        f" xSpacing {spacing} ySpacing {spacing} thickness 0.2"
        f" height [ {' '.join(map(str, z.flat))} ] }}"
    )
    (node,) = read_nodes(text)
    grid = read_grid(node, np.ones(3))
    assert grid is not None
    return grid


def height_at(parts, x, y, folder):
    """Returns how high the pieces are at a point, from Drake's own hulls."""
    highest = -np.inf
    for k, part in enumerate(parts):
        file = folder / f"{k}.obj"
        file.write_text(obj_text(part))
        hull = Convex(file).GetConvexHull()
        normals = np.array(
            [hull.face_normal(i) for i in range(hull.num_faces())]
        )
        points = np.array(
            [
                hull.vertex(hull.element(i).vertex(0))
                for i in range(len(normals))
            ]
        )
        offsets = (normals * points).sum(axis=1) - normals[:, :2] @ [x, y]
        up, down = normals[:, 2] > 1e-9, normals[:, 2] < -1e-9
        sideways = ~(up | down)
        if (offsets[sideways] < -1e-9).any():
            continue
        top = (offsets[up] / normals[up, 2]).min()
        if top >= (offsets[down] / normals[down, 2]).max() - 1e-9:
            highest = max(highest, top)
    return highest


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_pieces_are_as_high_as_the_grid(tmp_path, seed):
    z = np.random.default_rng(seed).random((4, 5)).round(3)
    grid = grid_of(z)
    parts, above = pieces(grid)
    assert above == 0
    for j, y in enumerate(grid.y):
        for i, x in enumerate(grid.x):
            # Hulls of Drake have single precision.
            there = height_at(parts, x, y, tmp_path)
            assert there == pytest.approx(z[j, i], abs=1e-6)
    x, y = 0.75, 0.75  # on a cell's diagonal
    middle = (z[1, 1] + z[2, 2]) / 2
    assert height_at(parts, x, y, tmp_path) == pytest.approx(middle, abs=1e-6)


def test_a_flat_grid_is_one_piece_and_a_rough_one_is_merged_and_says_by_how_much():
    assert len(pieces(grid_of(np.zeros((20, 30))))[0]) == 1
    slope = np.add.outer(0.1 * np.arange(20), 0.2 * np.arange(30))
    assert len(pieces(grid_of(slope))[0]) == 1
    rough = np.random.default_rng(3).random((40, 40))
    parts, above = pieces(grid_of(rough), most=300)
    assert len(parts) <= 300
    assert 0 < above <= 1


@pytest.mark.parametrize(
    ("head", "up"), [("#VRML_SIM R2023b utf8\n", 2), (OLD, 1)]
)
def test_a_ball_lies_in_the_hollow_of_a_terrain(tmp_path, head, up):
    x = np.arange(7) - 3
    z = 0.05 * np.add.outer(x**2, x**2)
    rows = "y" if up == 2 else "z"
    shift = "-1.5 -1.5 0" if up == 2 else "-1.5 0 -1.5"
    start = "0.3 0.2 0.5" if up == 2 else "0.3 0.5 0.2"
    system = "" if up == 2 else 'coordinateSystem "NUE"'
    text = f"""
    WorldInfo {{ {system} }}
    Solid {{
      translation {shift}
      children Shape {{ geometry DEF G ElevationGrid {{
        xDimension 7 {rows}Dimension 7 xSpacing 0.5 {rows}Spacing 0.5
        height [ {" ".join(map(str, z.flat))} ]
      }} }}
      boundingObject USE G
      name "hills"
    }}
    Solid {{
      translation {start} name "ball"
      boundingObject Sphere {{ radius 0.1 }}
      physics Physics {{ damping Damping {{ linear 0.9 angular 0.9 }} }}
    }}
    """
    file = world_file(tmp_path, text, head)
    results = wm.run(wm.load_scenario(file, text="{simulation_duration: 4}"))
    end = results["ball/ball/position"][-1]
    assert end[up] == pytest.approx(0.1, abs=0.02)
    assert abs(np.delete(end, up)).max() < 0.3


def test_points_beyond_the_list_are_0_and_a_grid_of_one_row_is_left_out(
    tmp_path,
):
    (node,) = read_nodes(
        "ElevationGrid { xDimension 2 yDimension 2 height [ 1 ] }"
    )
    grid = read_grid(node, np.ones(3))
    np.testing.assert_array_equal(grid.z, [[1, 0], [0, 0]])
    text = (
        "Solid { boundingObject ElevationGrid { xDimension 2 yDimension 1 } }"
    )
    _, _, scenario = plant_of(world_file(tmp_path, text))
    assert [e.name for e in report_of(scenario).of_kind("left out")] == [
        "ElevationGrid"
    ]
