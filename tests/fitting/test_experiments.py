"""Several experiments in one fit: each with its log, its load, its own values."""

import dataclasses as dc
import re

import numpy as np
import pytest
from logged_pendulum import CFM, DELAY, NOISE, P, log_of, pendulum

import webmotor_drake as wm
from webmotor_drake.cli.main import main
from webmotor_drake.errors import InputError
from webmotor_drake.fitting.experiment_spec import (
    load_experiments,
    named_experiments,
)
from webmotor_drake.fitting.fit import FitRun
from webmotor_drake.fitting.runs import FitRuns
from webmotor_drake.fitting.search import Search
from webmotor_drake.scenario.parameter_path import parse_path, with_values

pytest.importorskip("scipy")

INERTIA = "model_drivers.arm.joints.hinge.reflected_inertia"
TRUE = {"cfm": 0.02, "delay": 0.013}
LOADS = {"light": 0.0, "heavy": 3.0}


def loaded(scenario, inertia):
    return with_values(scenario, {parse_path(INERTIA): inertia})


@pytest.fixture(scope="module")
def logs():
    return {
        name: log_of(loaded(pendulum(**TRUE), inertia), seed=int(inertia))
        for name, inertia in LOADS.items()
    }


@pytest.fixture(scope="module")
def specs(logs):
    return {
        name: wm.ExperimentSpec(log=logs[name], values={INERTIA: inertia})
        for name, inertia in LOADS.items()
    }


def prepared(specs, parameters, **options):
    return FitRun(pendulum(), specs, parameters, model="webots", **options)


def test_each_experiment_is_run_with_its_own_load(specs, logs):
    ready = prepared(
        specs, {P: (2, 20, 8), CFM: (0.001, 0.1, 0.01), DELAY: (0, 0.05)}
    )
    values = np.array([8.0, *TRUE.values()])
    predicted = ready.experiments.predict(values)
    for row, log in zip(predicted, logs.values(), strict=True):
        half = slice(0, 80)
        left = row[half] - log.get("hinge", "position")[half]
        # What is left is the noise, and that of the start, which decays.
        assert np.std(left) < 1.5 * NOISE
    # With the other's load it is far off: the loads count.
    assert np.std(predicted[0][:80] - predicted[1][:80]) > 10 * NOISE


def test_a_value_of_one_experiment_costs_runs_there_alone(specs):
    each, one = ("experiments.*.", 'experiments."heavy".')
    for prefix, parameters, runs in (("", 1, 4), (each, 2, 4), (one, 1, 3)):
        ready = prepared(specs, {f"{prefix}{P}": (2, 20, 8)})
        assert len(ready.experiments.parameters) == parameters
        search = Search(FitRuns(ready.experiments))
        point = search.look(np.full(parameters, 0.3))
        seen = np.abs(point.jacobian) > 0
        assert search.runs.number == runs
        assert (seen.sum(axis=1) <= 1).all()
        ends = np.flatnonzero(seen.any(axis=1))
        # 80 samples of each are fitted.
        assert (ends.min() < 80) == (prefix != one)
        assert ends.max() >= 80


def test_names_of_experiments_are_those_of_the_parameters(specs):
    ready = prepared(specs, {f"experiments.*.{DELAY}": (0, 0.05)})
    names = [p.name for p in ready.experiments.parameters]
    assert names == ["light: arm.delay", "heavy: arm.delay"]
    assert [p.unit for p in ready.experiments.parameters] == ["s", "s"]
    both = prepared(specs, {"experiments.{*}." + DELAY: (0, 0.05)})
    (shared,) = both.experiments.parameters
    assert len(shared.paths) == 2
    assert [s.name for s in ready.experiments.series] == [
        "light: hinge.position",
        "heavy: hinge.position",
    ]


@pytest.mark.parametrize(
    ("parameters", "problem"),
    [
        ({"experiments.heavi." + P: (2, 20)}, "did you mean heavy"),
        ({P: (2, 20), "experiments.heavy." + P: (2, 20)}, "is fitted twice"),
    ],
)
def test_paths_that_cannot_be_are_refused(specs, parameters, problem):
    with pytest.raises(InputError, match=problem):
        prepared(specs, parameters)


def test_a_factor_multiplies_what_is_fitted_too(logs):
    spec = wm.ExperimentSpec(log=logs["light"], factors={P: 0.5})
    (one,) = prepared(spec, {P: (2, 20, 8)}).experiments.each
    scenario, _ = one.with_values(np.array([6.0]))
    pid = scenario.model_drivers["arm"].motors["hinge motor"].control_pid
    assert pid[0] == 3.0


def test_a_stretch_of_time_and_a_start_are_told(logs):
    rows = []
    for velocity in (-1.0, 1.0):
        spec = wm.ExperimentSpec(
            log=logs["light"],
            values={
                CFM: 0.5
            },  # soft, so that the servo does not stop it at once
            begin=0.4,
            end=1.2,
            state={"hinge": [0.7, velocity]},
        )
        ready = prepared(spec, {P: (2, 20, 8)}, validate=0.5)
        (one,) = ready.experiments.each
        span = one.log.time[list(one.span)]
        assert span.tolist() == pytest.approx([0.4, 0.8])
        rows += [one.predict(np.array([8.0]))[0, one.span[0] :]]
    back, on = rows
    assert back[0] == on[0] == pytest.approx(0.7)
    assert on[1] - back[1] > 0.01  # 2 rad/s for 10 ms, half of which is left


def test_what_is_held_out_is_judged_whole_and_has_no_parameters(specs):
    held = dc.replace(specs["heavy"], held_out=True)
    ready = prepared(
        {"light": specs["light"], "heavy": held},
        {f"experiments.*.{DELAY}": (0, 0.05), P: (2, 20, 8)},
    )
    names = [p.name for p in ready.experiments.parameters]
    assert names == ["light: arm.delay", "hinge motor.control_pid[0]"]
    (fitted,) = ready.experiments.each
    assert fitted.span == (0, len(fitted.log.time) - 1)
    with pytest.raises(InputError, match="all experiments are held out"):
        prepared({"heavy": held}, {P: (2, 20)})


@pytest.mark.slow
def test_two_loads_together_find_what_they_share_and_what_they_do_not(specs):
    own = {**specs["heavy"].values, DELAY: TRUE["delay"]}
    third = dc.replace(specs["heavy"], held_out=True, values=own)
    found = wm.fit(
        pendulum(),
        {**specs, "third": third},
        {
            P: (2, 20, 7),
            f"experiments.*.{DELAY}": (0, 0.05, 0.015),
            CFM: (1e-3, 0.1, 0.018),
        },
        model="webots",
        settings=wm.FitSettings(starts=2, max_iterations=8),
    )
    for estimate, true in zip(
        found.certainty.estimates, [8, 0.013, 0.013, 0.02], strict=True
    ):
        # Four deviations: one of 16,000 draws.
        assert abs(estimate.value - true) < 4 * estimate.deviation
    assert list(found.residuals) == ["light", "heavy"]
    (judged,) = found.judged.rms.items()
    assert judged[0] == "third: hinge.position"
    assert judged[1] < 1.3 * NOISE
    assert "experiments" not in found.overlay


HEAD = "time,hinge.target,hinge.position\n"
ROWS = "".join(f"{0.01 * i:.2f},0.5,{0.001 * i}\n" for i in range(40))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "logs").mkdir()
    for name in ("a", "b"):
        (tmp_path / "logs" / f"{name}.csv").write_text(HEAD + ROWS)
    return tmp_path


def test_experiments_of_a_file_have_logs_beside_it(folder):
    text = f"""
parameters: [{{path: '{P}', bounds: [2, 20]}}]
experiments:
  light: {{log: a.csv, weight: 2}}
  heavy: {{log: b.csv, values: {{{INERTIA}: 3}}, held_out: true}}
"""
    (folder / "logs" / "both.yaml").write_text(text)
    read = load_experiments("logs/both.yaml")
    assert [p.path for p in read.parameters] == [P]
    ready = prepared("logs/both.yaml", read.parameters)
    (light,) = ready.experiments.each
    assert (light.name, light.spec.weight) == ("light", 2)
    assert light.log.file == "logs/a.csv"
    (folder / "one.yaml").write_text("log: logs/a.csv\nend: 0.2\n")
    ((name, one),) = named_experiments("one.yaml").items()
    assert (name, one.end) == ("one", 0.2)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("experiments: {a: {lod: a.csv}}", "did you mean log"),
        ("experiments: {a: {weight: 1}}", "yaml:1:15: experiments.a: no log"),
        ("parameters: []", "no experiments"),
        ("experiments: {a: {log: a.csv, weight: -1}}", "the weight -1"),
        ("experiments: {a: {log: a.csv, begin: 7}}", "0 samples from 7"),
        ("experiments: {a: {log: a.csv, state: {x: [1, 2]}}}", "unknown joint"),
        ("experiments: {a: {log: a.csv, values: {gravit: 1}}}", "gravity"),
        ("experiments: {a: {log: a.csv, factors: {directives: 2}}}", "factor"),
        ("experiments: {a: {log: a.csv, overlay: none.yaml}}", "no such file"),
    ],
)
def test_experiments_that_cannot_be_are_refused_in_a_line(
    folder, text, problem
):
    (folder / "logs" / "bad.yaml").write_text(text)
    with pytest.raises(InputError) as caught:
        prepared("logs/bad.yaml", {P: (2, 20)})
    assert problem in str(caught.value)
    assert "\n" not in str(caught.value)


def test_logs_without_names_have_their_files(folder):
    found = named_experiments(["logs/a.csv", "logs/b.csv", "logs/a.csv"])
    assert list(found) == ["a", "b", "a 2"]
    with pytest.raises(InputError, match="no log"):
        named_experiments([])


def test_the_command_takes_all_logs_and_misses_none(folder, capsys):
    base = ["fit", "package:pendulum", "--scenario_name", "Lift"]
    base += ["--parameter", f"{P}=2:20:8", "--iterations", "1", "--jobs", "1"]
    both = ["--log", "logs/a.csv", "--log", "logs/b.csv"]
    assert main([*base, *both, "--out", "out"]) == 0
    text = capsys.readouterr().out
    assert "a: hinge.position" in text
    assert "b: hinge.position" in text
    assert "a: hinge.position" in (folder / "out/report.html").read_text()
    assert main([*base, "--log", "none.csv", *both]) == 2
    assert "none.csv: cannot read it" in capsys.readouterr().err


def test_what_cannot_be_told_apart_is_foreseen_with_what_would_tell_it(logs):
    """The damping of a loop and that of a gear; the delay is seen beside them."""
    kd, viscous = (
        'model_drivers.arm.motors."hinge motor".' + field
        for field in ("pd.kd", "friction.viscous")
    )
    ready = FitRun(
        pendulum(),
        logs["light"],
        {kd: (0.01, 5, 1), viscous: (0, 5, 1), DELAY: (0, 0.05, 0.02)},
        model="pd",
        settings=wm.FitSettings(max_iterations=1),
    )
    told = []
    found = ready.run(tell=told.append)
    time, *lines = told
    # One look and its three derivatives, which the search does not do again; at the
    # end those to both sides.
    assert re.match(r"4 runs took .* s, the search will take about .* s", time)
    assert found.runs == 4 + 2 * 3
    (line,) = (line for line in lines if "cannot be told apart" in line)
    assert (
        "pd.kd" in line
        and "friction.viscous" in line
        and "arm.delay" not in line
    )
    assert "a drop with the torque off" in line
