"""A run that is over is shown again."""

import base64
import re

import numpy as np
import pytest

import webmotor_drake as wm


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Returns the folder of a short run."""
    folder = tmp_path_factory.mktemp("run")
    text = "{simulation_duration: 0.2}"
    scenario = wm.load_scenario("package:pendulum", name="Lift", text=text)
    wm.run(scenario).save(folder)
    return folder


def messages(meshcat):
    """Returns what a browser would get, as bytes."""
    return b"".join(
        base64.b64decode(data)
        for data in re.findall(
            r"base64,([A-Za-z0-9+/=]+)", meshcat.StaticHtml()
        )
    )


def test_a_run_has_the_positions_of_the_whole_plant(folder):
    results = wm.Results.load(folder)
    assert results.positions.shape == (len(results.time), 1)
    np.testing.assert_array_equal(
        results.positions[:, 0], results["arm/hinge motor/position"]
    )
    assert results.metadata["positions"] == ["arm_hinge_q"]


@pytest.mark.parametrize("follow", [False, True])
def test_the_folder_of_a_run_is_enough_to_show_it(
    folder, meshcat, tmp_path, monkeypatch, follow
):
    monkeypatch.chdir(tmp_path)  # relative names stay what they were
    wm.replay(wm.Results.load(folder), meshcat, follow=follow)
    sent = messages(meshcat)
    assert b"set_animation" in sent
    assert b"illustration/arm" in sent


def test_free_bodies_are_where_they_were(meshcat):
    text = "{simulation_duration: 0.1}"
    scenario = wm.load_scenario("package:quadruped", text=text)
    results = wm.run(scenario)
    # A quaternion and a place, and 8 joints.
    assert results.positions.shape[1] == 15
    wm.replay(results, meshcat, scenario=scenario, follow=True)


def test_an_older_run_is_refused_in_a_line(folder, meshcat):
    results = wm.Results.load(folder)
    old = wm.Results(results.time, results.signals, results.metadata)
    with pytest.raises(wm.InputError, match=r"^the run has no positions of"):
        wm.replay(old, meshcat)
    metadata = dict(results.metadata)
    del metadata["scenario_folder"]
    older = wm.Results(results.time, results.signals, metadata)
    with pytest.raises(wm.InputError, match="does not say its scenario"):
        wm.replay(older, meshcat)


def test_a_run_of_other_models_is_refused(folder, meshcat):
    results = wm.Results.load(folder)
    other = wm.load_scenario("package:two_link_arm")
    with pytest.raises(wm.InputError, match=r"models have changed .*hinge"):
        wm.replay(results, meshcat, scenario=other)


def test_there_is_no_such_mark(folder, tmp_path):
    results = wm.Results.load(folder)
    with pytest.raises(wm.InputError, match="did you mean efforts"):
        wm.write_page(results, tmp_path / "run.html", show=["effort"])


def test_muscles_are_shown_again(meshcat):
    text = "{simulation_duration: 0.2}"
    results = wm.run(wm.load_scenario("package:biceps", text=text))
    wm.replay(results, meshcat)
    # Size and colour of two muscles.
    for track in (b".scale", b".material.color"):
        assert messages(meshcat).count(track) == 2
