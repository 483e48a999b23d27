"""The report: all there, offline, in every browser's light and dark."""

import json
import math
import re
from html.parser import HTMLParser

import numpy as np
import pytest
from browser import browser_page
from chromium import CHROMIUM, browse

from webmotor_drake.comparison.compared_runs import Outcome
from webmotor_drake.comparison.comparison import Comparison
from webmotor_drake.comparison.report import MAX_PICTURED, report
from webmotor_drake.errors import InputError
from webmotor_drake.loading import load_scenario
from webmotor_drake.results.results import Results
from webmotor_drake.scenario.scenario import Scenario

YAML = "Demo:\n  simulation_duration: 2\n  note: <script>alert(1)</script>\n"


def results_of(
    pole: float, *, motors: int = 1, rows: int = 201, name: str = "arm/motor"
) -> Results:
    """Returns motors that approach 1 rad with `pole`, held by 0.9 of 10 N m."""
    time = np.linspace(0, 2, rows)
    ones = np.ones(rows)
    decay = np.exp(-pole * time)
    table = {
        "position": 1 - decay,
        "velocity": pole * decay,
        "target_position": ones,
        "velocity_target": 0 * ones,
        "effort": 9 * decay,
        "effort_limit": 10 * ones,
        "saturated": 0 * ones,
        "energy": time,
        "mode": 0 * ones,
    }
    names = [f"{name} {i}" if i else name for i in range(motors)]
    about = {
        "joint": "hinge",
        "type": "RotationalMotor",
        "unit": "rad",
        "max_velocity": 3.0,
        "acceleration": -1.0,
        "max_effort": 10.0,
        "min_position": -1.0,
        "max_position": 1.5,
        "min_stop": None,
        "max_stop": None,
    }
    return Results(
        time,
        {f"{n}/{s}": v for n in names for s, v in table.items()},
        {
            "motors": dict.fromkeys(names, about),
            "scenario_name": "Demo",
            "scenario_file": "/home/somebody/demo.scenario.yaml",
            "scenario": YAML,
            "scenario_text": "{simulation_duration: 2}",
            "versions": {"webmotor_drake": "0.1.0", "drake": "1.51.1"},
            "warnings": {"motor: too & fast": 3},
            "wall_time": 0.02,
        },
    )


def comparison_of(**runs) -> Comparison:
    """Returns a comparison; a text instead of a run is why it failed."""
    outcomes = {
        name: Outcome(None, run) if isinstance(run, str) else Outcome(run, "")
        for name, run in runs.items()
    }
    return Comparison(Scenario(), next(iter(runs)), outcomes)


@pytest.fixture(scope="module")
def page() -> str:
    return report(
        comparison_of(
            webots=results_of(4.0),
            drake_pd=results_of(8.0),
            ode="at 0.1 s <it> broke",
        )
    )


class Page(HTMLParser):
    """Collects the parts of a page: tags with attributes, tables, ids."""

    def __init__(self, text: str):
        super().__init__()
        self.tags: list[tuple[str, dict]] = []
        self.rows: list[list[str]] = []
        self._cell = False
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
            self._cell = True

    def handle_endtag(self, tag):
        if tag in ("td", "th"):
            self._cell = False

    def handle_data(self, data):
        if self._cell:
            self.rows[-1][-1] += data


def test_the_table_has_each_metric_with_a_cell_a_model(page):
    rows = {row[0]: row[1:] for row in Page(page).rows}
    assert rows[""] == ["webots", "drake_pd", "ode"]
    rise = [f"{math.log(9) / pole:.3g}" for pole in (4.0, 8.0)]
    assert rows["rise time (s)"] == [*rise, "-"]
    assert rows["above velocity limit (rad/s)"] == ["1", "5", "-"]
    assert rows["largest position difference (rad)"] == ["0", "0.25", "-"]
    assert rows["time of a step (µs)"] == ["100", "100", "-"]
    assert "above acceleration limit (rad/s²)" not in rows  # it has none


def test_the_best_is_marked_and_equals_are_not(page):
    line = next(x for x in page.splitlines() if ">rise time " in x)
    assert re.findall(r'class="best"[^>]*>([^<]+)<', line) == ["0.275"]
    line = next(x for x in page.splitlines() if ">overshoot " in x)
    assert "best" not in line  # 0 for both


def test_the_page_is_whole_and_small_and_asks_nobody_for_anything(page):
    assert len(page.encode()) < 5e6
    assert not re.findall(r'(?:src|href)="(?!#|data:,)[^"]*', page)
    assert "url(" not in page.replace("url(#", "")
    assert not re.search(r"\b(fetch|XMLHttpRequest|WebSocket)\(", page)
    assert "@import" not in page


def test_every_picture_says_what_it_shows(page):
    labels = [
        attributes["aria-label"]
        for tag, attributes in Page(page).tags
        if tag == "figure"
    ]
    assert len(labels) == 4
    assert labels[0].startswith("position of arm/motor over time: webots from")
    assert "drake_pd 0.25 rad" in labels[3]


def test_ids_are_unique(page):
    ids = [a["id"] for _, a in Page(page).tags if "id" in a]
    assert len(ids) == len(set(ids))


def test_pictures_take_their_colours_from_the_page(page):
    found = re.findall(r'<script type="application/json">(.*?)</script>', page)
    colors = {line["color"] for t in found for line in json.loads(t)["lines"]}
    assert {"var(--target)", "var(--model-0)", "var(--model-1)"} <= colors
    assert not [color for color in colors if "#" in color]


def test_what_users_wrote_is_escaped(page):
    assert "&lt;script&gt;alert(1)" in page
    assert "&lt;it&gt; broke" in page
    assert "too &amp; fast" in page
    name = 'arm/<b> "$x_1$" & motor'
    text = report(comparison_of(webots=results_of(4.0, name=name)))
    assert "<b>" not in text
    assert "&lt;b&gt;" in text


def test_the_scenario_and_versions_are_there_but_no_path_of_the_machine(page):
    assert "simulation_duration: 2" in page
    assert "demo.scenario.yaml" in page
    assert "/home/somebody" not in page
    assert "drake 1.51.1" in page


def test_it_is_said_in_words_how_models_differ(page):
    assert "Up to 0.25 rad from webots (arm/motor at 0.17 s)" in page
    assert "arm/motor goes 5 rad/s above max_velocity" in page
    assert "Failed: at 0.1 s" in page


def test_the_headline_names_the_motor_that_is_furthest_not_one_at_rest():
    # One moves 1 rad and is 0.25 rad off; one rests but for 2e-3 rad.
    webots, other = (results_of(pole, motors=2) for pole in (4.0, 8.0))
    for k, results in enumerate((webots, other)):
        rests = 1e-6 * results["arm/motor/position"] + 2e-3 * k
        results.signals["arm/motor 1/position"] = rests
    text = report(comparison_of(webots=webots, other=other))
    assert "Up to 0.25 rad from webots (arm/motor at 0.17 s)" in text


def test_metres_and_radians_have_each_their_furthest_motor():
    webots, other = (results_of(pole, motors=2) for pole in (4.0, 8.0))
    for results in (webots, other):
        about = results.metadata["motors"]
        about["arm/motor 1"] = {**about["arm/motor 1"], "unit": "m"}
    text = report(comparison_of(webots=webots, other=other))
    assert (
        "Up to 0.25 rad from webots (arm/motor at 0.17 s) and 0.25 m from"
        " webots (arm/motor 1 at 0.17 s)" in text
    )


def test_a_motor_is_told_with_the_drive_that_each_model_has():
    run = results_of(4.0)
    run.metadata["motors"]["arm/motor"]["drive"] = "implicit"
    text = report(comparison_of(webots=run, drake_pd=results_of(8.0)))
    assert "webots: implicit drive" in text
    assert "drake_pd:" not in text


def test_a_page_without_a_run_of_the_reference_shows_no_motion():
    outcomes = {
        "webots": Outcome(None, "broke"),
        "pd": Outcome(results_of(4.0), ""),
    }
    scenario = load_scenario("package:pendulum", name="Lift")
    comparison = Comparison(scenario, "webots", outcomes)
    assert "broke" in report(comparison)
    assert comparison.difference("pd", "arm/motor", "position").value.size == 0


def test_identical_models_are_called_so():
    text = report(comparison_of(one=results_of(4.0), two=results_of(4.0)))
    assert "Never differs from one" in text
    assert 'class="best"' not in text


def test_several_motors_have_a_table_of_totals():
    text = report(comparison_of(one=results_of(4.0, motors=2)))
    assert "All motors" in text
    rows = [row for row in Page(text).rows if row[0].startswith("electrical")]
    assert [row[1] for row in rows] == ["4", "2", "2"]


@pytest.mark.slow
def test_many_motors_and_long_runs_stay_below_5_mb():
    runs = {
        f"m{i}": results_of(2.0 + i, motors=MAX_PICTURED + 8, rows=20_001)
        for i in range(3)
    }
    text = report(comparison_of(**runs))
    assert len(text.encode()) < 5e6
    assert text.count("No pictures") == 8


def test_a_comparison_in_which_all_failed_is_a_page_too():
    text = report(comparison_of(one="it burnt"))
    assert "Failed: it burnt" in text


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
@pytest.mark.parametrize("width", [1280, 390])
def test_a_browser_shows_it_without_an_error(page, tmp_path, width):
    file = tmp_path / "report.html"
    file.write_text(page)

    size = f"--window-size={width},1200"
    shown = browse(file, size, "--dump-dom")
    assert "CONSOLE" not in shown.stderr
    rows = [row[0] for row in Page(shown.stdout).rows]
    assert rows[0] == ""
    assert len(rows) == len(Page(page).rows) > 12
    picture = tmp_path / "page.png"
    browse(file, size, f"--screenshot={picture}")
    assert picture.read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
def test_a_notebook_shows_a_table_and_a_figure():
    comparison = comparison_of(webots=results_of(4.0), other=results_of(8.0))
    assert repr(comparison) == "<Comparison of webots, other: 1 motor>"
    page = comparison._repr_html_()
    assert "<style" not in page  # it would change the notebook around it
    assert page.count("<tr>") == 3
    figure = comparison.plot()
    assert [ax.get_yscale() for ax in figure.axes] == ["linear"] * 3 + ["log"]
    assert figure._repr_png_().startswith(b"\x89PNG")
    with pytest.raises(InputError, match="unknown motor 'arm/moter'"):
        comparison.plot(["arm/moter"])
    assert comparison["other"].motors == comparison.motors
    with pytest.raises(InputError, match="unknown model 'webot'; did you mean"):
        comparison["webot"]


@pytest.mark.slow
def test_pictures_tell_values_under_the_mouse_and_can_be_zoomed(page, tmp_path):
    file = tmp_path / "report.html"
    file.write_text(page)
    with browser_page(width=1280, height=2000) as shown:
        tab = shown.page
        tab.goto(file.as_uri())
        over = tab.locator("figure.chart .u-over").first
        over.wait_for()
        box = over.bounding_box()
        middle = box["y"] + box["height"] / 2

        def told() -> list[str]:
            tab.mouse.move(box["x"] + 0.5 * box["width"], middle)
            return tab.locator("figure .values").all_inner_texts()

        position, velocity, *_ = told()
        assert position.startswith("1 s: webots 0.98168 · drake_pd 0.99966")
        assert velocity.startswith("1 s: webots 0.073263")
        tab.mouse.down()
        tab.mouse.move(box["x"] + box["width"] - 1, middle, steps=3)
        tab.mouse.up()
        # Its middle is now at 1.5 s, that of the velocity, too.
        position, velocity, *_ = told()
        assert position.startswith("1.5 s: webots 0.99752")
        assert velocity.startswith("1.5 s: ")
        assert shown.problems == []


def test_the_contents_lead_to_sections_that_are_there(page):
    links = [a["href"] for tag, a in Page(page).tags if tag == "a"]
    ids = {a["id"] for _, a in Page(page).tags if "id" in a}
    assert links[0] == "#motor-1"
    assert all(link[1:] in ids for link in links)


def test_motors_beyond_four_are_folded():
    text = report(comparison_of(one=results_of(2.0, motors=6)))
    folds = re.findall(
        r"<details( open)?>\n<summary>Pictures and metrics", text
    )
    assert folds == [" open"] * 4 + [""] * 2


def test_the_time_that_a_model_took_wins_no_prize(page):
    rows = re.findall(r"<tr><th scope.*?</tr>", page, re.DOTALL)
    (times,) = (row for row in rows if "time of a step" in row)
    assert "best" not in times


def test_what_lies_1e_4_apart_can_be_seen():
    close = results_of(4.0)
    close.signals["arm/motor/position"][50:] += 1e-4
    comparison = comparison_of(
        webots=results_of(4.0), far=results_of(2.0), close=close
    )
    axes = comparison.plot().axes[3]
    low, high = axes.get_ylim()
    assert axes.get_yscale() == "log"
    assert low < 1e-5
    assert 0.2 < high < 1
