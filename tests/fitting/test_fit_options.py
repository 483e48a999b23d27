"""Options of a fit: methods, losses, priors, windows, other columns."""

import dataclasses as dc
import sys

import numpy as np
import pytest
from logged_pendulum import DELAY, TRUE, P, log_of, pendulum

from webmotor_drake.cli.main import main
from webmotor_drake.errors import InputError
from webmotor_drake.fitting.fit import fit
from webmotor_drake.fitting.parameter import ParameterSpec
from webmotor_drake.fitting.robot_log import RobotLog
from webmotor_drake.fitting.search import LOSSES
from webmotor_drake.fitting.solve import FitSettings

pytest.importorskip("scipy")

GAIN = 8.0
# Noise of 1 mrad leaves a deviation of 0.006 1/s: five of them.
NEAR = 0.03


@pytest.fixture(scope="module")
def log() -> RobotLog:
    return log_of(pendulum(**TRUE))


def gain(log, parameters=None, **options):
    found = fit(pendulum(**TRUE), log, parameters or {P: (2, 20, 5)}, **options)
    (estimate,) = found.certainty.estimates
    return estimate


@pytest.mark.parametrize(
    "options",
    [
        {"settings": FitSettings(method="cma", max_iterations=3)},
        {"settings": FitSettings(starts=2, seed=3)},
        {"settings": FitSettings(loss="soft_l1")},
        {"scales": {"position": 0.02}},
        {"windows": 3, "settings": FitSettings(starts=2)},
    ],
    ids=["cma", "starts", "loss", "scales", "windows"],
)
def test_each_way_finds_the_gain(log, options):
    if options.get("settings", FitSettings()).method == "cma":
        pytest.importorskip("cmaes")
    estimate = gain(log, **options)
    assert estimate.value == pytest.approx(GAIN, abs=NEAR)
    assert estimate.deviation < NEAR


def test_a_fit_without_scipy_says_what_to_install(log, monkeypatch):
    monkeypatch.setitem(sys.modules, "scipy", None)
    with pytest.raises(InputError, match=r"scipy: pip install .*\[fit\]"):
        gain(log)


def test_each_further_start_is_a_search_of_its_own(log):
    runs = [
        fit(
            pendulum(**TRUE),
            log,
            {P: (2, 20, 5)},
            settings=FitSettings(starts=starts, max_iterations=1),
        ).runs
        for starts in (1, 3)
    ]
    assert runs[1] > runs[0] + 2


def test_a_robust_loss_makes_little_of_outliers_also_in_the_interval(log):
    jumps = np.zeros(len(log.time))
    jumps[[20, 33, 60, 61, 90]] = 0.3
    position = log.signals["hinge", "position"] + jumps
    bad = dc.replace(
        log, signals={**log.signals, ("hinge", "position"): position}
    )
    misled = gain(bad)
    robust = gain(bad, settings=FitSettings(loss="soft_l1"))
    assert abs(misled.value - GAIN) > NEAR
    assert robust.value == pytest.approx(GAIN, abs=NEAR)
    assert robust.deviation < 0.1 * misled.deviation
    low, high = robust.interval
    assert low < GAIN < high


@pytest.mark.parametrize("name", LOSSES)
def test_the_derivatives_of_losses_are_those_of_differences(name):
    loss, step = LOSSES[name], 1e-6
    z = np.array([0.04, 0.5, 0.9, 1.2, 30.0])

    def difference(function):
        return (function(z + step) - function(z - step)) / (2 * step)

    # Round-off of a double over the step.
    np.testing.assert_allclose(loss.slope(z), difference(loss.rho), atol=1e-7)
    r = np.sqrt(z)
    # psi = rho'(r²) r has the derivative rho' + 2 r² rho''.
    expected = loss.slope(z) + 2 * z * difference(loss.slope)
    np.testing.assert_allclose(loss.stiffness(r), expected, atol=1e-7)


def test_a_prior_far_surer_than_the_log_prevails(log):
    prior = ParameterSpec(P, [2, 20], 5, prior=[7.5, 1e-5])
    assert gain(log, [prior]).value == pytest.approx(7.5, abs=0.01)


def test_commands_on_the_line_between_samples_come_half_a_sample_earlier(log):
    """Held as they were, so that the fit needs 5 ms more of delay."""
    estimate = gain(log, {DELAY: (0, 0.05, 0.02)}, between="interpolate")
    # The line is not quite the same as a shift where the target turns.
    assert estimate.value == pytest.approx(TRUE["delay"] + 0.005, abs=1e-3)


@pytest.mark.slow
def test_columns_in_degrees_ticks_and_milliseconds(
    log, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    tick = 2 * np.pi / 16384
    columns = [
        1e3 * log.time,
        np.degrees(log.signals["hinge", "target"]),
        np.round(log.signals["hinge", "position"] / tick),
    ]
    np.savetxt(
        "log.csv",
        np.column_stack(columns),
        delimiter=",",
        header="stamp,cmd,enc",
        comments="",
    )
    status = main(
        [
            *("fit", "package:pendulum", "--scenario_name", "Lift"),
            *("--log", "log.csv", "--parameter", f"{DELAY}=0:0.05"),
            "--columns",
            f"{{stamp: time ms, cmd: hinge.target deg,"
            f" enc: hinge.position {tick}}}",
            *("--iterations", "1", "--jobs", "1", "--out", "out"),
        ]
    )
    assert status == 0
    assert "degrees" not in capsys.readouterr().err
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "log.csv" in page
    assert str(tmp_path) not in page  # as it was typed
