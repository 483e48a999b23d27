"""How far motors on Drake are from ODE's, on all reference cases.

    python benchmarks/fidelity.py [FOLDER]

FOLDER holds the cases (tests/cases unless given): motors with the trajectories of
ODE's own joint motors, and tolerances. For each drive the largest difference in
joint position (rad, m) and velocity (rad/s, m/s) over the run; in the last pair of
columns for ODE itself, its world built from the Drake plant: how well the mechanism
is carried over. The files hold 9 digits.
"""

import argparse
import json
import sys
import warnings
from pathlib import Path

import numpy as np

TESTS = Path(__file__).parent.parent / "tests"
sys.path.insert(0, str(TESTS))

from mechanisms import MODEL, Rig, drake_case  # noqa: E402

from webmotor_drake import (  # noqa: E402
    InputError,
    MotorWarning,
    TimedCommand,
    WebotsMotorDriver,
)
from webmotor_drake.drive.drive_choice import DRIVES  # noqa: E402
from webmotor_drake.engines.ode_world import OdeWorld  # noqa: E402
from webmotor_drake.engines.stepped_motors import (  # noqa: E402
    SteppedMotors,
    SteppedRun,
)

SIGNALS = "position", "velocity"
# `auto` is one of these; kinematic joints have no dynamics to compare.
COMPARED = [drive for drive in DRIVES if drive not in ("auto", "kinematic")]


def on_drake(case: dict, drive: str) -> dict[str, np.ndarray]:
    """Returns the signals of a case on one of our drives."""
    return Rig(*drake_case(case, drive=drive)).signals(case["steps"])


def on_ode(case: dict) -> dict[str, np.ndarray]:
    """Returns the signals of a case on ODE, built from the Drake plant."""
    _, plant, system = drake_case(case)
    driver = WebotsMotorDriver(
        cfm=case["cfm"],
        commands=[command_of(c, case["time_step"]) for c in case["commands"]],
    )
    world = OdeWorld(plant, SteppedMotors({MODEL: system}, {MODEL: driver}))

    def push(step: int) -> None:
        for force in case.get("external", ()):
            if force["from_step"] <= step < force["to_step"]:
                world.add_force(force["body"], force["force"])

    run = SteppedRun(world)
    run.run(case["steps"] * case["time_step"], before_step=push)
    return run.signals()


def command_of(command: dict, period: float) -> TimedCommand:
    """Returns a case's command as a scenario has it."""
    verbs = {
        name: value if isinstance(value, list) else float(value)
        for name, value in command.items()
        if name.startswith("set_")
    }
    time = command["step"] * period
    return TimedCommand(time=time, motor=command["motor"], **verbs)


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
    parser.add_argument("folder", nargs="?", default=TESTS / "cases", type=Path)
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
