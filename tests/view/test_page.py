"""A run becomes one file that plays in a browser from disk, and asks nobody."""

import base64
import json
import random
import re
import struct
import zlib

import numpy as np
import pytest
from browser import browser_page
from live_command import until

import webmotor_drake as wm
from webmotor_drake.cli.main import main
from webmotor_drake.errors import InputError
from webmotor_drake.view import page as page_module
from webmotor_drake.view.page import page_of, write_page


@pytest.fixture(scope="module")
def results():
    return wm.run(
        wm.load_scenario(
            "package:two_link_arm", text="{simulation_duration: 0.4}"
        )
    )


def unpacked(file, name):
    """Returns what a page has packed."""
    pattern = rf'id="packed-{name}">([A-Za-z0-9+/=]+)<'
    return zlib.decompress(
        base64.b64decode(re.search(pattern, file.read_text())[1])
    )


def messages(file):
    """Returns the messages that a page plays."""
    return [m if isinstance(m, bytes) else json.loads(m) for m in packed(file)]


def packed(file):
    """Returns the messages of a page as they were."""
    data, found, before = unpacked(file, "run"), [], {}
    while data:
        kind, length = struct.unpack("<BI", data[:5])
        message, data = data[5 : 5 + length], data[5 + length :]
        if kind == 2:
            bits = zip(message, before[length], strict=True)
            message = bytes(one ^ other for one, other in bits)
        before[length] = message
        found.append(message.decode() if kind == 1 else message)
    return found


def frames(file):
    binary = [m for m in messages(file) if isinstance(m, bytes)]
    return [m for m in binary if m.startswith(b"\xc1\0")]


def test_a_page_has_the_bodies_their_motion_and_the_scenario(results, tmp_path):
    file = tmp_path / "deep" / "arm.html"
    write_page(results, file)
    told = messages(file)
    about = told[0]
    assert about["kind"] == "replay"
    assert about["text"].startswith("# Look at the positions")
    assert any(b"forearm" in m for m in told if isinstance(m, bytes))
    assert len(frames(file)) == 51  # all rows of a run as short as that
    texts = [m for m in told if not isinstance(m, bytes)]
    said = [text for m in texts if "said" in m for _, text in m["said"]]
    assert any(line.startswith("arm/elbow motor") for line in said)


def test_large_messages_of_one_length_are_packed_by_their_difference(tmp_path):
    bits = random.Random(1).randbytes(70_000)
    other = bits[:100] + b"other" + bits[105:]
    told = ["{}", bits, b"small", other, "[1]", other, b"small"]
    file = tmp_path / "page.html"
    file.write_bytes(page_of(told))
    assert packed(file) == told
    # The second and the third cost next to nothing.
    assert len(file.read_text()) < len(page_of(told[:2])) + 1000


def test_a_page_loads_nothing_from_anywhere(results, tmp_path):
    # It is sent by mail and opened in a train.
    file = tmp_path / "arm.html"
    write_page(results, file)
    page = file.read_text()
    assert not re.search(r"(?:src|href)\s*=\s*[\"'](?!data:)", page)
    code = json.loads(unpacked(file, "code"))
    assert {"meshcat.js", "uPlot.js", "page.js"} <= code.keys()
    for name, text in code.items():
        if name not in ("meshcat.js", "uPlot.js"):
            assert not re.search(r"https?://(?!\$)", text), name
    assert file.stat().st_size < 2e6


def test_what_is_at_its_limit_is_in_the_timeline(tmp_path):
    made = wm.load_scenario("package:two_link_arm")
    made.simulation_duration = 1.0
    for motor in made.model_drivers["arm"].motors.values():
        motor.max_torque = 4.0
    results = wm.run(made)
    write_page(results, tmp_path / "weak.html", scenario=made)
    spans = messages(tmp_path / "weak.html")[0]["saturated"]
    assert spans
    at_limit = np.any(
        [results[f"{m}/saturated"] > 0 for m in results.motors], axis=0
    )
    for time, limited in zip(results.time[:-1], at_limit, strict=False):
        inside = any(a - 1e-9 <= time < b - 1e-9 for a, b in spans)
        assert inside == limited


def test_what_is_too_large_is_thinned_and_told(results, tmp_path, monkeypatch):
    monkeypatch.setattr(page_module, "_LARGE", 1e5)
    monkeypatch.setattr(page_module, "_FEW", 4)
    file = tmp_path / "arm.html"
    with pytest.warns(wm.MotorWarning, match="its frames fewer, for"):
        write_page(results, file)
    times = [struct.unpack("<d", f[4:12])[0] for f in frames(file)]
    assert 2 < len(times) <= 5
    assert times[0] == 0
    assert times[-1] == pytest.approx(results.time[-1])


def test_runs_of_engines_and_saved_runs_have_a_page_too(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    arm = ["package:two_link_arm", "--quiet", "--out", "out"]
    arm += ["--scenario_text", "{simulation_duration: 0.2}"]
    assert main(["run", *arm, "--model", "drake_pd", "--html", "a.html"]) == 0
    view = ["view", "out", "--html", "b.html", "--beside", "webots"]
    assert main(view) == 0
    assert messages(tmp_path / "a.html")[0]["beside"] == []
    about = messages(tmp_path / "b.html")[0]
    assert about["beside"] == ["webots"]
    assert main(["view", "package:two_link_arm", "--html", "c.html"]) == 2


def test_results_without_positions_have_none(results, tmp_path):
    import dataclasses as dc

    bare = dc.replace(results, positions=None)
    with pytest.raises(InputError, match="no positions of its bodies"):
        write_page(bare, tmp_path / "a.html")


@pytest.mark.slow
def test_a_page_plays_from_disk_without_a_request(results, tmp_path):
    file = tmp_path / "arm.html"
    write_page(results, file, beside={"same": results})
    with browser_page(width=700, height=500) as shown:
        page = shown.page
        page.goto(file.as_uri())
        page.locator(".motor").first.wait_for()
        until(lambda: page.evaluate("webmotor.panel.time >= 0.3"))
        page.locator(".motor .name").first.click()
        assert page.locator(".plot canvas").count() == 1
        assert "0.000 at most" in page.locator(".beside").first.inner_text()
        page.locator("#moment").evaluate(
            "s => { s.value = 0.1; s.dispatchEvent(new Event('input')); }"
        )
        until(lambda: page.evaluate("webmotor.panel.time") < 0.11)
        assert shown.problems == []
        others = ("data:", "blob:", file.as_uri())
        assert all(r.startswith(others) for r in shown.requests)
