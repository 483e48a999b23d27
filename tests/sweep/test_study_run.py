"""A study from its start, or from where it was interrupted, to its end."""

import dataclasses as dc

import numpy as np
import pytest
from here_and_now import HereAndNow

from webmotor_drake.errors import InputError
from webmotor_drake.loading import load_scenario
from webmotor_drake.results.metrics import motor_metrics
from webmotor_drake.results.results import Results
from webmotor_drake.scenario.parameter_path import parse_path
from webmotor_drake.sweep.job import Job, Outcome
from webmotor_drake.sweep.one_run import one_run
from webmotor_drake.sweep.runs import SweepRuns
from webmotor_drake.sweep.study import Study
from webmotor_drake.sweep.study_run import StudyRun
from webmotor_drake.sweep.worker import DONE, INVALID, KILLED, TIMEOUT, work
from webmotor_drake.sweep.workers import outcomes

GAIN = 'model_drivers.lift.motors."mast motor".control_pid[0]'
MOTOR = "lift/mast motor"


def test_a_row_has_what_the_run_alone_gives(lift, here, tmp_path):
    metrics = ["peak_effort", f"{MOTOR}/rms_position_error"]
    study = Study(parameters={GAIN: [2, 8]}, metrics=metrics, traces=True)
    StudyRun(lift, study, tmp_path).run(here)
    runs = SweepRuns.load(tmp_path)
    assert list(runs.columns) == [
        GAIN, "status", *metrics, "run", "wall_time", "seed", "error",
    ]  # fmt: skip
    assert runs.columns["status"] == [DONE, DONE]
    for i, gain in enumerate((2.0, 8.0)):
        alone = one_run(lift, {parse_path(GAIN): gain})
        wanted = motor_metrics(alone, MOTOR)
        for name in metrics:
            assert runs.columns[name][i] == wanted[name.rpartition("/")[2]]
        kept = Results.load(tmp_path / "traces" / runs.columns["run"][i])
        for name, values in alone.signals.items():
            np.testing.assert_array_equal(kept[name], values)


def test_a_study_that_is_started_again_runs_what_is_missing(lift, tmp_path):
    study = Study(parameters={GAIN: [1, 2, 3]})
    first = HereAndNow()

    def stop(before, outcome):
        if len(first.done) == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        StudyRun(lift, study, tmp_path).run(first, stop)
    rows = (tmp_path / "runs.csv").read_text()
    second = HereAndNow()
    StudyRun(lift, study, tmp_path).run(second)
    finished = len(rows.splitlines()) - 1
    assert len(second.done) == 3 - finished
    assert (tmp_path / "runs.csv").read_text().startswith(rows)
    third = HereAndNow()
    StudyRun(lift, study, tmp_path).run(third)
    assert third.done == []


def test_values_of_runs_have_the_type_of_their_field(lift, tmp_path):
    study = Study(parameters={GAIN: [2], "model": ["webots"]})
    (job,) = StudyRun(lift, study, tmp_path).jobs.values()
    (_, gain), (_, model) = job.parameters
    assert (type(gain), gain, model) == (float, 2.0, "webots")


@pytest.mark.slow
def test_what_determines_a_run_identifies_it(lift, tmp_path):
    def runs_of(scenario=lift, **changes):
        study = Study(parameters={GAIN: [1, 2]}, **changes)
        return set(StudyRun(scenario, study, tmp_path).jobs)

    text = "{simulation_duration: 0.05}"
    same = load_scenario("package:vertical_lift", text=text)
    longer = load_scenario(
        "package:vertical_lift", text="{simulation_duration: 0.06}"
    )
    assert runs_of(same) == runs_of()
    for others in (
        runs_of(longer),
        runs_of(seed=1),
        runs_of(traces=True),
        runs_of(metrics=["overshoot"]),
    ):
        assert not others & runs_of()
    assert runs_of() < set(
        StudyRun(lift, Study(parameters={GAIN: [1, 2, 3]}), tmp_path).jobs
    )


def test_a_changed_model_is_another_study(tmp_path):
    model = load_scenario("package:vertical_lift").directives[0].add_model.file
    urdf = tmp_path / "lift.urdf"
    from webmotor_drake.data import MODELS

    text = (MODELS / "lift.urdf").read_text()
    urdf.write_text(text)
    assert model.endswith("lift.urdf")
    file = tmp_path / "a.scenario.yaml"
    from webmotor_drake.data import SCENARIOS

    scenario = (SCENARIOS / "vertical_lift.scenario.yaml").read_text()
    file.write_text(scenario.replace(model, "lift.urdf"))
    short = load_scenario(file, text="{simulation_duration: 0.02}")
    ready = StudyRun(short, Study(parameters={GAIN: [1]}), tmp_path / "out")
    urdf.write_text(text.replace('mass value="2"', 'mass value="3"'))
    changed = StudyRun(short, Study(parameters={GAIN: [1]}), tmp_path / "out")
    assert not set(ready.jobs) & set(changed.jobs)
    (job,) = ready.jobs.values()
    outcome = work(job)  # changed half way: the row says so
    assert outcome.status == INVALID
    assert "lift.urdf has changed since the study started" in outcome.error


def test_invalid_values_have_rows_that_say_so_and_the_rest_runs(
    lift, here, tmp_path
):
    force = GAIN.replace("control_pid[0]", "consumption_factor")
    study = Study(
        parameters={"bodies.lift.carriage.mass": [1, -1], force: [1, 2]}
    )
    StudyRun(lift, study, tmp_path).run(here)
    runs = SweepRuns.load(tmp_path)
    assert sorted(runs.columns["status"]) == [DONE, DONE, INVALID, INVALID]
    error = runs.columns["error"][runs.columns["status"].index(INVALID)]
    assert "bodies.lift.carriage.mass: -1 kg is not allowed" in error
    assert len(runs.ranked("peak_effort")) == 2


@pytest.mark.parametrize(
    ("study", "message"),
    [
        (Study(parameters={"plant_confg.x": [1]}), "did you mean plant_config?"),
        (Study(parameters={GAIN: ["much"]}), "expected a number"),
        (Study(parameters={"bodies.lift.carrage.mass": [1]}), "mean carriage?"),
        (Study(parameters={"model": ["webts"]}), "did you mean webots?"),
        (Study(parameters={"plant_config.time_step": [-1, -2]}), "-1.0 is not"),
        (Study(parameters={GAIN: [1]}, metrics=["lift/mast/overshoot"]),
         "did you mean lift/mast motor?"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_all_runs_is_told_before_any(
    lift, tmp_path, study, message
):
    with pytest.raises(InputError) as caught:
        StudyRun(lift, study, tmp_path / "out")
    assert message in str(caught.value)
    assert not (tmp_path / "out").exists()


def test_a_scenario_without_end_is_refused(tmp_path):
    endless = load_scenario("package:vertical_lift")
    endless = dc.replace(endless, simulation_duration=float("inf"))
    with pytest.raises(InputError, match="never ends"):
        StudyRun(endless, Study(), tmp_path)


JOB = Job("", b"", (), (), 0, ())


def jobs(number):
    return [dc.replace(JOB, run=str(i), timeout=1.0) for i in range(number)]


def test_a_run_that_is_lost_is_tried_once_more_and_then_has_a_row():
    def die(job):
        if job.run == "1":
            raise RuntimeError("SIGKILL(-9)")
        return Outcome(TIMEOUT if job.run == "2" else DONE)

    workers = HereAndNow(die)
    found = {job.run: outcome for job, outcome in outcomes(jobs(4), workers)}
    assert sorted(workers.done) == ["0", "1", "1", "2", "2", "3"]
    statuses = [found[run].status for run in "0123"]
    assert statuses == [DONE, KILLED, TIMEOUT, DONE]
    assert "its worker died" in found["1"].error


def test_a_run_that_was_lost_by_chance_is_not_lost():
    seen = set()

    def die_first(job):
        if job.run not in seen:
            seen.add(job.run)
            raise RuntimeError
        return Outcome(DONE)

    found = list(outcomes(jobs(3), HereAndNow(die_first)))
    assert [outcome.status for _, outcome in found] == [DONE] * 3
    assert len(found) == 3


def test_lost_runs_are_tried_again_when_the_study_is(lift, here, tmp_path):
    study = Study(parameters={GAIN: [1, 2]})
    StudyRun(lift, study, tmp_path).run(HereAndNow(lambda job: Outcome(KILLED)))
    assert SweepRuns.load(tmp_path).columns["status"] == [KILLED, KILLED]
    StudyRun(lift, study, tmp_path).run(here)
    assert len(here.done) == 2
    runs = SweepRuns.load(tmp_path)
    assert runs.columns["status"] == [DONE, DONE]


def test_each_repetition_draws_its_own_positions(here, tmp_path):
    text = (
        "{simulation_duration: 0.02, initial_position: {lift: {slider: !Uniform"
        " {min: 0.1, max: 0.4}}}}"
    )
    random = load_scenario("package:vertical_lift", text=text)
    study = Study(repetitions=4, traces=True)
    StudyRun(random, study, tmp_path).run(here)
    runs = SweepRuns.load(tmp_path)
    starts = [
        Results.load(tmp_path / "traces" / run)[f"{MOTOR}/position"][0]
        for run in runs.columns["run"]
    ]
    assert len(set(starts)) == 4
    assert min(starts) >= 0.1
    assert max(starts) <= 0.4
    again = one_run(random, {}, seed=runs.columns["seed"][2])
    assert again[f"{MOTOR}/position"][0] == starts[2]
