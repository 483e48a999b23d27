"""The parameters of motor models, side by side: a row per field, an entry per motor."""

import dataclasses as dc
import functools
import math
from collections.abc import Mapping, Sequence

import numpy as np

from webmotor_drake.errors import InputError, warn
from webmotor_drake.nodes.motor_models import Friction
from webmotor_drake.nodes.motors import MotorNode, is_modelled, max_effort


@dc.dataclass(frozen=True)
class Plant:
    """The joints' properties that models need; each of shape (n,).

    Attributes:
        kp: position gains matched to `control_pid`, N m/rad or N/m.
        kd: velocity gains matched to it, N m s/rad or N s/m.
    """

    kp: np.ndarray
    kd: np.ndarray


@dc.dataclass(frozen=True)
class FrictionRows:
    """The fields of `Friction` that bound dry friction, each of shape (n,)."""

    coulomb: np.ndarray
    stribeck: np.ndarray
    stribeck_velocity: np.ndarray
    alpha: np.ndarray
    motor_load: np.ndarray
    external_load: np.ndarray
    motor_load_stribeck: np.ndarray
    external_load_stribeck: np.ndarray
    motor_quadratic: np.ndarray
    external_quadratic: np.ndarray

    @functools.cached_property
    def has_load(self) -> bool:
        """True if any depends on what the gear carries."""
        return any(np.any(getattr(self, name)) for name in Friction.loads)

    @functools.cached_property
    def is_constant(self) -> bool:
        """True if none depends on anything: Coulomb's alone."""
        return not (self.has_load or np.any(self.stribeck))


@dc.dataclass(frozen=True)
class ModelRows:
    """The constants of modelled motors, each of shape (n,) but for `own`."""

    own: np.ndarray  # their places among all motors
    kp: np.ndarray
    kd: np.ndarray
    explicit: np.ndarray  # computed when a motor period begins
    by_voltage: np.ndarray
    duty_gain: np.ndarray  # effort per position error
    max_duty: np.ndarray  # effort
    stall: np.ndarray  # infinite without a torque-speed line
    drop: np.ndarray
    per_current: np.ndarray  # N m/A or N/A; NaN where it is not known
    static: np.ndarray  # friction of the joint itself
    friction: FrictionRows
    viscous: (
        np.ndarray
    )  # of a motor before its spring; others have it at the joint
    continuous: np.ndarray  # infinite without a thermal limit
    time_constant: np.ndarray
    recovery: np.ndarray
    ambient: np.ndarray  # °C
    warming: np.ndarray  # from there to what trips, K
    elastic: np.ndarray  # whether there is a spring
    stiffness: np.ndarray
    damping: np.ndarray
    gap: np.ndarray  # half the backlash
    inertia: np.ndarray  # of the motor before its spring
    sees_link: np.ndarray
    line: np.ndarray  # whether there is a torque-speed line
    learned: np.ndarray  # whether there is a network


def model_rows(
    motors: Mapping[str, MotorNode], friction: Sequence[float], plant: Plant
) -> ModelRows | None:
    """Returns the parameters of the motors that have a model; None without any.

    Args:
        motors: the nodes by name, after Webots' fallbacks, n of them.
        friction: static friction of their joints, shape (n,), N m or N; it acts
            beside these motors.
        plant: of all n joints.

    Raises:
        InputError: a model that misses what it needs.
    """
    own = [i for i, m in enumerate(motors.values()) if is_modelled(m)]
    if not own:
        return None
    names = list(motors)
    columns = [
        _column(names[i], motors[names[i]], friction[i], plant, i) for i in own
    ]
    rows = {
        name: np.array([column[name] for column in columns])
        for name in columns[0]
    }
    dry = {f.name: rows.pop(f.name) for f in dc.fields(FrictionRows)}
    return ModelRows(own=np.array(own), friction=FrictionRows(**dry), **rows)


def _column(
    name: str, motor: MotorNode, static: float, plant: Plant, i: int
) -> dict[str, float]:
    """Returns the parameters of one motor."""
    pd, dc_motor, thermal = motor.pd, motor.dc_motor, motor.thermal
    elastic = motor.motor_model == "series_elastic"
    line = has_line(motor)
    stall, free = math.inf, math.inf
    if line:
        _warn_of_guess(name, motor)
        stall, free = dc_motor.line(max_effort(motor), motor.max_velocity)
    by_voltage = line and dc_motor.control == "voltage"
    continuous = thermal.continuous_torque
    return {
        "kp": plant.kp[i] if pd.kp is None else pd.kp,
        "kd": plant.kd[i] if pd.kd is None else pd.kd,
        "explicit": pd.explicit
        or by_voltage
        or motor.motor_model in ("pd_explicit", "learned"),
        "learned": motor.motor_model == "learned",
        "by_voltage": by_voltage,
        "duty_gain": dc_motor.error_gain * stall if by_voltage else 0.0,
        "max_duty": dc_motor.max_duty * stall if by_voltage else 0.0,
        "line": line,
        "stall": stall,
        "drop": stall / free if line else 0.0,
        "per_current": dc_motor.torque_per_current if line else math.nan,
        "continuous": math.inf if continuous is None else continuous,
        "time_constant": thermal.time_constant,
        "recovery": thermal.recovery,
        "ambient": thermal.ambient,
        "warming": thermal.max_temperature - thermal.ambient,
        "static": static,
        **_friction(motor),
        **(_spring(name, motor) if elastic else _NO_SPRING),
    }


def has_line(motor: MotorNode) -> bool:
    """Returns whether a motor has a torque-speed line.

    One behind a spring, or a learned one, has it if its data sheet says so.
    """
    if motor.motor_model in ("series_elastic", "learned"):
        return motor.dc_motor != type(motor.dc_motor)()
    return motor.motor_model == "dc_motor"


def _warn_of_guess(name: str, motor: MotorNode) -> None:
    """Tells that a line is made of the limits that a Webots motor has."""
    sheet = motor.dc_motor
    if sheet.torque_constant is not None:
        return
    guessed = [
        f"{field} is taken to be its {source}"
        for field, source in (
            ("stall_torque", motor.effort_field),
            ("no_load_speed", "max_velocity"),
        )
        if getattr(sheet, field) is None
    ]
    if guessed:
        warn(f"{name}.dc_motor: {', '.join(guessed)}")


def _friction(motor: MotorNode) -> dict[str, float]:
    """Returns what bounds dry friction: a gear's losses grow with its load."""
    given = {
        f.name: getattr(motor.friction, f.name) for f in dc.fields(FrictionRows)
    }
    if has_line(motor):
        lost = (1 - motor.dc_motor.efficiency) / (1 + motor.dc_motor.efficiency)
        given["motor_load"] += lost
        given["external_load"] += lost
    return given


_NO_SPRING: dict[str, float] = {
    "elastic": False,
    "stiffness": 0.0,
    "damping": 0.0,
    "gap": 0.0,
    "inertia": 1.0,
    "viscous": 0.0,
    "sees_link": False,
}


def _spring(name: str, motor: MotorNode) -> dict[str, float]:
    """Returns the parameters of a spring.

    Raises:
        InputError: its stiffness, or the motor's inertia, is not known.
    """
    elastic = motor.elastic
    for field, value in (
        ("stiffness", elastic.stiffness),
        ("motor_inertia", elastic.motor_inertia),
    ):
        if not value:
            raise InputError(
                f"series_elastic needs {field}; none was given",
                path=("motors", name, "elastic", field),
            )
    return {
        "elastic": True,
        "stiffness": elastic.stiffness or 0.0,
        "damping": elastic.damping,
        "gap": elastic.backlash / 2,
        "inertia": elastic.motor_inertia or 0.0,
        "viscous": motor.friction.viscous,
        "sees_link": elastic.encoder == "link",
    }
