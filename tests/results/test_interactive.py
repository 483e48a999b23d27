"""The page to zoom in: all curves there, offline, and boxes that switch them."""

import json
import re
import sys

import numpy as np
import pytest
from chromium import CHROMIUM, browse

from webmotor_drake.errors import InputError
from webmotor_drake.results.interactive import interactive_figure, write_page
from webmotor_drake.results.results import Results

pytest.importorskip("plotly")

# Switches a motor off, then a signal, as a click does, and says what is left.
_CLICKS = """<script>
const click = name => document.querySelector(`input[value="${name}"]`).click();
const shown = () => run.data.filter(d => d.visible !== false).map(d => d.name);
click("arm/<b>");
const one = shown();
click("target");
document.title = JSON.stringify([one, shown()]);
</script></body>"""


def run_of(rows: int = 50, **changes) -> Results:
    """Returns a run of two motors and a body; `changes` are their metadata."""
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
        "energy": time,
    }
    about = {"unit": "rad", **changes}
    motors = ["arm/a", "arm/<b>"]
    signals = {f"{m}/{s}": v for m in motors for s, v in values.items()}
    signals["box/box/position"] = np.column_stack([time, time**2, 0 * time])
    signals["box/box/quaternion"] = np.tile([1.0, 0, 0, 0], (rows, 1))
    metadata = {"motors": dict.fromkeys(motors, about)}
    return Results(time, signals, metadata)


@pytest.mark.slow
def test_axes_of_time_are_linked_and_those_of_the_path_are_not():
    figure = interactive_figure(run_of())
    axes = [figure.layout[f"xaxis{i or ''}"] for i in ("", 2, 3, 4, 5, 6)]
    assert [axis.matches for axis in axes] == [None] + ["x"] * 4 + [None]
    assert axes[-1].title.text == "x (m), from above"


def test_curves_are_those_of_the_run():
    figure = interactive_figure(run_of(), signals=["energy"], motors=["arm/a"])
    (line,) = figure.data
    assert np.array_equal(line.y, run_of()["arm/a/energy"])
    assert figure.layout.yaxis.title.text == "energy (J)"


def test_what_is_in_view_follows_the_motion():
    # A stop 1000 rad away is not drawn, one near the motion is.
    figure = interactive_figure(
        run_of(min_stop=-0.5, max_stop=1e3), signals=["position"]
    )
    stops = [line.y[0] for line in figure.data if line.name == "stop"]
    assert stops == [-0.5, -0.5]
    low, high = figure.layout.yaxis.range
    assert -1 < low < -0.5
    assert 1 < high < 2


@pytest.mark.slow
def test_long_runs_are_thinned_but_keep_their_peaks():
    run = run_of(rows=300_001)
    run.signals["arm/a/position"][123_456] = 3.0
    figure = interactive_figure(run)
    assert sum(len(line.x) for line in figure.data) < 500_000 + 300_001
    line = next(line for line in figure.data if line.name == "position")
    assert max(line.y) == 3.0


def test_without_plotly_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "plotly.subplots", None)
    with pytest.raises(
        InputError, match=r"pip install 'webmotor-drake\[plot\]'"
    ):
        interactive_figure(run_of())


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
def test_boxes_switch_motors_and_signals_in_a_browser(tmp_path):
    file = tmp_path / "run.html"
    write_page(run_of(), file, signals=["position", "effort"])
    page = file.read_text()
    assert not re.search(r'<(script|link|img)[^>]*(src|href)="http', page)
    file.write_text(page.replace("</body>", _CLICKS))
    shown = browse(file, "--dump-dom", "--virtual-time-budget=5000")
    assert "CONSOLE" not in shown.stderr
    title = re.search(r"<title>(.*?)</title>", shown.stdout)[1]
    one, two = json.loads(title)
    of_a = ["target", "position", "bound", "bound", "effort"]
    of_body = ["x", "y", "z"]
    assert one == of_a + of_body
    assert two == of_a[1:] + of_body
