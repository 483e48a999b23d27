"""Pictures of sweeps have in them what their descriptions say."""

import numpy as np
import pytest
from described import kept
from test_runs import runs_of

from webmotor_drake.results.results import Results
from webmotor_drake.sweep.runs import runs_figure, traces_figure


def some_runs(folder, number, runs=12):
    """Returns runs of so many parameters, of which two failed and some never end."""
    parameters = np.array(
        np.meshgrid([1, 2, 4, 30], [5, 6, 7], [0, 1])
    ).reshape(3, -1)
    rows = []
    for i, values in enumerate(parameters.T[:runs]):
        status = "failed" if i in (3, 7) else "done"
        m, n = (
            0.5 * values[0] - values[1] + values[2],
            "inf" if i % 4 == 1 else i,
        )
        cells = (m, n) if status == "done" else ("", "")
        rows.append((values[:number], status, *cells))
    return runs_of(folder, ["one", "two", "three"][:number], rows)


@pytest.mark.parametrize("number", [0, 1, 2, 3])
def test_a_picture_of_runs_is_as_it_is_described(tmp_path, number):
    kept(f"sweep_of_{number}", runs_figure(some_runs(tmp_path, number)))


def test_points_that_are_no_grid_are_drawn_one_by_one(tmp_path):
    """A map with more than twice as many cells as runs would be mostly white."""
    places = [(1, 1), (2, 3), (3, 2), (4, 5), (5, 4)]
    rows = [(place, "done", i, 0) for i, place in enumerate(places)]
    figure = runs_figure(runs_of(tmp_path, ["a", "b"], rows))
    kept("sweep_of_points", figure)


def test_points_that_never_reach_a_metric_have_their_place_in_its_map(tmp_path):
    places = [(1, 1), (2, 3), (3, 2), (4, 5), (5, 4)]
    rows = [
        (place, "done", i, i if 0 < i < 4 else "inf")
        for i, place in enumerate(places)
    ]
    both, some = runs_figure(runs_of(tmp_path, ["a", "b"], rows)).axes[:2]
    assert some.get_xlim() == both.get_xlim()
    assert some.get_ylim() == both.get_ylim()


@pytest.mark.parametrize(
    ("runs", "drawn"), [(12, "PathCollection"), (13, "QuadMesh")]
)
def test_a_grid_is_a_map_where_half_of_its_cells_are_run(tmp_path, runs, drawn):
    cells = [(a, b) for a in range(5) for b in range(5)]
    rows = [(cell, "done", sum(cell), 0) for cell in cells[::2]]
    rows = rows[:runs]
    figure = runs_figure(runs_of(tmp_path, ["a", "b"], rows))
    assert (
        len({row[0][0] for row in rows})
        == len({row[0][1] for row in rows})
        == 5
    )
    assert type(figure.axes[0].collections[0]).__name__ == drawn


def test_traces_lie_over_each_other_from_the_least_to_the_most(tmp_path):
    runs = some_runs(tmp_path, 1, runs=4)
    time = np.linspace(0, 1, 5)
    for i in (0, 1, 2):
        about = {"arm/motor": {"unit": "rad", "joint": "hinge"}}
        signals = {"arm/motor/position": i + time}
        Results(time, signals, {"motors": about}).save(
            tmp_path / "traces" / f"{i:04x}"
        )
    kept("sweep_of_traces", traces_figure(runs))


def test_a_map_of_one_value_has_a_cell_of_one_around_it(tmp_path):
    rows = [((3, b), "done", b, 0) for b in (1, 2)]
    figure = runs_figure(runs_of(tmp_path, ["a", "b"], rows))
    corners = figure.axes[0].collections[0].get_coordinates()
    np.testing.assert_array_equal(corners[0, :, 0], [2.5, 3.5])
    np.testing.assert_array_equal(corners[:, 0, 1], [0.5, 1.5, 2.5])
