"""The cost of environments to learn in, and their robot-steps per second.

    python benchmarks/learning.py [--quick] [--out FILE]

Motors have periods of 16 ms, plants steps of 8 ms. Costs are the processor's; cases
take turns. "No interface" is one AdvanceTo over all steps. Quadrupeds in processes, an
equal share in each, are timed by the clock on the wall; a step is two periods there.
"""

import time
import warnings
from collections.abc import Callable

import gymnasium
import numpy as np
from _lib import interleaved, report
from _lib.report import Table
from gymnasium.vector import VectorEnv

import webmotor_drake as wm
from webmotor_drake import MotorWarning
from webmotor_drake.gym.tasks import TASKS as OURS, make

TASKS = ("CartPole", "Reacher", "Quadruped")
ROBOTS = (1, 16, 64)
# Quadrupeds in processes, and the steps of all of them per turn.
WORKERS, WALKING, WORKER_STEPS, TURNS = 2, (2, 8, 16), 1600, 5
QUICK = {"rounds": 2, "seconds": 0.05}


def costs(timing: dict) -> Table:
    """Returns µs per motor period of what lies around the motors."""
    ways: dict[str, Callable[[str], interleaved.Case]] = {
        "no interface": bare,
        "MotorLoop: a row in, positions, velocities, efforts out": loop,
        "MotorLoop, a reset and a step": resets,
        "WebmotorEnv.step": environment,
    }
    table = Table("µs per motor period", list(TASKS))
    for task in TASKS:
        cases = {name: way(task) for name, way in ways.items()}
        found = interleaved.microseconds_a_step(cases, **timing)
        for name, cost in found.items():
            table.rows.setdefault(name, []).append(cost)
    added = np.subtract(
        table.rows["MotorLoop: a row in, positions, velocities, efforts out"],
        table.rows["no interface"],
    ).tolist()
    table.rows["MotorLoop adds (goal)"] = added
    table.goals["MotorLoop adds (goal)"] = [8.0, 8.0, None]
    return table


def _loop(task: str) -> tuple[wm.MotorLoop, list[np.ndarray]]:
    """Returns a loop that was told the middle of all actions, and these rows."""
    actions = make(task).action_map
    rows = [r.copy() for r in actions.rows(np.zeros(len(actions.names)))]
    loop = wm.MotorLoop(OURS[task]()["scenario"], commands=actions.commands)
    loop.step(*rows)
    return loop, rows


def bare(task: str) -> interleaved.Case:
    """Returns the case of one AdvanceTo over all steps, with targets that stay."""
    loop, _ = _loop(task)

    def advance(steps: int) -> None:
        loop.steps += steps
        loop.simulation.advance_to_step(loop.steps)

    return interleaved.timed(advance)


def loop(task: str) -> interleaved.Case:
    """Returns the case of a row in and an array out per motor period."""
    stepped, rows = _loop(task)

    def advance(steps: int) -> None:
        for _ in range(steps):
            stepped.step(*rows)

    return interleaved.timed(advance)


def resets(task: str) -> interleaved.Case:
    """Returns the case of a reset and a step."""
    stepped, rows = _loop(task)

    def advance(steps: int) -> None:
        for _ in range(steps):
            stepped.reset()
            stepped.step(*rows)

    return interleaved.timed(advance)


def environment(task: str) -> interleaved.Case:
    """Returns the case of an environment that nobody ends, a period per step."""
    env = make(task, terminated=None, time_step=None)
    env.reset(seed=0)
    action = np.zeros(env.action_space.shape)

    def advance(steps: int) -> None:
        for _ in range(steps):
            *_, late, _ = env.step(action)
            if late:
                env.reset()

    return interleaved.timed(advance)


def rates(timing: dict, worker_steps: int) -> Table:
    """Returns robot-steps per second."""
    table = Table("robot-steps per second", ["all in one", "per robot"])
    cases = {f"CartPole, {n} in one plant": plant(n) for n in ROBOTS}
    cases["CartPole alone"] = environment("CartPole")
    found = interleaved.microseconds_a_step(cases, **timing)
    for name, cost in found.items():
        robots = int(name.split()[1]) if "plant" in name else 1
        table.rows[name] = [1e6 * robots / cost, 1e6 / cost]
    for robots, rate in _walking(worker_steps).items():
        name = f"Quadruped, {robots} in {WORKERS} processes"
        name = name if robots > 1 else "Quadruped alone"
        table.rows[f"{name}, by the wall"] = [rate, rate / robots]
    return table


def plant(robots: int) -> interleaved.Case:
    """Returns the case of many robots in one plant that begin anew as they fall."""
    envs = gymnasium.make_vec("webmotor_drake/CartPole-v0", num_envs=robots)
    envs.reset(seed=0)
    chance = np.random.default_rng(0)
    actions = chance.uniform(-1, 1, (100, *envs.action_space.shape))

    def advance(steps: int) -> None:
        for step in range(steps):
            envs.step(actions[step % len(actions)])

    return interleaved.timed(advance)


def _walking(steps: int) -> dict[int, float]:
    """Returns steps of quadrupeds per second, by their number, of the best turn."""
    env = gymnasium.make("webmotor_drake/Quadruped-v0")
    vectors = {
        robots: gymnasium.make_vec(
            "webmotor_drake/Quadruped-v0", num_envs=robots, processes=WORKERS
        )
        for robots in WALKING
    }
    try:
        best = dict.fromkeys([1, *WALKING], 0.0)
        for _ in range(TURNS):
            best[1] = max(best[1], _walks(env, steps))
            for robots, envs in vectors.items():
                rate = _walks(envs, max(1, steps // robots))
                best[robots] = max(best[robots], robots * rate)
        return best
    finally:
        for envs in vectors.values():
            envs.close()


def _walks(env: gymnasium.Env | VectorEnv, steps: int) -> float:
    """Returns the steps per second of an environment or a vector of them."""
    env.reset(seed=0)
    env.action_space.seed(0)
    env.step(env.action_space.sample())  # the first time it compiles
    started = time.perf_counter()
    for _ in range(steps):
        _, _, ended, late, _ = env.step(env.action_space.sample())
        if isinstance(env, gymnasium.Env) and (ended or late):
            env.reset()
    return steps / (time.perf_counter() - started)


def measure(*, quick: bool) -> list[Table]:
    """Returns costs per period and rates."""
    timing = QUICK if quick else {}
    steps = WORKER_STEPS // 10 if quick else WORKER_STEPS
    return [costs(timing), rates(timing, steps)]


def main() -> None:
    """Prints the tables."""
    args = report.options(__doc__).parse_args()
    warnings.simplefilter("ignore", MotorWarning)
    report.show("learning", measure(quick=args.quick), args)


if __name__ == "__main__":
    main()
