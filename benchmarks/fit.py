"""Whether fits find known parameters, and how fast they run.

    python benchmarks/fit.py [--part coverage|speed|peers] [--repetitions N]
        [--quick] [--out FILE]

Synthetic logs of a pendulum: a gain, a delay and the servo's softness are fitted to
its own motion with noise added, 100 times with other noise, then to ODE's motion. A
95 % interval holds the truth in 95 of 100; 90 are the goal (coverage). Then a fit of
ten parameters to a longer log on one process and on two (speed), and one beside
mujoco.sysid, where MuJoCo has it (peers).
"""

import dataclasses as dc
import time
import warnings
from collections.abc import Sequence

import numpy as np
from _lib import mujoco_fit, report
from _lib.report import Table

import webmotor_drake as wm
from webmotor_drake.fitting.experiment import Experiment
from webmotor_drake.fitting.fit import FitRun
from webmotor_drake.fitting.runs import fit_workers
from webmotor_drake.fitting.solve import FitSettings

NOISE = 1e-3
TRUE = {"gain": 8.0, "delay": 0.013, "cfm": 0.02}
BOUNDS = {
    'model_drivers.arm.motors."hinge motor".control_pid[0]': (2, 20, 5),
    "model_drivers.arm.delay": (0, 0.05, 0.02),
    "model_drivers.arm.cfm": (0.001, 0.1, 0.01),
}
# What is fitted besides to see the speed: a fit's runs side by side are those of its
# derivatives, one per parameter.
_JOINT = "model_drivers.arm.joints.hinge"
_MOTOR = 'model_drivers.arm.motors."hinge motor"'
MORE = {
    f"{_JOINT}.damping_constant": (0, 1, 0.05),
    f"{_JOINT}.spring_constant": (0, 1, 0.05),
    f"{_JOINT}.static_friction": (0, 1, 0.05),
    f"{_JOINT}.reflected_inertia": (0, 0.1, 0.01),
    f"{_MOTOR}.control_pid[1]": (0, 5, 0.1),
    f"{_MOTOR}.control_pid[2]": (0, 1, 0.01),
    f"{_MOTOR}.max_velocity": (2, 20, 9),
}
REPETITIONS, QUICK = 100, 2
GOAL = 10  # of 100 intervals may miss the truth
FASTER = 1 / 1.7  # time of two processes over that of one
STEP = 0.008  # of the plant, s
# The same motor as a PD controller, whose kd is known.
PD_KD = 1.0
PD_TRUE = {"gain": 30.0, "damping": 0.5, "inertia": 0.1}
PD_BOUNDS = {
    "gain": (5, 100, 15),
    "damping": (0, 3, 0.1),
    "inertia": (0, 0.5, 0.02),
}
PD_PATHS = (
    "gains.*[0]",
    "model_drivers.arm.joints.hinge.damping_constant",
    "model_drivers.arm.joints.hinge.reflected_inertia",
)
PARTS = ("coverage", "speed", "peers")


def pendulum(**driver: object) -> wm.Scenario:
    """Returns a pendulum with a strong motor."""
    scenario = wm.load_scenario(
        wm.SCENARIOS / "pendulum.scenario.yaml", name="Lift"
    )
    motor = wm.RotationalMotor(
        joint="hinge", control_pid=[TRUE["gain"], 0, 0], max_torque=60
    )
    own = scenario.model_drivers["arm"]
    scenario.model_drivers = {
        "arm": dc.replace(
            own, motors={"hinge motor": motor}, commands=[], **driver
        )
    }
    return scenario


def truth(model: str = "webots") -> wm.RobotLog:
    """Returns a log of 2 s without noise."""
    now = np.arange(0, 2.0, 0.01)
    knots = [0, 0.2, 0.4, 0.7, 1.0, 1.3, 1.6, 2.0]
    target = np.interp(now, knots, [0, 0.8, 0.8, -0.6, 0.9, -0.2, 0.4, 0.0])
    position = np.where(now == 0, 0.0, np.nan)
    log = wm.RobotLog(
        now, {("hinge", "target"): target, ("hinge", "position"): position}
    )
    scenario = pendulum(delay=TRUE["delay"], cfm=TRUE["cfm"])
    experiment = Experiment(scenario, log, [], model)
    log.signals["hinge", "position"] = experiment.predict(np.zeros(0))[0]
    return log


def noisy(log: wm.RobotLog, seed: int) -> wm.RobotLog:
    """Returns the log with noise on what was measured."""
    noise = NOISE * np.random.default_rng(seed).standard_normal(len(log.time))
    position = log.signals["hinge", "position"] + noise
    return wm.RobotLog(
        log.time, {**log.signals, ("hinge", "position"): position}
    )


def missed(log: wm.RobotLog, repetitions: int) -> list[float]:
    """Returns of how many in 100 repetitions each interval misses the truth."""
    misses = np.zeros(len(TRUE))
    for seed in range(repetitions):
        fit = wm.fit(pendulum(), noisy(log, seed), BOUNDS, fit_start=True)
        estimates = fit.certainty.estimates[: len(TRUE)]
        intervals = [e.interval for e in estimates]
        misses += [
            not low <= value <= high
            for (low, high), value in zip(intervals, TRUE.values(), strict=True)
        ]
    return (100 * misses / repetitions).tolist()


def speed(log: wm.RobotLog) -> tuple[float, float, bool]:
    """Returns runs per second on one process and on two, and if both agree."""
    ready = FitRun(
        pendulum(joints={"hinge": wm.JointParameters()}),
        again_and_again(noisy(log, 0), 10),
        {path: list(numbers) for path, numbers in (BOUNDS | MORE).items()},
        model="webots",
        settings=FitSettings(max_iterations=3),
    )
    rates, values = [], []
    for jobs in (1, 2):
        with fit_workers(jobs) as workers:
            # The second time the processes are there already.
            for _ in range(2):
                fit = ready.run(workers)
        rates.append(fit.runs / fit.wall_time)
        values.append([e.value for e in fit.certainty.estimates])
    return rates[0], rates[1], values[0] == values[1]


def again_and_again(log: wm.RobotLog, times: int) -> wm.RobotLog:
    """Returns a longer log, the same motion so many times."""
    step = log.time[1] - log.time[0]
    return wm.RobotLog(
        step * np.arange(times * len(log.time)),
        {name: np.tile(values, times) for name, values in log.signals.items()},
    )


def coverage(*, repetitions: int) -> Table:
    """Returns how often intervals miss the truth."""
    table = Table(
        "95 % intervals that miss the truth, of 100",
        list(TRUE),
        {"noise on its own motion": missed(truth(), repetitions)},
        {"noise on its own motion": [GOAL] * len(TRUE)},
    )
    name = "noise on ODE's motion"
    try:
        fewer = max(repetitions // 10, 1)
        table.rows[name] = missed(truth("ode"), fewer)
        table.goals[name] = [GOAL] * len(TRUE)
    except wm.InputError as error:  # not installed
        table.rows[name] = [str(error)] * len(TRUE)
    return table


def faster() -> Table:
    """Returns how much faster two processes are."""
    one, two, same = speed(truth())
    return Table(
        "a fit in one process and in two",
        ["value"],
        {
            "time of two processes / of one": [one / two],
            "runs per second, one process": [one],
            "runs per second, two processes": [two],
            "the same result": ["yes" if same else "no"],
        },
        {"time of two processes / of one": [FASTER]},
    )


def beside_mujoco() -> Table:
    """Returns the runs per second of a fit here and of mujoco.sysid, on one log."""
    table = Table(
        "gain, damping and inertia under a PD controller",
        [*PD_TRUE, "runs per second"],
        {"truth": [*PD_TRUE.values(), None]},
    )
    log = noisy(pd_log(), 0)
    start = time.perf_counter()
    fit = wm.fit(
        pendulum(),
        log,
        dict(zip(PD_PATHS, PD_BOUNDS.values(), strict=True)),
        model="drake_pd",
        gains={"*": [PD_BOUNDS["gain"][2], PD_KD]},
        validate=0,
    )
    wall = time.perf_counter() - start
    estimates = [e.value for e in fit.certainty.estimates]
    table.rows["fit, one process"] = [*estimates, fit.runs / wall]
    if why := mujoco_fit.missing():
        table.rows["mujoco.sysid"] = [why] * len(table.columns)
        return table
    found, rate = mujoco_fit.fit(
        log.time,
        log.signals["hinge", "target"],
        log.signals["hinge", "position"],
        PD_BOUNDS,
        step=STEP,
        kd=PD_KD,
    )
    table.rows["mujoco.sysid, a thread per core"] = [*found.values(), rate]
    return table


def pd_log() -> wm.RobotLog:
    """Returns a log of the pendulum under a PD controller, without noise."""
    log = truth()
    scenario = pendulum()
    driver = scenario.model_drivers["arm"]
    joint = wm.JointParameters(
        damping_constant=PD_TRUE["damping"],
        reflected_inertia=PD_TRUE["inertia"],
    )
    scenario.model_drivers = {
        "arm": dc.replace(driver, joints={"hinge": joint})
    }
    gains = {"arm/hinge motor": (PD_TRUE["gain"], PD_KD)}
    experiment = Experiment(scenario, log, [], "drake_pd", gains)
    position = experiment.predict(np.zeros(0))[0]
    return wm.RobotLog(
        log.time, {**log.signals, ("hinge", "position"): position}
    )


def measure(*, repetitions: int, parts: Sequence[str] = PARTS) -> list[Table]:
    """Returns one table per part."""
    tables = []
    if "coverage" in parts:
        tables.append(coverage(repetitions=repetitions))
    if "speed" in parts:
        tables.append(faster())
    if "peers" in parts:
        tables.append(beside_mujoco())
    return tables


def main() -> None:
    """Prints the tables."""
    parser = report.options(__doc__)
    parser.add_argument(
        "--repetitions", type=int, metavar="N", help="instead of 100"
    )
    parser.add_argument("--part", choices=PARTS, help="that one alone")
    args = parser.parse_args()
    warnings.simplefilter("ignore", wm.MotorWarning)
    repetitions = args.repetitions or (QUICK if args.quick else REPETITIONS)
    parts = [args.part] if args.part else PARTS
    report.show("fit", measure(repetitions=repetitions, parts=parts), args)


if __name__ == "__main__":
    main()
