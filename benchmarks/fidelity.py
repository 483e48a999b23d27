"""How far motors on Drake are from ODE's, on all reference cases.

    python benchmarks/fidelity.py [FOLDER]

FOLDER holds the cases (tests/support/cases unless given): motors with the
trajectories of ODE's own joint motors, and tolerances. For each drive the largest
difference in joint position (rad, m) and velocity (rad/s, m/s) over the run; in the
last pair of columns for ODE itself, its world built from the Drake plant: how well
the mechanism is carried over. The files hold 9 digits.
"""

import argparse
import json
import warnings
from pathlib import Path

import numpy as np
from _lib.plants import log_of
from _lib.reference_cases import CASES, MODEL, commands_of, drake_case
from pydrake.systems.analysis import Simulator

from webmotor_drake import (
    InputError,
    MotorWarning,
    WebotsMotorDriver,
)
from webmotor_drake.engines.ode_engine import OdeEngine
from webmotor_drake.engines.stepped_motors import SteppedMotors
from webmotor_drake.engines.stepped_run import SteppedRun
from webmotor_drake.motor.driver_config import DRIVES

SIGNALS = "position", "velocity"
# `auto` is one of these; kinematic joints have no dynamics to compare.
COMPARED = [drive for drive in DRIVES if drive not in ("auto", "kinematic")]


def on_drake(case: dict, drive: str) -> dict[str, np.ndarray]:
    """Returns the signals of a case on one of our drives."""
    builder, plant, motors = drake_case(case, drive=drive)
    log = log_of(builder, plant, {MODEL: motors})
    simulator = Simulator(builder.Build())
    # A step more, so that the sample at its start is there for sure.
    simulator.AdvanceTo((case["steps"] + 0.5) * case["time_step"])
    _, signals, _ = log.signals(simulator.get_context())
    return {n: values[: case["steps"] + 1] for n, values in signals.items()}


def on_ode(case: dict) -> dict[str, np.ndarray]:
    """Returns the signals of a case on ODE, built from the Drake plant."""
    _, plant, system = drake_case(case)
    driver = WebotsMotorDriver(
        cfm=case["cfm"],
        commands=commands_of(case),
    )
    engine = OdeEngine(plant, SteppedMotors({MODEL: system}, {MODEL: driver}))

    def push(step: int) -> None:
        for force in case.get("external", ()):
            if force["from_step"] <= step < force["to_step"]:
                engine.add_force(force["body"], force["force"])

    run = SteppedRun(engine)
    run.run(case["steps"] * case["time_step"], before_step=push)
    return run.signals()


def differences(case: dict, signals: dict[str, np.ndarray]) -> list[float]:
    """Returns the largest difference in each of SIGNALS to the trajectory."""
    largest = []
    for name in SIGNALS:
        stored = np.array(case["trajectory"][name])
        mine = [
            signals[f"{MODEL}/{motor}/{name}"][1:] for motor in case["motors"]
        ]
        there = stored[:, : len(mine)]
        largest.append(float(np.abs(np.transpose(mine) - there).max()))
    return largest


def row(case: dict) -> list[float]:
    """Returns the tolerances of a case, then the differences."""
    numbers = [case["tolerance"][name] for name in SIGNALS]
    for drive in COMPARED:
        numbers += differences(case, on_drake(case, drive))
    try:
        numbers += differences(case, on_ode(case))
    except InputError:  # no engine here
        numbers += [float("nan")] * len(SIGNALS)
    return numbers


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", default=CASES, type=Path)
    files = sorted(parser.parse_args().folder.glob("*.json"))
    if not files:
        parser.error("there are no cases")
    warnings.simplefilter("ignore", MotorWarning)
    width = max(len(file.stem) for file in files)
    columns = ["tolerance", *COMPARED, "ode"]
    print(" " * width + "".join(f"{column:>21}" for column in columns))
    print(
        f"{'case':{width}}" + f"{'position':>12}{'velocity':>9}" * len(columns)
    )
    for file in files:
        numbers = row(json.loads(file.read_text()))
        cells = [
            f"{number:{12 if i % 2 == 0 else 9}.1e}"
            for i, number in enumerate(numbers)
        ]
        print(f"{file.stem:{width}}{''.join(cells)}", flush=True)


if __name__ == "__main__":
    main()
