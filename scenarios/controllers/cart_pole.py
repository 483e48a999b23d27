"""Learns to hold a pole upright: an environment of deepbots, and a random search."""

import random
import sys

try:
    from deepbots.supervisor.controllers.robot_supervisor import RobotSupervisor
except ImportError:
    sys.exit('this example is made with deepbots: pip install "deepbots<1"')

STEPS = 250  # of an episode, 16 ms each


class CartPole(RobotSupervisor):
    """The cart as deepbots' agents see it: its action is the cart's velocity."""

    def __init__(self):
        super().__init__()
        self.hinge = self.supervisor.getFromDef("POLE_HINGE")
        self.cart = self.supervisor.getDevice("cart sensor")
        self.pole = self.supervisor.getDevice("pole sensor")
        self.cart.enable(self.timestep)
        self.pole.enable(self.timestep)
        self.motor = self.supervisor.getDevice("cart motor")
        self.steps, self.state = 0, [0.0] * 4

    def start(self, angle):
        """Starts an episode with the pole at an angle, rad; returns what it sees."""
        self.reset()
        super().step([0.0])  # the reset comes at the end of it
        self.hinge.setJointPosition(angle)
        self.motor.setPosition(float("inf"))
        self.steps, self.state = 0, [0.0, 0.0, angle, 0.0]
        return self.state

    def get_observations(self):
        """Returns positions and velocities of cart (m) and pole (rad)."""
        x, angle = self.cart.getValue(), self.pole.getValue()
        period = self.timestep / 1000
        before = self.state
        self.state = [
            x,
            (x - before[0]) / period,
            angle,
            (angle - before[2]) / period,
        ]
        self.steps += 1
        return self.state

    def get_default_observation(self):
        """Returns what there is to see before the first step."""
        return [0.0] * 4

    def apply_action(self, action):
        """Moves the cart."""
        self.motor.setVelocity(max(-5.0, min(action[0], 5.0)))

    def get_reward(self, action):
        """Returns 1 for each step that the pole stands, less far from the middle."""
        return 1.0 - 0.1 * abs(self.state[0])

    def is_done(self):
        """Returns whether the pole has fallen, the rail ended, or time is over."""
        x, _, angle, _ = self.state
        return abs(angle) > 0.4 or abs(x) > 1.9 or self.steps >= STEPS

    def get_info(self):
        """Has nothing to say."""


def episode(env, gains, angle):
    """Returns the sum of the rewards, and whether the pole stood to the end."""
    state, total, done = env.start(angle), 0.0, False
    while not done:
        action = [sum(g * s for g, s in zip(gains, state, strict=True))]
        state, reward, done, _ = env.step(action)
        total += reward
    return total, env.steps >= STEPS


def main():
    """Tries gains until the pole has stood three times in a row."""
    env, chance = CartPole(), random.Random(1)
    best, gains, held, number = 0.0, [0.0] * 4, 0, 0
    while held < 3:
        number += 1
        spread = 0.0 if held else 3.0
        trial = [gain + chance.gauss(0, spread) for gain in gains]
        total, stood = episode(env, trial, chance.uniform(-0.1, 0.1))
        held = held + 1 if stood else 0
        if total > best or stood:
            best, gains = max(best, total), trial
        text = f"episode {number}: {total:.0f}"
        env.supervisor.setLabel(0, text, 0, 0, 0.1, 0xFFFFFF)
        print(text)
    env.supervisor.simulationQuit(0)
    env.supervisor.step(env.timestep)


main()
