"""Random calls of the whole controller API, in random order, with random arguments.

    python benchmarks/fuzz_api.py [--calls N] [--seed S]

Every call ends: it does what it does, prints a line, or raises what Webots' own
Python raises for such arguments. Anything else is shown, and the exit status is 1.
"""

import sys
from collections import Counter
from pathlib import Path

import numpy as np
from _lib.random_calls import make_calls, plain_arguments, show

from webmotor_drake import load_scenario
from webmotor_drake.data import SCENARIOS
from webmotor_drake.robot import RobotSession

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


def fuzz(number: int, seed: int, folder: Path) -> tuple[Counter, list[str]]:
    """Makes random calls; see `make_calls`.

    Args:
        number: how many.
        seed: of their order and arguments.
        folder: where they may write.
    """
    with session() as run:
        robot = run.robot("rover")
        things = [robot, *robot.devices.values()]
        file = str(folder / "file.png")
        return make_calls(
            number,
            np.random.default_rng(seed),
            choose=lambda random: things[random.integers(len(things))],
            arguments=lambda random: [*plain_arguments(random), file],
            step=robot.step,
            left_out=LEFT_OUT,
        )


if __name__ == "__main__":
    sys.exit(show(fuzz, __doc__))
