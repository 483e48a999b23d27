"""The parameters that are fitted by default: per motor model, with bounds.

A motor's largest effort and speed bound its gains, friction and inertia. The search
starts from the scenario's values.
"""

import dataclasses as dc
import functools
import math
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from webmotor_drake.engines.drake_controllers import Gains, PdEngine
from webmotor_drake.errors import unwarned
from webmotor_drake.fitting.logged_motors import (
    LoggedMotor,
    logged_motors,
    motors_at,
    speed_of,
)
from webmotor_drake.fitting.own_model import OWN, models_of
from webmotor_drake.fitting.parameter import ParameterSpec
from webmotor_drake.fitting.parameter_tree import GAINS
from webmotor_drake.fitting.robot_log import RobotLog
from webmotor_drake.nodes.dc_motor import DcMotor
from webmotor_drake.nodes.motors import MotorNode, max_effort
from webmotor_drake.nodes.servo import Servo
from webmotor_drake.scenario.parameter_path import (
    Keys,
    Value,
    parse_path,
    path_text,
    value_at,
)
from webmotor_drake.scenario.scenario import Scenario

# Motor models with a law of their own, not only another way to run one on Drake.
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
_REACTION = 0.1  # time from rest to full speed under full effort, s
_ROTOR = 0.05  # of the largest inertia
_DEFLECTION = 0.1  # of a spring under the full effort, rad or m
_LONGEST_DELAY, _DELAY = 0.03, 0.01  # s
_FAST = 0.98  # quantile of a log's speeds that is its largest speed
_NONE = 1e-3  # share of the upper bound that counts as zero
_OFFSET = {False: 0.1, True: 0.01}  # of an encoder, rad and m

# Path of a field within its motor, joint or driver; the size of its motor that scales
# it; its lower bound, upper bound and default start, as multiples of that size.
_FIELDS: dict[str, tuple[str, str, float, float, float]] = {
    "rotor": ("joints.reflected_inertia", "inertia", 0.0, 1.0, _ROTOR),
    "gain": ("motors.control_pid[0]", "one", 0.5, 50.0, 10.0),
    "softness": ("cfm", "softness", 0.0, 1.0, 0.1),
    "damper": ("joints.damping_constant", "damping", 0.0, 1.0, 0.02),
    "brake": ("joints.static_friction", "effort", 0.0, 0.2, 0.01),
    "dry": ("motors.friction.coulomb", "effort", 0.0, 0.2, 0.01),
    "viscous": ("motors.friction.viscous", "damping", 0.0, 1.0, 0.02),
    "kp": ("motors.pd.kp", "effort", 0.05, 10.0, 1.0),
    "kd": ("motors.pd.kd", "damping", 0.01, 20.0, 1.0),
    "drake_kp": ("gains[0]", "effort", 0.05, 10.0, 1.0),
    "drake_kd": ("gains[1]", "damping", 0.01, 20.0, 1.0),
    "stall": ("motors.dc_motor.stall_torque", "stall", 0.3, 5.0, 1.0),
    "free": ("motors.dc_motor.no_load_speed", "free", 0.1, 5.0, 1.0),
    "spring": ("motors.elastic.stiffness", "stiffness", 0.1, 20.0, 1.0),
    "spring_damper": ("motors.elastic.damping", "damping", 0.0, 1.0, 0.02),
    "spring_rotor": (
        "motors.elastic.motor_inertia",
        "inertia",
        1e-3,
        1.0,
        _ROTOR,
    ),
}


@dc.dataclass(frozen=True)
class _Sheet:
    """A motor's data sheet, which bounds the parameters to fit."""

    motor: LoggedMotor
    node: MotorNode
    effort: float  # its largest
    speed: float  # its largest
    seen: float  # the largest speed that its log has

    @functools.cached_property
    def sizes(self) -> dict[str, float]:
        """The sizes that scale fields.

        Damping takes the full effort at full speed. Inertia reaches full speed in a
        tenth of a second.
        """
        damping, ratio = self.effort / self.speed, self.node.dc_motor.gear_ratio
        return {
            "one": 1.0,
            "effort": self.effort,
            "damping": damping,
            "softness": 1 / damping,
            "inertia": _REACTION * damping,
            "stiffness": self.effort / _DEFLECTION,
            "stall": self.effort / ratio,
            "free": self.speed * ratio,
        }

    def fields(self, model: str, gains: Gains) -> list[str]:
        """Returns the names of the fields to fit of a motor model.

        A damper acts like a loop's kd, so only one of them is fitted.
        """
        rotor, pd = ["rotor"], self.node.pd
        knows_loop = pd.kp is not None and pd.kd is not None
        loop = ["dry", *(["viscous"] if knows_loop else ["kp", "kd"])]
        if model in ("webots", "webots_torque", "webots_implicit", "ode"):
            return [*rotor, "gain", "softness", "damper"]
        if model in ("ideal", "inverse_dynamics"):
            return [*rotor, "gain"]
        if model == "drake_pd":
            known = self.motor.signal in gains
            own = ["damper"] if known else ["drake_kp", "drake_kd"]
            return [*rotor, "brake", *own]
        if model == "dc_motor" and self.node.dc_motor.torque_constant is None:
            return [*rotor, *loop, "stall", "free"]
        if model == "series_elastic":  # its rotor turns before the spring
            return [*loop, "spring", "spring_damper", "spring_rotor"]
        return rotor + (
            loop if model in ("pd", "pd_explicit", "dc_motor") else []
        )

    def path(self, field: str) -> Keys:
        """Returns the path of a field; see `_FIELDS`."""
        first, *rest = parse_path(field)
        driver = ("model_drivers", self.motor.model)
        if first == GAINS:
            return (GAINS, self.motor.signal, *rest)
        owners = {"motors": self.motor.motor, "joints": self.motor.joint}
        if first in owners:
            return (*driver, first, owners[first], *rest)
        return (*driver, first, *rest)

    def choices(self, model: str, gains: Gains) -> "_Choices":
        """Returns the parameters of a motor model."""
        found: _Choices = {}
        for name in self.fields(model, gains):
            field, size, *numbers = _FIELDS[name]
            low, high, start = (self.sizes[size] * number for number in numbers)
            if name in ("rotor", "spring_rotor"):
                start = _reflected(self.node.dc_motor) or start
            if name == "free":
                # A torque-speed line that never binds in the log has no gradient:
                # start from one that binds.
                seen = self.seen * self.node.dc_motor.gear_ratio
                start = min(max(seen, low), start)
            found[self.path(field)] = low, high, start
        if self.motor.sensor is not None:
            far = _OFFSET[self.motor.is_linear]
            found[(*self.motor.sensor, "offset")] = -far, far, 0.0
        return found


# Lower bound, upper bound and default start, by path.
_Choices = dict[Keys, tuple[float, float, float]]


def parameters_for(
    scenario: Scenario, logs: Sequence[RobotLog], model: str, gains: Gains
) -> tuple[list[ParameterSpec], Gains]:
    """Returns the parameters to fit of a motor model, and drake_pd's first gains.

    Args:
        scenario: scenario with the motors.
        logs: logs of the motors to fit.
        model: a motor model that `compare` knows, or "own".
        gains: known gains of drake_pd, which are not fitted; the others are fitted,
            from gains that match the motors.
    """
    watched: dict[str, tuple[LoggedMotor, list[np.ndarray]]] = {}
    for log in logs:
        for motor in logged_motors(scenario, log):
            _, speeds = watched.setdefault(motor.signal, (motor, []))
            speeds.append(speed_of(log, motor))
    choices: _Choices = {
        ("model_drivers", motor.model, "delay"): (0.0, _LONGEST_DELAY, _DELAY)
        for motor, _ in watched.values()
    }
    models, matched = models_of(scenario), dict(gains)
    if model == "drake_pd":
        with unwarned():
            own = PdEngine(scenario, gains).gains
        matched = {signal: own[signal] for signal in watched}
    for signal, (motor, speeds) in watched.items():
        sheet = _sheet(scenario, motor, np.concatenate(speeds))
        own_model = models[signal] if model == OWN else model
        choices |= sheet.choices(own_model, gains)
    return list(_specs(scenario, choices, matched)), matched


def _sheet(scenario: Scenario, motor: LoggedMotor, seen: np.ndarray) -> _Sheet:
    node = scenario.model_drivers[motor.model].motors[motor.motor]
    effort, speed = max_effort(node), node.max_velocity
    effort = effort if 0 < effort < math.inf else _EFFORT
    speed = speed if 0 < speed < math.inf else _SPEED
    known = seen[np.isfinite(seen)]
    fast = float(np.quantile(known, _FAST)) if known.size else speed
    return _Sheet(motor, node, effort, speed, fast)


def _specs(
    scenario: Scenario, choices: _Choices, gains: Gains
) -> Iterator[ParameterSpec]:
    """Yields the parameters to fit; the scenario's own values widen the bounds."""
    for path, (low, high, start) in choices.items():
        if path[0] == GAINS:
            own = gains[str(path[1])][int(path[2])]
        else:
            own = value_at(scenario, path)
        # A parameter at a bound, such as a delay of 0, hardly shows its influence.
        if isinstance(own, int | float) and abs(own) > _NONE * high:
            start = float(own)
        low, high = min(low, start), max(high, 2 * start)
        yield ParameterSpec(path_text(path), [low, high], start)


def rotors_at_joints(
    scenario: Scenario, paths: Iterable[Keys]
) -> dict[Keys, Value]:
    """Returns values by path that bring data sheets' rotors to fitted joints.

    A motor's `dc_motor` may have its rotor's inertia, and its joint may have a
    `reflected_inertia`: both at once are refused. The joint's inertia is fitted, as all
    motor models have it; the search starts from the data sheet's.

    Args:
        scenario: scenario with the data sheets.
        paths: paths of all fitted parameters.
    """
    values: dict[Keys, Value] = {}
    for path in paths:
        if path[-1] != "reflected_inertia":
            continue
        for name, motor in motors_at(path, scenario).items():
            if not isinstance(motor, Servo) and motor.dc_motor.rotor_inertia:
                sheet = (*path[:2], "motors", name, "dc_motor")
                values[path] = _reflected(motor.dc_motor)
                values[(*sheet, "rotor_inertia")] = 0.0
    return values


def _reflected(sheet: DcMotor) -> float:
    """Returns the rotor's inertia as its joint feels it, kg m² or kg."""
    return sheet.rotor_inertia * sheet.gear_ratio**2
