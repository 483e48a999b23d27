"""Motors in contact: against ODE's own, and how far they creep; and free bodies.

    python benchmarks/contact.py [bodies] [wheel] [gripper] [piston] [creep]

All tables unless some are named. The mechanisms are those of the scenarios rover,
gripper and piston, with a motor step as long as the plant's. ODE's world is built
from the Drake plant: the same masses, shapes and friction, ODE's joint motors, and
contacts as Webots has them.
"""

import argparse
import math
import warnings

import numpy as np
from _lib import contact_cases, free_cases

from webmotor_drake import InputError, MotorWarning, Results, Scenario
from webmotor_drake.comparison.known_models import prepare
from webmotor_drake.engines.ode_library import load_ode
from webmotor_drake.simulation.simulation import Simulation

TIME_STEPS = (0.001, 0.008, 0.032)
SPEED = 10.0  # rad/s
# Which motors: on ODE, on Drake with each contact approximation, and with the
# torque drive, which does not see contact.
MOTORS = {
    "ODE": ("ode", ""),
    "implicit, lagged": ("webots_implicit", "lagged"),
    "implicit, similar": ("webots_implicit", "similar"),
    "implicit, sap": ("webots_implicit", "sap"),
    "torque, lagged": ("webots_torque", "lagged"),
}


def results(motors: str, scenario: Scenario) -> Results:
    """Returns what motors of `MOTORS` made of a scenario."""
    return prepare(MOTORS[motors][0], scenario, None)(None)


def wheel() -> None:
    """Prints the speeds of wheels in the first steps of a rover at rest."""
    for time_step in TIME_STEPS:
        heading(f"wheels told {SPEED:g} rad/s, step {1e3 * time_step:g} ms")
        print(
            f"{'':20}{'steps to 0.2 %':>16}{'to 0.1 %':>10}"
            "  rear wheel's speed after each step, rad/s"
        )
        for name, (_, contact) in MOTORS.items():
            case = contact_cases.rover(time_step, SPEED, contact=contact)
            case.simulation_duration = 150 * time_step
            run = results(name, case)
            speeds = [
                run[f"rover/left::{end}/velocity"][1:]
                for end in ("front", "rear")
            ]
            counts = [
                ", ".join(str(steps_to(speed, part)) for speed in speeds)
                for part in (0.002, 0.001)
            ]
            first = "".join(f"{w:9.4f}" for w in speeds[1][:6])
            print(f"{name:20}{counts[0]:>16}{counts[1]:>10}{first}")


def steps_to(speed: np.ndarray, part: float) -> int:
    """Returns after how many steps a speed stays that near to SPEED."""
    off = np.flatnonzero(np.abs(speed - SPEED) > part * SPEED)
    return off[-1] + 2 if off.size else 1


def gripper() -> None:
    """Prints efforts of the gripper that holds a box up."""
    for time_step in TIME_STEPS:
        heading(f"gripper, step {1e3 * time_step:g} ms, box held at 2.9 s")
        print(f"{'':20}{'left, N':>12}{'right, N':>12}{'lift, N':>12}")
        for name, (_, contact) in MOTORS.items():
            case = contact_cases.scenario(
                "gripper", "Lift", time_step, contact=contact
            )
            case.simulation_duration = 3.0
            run = results(name, case)
            row = np.searchsorted(run.time, 2.9)
            efforts = [
                run[f"hand/{motor}/effort"][row]
                for motor in ("grip::left", "grip::right", "lift motor")
            ]
            print(f"{name:20}" + "".join(f"{e:12.6f}" for e in efforts))


def piston() -> None:
    """Prints what the piston does to the crate."""
    for time_step in TIME_STEPS:
        heading(f"piston, step {1e3 * time_step:g} ms")
        print(
            f"{'':20}{'saturated till':>16}{'m/s at 1.5 s':>14}"
            f"{'N at 1.5 s':>12}{'N at 2.4 s':>12}{'m at 4 s':>10}"
        )
        for name, (_, contact) in MOTORS.items():
            case = contact_cases.scenario(
                "piston", "Piston", time_step, contact=contact
            )
            run = results(name, case)
            motor = "piston/rod motor"
            row, later = np.searchsorted(run.time, [1.5, 2.4])
            saturated = np.flatnonzero(run[f"{motor}/saturated"][:row])
            until = run.time[saturated[-1]] if saturated.size else math.nan
            print(
                f"{name:20}{until:14.3f} s"
                f"{run[f'{motor}/velocity'][row]:14.6f}"
                f"{run[f'{motor}/effort'][row]:12.4f}"
                f"{run[f'{motor}/effort'][later]:12.4f}"
                f"{run[f'{motor}/position'][-1]:10.5f}"
            )


def creep() -> None:
    """Prints how far what should stand still moves in 60 s."""
    heading("creep in 60 s, mm")
    print(f"{'step, stiction tolerance':34}{'parked':>10}{'grasp':>10}")
    settings = (
        (1e-3, 1e-4),
        (1e-3, 1e-5),
        (1e-3, 1e-6),
        (2e-3, 1e-6),
        (8e-3, 1e-6),
    )
    for time_step, tolerance in settings:
        parked, grasp = (
            1e3 * creep_of(file, name, time_step, tolerance)
            for file, name in (("rover", "Parked"), ("gripper", "Lift"))
        )
        label = f"{1e3 * time_step:g} ms, {tolerance:g} m/s"
        print(f"{label:34}{parked:10.4f}{grasp:10.4f}")


def creep_of(file: str, name: str, time_step: float, tolerance: float) -> float:
    """Returns how far the rover, or the box in the hand, moves in 60 s, m."""
    case = contact_cases.scenario(file, name, time_step)
    case.plant_config.stiction_tolerance = tolerance
    driver = case.model_drivers[contact_cases.MODEL[file]]
    driver.commands = [c for c in driver.commands if c.time < 3.0]
    simulation = Simulation(case)
    plant, simulator = simulation.plant, simulation.simulator
    moved, frame = ("chassis", "world") if file == "rover" else ("box", "palm")

    def place() -> np.ndarray:
        context = plant.GetMyContextFromRoot(simulator.get_context())
        return plant.CalcRelativeTransform(
            context,
            plant.GetBodyByName(frame).body_frame(),
            plant.GetBodyByName(moved).body_frame(),
        ).translation()

    simulator.AdvanceTo(2.5)
    start = place()
    simulator.AdvanceTo(62.5)
    return float(np.linalg.norm(place() - start))


def heading(text: str) -> None:
    """Prints a table's heading."""
    print(f"\n{text}\n{'-' * len(text)}")


def bodies() -> None:
    """Prints what free bodies of drawn shapes do, of two seeds at each step."""
    for step in free_cases.STEPS:
        heading(f"free bodies, step {1e3 * step:g} ms")
        print(f"{'':32}{'ours':>9}{'ODE':>9}{'form':>9}")
        for seed in range(2):
            for name, *values in free_cases.rows(seed, step):
                print(f"{name:32}" + "".join(f"{v:9.3f}" for v in values))


TABLES = {
    table.__name__: table for table in (bodies, wheel, gripper, piston, creep)
}


def main() -> None:
    """Prints the tables that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument(
        "tables", nargs="*", metavar="TABLE", help=", ".join(TABLES)
    )
    wanted = parser.parse_args().tables
    warnings.simplefilter("ignore", MotorWarning)
    try:
        load_ode()
    except InputError as error:
        print(f"no rows of ODE: {error}")
        del MOTORS["ODE"]
    for name in wanted or TABLES:
        TABLES[name]()


if __name__ == "__main__":
    main()
