"""The motors of a scenario that are in a log, and their measurements."""

import dataclasses as dc
import fnmatch
import math
from collections.abc import Mapping, Sequence

import numpy as np

from webmotor_drake.drive.driver import WebotsMotorDriver
from webmotor_drake.engines.drake_controllers import Gains
from webmotor_drake.errors import InputError, unknown_name
from webmotor_drake.fitting.robot_log import COMMANDS, MEASURED, RobotLog
from webmotor_drake.motor.coupling import coupled_motors
from webmotor_drake.motor.driver_checks import expanded
from webmotor_drake.nodes.motors import LinearMotor, MotorNode
from webmotor_drake.nodes.servo import Servo
from webmotor_drake.results.run_record import LINEAR, ROTATIONAL, Units
from webmotor_drake.scenario.parameter_path import Keys
from webmotor_drake.scenario.scenario import Scenario, robots_of


@dc.dataclass(frozen=True)
class LoggedMotor:
    """A motor that is in a log.

    Attributes:
        name: name in the log.
        model: model that it belongs to.
        motor: name in the model.
        index: index in device order.
        joint: joint that it drives.
        multiplier: multiplier of the motor.
        sensor: path of the joint's position sensor, if the scenario has one.
        commanded: True if the log commands it; of coupled motors only the first is.
        is_linear: True if its joint slides.
    """

    name: str
    model: str
    motor: str
    index: int
    joint: str
    multiplier: float
    sensor: Keys | None
    commanded: bool
    is_linear: bool

    @property
    def signal(self) -> str:
        """Its name in results, "<model>/<motor>"."""
        return f"{self.model}/{self.motor}"

    @property
    def units(self) -> Units:
        """The units of its signals."""
        return LINEAR if self.is_linear else ROTATIONAL


def logged_motors(scenario: Scenario, log: RobotLog) -> list[LoggedMotor]:
    """Returns the motors that are in a log.

    Names in the log are those of joints, or "<model>/<motor>", or
    "<model>/<joint>".

    Raises:
        InputError: no name is known, or commands or measurements are missing.
    """
    known: dict[str, LoggedMotor] = {}
    for model, driver in robots_of(scenario).items():
        for motor in motors_of(model, driver):
            joint = motor.joint
            for name in (joint, f"{model}/{joint}", motor.signal):
                known.setdefault(name, motor)
    found = {name: known[name] for name in log.names if name in known}
    if not found:
        motors = dict.fromkeys(m.joint for m in known.values())
        problem = unknown_name("joint", log.names[0], motors)
        raise InputError(
            f"no name in it is one of the scenario's: {problem}", where=log.file
        )
    owners: dict[str, str] = {}
    for name, motor in found.items():
        if motor.signal in owners:
            raise InputError(
                f"{owners[motor.signal]} and {name} are the same motor",
                where=log.file,
            )
        owners[motor.signal] = name
    return _with_commands(
        [dc.replace(m, name=n) for n, m in found.items()], log
    )


def motors_of(model: str, driver: WebotsMotorDriver) -> list[LoggedMotor]:
    """Returns the motors of a model, without their names in a log."""
    driver = expanded(driver)
    sensors = {
        sensor.joint: ("model_drivers", model, "position_sensors", name)
        for name, sensor in reversed(driver.position_sensors.items())
    }
    firsts = [min(group) for group in coupled_motors(list(driver.motors))]
    return [
        LoggedMotor(
            name="",
            model=model,
            motor=name,
            index=i,
            joint=motor.joint,
            multiplier=motor.multiplier or 1.0,
            sensor=sensors.get(motor.joint),
            commanded=firsts[i] == i,
            is_linear=isinstance(motor, LinearMotor),
        )
        for i, (name, motor) in enumerate(driver.motors.items())
    ]


# Sections of a driver whose entries belong to a joint.
_OF_JOINTS = ("joints", "motors", "position_sensors")


def motors_at(path: Keys, scenario: Scenario) -> dict[str, MotorNode | Servo]:
    """Returns the motors on the joint that a driver's value belongs to, by name.

    Args:
        path: path of the value; one without a joint gives no motors.
        scenario: scenario with the drivers.
    """
    if path[0] != "model_drivers" or len(path) < 4 or path[2] not in _OF_JOINTS:
        return {}
    driver, section, joint = scenario.model_drivers[path[1]], *path[2:4]
    if section != "joints":
        joint = getattr(driver, section)[joint].joint
    return {n: m for n, m in driver.motors.items() if m.joint == joint}


def _with_commands(
    motors: list[LoggedMotor], log: RobotLog
) -> list[LoggedMotor]:
    """Returns the motors, as commanded only if the log has their commands."""
    has = {
        kinds: {name for name, signal in log.signals if signal in kinds}
        for kinds in (COMMANDS, MEASURED)
    }
    told = [
        dc.replace(m, commanded=m.commanded and m.name in has[COMMANDS])
        for m in motors
    ]
    for done, there, kinds in (
        ("commanded", [m.name for m in told if m.commanded], COMMANDS),
        ("measured", has[MEASURED] & {m.name for m in motors}, MEASURED),
    ):
        if not there:
            raise InputError(
                f"nothing was {done}; one of {', '.join(kinds)} is needed",
                where=log.file,
            )
    return told


def gains_of(
    scenario: Scenario,
    log: RobotLog,
    gains: Mapping[str, Sequence[float]],
    model: str,
) -> Gains:
    """Returns the gains of each motor that is in the log.

    Args:
        scenario: scenario with the motors.
        log: log with some of them.
        gains: kp and kd by "<model>/<motor>"; * stands for any text.
        model: motor model; only drake_pd has gains.

    Raises:
        InputError: a name matches no motor, or values are not gains.
    """
    if model != "drake_pd":
        return {}
    names = [motor.signal for motor in logged_motors(scenario, log)]
    found: dict[str, tuple[float, float]] = {}
    for pattern, pair in gains.items():
        matching = [n for n in names if fnmatch.fnmatchcase(n, pattern)]
        if not matching:
            problem = unknown_name("motor", pattern, names)
            raise InputError(problem, path=("gains",))
        if len(pair) != 2:
            raise InputError(
                f"{list(pair)}; two numbers kp and kd are needed",
                path=("gains", pattern),
            )
        found.update({n: (float(pair[0]), float(pair[1])) for n in matching})
    return found


# A speed is the slope between samples this far to either side.
_BESIDE = 4
# Least scale as a share of the signal's range: a fit need not be finer.
_FINEST = 1e-3
# The least scale, for signals that stand still.
_LEAST = 1e-9


@dc.dataclass(frozen=True)
class Series:
    """A measured signal of a motor.

    Attributes:
        motor: motor of the signal.
        signal: "position", "velocity" or "effort".
        measured: measurements, shape (N,); NaN where there is none.
        scale: divisor of a residual.
        experiment: name of the experiment and ": ", if there are several.
        repeated: number of samples that each value lasts, see `fresh`.
    """

    motor: LoggedMotor
    signal: str
    measured: np.ndarray
    scale: float
    experiment: str = ""
    repeated: int = 1

    @property
    def name(self) -> str:
        """The column in the log, behind the name of one of several experiments."""
        return f"{self.experiment}{self.motor.name}.{self.signal}"

    @property
    def unit(self) -> str:
        """The unit of the measurement."""
        return getattr(self.motor.units, self.signal)

    @property
    def stands_still(self) -> bool:
        """True if all movement is within the noise."""
        return (
            np.ptp(self.measured[np.isfinite(self.measured)]) <= 6 * self.scale
        )


def speed_of(log: RobotLog, motor: LoggedMotor) -> np.ndarray:
    """Returns how fast a motor's joint moved, shape (N,), rad/s or m/s.

    The speed is measured, or else the slope between positions some samples apart, as
    neighbours differ mostly by noise. NaN: not known.
    """
    velocity = log.get(motor.name, "velocity")
    if velocity is not None:
        return np.abs(velocity)
    speed = np.full(len(log.time), np.nan)
    position = log.get(motor.name, "position")
    if position is None:
        return speed
    known = np.flatnonzero(np.isfinite(position))
    if len(known) > 1:
        here = np.arange(len(known))
        before = known[np.maximum(here - _BESIDE, 0)]
        after = known[np.minimum(here + _BESIDE, len(known) - 1)]
        way = np.abs(position[after] - position[before])
        speed[known] = way / (log.time[after] - log.time[before])
    return speed


def scale_of(values: np.ndarray) -> float:
    """Returns the scale of a signal's residuals: its noise, or a little more.

    Args:
        values: finite values, shape (N,).
    """
    return max(noise_of(values), _FINEST * float(np.ptp(values)), _LEAST)


def noise_of(values: np.ndarray) -> float:
    """Returns the standard deviation of a signal's noise, by a robust estimate.

    Second differences remove slow motion; their median is robust against jumps.
    """
    if len(values) < 3:
        return 0.0
    bends = np.diff(values, n=2)
    return float(1.4826 * np.median(np.abs(bends)) / math.sqrt(6))


# In motion a fresh value seldom equals the one before: from this share on it repeats.
_REPEATED = 0.4  # of the samples
_FEWEST = 40  # samples in motion
_MOVING = 12.0  # least change over `_OVER` samples in motion, in resolutions
_OVER = 8


def fresh(values: np.ndarray) -> tuple[np.ndarray, int]:
    """Returns values with NaN for repetitions, and the samples that one value lasts.

    Args:
        values: shape (N,); NaN where nothing was measured.

    Returns:
        Values, shape (N,), and the number of samples; 1: nothing is repeated.
    """
    known = np.flatnonzero(np.isfinite(values))
    steps = np.abs(np.diff(values[known]))
    if len(steps) < _FEWEST or not steps.any():
        return values, 1
    resolution = float(steps[steps > 0].min())
    cumulative = np.append(0.0, np.cumsum(steps))
    beside = np.minimum(np.arange(len(steps)) + _OVER, len(steps))
    way = cumulative[beside] - cumulative[np.maximum(beside - 2 * _OVER, 0)]
    moving = way > 2 * _MOVING * resolution
    if moving.sum() < _FEWEST or (steps[moving] == 0).mean() < _REPEATED:
        return values, 1
    new = np.append(True, steps > 0)
    kept = np.full_like(values, np.nan)
    kept[known[new]] = values[known[new]]
    each = np.diff(np.flatnonzero(new))
    return kept, int(np.median(each))
