"""Which model is nearest: a richer one has to earn its parameters."""

import csv
import dataclasses as dc

import numpy as np
import pytest
from logged_pendulum import (
    CFM,
    DELAY,
    TRUE,
    P,
    fitted,
    log_of,
    pendulum,
    write_log,
)

from webmotor_drake.cli.main import main
from webmotor_drake.engines.drake_controllers import PdEngine
from webmotor_drake.fitting.fit import FitRun, fit
from webmotor_drake.fitting.model_parameters import DISTINCT, parameters_for
from webmotor_drake.fitting.ranking import rank_models
from webmotor_drake.fitting.solve import FitSettings
from webmotor_drake.fitting.table import ranking_rows, verdict

pytest.importorskip("scipy")

SPRING = "model_drivers.arm.joints.hinge.spring_constant"


@pytest.fixture(scope="module")
def log():
    return log_of(pendulum(**TRUE))


@pytest.mark.slow
def test_the_model_that_made_the_log_comes_first():
    fits = {"ideal": fitted("ideal"), "webots": fitted("webots")}
    first, second = rank_models(fits)
    assert (first.model, second.model) == ("webots", "ideal")
    assert first.as_near
    assert not second.as_near
    assert first.bic == first.aicc == 0
    assert second.bic > 10
    # What is kept out has 1 mrad of noise in both; ideal adds as much: 1.49 times.
    assert second.error > 1.4 * first.error
    assert not second.alike
    assert verdict(fits).startswith("webots is the nearest to the robot: it is")
    assert f"ideal {second.error / first.error:.3g}" in verdict(fits)


def test_a_parameter_that_explains_nothing_costs_the_first_place():
    fits = {"richer": fitted("webots", SPRING), "plain": fitted("webots")}
    first, second = rank_models(fits)
    assert first.model == "plain"
    assert second.as_near  # but for chance
    # The logarithm of 81 samples, less what the spring makes of the noise; searches
    # end within a tolerance.
    assert 0 < second.bic < 1.1 * np.log(81)
    (_, *rows) = ranking_rows(fits)
    assert [row[0] for row in rows] == ["plain", "richer"]
    assert second.alike
    assert "does not tell it from richer" in verdict(fits)


def test_a_model_that_is_near_by_its_uncertainty_alone_is_told_of():
    webots, ideal = fitted("webots"), fitted("ideal", iterations=1)
    (series,) = ideal.judged.rms
    kept_out = dc.replace(ideal.kept_out)
    vars(kept_out)["doubt"] = {series: 1.0}  # rad²
    fits = {"ideal": dc.replace(ideal, kept_out=kept_out), "webots": webots}
    first, second = rank_models(fits)
    assert first.model == "webots"
    assert second.as_near and second.unsure and not first.unsure
    assert "How near ideal can be, the log does not say" in verdict(fits)
    fits["ideal"] = ideal
    assert not any(rank.unsure for rank in rank_models(fits))
    assert "does not say" not in verdict(fits)


@pytest.mark.slow
def test_a_model_with_uncertain_estimates_is_not_refused_for_them(log):
    """Some of its error where it is judged is their uncertainty, which is told."""
    found = fit(
        pendulum(),
        log,
        {P: (2, 20, 8), DELAY: (0, 0.05, 0.013)},
        model="webots",
        validate=0.3,
        settings=FitSettings(max_iterations=1),
    )
    kept_out = found.kept_out
    (doubt,) = kept_out.doubt.values()
    # Against the mean over runs with other estimates, by Gauss and Hermite: exact
    # where squares of errors have powers of them up to the fifth.
    names = [e.parameter.name for e in found.certainty.estimates]
    values = np.array([found.estimates[n].value for n in names])
    spread = np.linalg.cholesky(found.covariance)
    experiment = kept_out.after.experiment
    judged = kept_out.after.judged_samples[0] & np.isfinite(
        experiment.series[0].measured
    )
    there = kept_out.after.predicted[0][judged]
    places, weights = np.polynomial.hermite_e.hermegauss(3)
    weights = weights / weights.sum()
    expected = sum(
        weights[i]
        * weights[j]
        * np.mean((experiment.predict(values + by)[0, judged] - there) ** 2)
        for i, j in np.ndindex(3, 3)
        for by in [spread @ places[[i, j]]]
    )
    # 0.14 % apart: runs bend a little.
    assert doubt == pytest.approx(expected, rel=0.01)


def test_what_is_fitted_by_default_is_within_what_the_motor_can(log):
    specs, gains = parameters_for(pendulum(), [log], "drake_pd", {})
    found = {spec.path: spec for spec in specs}
    # Those that compare would take.
    assert gains == PdEngine(pendulum()).gains
    kp = found['gains."arm/hinge motor"[0]']
    assert kp.start == gains["arm/hinge motor"][0]
    assert kp.bounds[1] >= 2 * kp.start
    friction = found["model_drivers.arm.joints.hinge.static_friction"]
    assert friction.bounds == [0, 12]
    # Gains that are known are not fitted; kd is no longer what damps.
    known = {"arm/hinge motor": (50.0, 2.0)}
    specs, gains = parameters_for(pendulum(), [log], "drake_pd", known)
    paths = [spec.path for spec in specs]
    assert "model_drivers.arm.joints.hinge.damping_constant" in paths
    assert not any(path.startswith("gains") for path in paths)
    assert gains == known


def test_searches_start_where_delay_and_softness_show(log):
    """A default delay of 0, and a stiff cfm, are at a wall; own values are kept."""

    def starts(scenario):
        specs, _ = parameters_for(scenario, [log], "webots", {})
        found = {spec.path.rsplit(".", 1)[1]: spec for spec in specs}
        return [found[name].start for name in ("delay", "cfm")]

    motor = pendulum().model_drivers["arm"].motors["hinge motor"]
    assert starts(pendulum()) == [0.01, 0.1 * motor.max_velocity / 60]
    assert starts(pendulum(delay=0.004, cfm=0.02)) == [0.004, 0.02]


@pytest.mark.parametrize("model", DISTINCT)
def test_each_model_has_what_can_be_fitted_of_it(log, model):
    ready = FitRun(pendulum(), log, None, model=model, settings=FitSettings())
    parameters = ready.experiments.parameters
    start = np.array([p.start for p in parameters])
    assert np.isfinite(ready.experiments.predict(start)[0]).any()
    assert all(p.low <= p.start < p.high for p in parameters)
    assert all(p.unit for p in parameters)


@pytest.mark.slow
def test_the_command_line_ranks_several_models(tmp_path, capsys, log):
    file = tmp_path / "log.csv"
    write_log(log, file)
    text = (
        "{model_drivers: {arm: {commands: [], motors: {hinge motor:"
        " {control_pid: [8, 0, 0], max_torque: 60}}}}}"
    )
    status = main(
        [
            *("fit", "package:pendulum", "--scenario_name", "Lift"),
            *("--scenario_text", text, "--log", str(file)),
            *("--models", "ideal,webots", "--iterations", "1"),
            *("--parameter", f"{P}=2:20:8", "--parameter", f"{CFM}=0:0.1:0.02"),
            *("--parameter", f"{DELAY}=0:0.05:0.013"),
            *("--jobs", "1", "--out", str(tmp_path / "out"), "--quiet"),
        ]
    )
    assert status == 0
    with (tmp_path / "out" / "ranking.csv").open(encoding="utf-8") as table:
        rows = list(csv.DictReader(table))
    assert [row["model"] for row in rows] == ["webots", "ideal"]
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "Which model is nearest to the robot" in page


@pytest.mark.slow
def test_models_that_a_scenario_cannot_have_are_left_out_of_all(
    tmp_path, capsys
):
    """Drake's PD actuators need a solver that has them, which tamsi is not."""
    file = tmp_path / "log.csv"
    rows = [f"{0.1 * i:.1f},{0.02 * i:.2f},{0.02 * i:.2f}" for i in range(12)]
    head = "time,hinge.target,hinge.position"
    file.write_text("\n".join([head, *rows]), encoding="utf-8")
    status = main(
        [
            *("fit", "package:pendulum", "--scenario_name", "Lift"),
            "--scenario_text",
            "{plant_config: {discrete_contact_approximation: tamsi},"
            " model_drivers: {arm: {commands: []}}}",
            *("--log", str(file), "--models", "all", "--jobs", "1"),
            *("--parameter", f"{DELAY}=0:0.03", "--iterations", "1"),
            *("--out", str(tmp_path / "out"), "--quiet"),
        ]
    )
    told = capsys.readouterr().err
    assert status == 0
    assert "ideal: the run with the start values failed" in told
    assert "tamsi" in told
    assert list((tmp_path / "out").glob("fitted*.yaml"))
    assert not (tmp_path / "out" / "fitted-ideal.yaml").is_file()
