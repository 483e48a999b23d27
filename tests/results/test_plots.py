"""Pictures: there, of a sensible size, and showing what happened."""

import os
import subprocess
import sys

import numpy as np
import pytest
from described import kept

from webmotor_drake.errors import InputError
from webmotor_drake.results.plots import plot_run, run_figure
from webmotor_drake.results.results import Results

POSITION, VELOCITY, EFFORT = range(3)


def run_of(motors: int = 1, rows: int = 50, **changes) -> Results:
    """Returns a run of motors that swing; `changes` are metadata or signals."""
    time = np.linspace(0, 2, rows)
    values = {
        "position": np.sin(time),
        "velocity": np.cos(time),
        "target_position": np.ones(rows),
        "velocity_command": np.cos(time) + 0.1,
        "effort": 5 * np.sin(3 * time),
        "effort_limit": np.full(rows, 10.0),
        "saturated": np.zeros(rows),
        "mode": np.zeros(rows),
    }
    info = {
        "joint": "hinge",
        "unit": "rad",
        "drive": "torque",
        "min_position": 0.0,
        "max_position": 0.0,
        "min_stop": None,
        "max_stop": None,
        "max_velocity": 10.0,
        "acceleration": None,
        "max_effort": 10.0,
    }
    for key, value in changes.items():
        (values if key in values else info)[key] = value
    names = [f"arm/motor {i}" for i in range(motors)]
    return Results(
        time,
        {f"{n}/{s}": v for n in names for s, v in values.items()},
        {"motors": dict.fromkeys(names, info)},
    )


def first_row(run: Results) -> list:
    """Returns the three axes of the first motor."""
    return run_figure(run).axes[:3]


def texts(axes: list) -> str:
    """Returns what is written above the axes."""
    return " ".join(text.get_text() for ax in axes for text in ax.texts)


def steps_drawn(ax) -> np.ndarray:
    """Returns the shaded spans of time as rows of (start, end)."""
    (bars,) = ax.collections
    return np.array([path.get_extents().intervalx for path in bars.get_paths()])


@pytest.mark.slow
@pytest.mark.parametrize(("motors", "height"), [(1, 420), (9, 1850)])
def test_the_picture_grows_with_the_motors_and_is_not_blank(
    tmp_path, motors, height
):
    # 1 and 9 motors must both be readable: about 200 pixels a row or more.
    from matplotlib.image import imread

    plot_run(run_of(motors), tmp_path / "new" / "run.png")
    pixels = imread(tmp_path / "new" / "run.png")
    assert pixels.shape[1] == 1440
    assert abs(pixels.shape[0] - height) < 30
    shades = pixels[..., :3].reshape(len(pixels), -1)
    blue = np.abs(pixels[..., :3] - (0.0, 0.447, 0.698)).max(axis=2) < 0.02
    assert np.ptp(shades) == 1.0  # from black letters to white paper
    assert blue.sum() > 500 * motors  # three curves a motor
    assert os.listdir(tmp_path / "new") == ["run.png"]


def test_a_picture_of_a_run_is_as_it_is_described():
    limits = {"min_position": -0.5, "max_position": 1.2, "min_stop": -0.6}
    saturated = np.r_[np.zeros(10), np.ones(15), np.zeros(25)]
    run = run_of(saturated=saturated, max_stop=1.3, max_velocity=1.5, **limits)
    kept("run", run_figure(run))
    kept(
        "run_part",
        run_figure(run, signals=["effort", "mode"], times=(0.5, 1.0)),
    )


def test_a_picture_that_cannot_be_written_is_an_input_error(tmp_path):
    # The same words as for any other file.
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="Not a directory"):
        plot_run(run_of(), tmp_path / "file" / "run.png")


def test_a_run_without_motors_is_refused():
    # An empty picture would look like a fault of the program.
    with pytest.raises(InputError, match="the run has no motors"):
        run_figure(Results([0.0], {}))


@pytest.mark.slow
def test_no_window_system_is_loaded():
    # pyplot would choose a backend, and fail or open windows elsewhere.
    program = (
        f"import runpy, sys; test = runpy.run_path({__file__!r});"
        "test['run_figure'](test['run_of']());"
        "assert 'matplotlib.pyplot' not in sys.modules"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-c", program], env=environment, check=True)


def test_axes_carry_the_units_of_the_joint():
    # A lift in rad would be nonsense.
    labels = [ax.get_ylabel() for ax in first_row(run_of(unit="m"))]
    assert labels == ["position (m)", "velocity (m/s)", "effort (N)"]
    labels = [ax.get_ylabel() for ax in first_row(run_of())]
    assert labels == ["position (rad)", "velocity (rad/s)", "effort (N·m)"]


def test_legends_stand_once_and_name_only_what_some_motor_has():
    # Thirty legends would leave no room for the curves.
    figure = run_figure(run_of(3, min_stop=-2.0, max_stop=2.0))
    legends = [ax.get_legend() for ax in figure.axes]
    assert legends[3:] == [None] * 6
    words = [[t.get_text() for t in legend.texts] for legend in legends[:3]]
    assert words == [
        ["position", "target", "beyond stop"],
        ["velocity", "command"],
        ["effort", "bound", "saturated"],
    ]


def test_limits_near_the_motion_are_in_view_and_far_ones_in_words_only():
    # A stop at 1000 rad must not press a swing of 1 rad into a line.
    axes = first_row(
        run_of(min_position=-0.5, max_position=1.5, min_stop=-1, max_stop=1e3)
    )
    low, high = axes[POSITION].get_ylim()
    assert -1 < low < -0.5
    assert 1.5 < high < 2
    assert "soft limits −0.5 to 1.5 rad" in texts(axes)
    assert "stops −1 to 1000 rad" in texts(axes)


def test_a_motor_at_rest_is_drawn_between_its_limits():
    # Otherwise rounding errors fill the picture like mountains.
    rest = np.full(50, 1e-12)
    axes = first_row(
        run_of(position=rest, target_position=rest, min_stop=-1, max_stop=2)
    )
    low, high = axes[POSITION].get_ylim()
    assert low < -1
    assert high > 2


@pytest.mark.parametrize("target", [np.inf, -np.inf, np.nan, 1e6])
def test_targets_that_mean_turn_forever_are_not_drawn(target):
    # In velocity control the target is infinite, or absurdly large.
    ax = first_row(run_of(target_position=np.full(50, target)))[POSITION]
    assert np.isnan(ax.lines[0].get_ydata()).all()
    assert ax.get_ylim()[1] < 1.2


def test_commands_are_not_drawn_where_direct_effort_overrides_them():
    # An old command beside the motion would look like a tracking error.
    mode = np.where(np.arange(50) < 25, 0, 2)
    axes = first_row(run_of(mode=mode))
    for column in (POSITION, VELOCITY):
        drawn = np.isfinite(axes[column].lines[0].get_ydata())
        assert drawn.tolist() == [False] + [True] * 24 + [False] * 25


def test_saturated_steps_are_shaded_from_their_start_to_their_end():
    # Row k tells of the step that ends at time k; row 0 of none.
    saturated = np.zeros(5)
    saturated[[0, 2, 3]] = 1
    spans = steps_drawn(first_row(run_of(rows=5, saturated=saturated))[EFFORT])
    assert spans == pytest.approx(np.array([[0.5, 1.5]]))  # time is 0 ... 2


def test_a_long_run_keeps_its_peaks():
    # A hundred thousand rows are thinned to what the pixels can show.
    effort = np.zeros(100_000)
    effort[54_321] = 9.0
    saturated = np.zeros(100_000)
    saturated[54_321] = 1
    run = run_of(rows=100_000, effort=effort, saturated=saturated)
    ax = first_row(run)[EFFORT]
    curve = ax.lines[-1]
    assert curve.get_ydata().size < 5000
    assert np.nanmax(curve.get_ydata()) == 9.0
    ((start, end),) = steps_drawn(ax)
    assert start < run.time[54_321] <= end
    assert end - start < 0.01 * run.time[-1]


@pytest.mark.parametrize("rows", [1, 2, 2999, 3000, 3001])
def test_curves_end_where_the_run_ends(tmp_path, rows):
    # Runs of one row (interrupted) and of every rounding of the thinning.
    run = run_of(rows=rows)
    ax = first_row(run)[POSITION]
    assert ax.lines[1].get_xdata()[[0, -1]].tolist() == [
        run.time[0],
        run.time[-1],
    ]
    if rows < 3:
        plot_run(run, tmp_path / "run.png")


def test_names_are_written_as_they_are(tmp_path):
    # Between dollar signs matplotlib would read formulas, and fail.
    run = run_of()
    run = Results(
        run.time,
        {n.replace("motor 0", "$\\bad$"): v for n, v in run.signals.items()},
        {"motors": {"arm/$\\bad$": run.metadata["motors"]["arm/motor 0"]}},
    )
    plot_run(run, tmp_path / "run.png")
    assert "arm/$\\bad$" in texts(first_row(run))


def test_signals_without_any_number_leave_empty_axes(tmp_path):
    # Signals may be NaN from end to end, and a bound infinite.
    nothing = np.full(50, np.nan)
    run = run_of(
        velocity=nothing,
        velocity_command=nothing,
        effort=nothing,
        effort_limit=np.full(50, np.inf),
    )
    plot_run(run, tmp_path / "run.png")


def test_a_notebook_shows_the_figure_of_a_run():
    figure = run_of().plot(signals=["velocity"])
    assert len(figure.axes) == 1
    assert figure._repr_png_().startswith(b"\x89PNG")


def test_any_signal_can_be_drawn_by_itself():
    run = run_of(2)
    run.signals["arm/motor 1/energy"] = run.time
    figure = run_figure(run, signals=["effort", "energy"], times=(0.5, 1))
    labels = [ax.get_ylabel() for ax in figure.axes]
    assert labels == ["effort (N·m)", "", "effort (N·m)", "energy (J)"]
    drawn = figure.axes[3].lines[0].get_xdata()
    assert drawn.min() >= 0.5
    assert drawn.max() <= 1


def test_a_body_has_a_row_with_its_path():
    run = run_of()
    zero = 0 * run.time
    quaternion = np.tile([1.0, 0, 0, 0], (run.time.size, 1))
    run.signals["arm/box/position"] = np.column_stack([run.time, zero, zero])
    run.signals["arm/box/quaternion"] = quaternion
    figure = run_figure(run, motors=["arm/b*"])
    labels = [ax.get_ylabel() for ax in figure.axes]
    assert labels == ["position (m)", "orientation (rad)", "y (m)"]
    assert np.array_equal(figure.axes[2].lines[0].get_xdata(), run.time)
    assert figure.axes[2].get_aspect() == 1  # a circle looks like one
    # It doesn't turn: rounding must not fill the picture.
    assert figure.axes[1].get_ylim() == pytest.approx((-0.1, 0.1))
