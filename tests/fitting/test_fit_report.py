"""The report of a fit: ticks, units, labels; in a browser it can be zoomed."""

import base64
import json
import re
import struct
import zlib

import numpy as np
import pytest
from browser import browser_page
from logged_pendulum import fitted

from webmotor_drake.fitting.figures import motions_of
from webmotor_drake.fitting.report import report

pytest.importorskip("scipy")
pytestmark = pytest.mark.slow  # its fits take seconds


@pytest.fixture(scope="module")
def fits():
    # How far the worse of the two is off does not count here.
    return {"webots": fitted("webots"), "ideal": fitted("ideal", iterations=1)}


@pytest.fixture(scope="module")
def page(fits):
    return report(fits)


def told(page):
    """Returns what the page knows of the motion, its frames included."""
    packed = re.search(r'id="packed-run">(.*?)</script>', page)[1]
    data = zlib.decompress(base64.b64decode(packed))
    found = []
    while data:
        is_text, length = struct.unpack_from("<BI", data)
        message, data = data[5 : 5 + length], data[5 + length :]
        found.append(json.loads(message) if is_text else message)
    return found


def test_the_page_moves_as_the_robot_did_with_the_models_beside_it(fits, page):
    about, *rest = told(page)
    assert about["beside"] == list(fits)
    frames = [m for m in rest if isinstance(m, bytes) and m[:2] == b"\xc1\0"]
    series = next(iter(motions_of(fits["webots"]).values()))
    numbers = 64 * len(about["paths"])
    for frame in frames[:: len(frames) // 5]:
        (time,) = struct.unpack_from("<d", frame, 4)
        row = np.searchsorted(series.log.time - series.log.time[0], time - 1e-9)
        own = np.frombuffer(frame, "<f4", 18, 20 + numbers)
        np.testing.assert_allclose(own[0], series.measured[row], atol=1e-6)
        np.testing.assert_allclose(own[8], series.after[row], atol=1e-6)


def charts(page):
    found = re.findall(r'<script type="application/json">(.*?)</script>', page)
    return [json.loads(text) for text in found]


def test_each_model_is_a_curve_of_its_own_colour_and_dash(page):
    motion = charts(page)[0]
    lines = {line["name"]: line for line in motion["lines"]}
    assert {"measured", "command", "webots", "ideal"} <= set(lines)
    assert lines["webots"]["color"] != lines["ideal"]["color"]
    assert lines["webots"]["dash"] != lines["ideal"]["dash"]
    assert len(lines["measured"]["x"]) == 160


def test_tables_have_units_and_the_matrix_has_names(page):
    assert "<td>1/s</td>" in page
    assert "<td>rad</td>" in page
    matrix = re.search(r'<svg[^>]*class="matrix".*?</svg>', page, re.DOTALL)
    assert "arm.delay 2</text>" in matrix[0]
    assert "arm.cfm, arm.delay:" in matrix[0]


def test_the_convergence_has_several_ticks(fits, page):
    chart, *_ = [c for c in charts(page) if c["label"] == "runs"]
    low, high = chart["range"]
    decades = np.log10(high / low)
    # With 1, 2 and 5 in each decade.
    assert decades > 1 or chart["log"]
    assert low < fits["webots"].history[-1][1] < high


@pytest.mark.slow
def test_a_browser_draws_and_zooms_it(tmp_path):
    file = tmp_path / "report.html"
    page = report({"webots": fitted("webots")})
    file.write_text(page, encoding="utf-8")
    with browser_page() as browser:
        tab = browser.page
        problems = []
        tab.on("pageerror", lambda error: problems.append(str(error)))
        tab.on("requestfailed", lambda request: problems.append(request.url))
        tab.goto(file.as_uri())
        tab.locator("figure.chart").first.scroll_into_view_if_needed()
        chart = tab.locator("figure.drawn .u-over").first
        chart.scroll_into_view_if_needed()
        box = chart.bounding_box()
        middle = box["y"] + box["height"] / 2
        for share, step in ((0.3, "down"), (0.6, "up")):
            tab.mouse.move(box["x"] + share * box["width"], middle)
            getattr(tab.mouse, step)()
        # Of 1.6 s the part from 0.48 to 0.96 s fills the picture now.
        times = []
        for share in (0.01, 0.99):
            tab.mouse.move(box["x"] + share * box["width"], middle)
            told = tab.locator("figure.drawn .values").first.inner_text()
            times.append(float(told.split(" s: measured")[0]))
        height = tab.evaluate("document.documentElement.scrollHeight")
    assert problems == []
    assert times == pytest.approx([0.48, 0.96], abs=0.05)
    assert height < 4000


def test_the_nearest_model_is_marked_as_good_and_the_others_are_no_faults(page):
    ranking = page[page.index("Which model is nearest") :]
    first, second = re.findall(r"<td[^>]*>[^<]*</td></tr>", ranking)[:2]
    assert first == '<td class="place">the nearest</td></tr>'
    assert second == '<td class="place">farther off</td></tr>'
