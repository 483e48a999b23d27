"""A comparison that is saved where another one was."""

from test_report import comparison_of, results_of

from webmotor_drake.comparison.comparison import models_before


def saved(folder, *models):
    comparison_of(**{name: results_of(5.0) for name in models}).save(folder)


def test_runs_of_other_models_are_removed(tmp_path):
    saved(tmp_path, "webots", "drake_pd", "ideal")
    notes = tmp_path / "ideal" / "notes.txt"
    notes.write_text("mine")
    saved(tmp_path, "webots", "ode")
    assert models_before(tmp_path) == ["webots", "ode"]
    assert sorted(p.name for p in tmp_path.iterdir() if p.is_dir()) == [
        "ideal",  # there is something else in it
        "ode",
        "webots",
    ]
    assert list((tmp_path / "ideal").iterdir()) == [notes]


def test_no_other_folder_is_touched(tmp_path):
    other = tmp_path / "other"
    saved(other, "webots")
    here = tmp_path / "here"
    here.mkdir()
    (here / "link").symlink_to(other / "webots")
    (here / "mine").mkdir()
    names = ["../other/webots", str(other / "webots"), "..", "link", ""]
    rows = "".join(f"{name},arm\n" for name in names)
    (here / "compare.csv").write_text("model,motor\n" + rows)
    saved(here, "ode")
    assert (other / "webots" / "run.npz").exists()
    assert (other / "webots" / "run.json").exists()
    assert (here / "mine").exists()
