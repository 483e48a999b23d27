"""Remarks on a log beside the scenario that should reproduce it."""

import difflib

from webmotor_drake.fitting.experiment import Experiment
from webmotor_drake.fitting.measured import faults_of
from webmotor_drake.scenario.scenario import Scenario, robots_of


def remarks_on(experiment: Experiment) -> list[str]:
    """Returns remarks on an experiment's log, one line each."""
    remarks = experiment.log.remarks()
    known = {motor.name for motor in experiment.motors}
    unknown = [name for name in experiment.log.names if name not in known]
    if unknown:
        guess = _guess(experiment.scenario, unknown[0], known)
        remarks.append(
            f"{_some(unknown)}: not in the scenario, left out{guess}"
        )
    for series in experiment.series:
        remarks += faults_of(experiment.log, series)
    still = [s.name for s in experiment.series if s.stands_still]
    if still:
        remarks.append(
            f"{_some(still)}: no movement beyond its noise; it determines nothing"
        )
    return [f"{experiment.prefix}{remark}" for remark in remarks]


def _guess(scenario: Scenario, name: str, known: set[str]) -> str:
    """Returns the joint that a log's unknown name may mean, as a question."""
    joints = {
        motor.joint
        for driver in robots_of(scenario).values()
        for motor in driver.motors.values()
    }
    nearest = difflib.get_close_matches(name, sorted(joints - known), n=1)
    return f"; did you mean {nearest[0]}?" if nearest else ""


def _some(names: list[str]) -> str:
    return f"{', '.join(names[:5])}{' and more' * (len(names) > 5)}"
