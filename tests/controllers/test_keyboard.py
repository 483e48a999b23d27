"""Keys that somebody holds in the live page reach controllers."""

import webmotor_drake as wm
from webmotor_drake.controllers.devices.keyboard import Keyboard


def scenario():
    return wm.load_scenario(
        "package:pendulum",
        name="Lift",
        text="{simulation_duration: 1, model_drivers: {arm: {commands: []}}}",
    )


def held(keyboard):
    """Returns the keys that are read until there are no more."""
    keys = []
    while (key := keyboard.getKey()) != -1:
        keys.append(key)
    return keys


def test_keys_are_read_one_by_one_once_per_sample():
    with wm.RobotSession(scenario()) as session:
        robot = session.robot("arm")
        keyboard = robot.getKeyboard()
        assert held(keyboard) == []  # it is off
        keyboard.enable(16)
        session.simulation.keys = [Keyboard.UP, ord("W") + Keyboard.SHIFT]
        robot.step(8)
        assert held(keyboard) == [315, 87 + 65536]
        assert held(keyboard) == []
        robot.step(8)
        assert held(keyboard) == []  # the period is 16 ms
        robot.step(8)
        assert held(keyboard) == [315, 87 + 65536]
        session.simulation.keys = []
        robot.step(16)
        assert held(keyboard) == []
