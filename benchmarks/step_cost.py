"""The cost of a step: our motors, Drake's own actuators, the bare plant and ODE.

    python benchmarks/step_cost.py [--quick] [--out FILE]

Chains of 1, 7 and 30 joints, time step 1 ms: in motion, each joint told a sine of its
own; in motion with too little torque now and then; and at rest, where at 30 the lower
joints can't hold the chain and are always at their limits. Then the rover on the
ground, 100 robots in one plant, the cost of a controller and the memory of long runs.
The tables of ratios have goals. `cost_gate.py` sees what has become dearer.
"""

import math
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

from _lib import (
    chains,
    contact_cases,
    interleaved,
    moving_chains,
    ode_chain,
    report,
)
from _lib.report import Table

from webmotor_drake import MotorWarning

LINKS = (1, 7, 30)
COLUMNS = [f"n = {links}" for links in LINKS]
ROVER_SPEED = 1.0  # rad/s
ROBOTS, ROBOT_LINKS = 100, 3
# Many short turns: on a busy machine some are undisturbed.
QUICK = {"rounds": 16, "seconds": 0.015, "settling": 0.3}
# Chains come to rest within SETTLING_STEPS, however slow the machine is.
COMING_TO_REST = {"settling": math.inf}
# Contact takes short turns: one that nothing else disturbs is among them.
SHORT = {"rounds": 60, "seconds": 0.02}
PORTS = {"ports sampled": True, "ports not sampled": False}

BARE, BARE_OFF = "bare plant, Drake's defaults", "bare plant, sampled off"
PD, PD_OFF = "Drake PD, Drake's defaults", "Drake PD, sampled off"
OURS = "our motors"
ODE_C = "ODE dWorldStep, law in C"
ODE_PYTHON = "ODE dWorldStep, law in Python (no C compiler)"
# The saturated motion: which chain, and its torque over the largest that is needed.
SATURATED_LINKS, SATURATED = 7, 1 / 3
MOVING_GOALS = {f"{OURS} / Drake PD": [0.75, 0.75, 0.8]}
SATURATED_GOALS = {f"{OURS} / Drake PD": [0.45]}
REST_GOALS = {
    f"{OURS} / Drake PD": [0.6, 0.65, 0.65],
    f"{OURS} / {BARE}": [None, None, None],
    f"{OURS} / ODE dWorldStep": [None, None, 0.2],
}
ROVER_RATIO, ROVER_GOAL = f"rover, implicit drive, {OURS} / Drake PD", 1.35
ROBOTS_RATIO = f"{ROBOTS} robots of {ROBOT_LINKS} motors / {BARE}"
ROBOTS_GOAL = 2.0


def moving_costs(timing: dict) -> Table:
    """Returns the costs of chains in motion, µs per step."""
    table = Table("µs per step, n joints in motion", COLUMNS)
    for links in LINKS:
        costs = _moving(links, moving_chains.ENOUGH, timing)
        for name, cost in costs.items():
            table.rows.setdefault(name, []).append(cost)
    return table


def saturated_costs(timing: dict) -> Table:
    """Returns the costs where the torque does not always suffice, µs per step."""
    links = SATURATED_LINKS
    torque = SATURATED * moving_chains.peak_torque(links)
    costs = _moving(links, torque, timing)
    rows = {name: [cost] for name, cost in costs.items()}
    title = "µs per step, in motion, saturated now and then"
    return Table(title, [f"n = {links}"], rows)


def _moving(links: int, max_torque: float, timing: dict) -> dict:
    """Returns the costs of a chain in motion by case."""
    cases = {
        "bare plant": _drake(moving_chains.bare(links)),
        "Drake PD": _drake(
            moving_chains.drake_pd(links, max_torque=max_torque)
        ),
        OURS: _drake(moving_chains.motors(links, max_torque=max_torque)),
    }
    return interleaved.microseconds_a_step(cases, **timing)


def moving_ratios(costs: Table, title: str, goals: dict) -> Table:
    """Returns the ratios of chains in motion."""
    ratios = _divided(costs.rows[OURS], costs.rows["Drake PD"])
    rows = {f"{OURS} / Drake PD": ratios}
    return Table(title, costs.columns, rows, goals)


def rest_costs(timing: dict) -> Table:
    """Returns the costs of chains that hold still, µs per step."""
    table = Table("µs per step, n joints at rest", COLUMNS)
    for links in LINKS:
        cases = {
            BARE: _drake(chains.bare(links, sampled=True)),
            BARE_OFF: _drake(chains.bare(links, sampled=False)),
            PD: _drake(chains.drake_pd(links, sampled=True)),
            PD_OFF: _drake(chains.drake_pd(links, sampled=False)),
            OURS: _drake(chains.motors(links, sampled=False)),
        }
        cases |= _ode_case(links)
        timed = timing | COMING_TO_REST
        costs = interleaved.microseconds_a_step(cases, **timed)
        costs.setdefault(ODE_C, ode_chain.missing() or "no compiler")
        for name, cost in costs.items():
            table.rows.setdefault(name, []).append(cost)
    return table


def _drake(simulator) -> interleaved.Case:
    return interleaved.stepping(simulator, chains.TIME_STEP)


def _ode_case(links: int) -> dict[str, interleaved.Case]:
    if ode_chain.missing():
        return {}
    chain = ode_chain.OdeChain(links)
    if ode_chain.compiler():
        return {ODE_C: chain.in_c()}
    return {ODE_PYTHON: chain.in_python()}


def rest_ratios(costs: Table) -> Table:
    """Returns the ratios of chains that hold still."""
    rows = costs.rows
    ode = rows.get(ODE_PYTHON, rows[ODE_C])
    pd = list(map(min, rows[PD], rows[PD_OFF]))
    ratios = {
        f"{OURS} / Drake PD": _divided(rows[OURS], pd),
        f"{OURS} / {BARE}": _divided(rows[OURS], rows[BARE]),
        f"{OURS} / ODE dWorldStep": _divided(rows[OURS], ode),
    }
    title = "ratio (goal), n joints at rest"
    return Table(title, COLUMNS, ratios, REST_GOALS)


def _divided(numbers: list, others: list) -> list[float | None]:
    """Returns ratios; None where a number is missing."""
    return [
        None if isinstance(a, str) or isinstance(b, str) else a / b
        for a, b in zip(numbers, others, strict=True)
    ]


def rover_costs(timing: dict) -> Table:
    """Returns the costs of the rover that rolls on the ground, µs per step."""
    made = {
        "bare plant": contact_cases.bare,
        "Drake PD": lambda case: contact_cases.drake_pd(case, ROVER_SPEED),
        OURS: contact_cases.ours,
    }
    cases = {}
    for ports, sampled in PORTS.items():
        settings = {
            "time_step": 0.001,
            "speed": ROVER_SPEED,
            "sampled": sampled,
        }
        for name, make in made.items():
            case = contact_cases.rover(**settings)
            cases[name, ports] = _drake(make(case))
    costs = interleaved.microseconds_a_step(cases, **timing)
    return _by_ports("µs per step, rover in contact, 4 motors", made, costs)


def robots_costs(timing: dict) -> Table:
    """Returns the costs of many small robots in one plant, µs per step."""
    made = {
        "bare plant": chains.bare,
        "Drake PD": chains.drake_pd,
        "torque drive": chains.motors,
    }
    cases = {
        (name, ports): _drake(make(ROBOT_LINKS, ROBOTS, sampled=sampled))
        for name, make in made.items()
        for ports, sampled in PORTS.items()
    }
    costs = interleaved.microseconds_a_step(cases, **timing)
    title = f"µs per step, {ROBOTS} robots of {ROBOT_LINKS} motors in one plant"
    return _by_ports(title, made, costs)


def _by_ports(title: str, names, costs: dict) -> Table:
    rows = {name: [costs[name, ports] for ports in PORTS] for name in names}
    return Table(title, list(PORTS), rows)


def single_ratios(rover: Table, robots: Table) -> Table:
    """Returns the ratios that are one number each, each at its best ports."""
    table = Table("one number each (goal)", ["ratio"])
    pd = min(rover.rows["Drake PD"])
    table.rows[ROVER_RATIO] = [min(rover.rows[OURS]) / pd]
    table.goals[ROVER_RATIO] = [ROVER_GOAL]
    bare = robots.rows["bare plant"][list(PORTS.values()).index(True)]
    table.rows[ROBOTS_RATIO] = [min(robots.rows["torque drive"]) / bare]
    table.goals[ROBOTS_RATIO] = [ROBOTS_GOAL]
    return table


def tables_of(script: str) -> list[Table]:
    """Returns what another benchmark finds, run in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "out.json")
        path = Path(__file__).with_name(script)
        command = [sys.executable, str(path), "--out", str(out)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        return report.read(out)[1]


def measure(*, quick: bool) -> list[Table]:
    """Returns all tables; quick: without other benchmarks' ratios."""
    timing = QUICK if quick else {}
    moving = moving_costs(timing)
    saturated = saturated_costs(timing)
    rest = rest_costs(timing)
    rover = rover_costs(QUICK if quick else SHORT)
    robots = robots_costs(timing)
    single = single_ratios(rover, robots)
    for script in () if quick else ("controller_cost.py", "memory.py"):
        for table in tables_of(script):
            for name, goals in table.goals.items():
                single.rows[name] = table.rows[name]
                single.goals[name] = goals
    return [
        moving_ratios(moving, "ratio (goal), n joints in motion", MOVING_GOALS),
        moving_ratios(
            saturated, "ratio (goal), saturated now and then", SATURATED_GOALS
        ),
        rest_ratios(rest),
        single,
        *(moving, saturated, rest, rover, robots),
    ]


def main() -> None:
    """Prints the tables."""
    args = report.options(__doc__).parse_args()
    warnings.simplefilter("ignore", MotorWarning)
    report.show("step_cost", measure(quick=args.quick), args)


if __name__ == "__main__":
    main()
