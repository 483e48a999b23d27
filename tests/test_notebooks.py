"""The tutorial notebooks run from top to bottom; errors there are one line."""

import os

import pytest
from folders import ROOT

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")

# Of the libraries, not ours.
pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning"),
]
NOTEBOOKS = sorted((ROOT / "examples").glob("*.ipynb"))


def executed(notebook, folder, **options):
    """Returns a notebook with its outputs."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    client = nbclient.NotebookClient(
        notebook,
        # Met only by what hangs.
        timeout=600,
        startup_timeout=600,
        resources={"metadata": {"path": str(folder)}},
        **options,
    )
    return client.execute(env=environment)


def outputs(notebook) -> list:
    return [o for cell in notebook.cells for o in cell.get("outputs", ())]


@pytest.mark.parametrize("file", NOTEBOOKS, ids=lambda file: file.stem)
def test_a_tutorial_runs_and_shows_tables_and_figures(file, tmp_path):
    pytest.importorskip("pandas")
    pytest.importorskip("xarray")
    notebook = nbformat.read(file, as_version=4)
    assert not outputs(notebook)  # nothing stale in the repository
    shown = outputs(executed(notebook, tmp_path))
    kinds = [set(o.get("data", {})) for o in shown]
    assert sum("image/png" in kind for kind in kinds) >= 2
    assert any("text/html" in kind for kind in kinds)
    assert not [o for o in shown if o.output_type == "error"]


def test_an_input_error_is_one_line_in_a_notebook(tmp_path):
    cell = nbformat.v4.new_code_cell(
        "import webmotor_drake as wm\nwm.load_scenario('package:six_axes')"
    )
    notebook = nbformat.v4.new_notebook(cells=[cell])
    (error,) = outputs(executed(notebook, tmp_path, allow_errors=True))
    (line,) = error.traceback
    assert line.startswith("InputError: ")
    assert "did you mean six_axis" in line
    assert "\n" not in line
