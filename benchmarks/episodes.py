"""Whether episodes with resets need more memory, and give the same bits again.

    python benchmarks/episodes.py [--episodes N]

An environment of deepbots (pip install "deepbots<1") drives the cart pole; each episode
is reset by it. What grows is the record of the steps, which results keep.
"""

import argparse
import contextlib
import hashlib
import io
import tempfile
from pathlib import Path

from memory import resident

from webmotor_drake import load_scenario
from webmotor_drake.data import SCENARIOS
from webmotor_drake.robot import run_with_controllers

CONTROLLER = """
import random, sys
from deepbots.supervisor.controllers.robot_supervisor import RobotSupervisor

class CartPole(RobotSupervisor):
    def __init__(self):
        super().__init__()
        self.pole = self.supervisor.getDevice("pole sensor")
        self.pole.enable(self.timestep)
        self.motor = self.supervisor.getDevice("cart motor")
    def get_observations(self):
        return [self.pole.getValue()]
    def get_default_observation(self):
        return [0.0]
    def get_reward(self, action):
        return 1.0
    def is_done(self):
        return abs(self.pole.getValue()) > 0.5
    def get_info(self):
        return {}
    def apply_action(self, action):
        self.motor.setPosition(float("inf"))
        self.motor.setVelocity(action)

env, chance = CartPole(), random.Random(3)
for episode in range(int(sys.argv[1])):
    env.reset()
    env.step(0.0)
    done = False
    while not done:
        _, _, done, _ = env.step(chance.uniform(-3, 3))
    pages = open("/proc/self/statm").read().split()[1]
    print(episode, pages)
env.supervisor.simulationQuit(0)
env.supervisor.step(0)
"""


def episodes(number: int) -> tuple[list[int], int, str]:
    """Returns the memory after each episode, pages, the steps and a digest."""
    scenario = load_scenario(SCENARIOS / "supervisor_pendulum.scenario.yaml")
    scenario.simulation_duration = float("inf")
    scenario.model_drivers["cart_pole"].controller_args = [str(number)]
    printed = io.StringIO()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "episodes.py")
        file.write_text(CONTROLLER)
        scenario.model_drivers["cart_pole"].controller = str(file)
        with contextlib.redirect_stdout(printed):
            results = run_with_controllers(scenario)
    digest = hashlib.sha256()
    for values in results.signals.values():
        digest.update(values.tobytes())
    pages = [int(line.split()[1]) for line in printed.getvalue().splitlines()]
    return pages, len(results.time), digest.hexdigest()


def main() -> None:
    """Prints memory, what a step adds, and whether the bits are the same."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--episodes", type=int, default=100, metavar="N")
    number = parser.parse_args().episodes
    runs = [episodes(number) for _ in range(2)]
    pages, steps, _ = runs[0]
    early = number // 10
    print(f"{number} episodes, {steps} steps")
    print(f"memory after them / after {early}: {pages[-1] / pages[early]:.4f}")
    print(f"resident in the end: {resident() / 1e6:.0f} MB")
    print(f"the same bits again: {runs[0][2] == runs[1][2]}")


if __name__ == "__main__":
    main()
