"""One program in process and over the wire: same bits, same refusals."""

import math
import struct

import numpy as np
import pytest
from connected import connected
from drawn import draws
from robots import run, scenario

# Numbers of motor commands, as programs send them, by Python's methods.
SETTERS = {
    "setPosition": 1,
    "setVelocity": 2,
    "setAvailableTorque": 3,
    "setTorque": 4,
    "setAcceleration": 6,
}
# What libController lets pass of each.
PASSING = {
    "setPosition": (0.4, -1.0, math.inf, -math.inf, 1e9),
    "setVelocity": (0.0, 3.0, math.inf, 1e9),
    "setAvailableTorque": (0.0, 6.0, math.inf),
    "setTorque": (0.5, -0.5, math.inf, -math.inf, 1e9),
    "setAcceleration": (-1.0, 0.0, 20.0, math.inf),
}


def drawn_calls(seed: int) -> list[list[tuple[str, float]]]:
    """Returns the calls before each step; of a method one, in the wire's order."""
    random = np.random.default_rng(seed)
    steps = []
    for _ in range(30):
        chosen = [n for n in SETTERS if random.random() < 0.3]
        steps.append([(n, float(random.choice(PASSING[n]))) for n in chosen])
    return steps


@pytest.mark.parametrize("seed", range(draws(2, 200)))
def test_random_commands_have_the_same_bits_and_lateness(tmp_path, seed):
    calls = drawn_calls(seed)
    lengths = np.random.default_rng(seed).choice([8, 20, 64], 30).tolist()
    text = f"""
        from controller import Robot
        inf = float("inf")
        robot = Robot()
        motor = robot.getDevice("hinge motor")
        late = open({str(tmp_path / "late")!r}, "w")
        for step, ms in zip({calls!r}, {lengths!r}):
            for name, value in step:
                getattr(motor, name)(value)
            print(robot.step(ms), file=late)
        late.close()
    """
    in_process = run(tmp_path, text)
    late = []

    def control(client):
        for step, ms in zip(calls, lengths, strict=True):
            for name, value in step:
                client.motor("hinge motor", SETTERS[name], value)
            late.append(client.step(ms))
        client.clean_up()

    wire = connected(scenario(), arm=control).results
    for name, values in in_process.signals.items():
        np.testing.assert_array_equal(wire.signals[name], values, err_msg=name)
    assert (tmp_path / "late").read_text().split() == [*map(str, late)]


REFUSED = [
    ("setAcceleration(-3)", 6, (-3.0,), "-1 removes the limit"),
    ("setAvailableTorque(-1)", 3, (-1.0,), "a negative effort is ignored"),
    ("setControlPID(0, 0, 0)", 7, (0.0, 0.0, 0.0), "p > 0, i >= 0 and d >= 0"),
    ("setTorque(float('nan'))", 4, (math.nan,), "NaN is ignored"),
]


@pytest.mark.parametrize(("call", "number", "values", "told"), REFUSED)
def test_what_is_refused_is_told_in_the_same_words(
    tmp_path, capsys, call, number, values, told
):
    text = f"""
        from controller import Robot
        robot = Robot()
        robot.getDevice("hinge motor").{call}
        robot.step(8)
    """
    run(tmp_path, text)
    assert told in capsys.readouterr().err

    def control(client):
        data = struct.pack(f"<H{len(values)}d", number, *values)
        client.command("hinge motor", data)
        client.step(8)
        client.clean_up()

    connected(scenario(), arm=control)
    assert told in capsys.readouterr().err
