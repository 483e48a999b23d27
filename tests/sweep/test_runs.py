"""The runs of a study: their table, the best, their pictures."""

import json

import numpy as np
import pytest

from webmotor_drake.errors import InputError
from webmotor_drake.sweep.run_data import short_names
from webmotor_drake.sweep.runs import SweepRuns, runs_figure, traces_figure


def runs_of(folder, parameters, rows):
    """Returns runs with the metrics m and n."""
    (folder / "study.json").write_text(
        json.dumps({"parameters": parameters, "metrics": ["m", "n"]})
    )
    names = [
        *parameters,
        "status",
        "m",
        "n",
        "run",
        "wall_time",
        "seed",
        "error",
    ]
    lines = [",".join(names)]
    for i, (values, status, m, n) in enumerate(rows):
        cells = [*values, status, m, n, f"{i:04x}", 0.1, 0, ""]
        lines.append(",".join(map(str, cells)))
    (folder / "runs.csv").write_text("\n".join([*lines, ""]))
    return SweepRuns.load(folder)


@pytest.fixture
def four(tmp_path):
    rows = [
        ((1, 2), "done", 3.0, ""),
        ((1, 4), "done", 1.0, "inf"),
        ((2, 2), "invalid", "", ""),
        ((2, 4), "done", 2.0, 0.5),
    ]
    return runs_of(tmp_path, ["a", "b"], rows)


def test_columns_have_their_types(four):
    assert four.columns["a"] == [1, 1, 2, 2]
    np.testing.assert_array_equal(four.numbers("m"), [3, 1, np.nan, 2])
    assert four.columns["n"][1] == np.inf
    assert four.columns["run"] == [
        "0000",
        "0001",
        "0002",
        "0003",
    ]  # not numbers


def test_the_best_come_first_and_no_run_that_failed(four):
    assert four.ranked("m").tolist() == [1, 3, 0]
    assert four.best(2).splitlines() == [
        "least m:",
        "a  b  m      n",
        "1  4  1  never",
        "2  4  2    0.5",
    ]


@pytest.mark.slow
@pytest.mark.parametrize("number", [0, 1, 2, 3, 4])
def test_there_is_a_picture_for_any_number_of_parameters(tmp_path, number):
    generator = np.random.default_rng(0)
    rows = [
        (generator.uniform(0, 1, number), "done", value, value**2)
        for value in generator.uniform(0, 1, 12)
    ]
    runs = runs_of(tmp_path, list("abcd"[:number]), rows)
    assert runs_figure(runs).picture().startswith(b"\x89PNG")


def test_a_line_goes_through_the_means_of_repetitions(tmp_path):
    rows = [((a,), "done", a + b, 0) for a in (1, 10, 100) for b in (0, 2)]
    figure = runs_figure(runs_of(tmp_path, ["a"], rows))
    ax = figure.axes[0]
    np.testing.assert_array_equal(ax.lines[1].get_xydata()[:, 1], [2, 11, 101])
    assert ax.get_xscale() == "log"


def test_a_map_has_a_cell_per_combination(tmp_path):
    rows = [((a, b), "done", 10 * a + b, 0) for a in (1, 2, 3) for b in (4, 5)]
    figure = runs_figure(runs_of(tmp_path, ["a", "b"], rows))
    cells = figure.axes[0].collections[0]
    np.testing.assert_array_equal(
        cells.get_array(), [[14, 24, 34], [15, 25, 35]]
    )
    # A ring is around the best, which is the least.
    (ring,) = figure.axes[0].lines
    assert ring.get_xydata().tolist() == [[1, 4]]
    # The values are the cells' middles.
    corners = cells.get_coordinates()
    np.testing.assert_array_equal(corners[0, :, 0], [0.5, 1.5, 2.5, 3.5])
    np.testing.assert_array_equal(corners[:, 0, 1], [3.5, 4.5, 5.5])


def test_a_map_marks_and_explains_runs_that_failed(four):
    figure = runs_figure(four)
    ax = figure.axes[0]
    assert "white or missing where never reached: n" in figure.get_suptitle()
    (crosses,) = [line for line in ax.lines if line.get_marker() == "x"]
    np.testing.assert_array_equal(crosses.get_xydata(), [[2, 2]])
    assert "\u00d7 failed" in [text.get_text() for text in ax.texts]


def test_words_are_places_on_an_axis(tmp_path):
    rows = [((a,), "done", 1.5, 0) for a in ("webots", "drake_pd")]
    ax = runs_figure(runs_of(tmp_path, ["model"], rows)).axes[0]
    labels = [label.get_text() for label in ax.get_xticklabels()]
    assert labels == ["webots", "drake_pd"]


def test_nothing_to_draw_is_said(tmp_path, four):
    with pytest.raises(InputError, match="no traces were kept"):
        traces_figure(four)
    empty = runs_of(tmp_path, ["a"], [((1,), "killed", "", "")])
    with pytest.raises(InputError, match="no run has a metric to draw"):
        runs_figure(empty)
    assert empty.best(3) == "no run has a metric to rank it by"


def test_parquet_has_the_same_columns(four):
    parquet = pytest.importorskip("pyarrow.parquet")
    four.save_parquet()
    table = parquet.read_table(four.folder / "runs.parquet")
    assert table.column_names == list(four.columns)
    assert table["a"].to_pylist() == [1, 1, 2, 2]


def test_a_folder_without_sweep_is_said_to_be_one(tmp_path):
    with pytest.raises(InputError, match="no sweep in"):
        SweepRuns.load(tmp_path)
    (tmp_path / "study.json").write_text("[]")
    with pytest.raises(InputError, match="is damaged, or not of a sweep"):
        SweepRuns.load(tmp_path)


def test_rows_are_had_one_by_one(four):
    assert [run["status"] for run in four][:3] == ["done", "done", "invalid"]
    assert four[1]["m"] == 1.0
    assert len(list(four)) == len(four) == 4
    with pytest.raises(IndexError):
        four[4]


def test_parameters_have_the_shortest_names_that_tell_them_apart():
    pid = 'model_drivers.{}.motors."{} motor".control_pid[0]'
    paths = [
        pid.format("arm", "elbow"),
        pid.format("arm", "wrist"),
        pid.format("leg", "wrist"),
        "plant_config.time_step",
        "model",
    ]
    assert list(short_names(paths).values()) == [
        "elbow motor control_pid[0]",
        "arm motors wrist motor control_pid[0]",
        "leg motors wrist motor control_pid[0]",
        "plant_config time_step",
        "model",
    ]


def test_the_best_may_be_the_highest_of_any_metric(four):
    assert four.ranked("m", highest=True).tolist() == [0, 3, 1]
    assert four.best(1, "m", highest=True).startswith("highest m:")
    with pytest.raises(InputError, match="unknown metric 'mm'"):
        four.best(1, "mm")


def test_runs_show_themselves_in_a_line_and_as_a_table(four):
    assert repr(four) == (
        f"<SweepRuns in {four.folder}: 3 of 4 runs done; varied: a, b>"
    )
    page = four._repr_html_()
    assert page.count("<tr") == 4
    assert "a</th>" in page


def test_runs_become_a_dataframe(four):
    pandas = pytest.importorskip("pandas")
    frame = four.to_dataframe()
    assert isinstance(frame, pandas.DataFrame)
    assert len(frame) == 4
    assert frame["m"][1] == 1


def test_signals_that_were_not_kept_are_told(four):
    with pytest.raises(InputError, match="a sweep keeps them with traces=True"):
        four.results(0)


def test_what_a_metric_depends_on_comes_first(tmp_path):
    generator = np.random.default_rng(1)
    rows = [
        ((a, b, c), "done", 10 * b + a, 0.0)
        for a, b, c in generator.uniform(0, 1, (40, 3))
    ]
    rows.append(((0.5, 0.5, 0.5), "failed", "", ""))
    figure = runs_figure(runs_of(tmp_path, ["a", "b", "c"], rows))
    first = figure.axes[0]
    assert first.get_xlabel() == "b"
    assert first.get_title().startswith("rank correlation +0.9")
    assert "1 of 41 runs failed" in figure.get_suptitle()


@pytest.mark.parametrize(
    ("values", "scale"),
    [
        ((1, 3, 9, 30), "log"),
        ((1, 3e4, 6e8, 2e13), "log"),
        ((1, 2, 3, 4), "linear"),
        ((1, 4, 7, 10), "linear"),
    ],
)
def test_values_at_about_equal_ratios_get_a_logarithmic_axis(
    tmp_path, values, scale
):
    rows = [((a,), "done", float(a), 0.0) for a in values]
    ax = runs_figure(runs_of(tmp_path, ["a"], rows)).axes[0]
    assert ax.get_xscale() == scale
