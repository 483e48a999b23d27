"""The parameters that are fitted by default: per motor model, with bounds.

A motor's largest effort and speed say how large its gains, friction and inertia can
be. What the scenario says is where the search starts.
"""

import dataclasses as dc
import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from webmotor_drake.engines.drake_controllers import Gains
from webmotor_drake.fitting.logged_motors import (
    LoggedMotor,
    logged_motors,
    speed_of,
)
from webmotor_drake.fitting.own_model import OWN, models_of
from webmotor_drake.fitting.parameter import ParameterSpec
from webmotor_drake.fitting.parameter_tree import GAINS
from webmotor_drake.fitting.robot_log import RobotLog
from webmotor_drake.fitting.rotors import reflected
from webmotor_drake.nodes.motors import MotorNode, max_effort
from webmotor_drake.scenario.parameter_path import Keys, path_text, value_at
from webmotor_drake.scenario.scenario import Scenario

# Motors that differ in what they do, not in how Drake carries them.
DISTINCT = [
    "webots",
    "ideal",
    "inverse_dynamics",
    "pd",
    "pd_explicit",
    "dc_motor",
    "series_elastic",
]

# Without a limit a motor is taken to be as strong and as fast as Webots' default.
_EFFORT, _SPEED = 10.0, 10.0
# The time in which its full effort would reach its full speed, s.
_REACTION = 0.1
_ROTOR = 0.05  # of the largest inertia
_DEFLECTION = 0.1  # of a spring under the full effort, rad or m
_LONGEST_DELAY, _DELAY = 0.03, 0.01  # s
_FAST = 0.98  # of a log's samples are slower
_NONE = 1e-3  # of the upper bound: so little is nothing
_OFFSET = {False: 0.1, True: 0.01}  # of an encoder, rad and m


@dc.dataclass(frozen=True)
class _Sheet:
    """A motor's data sheet, which bounds the parameters to fit.

    Attributes:
        motor: motor of the log.
        node: its node.
        effort: its largest, N m or N.
        speed: its largest, rad/s or m/s.
        seen: the largest that its log has, rad/s or m/s.
    """

    motor: LoggedMotor
    node: MotorNode
    effort: float
    speed: float
    seen: float

    @property
    def damping(self) -> float:
        """Damping that brakes with the full effort at the full speed."""
        return self.effort / self.speed

    @property
    def inertia(self) -> float:
        """Inertia that the full effort brings to full speed in a tenth of a second."""
        return _REACTION * self.damping

    @property
    def rotor(self) -> float:
        """Inertia of the rotor to start from: the data sheet's, else a small one."""
        return reflected(self.node.dc_motor) or _ROTOR * self.inertia

    def of_motor(self, *keys: str | int) -> Keys:
        """Returns the path of a field of the motor."""
        driver = ("model_drivers", self.motor.model)
        return (*driver, "motors", self.motor.motor, *keys)

    def of_joint(self, field: str) -> Keys:
        """Returns the path of a field of its joint."""
        driver = ("model_drivers", self.motor.model)
        return (*driver, "joints", self.motor.joint, field)


# By path: lower and upper bound, and where to start if the scenario says nothing.
_Choices = dict[Keys, tuple[float, float, float]]


def parameters_for(
    scenario: Scenario, logs: Sequence[RobotLog], model: str, gains: Gains
) -> tuple[list[ParameterSpec], Gains]:
    """Returns the parameters to fit of a motor model, and drake_pd's first gains.

    Args:
        scenario: the motors.
        logs: logs of the motors that are watched.
        model: one of those that `compare` knows; or "own".
        gains: of drake_pd, as far as they are known; these are not fitted.
    """
    watched: dict[str, list[np.ndarray]] = {}
    motors: dict[str, LoggedMotor] = {}
    for log in logs:
        for motor in logged_motors(scenario, log):
            motors.setdefault(motor.signal, motor)
            watched.setdefault(motor.signal, []).append(speed_of(log, motor))
    choices: _Choices = {}
    for model_name in dict.fromkeys(motor.model for motor in motors.values()):
        path = ("model_drivers", model_name, "delay")
        choices[path] = (0.0, _LONGEST_DELAY, _DELAY)
    started, models = dict(gains), models_of(scenario)
    for motor in motors.values():
        speeds = np.concatenate(watched[motor.signal])
        sheet = _sheet(scenario, motor, speeds)
        own = models[motor.signal] if model == OWN else model
        choices |= _of_all(sheet, own)
        choices |= _OF_MODELS[own](sheet, gains) if own in _OF_MODELS else {}
        if model == "drake_pd":
            started.setdefault(motor.signal, (sheet.effort, sheet.damping))
    return list(_specs(scenario, choices)), started


def _sheet(scenario: Scenario, motor: LoggedMotor, seen: np.ndarray) -> _Sheet:
    node = scenario.model_drivers[motor.model].motors[motor.motor]
    effort, speed = max_effort(node), node.max_velocity
    speed = speed if 0 < speed < math.inf else _SPEED
    known = seen[np.isfinite(seen)]
    return _Sheet(
        motor,
        node,
        effort if 0 < effort < math.inf else _EFFORT,
        speed,
        float(np.quantile(known, _FAST)) if known.size else speed,
    )


def _of_all(sheet: _Sheet, model: str) -> _Choices:
    """Returns the parameters of any motor: a rotor, and an encoder's offset."""
    inertia, choices = sheet.inertia, {}
    if model != "series_elastic":  # its rotor turns before the spring
        rotor = sheet.of_joint("reflected_inertia")
        choices[rotor] = (0.0, inertia, sheet.rotor)
    if sheet.motor.sensor is not None:
        far = _OFFSET[sheet.motor.is_linear]
        choices[(*sheet.motor.sensor, "offset")] = (-far, far, 0.0)
    return choices


def _servo(sheet: _Sheet, gains: Gains) -> _Choices:
    """Returns the parameters of a velocity servo: its gain, softness, and a damper."""
    return _gain(sheet, gains) | {
        ("model_drivers", sheet.motor.model, "cfm"): (
            0.0,
            1 / sheet.damping,
            0.1 / sheet.damping,
        ),
        sheet.of_joint("damping_constant"): _damping(sheet),
    }


def _gain(sheet: _Sheet, _: Gains) -> _Choices:
    """Returns the gain of the law alone."""
    return {sheet.of_motor("control_pid", 0): (0.5, 50.0, 10.0)}


def _drake_pd(sheet: _Sheet, gains: Gains) -> _Choices:
    """Returns PD gains, if they are not known, and friction.

    A damper does what kd does: one of them is fitted.
    """
    dry = {sheet.of_joint("static_friction"): _dry(sheet)}
    if sheet.motor.signal in gains:
        return dry | {sheet.of_joint("damping_constant"): _damping(sheet)}
    of_motor = (GAINS, sheet.motor.signal)
    return dry | dict(
        zip([(*of_motor, 0), (*of_motor, 1)], _loop(sheet), strict=True)
    )


def _loop(sheet: _Sheet) -> list[tuple[float, float, float]]:
    """Returns kp and kd: the full effort at an error of 1, the same at full speed."""
    kp, kd = sheet.effort, sheet.damping
    return [(0.05 * kp, 10 * kp, kp), (0.01 * kd, 20 * kd, kd)]


def _pd(sheet: _Sheet, _: Gains) -> _Choices:
    """Returns a PD loop's gains, if its node doesn't know them, and friction."""
    choices = {sheet.of_motor("friction", "coulomb"): _dry(sheet)}
    if sheet.node.pd.kp is not None and sheet.node.pd.kd is not None:
        return choices | {
            sheet.of_motor("friction", "viscous"): _damping(sheet)
        }
    kp, kd = _loop(sheet)
    choices[sheet.of_motor("pd", "kp")] = kp
    choices[sheet.of_motor("pd", "kd")] = kd
    return choices


def _dc_motor(sheet: _Sheet, gains: Gains) -> _Choices:
    """Returns the same and the torque-speed line, unless K, R and U say it."""
    choices = _pd(sheet, gains)
    if sheet.node.dc_motor.torque_constant is not None:
        return choices
    ratio = sheet.node.dc_motor.gear_ratio
    stall, free = sheet.effort / ratio, sheet.speed * ratio
    # From a line that does not bind in the log no way leads to one that does.
    binds = min(max(sheet.seen * ratio, 0.1 * free), free)
    return choices | {
        sheet.of_motor("dc_motor", "stall_torque"): (
            0.3 * stall,
            5 * stall,
            stall,
        ),
        sheet.of_motor("dc_motor", "no_load_speed"): (
            0.1 * free,
            5 * free,
            binds,
        ),
    }


def _series_elastic(sheet: _Sheet, gains: Gains) -> _Choices:
    """Returns the same as of a PD loop, its spring, and the inertia before that."""
    stiffness, inertia = sheet.effort / _DEFLECTION, sheet.inertia
    return _pd(sheet, gains) | {
        sheet.of_motor("elastic", "stiffness"): (
            0.1 * stiffness,
            20 * stiffness,
            stiffness,
        ),
        sheet.of_motor("elastic", "damping"): _damping(sheet),
        sheet.of_motor("elastic", "motor_inertia"): (
            1e-3 * inertia,
            inertia,
            sheet.rotor,
        ),
    }


def _dry(sheet: _Sheet) -> tuple[float, float, float]:
    return 0.0, 0.2 * sheet.effort, 0.01 * sheet.effort


def _damping(sheet: _Sheet) -> tuple[float, float, float]:
    return 0.0, sheet.damping, 0.02 * sheet.damping


_OF_MODELS: dict[str, Callable[[_Sheet, Gains], _Choices]] = {
    "webots": _servo,
    "webots_torque": _servo,
    "webots_implicit": _servo,
    "ode": _servo,
    "ideal": _gain,
    "inverse_dynamics": _gain,
    "drake_pd": _drake_pd,
    "pd": _pd,
    "pd_explicit": _pd,
    "dc_motor": _dc_motor,
    "series_elastic": _series_elastic,
}


def _specs(scenario: Scenario, choices: _Choices) -> Iterator[ParameterSpec]:
    """Yields the parameters to fit; the scenario's own values widen the bounds.

    Those at an end of the bounds, as defaults are, are no starts: a motor without
    delay or softness shows little of what both do.
    """
    for path, (low, high, start) in choices.items():
        own = None if path[0] == GAINS else value_at(scenario, path)
        if isinstance(own, int | float) and abs(own) > _NONE * high:
            start = float(own)
        low, high = min(low, start), max(high, 2 * start)
        yield ParameterSpec(path_text(path), [low, high], start)
