"""The cost of devices per step, and the number of images per second.

    python benchmarks/devices.py [--quick] [--out FILE]

The rover of its scenario at a motor period of 8 ms, commanded step by step. Eight
DistanceSensors of one ray each may add 15 %; devices that are not on, nothing. Images
are those of a Camera in the same scene.
"""

import time
import warnings

from _lib import interleaved, report
from _lib.report import Table

from webmotor_drake import MotorWarning, load_scenario
from webmotor_drake.data import SCENARIOS
from webmotor_drake.host.senses.renderer import can_render
from webmotor_drake.robot import RobotSession

PERIOD = 8  # ms
GOAL = 1.15
SENSORS = 8
SIZES = ((64, 64), (320, 240), (640, 480))
FRAMES = 20
QUICK = {"rounds": 3, "seconds": 0.05}
NONE, OFF, ON = "no devices", "eight that are off", "eight DistanceSensors"


def rover(devices: str) -> RobotSession:
    """Returns the rover with devices, as in a YAML mapping, on its chassis."""
    text = (
        "{simulation_duration: .inf, model_drivers: {rover: {basic_time_step:"
        f" {PERIOD / 1000}, commands: [], devices: {{{devices}}}}}}}}}"
    )
    scenario = load_scenario(
        SCENARIOS / "rover.scenario.yaml", name="Drive", text=text
    )
    return RobotSession(scenario)


def eyes() -> str:
    """Returns the DistanceSensors, all around."""
    return ", ".join(
        f"eye {i}: !DistanceSensor {{frame: chassis, pose: {{translation:"
        f" [0.16, 0, 0], rotation: [0, 0, 1, {i * 6.28 / SENSORS}]}},"
        " lookup_table: [[0, 0, 0], [2, 1000, 0]]}"
        for i in range(SENSORS)
    )


def stepping(devices: str, *, on: bool) -> interleaved.Case:
    """Returns the case of a rover that is stepped and its sensors read."""
    robot = rover(devices).robot("rover")
    sensors = []
    if on:
        sensors = [robot.getDevice(f"eye {i}") for i in range(SENSORS)]
        for sensor in sensors:
            sensor.enable(PERIOD)

    def advance(steps: int) -> None:
        for _ in range(steps):
            robot.step(PERIOD)
            for sensor in sensors:
                sensor.getValue()

    return interleaved.timed(advance)


def costs(timing: dict) -> Table:
    """Returns µs per step and how much more that is than without devices."""
    cases = {
        NONE: stepping("", on=False),
        OFF: stepping(eyes(), on=False),
        ON: stepping(eyes(), on=True),
    }
    found = interleaved.microseconds_a_step(cases, **timing)
    rows = {
        name: [round(cost, 1), round(cost / found[NONE], 3)]
        for name, cost in found.items()
    }
    return Table(
        "Processor time of an 8 ms step of the rover",
        ["µs", "times"],
        rows,
        goals={ON: [None, GOAL]},
    )


def images() -> Table:
    """Returns a Camera's images per second, by size."""
    rows = {}
    for width, height in SIZES if can_render() else ():
        camera = (
            f"eye: !Camera {{frame: chassis, width: {width}, height: {height}}}"
        )
        robot = rover(camera).robot("rover")
        robot.step(PERIOD)
        sampler = robot.getDevice("eye")._state.device.sampler
        sampler.sensed()
        start = time.perf_counter()
        for _ in range(FRAMES):
            sampler.sensed()
        spent = time.perf_counter() - start
        rows[f"{width} x {height}"] = [round(FRAMES / spent, 1)]
    return Table("A Camera's images", ["per second"], rows)


def measure(*, quick: bool) -> list[Table]:
    """Returns the costs and the images per second."""
    return [costs(QUICK if quick else {}), images()]


def main() -> None:
    """Prints the tables."""
    args = report.options(__doc__).parse_args()
    warnings.simplefilter("ignore", MotorWarning)
    report.show("devices", measure(quick=args.quick), args)


if __name__ == "__main__":
    main()
