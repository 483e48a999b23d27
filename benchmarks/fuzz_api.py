"""Random calls of the whole controller API, in random order, with random arguments.

    python benchmarks/fuzz_api.py [--calls N] [--seed S]

Every call ends: it does what it does, prints a line, or raises what Webots' own
Python raises for such arguments. Anything else is shown, and the exit status is 1.
"""

import argparse
import contextlib
import inspect
import io
import struct
import sys
import tempfile
import warnings
from collections import Counter
from pathlib import Path

import numpy as np

from webmotor_drake import MotorWarning, load_scenario
from webmotor_drake.data import SCENARIOS
from webmotor_drake.robot import RobotSession

# What Webots' Python raises too: ctypes, struct, lists and texts. An image's
# getters index what they are given: it may be a dict, or repeated 2**40 times.
ALLOWED = (
    LookupError,
    MemoryError,
    OverflowError,
    TypeError,
    ValueError,
    struct.error,
)
# Calls between two steps, on average.
BETWEEN = 5
# They wait for what never comes, or end the session.
LEFT_OUT = {"waitForUserInputEvent", "stepBegin", "stepEnd", "step"}

DEVICES = """
gps: !GPS {accuracy: 0.1}
imu: !InertialUnit {noise: 0.01}
gyro: !Gyro {}
accelerometer: !Accelerometer {}
compass: !Compass {}
altimeter: !Altimeter {}
distance: !DistanceSensor {number_of_rays: 5}
sonar: !DistanceSensor {type: sonar, number_of_rays: 3}
red: !DistanceSensor {type: infra-red}
touch: !TouchSensor {}
light: !LightSensor {occlusion: true}
led: !LED {}
emitter: !Emitter {buffer_size: 50}
receiver: !Receiver {channel: -1}
camera: !Camera
  width: 8
  height: 6
  zoom: {}
  recognition: {segmentation: true, recognition_colors: {ground: [[1, 1, 1]]}}
range: !RangeFinder {width: 8, height: 6}
lidar: !Lidar {horizontal_resolution: 16, number_of_layers: 2}
display: !Display {width: 8, height: 6}
speaker: !Speaker {}
pen: !Pen {}
radar: !Radar {}
"""

# Wheels off the ground that nothing slows down get faster for ever under a torque. A
# discrete plant takes gyroscopic terms from the start of its step, so at a turn per
# step the robot diverges, as it does in Webots. With this they stay below 20 rad/s.
DAMPED = "\n".join(
    f"      {wheel}: {{damping_constant: 0.05}}"
    for wheel in ("front_left", "front_right", "rear_left", "rear_right")
)


def session() -> RobotSession:
    """Returns a session of the rover with every kind of device."""
    lines = [f"      {line}" for line in DEVICES.strip().splitlines()]
    text = "simulation_duration: .inf\nmodel_drivers:\n  rover:\n"
    text += f"    commands: []\n    joints:\n{DAMPED}\n    position_sensors:\n"
    text += "      wheel: {joint: front_left}\n    brakes:\n"
    text += "      brake: {joint: front_left}\n    devices:\n"
    return RobotSession(
        load_scenario(
            SCENARIOS / "rover.scenario.yaml",
            name="Drive",
            text=text
            + "\n".join(lines)
            + "\n    lights: {sun: !PointLight {}}\n",
        )
    )


def arguments(random: np.random.Generator, folder: Path) -> list[object]:
    """Returns what a call may be given."""
    return [
        *(0, 1, -1, 2, 7, 8, 64, 2**40, 0.5, -0.5, 1e300),
        *(float("nan"), float("inf"), "x", "", "gps", b"bytes", b""),
        *(None, True, [], [1, 2], [0.5], (1, 2, 3), {"a": 1}),
        str(folder / "file.png"),
        int(random.integers(-1000, 1000)),
        float(random.normal()),
    ]


def calls_of(thing: object) -> list[str]:
    """Returns the methods that a controller may call."""
    return [
        name
        for name, _ in inspect.getmembers(type(thing), callable)
        if not name.startswith("_") and name not in LEFT_OUT
    ]


def wanted(method: object, random: np.random.Generator) -> int:
    """Returns how many arguments a call is given: mostly those that it takes."""
    try:
        number = len(inspect.signature(method).parameters)
    except ValueError:
        number = 1
    return number if random.random() < 0.9 else int(random.integers(5))


def fuzz(number: int, seed: int, folder: Path) -> tuple[Counter, list[str]]:
    """Makes random calls.

    Args:
        number: how many.
        seed: of their order and arguments.
        folder: where they may write.

    Returns:
        How often calls returned, or raised what they may; and what was wrong.
    """
    random = np.random.default_rng(seed)
    found: Counter[str] = Counter()
    wrong = []
    with session() as run:
        robot = run.robot("rover")
        things = [robot, *robot.devices.values()]
        for _ in range(number):
            if random.random() < 1 / BETWEEN:
                robot.step(int(random.choice([0, 2, 4, 20])))
            thing = things[random.integers(len(things))]
            names = calls_of(thing)
            name = names[random.integers(len(names))]
            known = arguments(random, folder)
            given = [
                known[i]
                for i in random.integers(
                    len(known), size=wanted(getattr(thing, name), random)
                )
            ]
            try:
                getattr(thing, name)(*given)
                found["returned"] += 1
            except ALLOWED as error:
                found[type(error).__name__] += 1
            except Exception as error:
                wrong.append(f"{thing!r}.{name}{tuple(given)!r}: {error!r}")
    return found, wrong


def main() -> int:
    """Prints what came of the calls; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    warnings.simplefilter("ignore", MotorWarning)
    said = io.StringIO()
    with (
        tempfile.TemporaryDirectory() as folder,
        contextlib.redirect_stderr(said),
    ):
        found, wrong = fuzz(args.calls, args.seed, Path(folder))
    print(f"{args.calls} calls: {dict(found)}")
    print(f"{len(said.getvalue().splitlines())} lines on standard error")
    for line in wrong:
        print(f"wrong: {line}")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
