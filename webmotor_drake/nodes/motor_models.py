"""Parameters of motor models other than Webots' velocity servo.

Webots' motor follows velocity commands. `MODELS` are what robots have besides: PD
loops on a board, DC motors behind gears, springs in series, friction, heat, networks
that were fitted to a log. The fields' names are those of the data sheets; numbers are
at the joint, in SI units, unless a field says otherwise.
"""

import dataclasses as dc
import typing

from webmotor_drake.errors import InputError
from webmotor_drake.nodes.field import amount, field, node, positive_if_said
from webmotor_drake.nodes.rules import (
    AT_LEAST_0,
    POSITIVE,
    between,
    each,
    one_of,
    whole,
)

__all__ = [
    "MODELS",
    "Elastic",
    "Friction",
    "Learned",
    "MotorModel",
    "Pd",
    "Thermal",
]


@dc.dataclass(frozen=True)
class MotorModel:
    """A motor model, and the nodes of a motor that act in it.

    Attributes:
        about: description of the model, for lists.
        parts: names of the motor's nodes that act.
        if_said: names of parts that act only if they differ from their defaults.
        explicit: True if the effort is held from motor step to motor step.
    """

    about: str
    parts: tuple[str, ...] = ("pd", "friction", "thermal")
    if_said: tuple[str, ...] = ()
    explicit: bool = False


# The models by their names in `motor_model`, `--model` and `compare`.
MODELS = {
    "webots": MotorModel("Webots' velocity servo", parts=()),
    "pd": MotorModel("a PD loop, solved at the end of each step"),
    "pd_explicit": MotorModel(
        "a PD loop on a board, held from motor step to motor step",
        explicit=True,
    ),
    "dc_motor": MotorModel(
        "a PD loop on a DC motor with its torque-speed line",
        parts=("pd", "dc_motor", "friction", "thermal"),
    ),
    "series_elastic": MotorModel(
        "the same behind a spring, with an inertia of its own",
        parts=("pd", "dc_motor", "friction", "thermal", "elastic"),
        if_said=("dc_motor",),
    ),
    "learned": MotorModel(
        "a network that was trained by a log",
        parts=("dc_motor", "friction", "thermal", "learned"),
        if_said=("dc_motor",),
        explicit=True,
    ),
}

_PER_POSITION = "N m/rad or N/m"
_PER_VELOCITY = "N m s/rad or N s/m"
_EFFORT = "N m or N"


@node
class Pd:
    """A PD loop: kp (target - position) + kd (target velocity - velocity).

    The motor's available effort bounds it. A missing target velocity is 0.
    """

    kp: float | None = field(
        None,
        "position gain; default: matched to `control_pid`, as drake_pd's is",
        _PER_POSITION,
        AT_LEAST_0,
    )
    kd: float | None = field(
        None,
        "velocity gain; default: matched as kp is",
        _PER_VELOCITY,
        AT_LEAST_0,
    )
    explicit: bool = field(
        False,
        "True if it is computed when a motor period begins and held, as on a board"
        " that is no faster; else at the end of each step, as on a fast one",
    )


@node
class Friction:
    """Dry and viscous friction of a motor and its gear, as BAM has it (M1 to M6).

    The friction that holds a resting joint, and brakes a moving one, is up to

        coulomb + |motor_load τm - external_load τe|
            + E (stribeck + |motor_load_stribeck τm - external_load_stribeck τe| + Q)

    with E = exp(-|v / stribeck_velocity|^alpha), the motor's torque τm and the torque
    τe of all else on the joint; Q is motor_quadratic τm² where τe drives against a
    stronger motor, external_quadratic τe² where it drives a weaker one. Viscous
    friction is added. M1 is coulomb and viscous, M2 has stribeck, M3 and M4 have
    equal loads of motor and outside (Duclusaud and others 2024, arXiv 2410.08650).
    """

    coulomb: float = amount("dry friction", _EFFORT)
    viscous: float = amount("viscous friction", _PER_VELOCITY)
    stribeck: float = amount("excess of dry friction at rest", _EFFORT)
    stribeck_velocity: float = field(
        0.2, "the speed at which that is gone", "rad/s or m/s", POSITIVE
    )
    alpha: float = field(1.35, "sharpness with which that goes", "1", POSITIVE)
    motor_load: float = amount(
        "share of the motor's torque that becomes friction", "1"
    )
    external_load: float = amount("the same of the load from outside", "1")
    motor_load_stribeck: float = amount("excess of motor_load at rest", "1")
    external_load_stribeck: float = amount(
        "excess of external_load at rest", "1"
    )
    motor_quadratic: float = amount(
        "of the motor's torque squared, at rest", "1/(N m) or 1/N"
    )
    external_quadratic: float = amount(
        "of the load from outside squared, at rest", "1/(N m) or 1/N"
    )

    loads: typing.ClassVar[tuple[str, ...]] = (
        "motor_load",
        "external_load",
        "motor_load_stribeck",
        "external_load_stribeck",
        "motor_quadratic",
        "external_quadratic",
    )


@node
class Thermal:
    """The heat of a winding, and the limit that keeps it from burning (i²t).

    Heat follows the square of the effort with a time constant. At heat 1 the effort is
    limited to the continuous one until the heat has fallen to `recovery`.
    """

    continuous_torque: float | None = positive_if_said(
        "the effort that it bears for ever; default: that of one of the next two,"
        " else no limit",
        _EFFORT,
    )
    continuous_current: float | None = positive_if_said(
        "the same as a current, a data sheet's nominal one; needs the torque_constant"
        " of dc_motor",
        "A",
    )
    thermal_resistance: float | None = positive_if_said(
        "from the winding to the ambient: it says the current that heats the copper"
        " to max_temperature",
        "K/W",
    )
    time_constant: float = field(
        10.0,
        "of the winding: x times continuous_torque trips from cold after"
        " time_constant ln(x²/(x² - 1))",
        "s",
        POSITIVE,
    )
    recovery: float = field(
        0.9, "the heat at which the limit ends", "1", between(0, 1)
    )
    ambient: float = field(25.0, "the temperature of a cold motor", "°C")
    max_temperature: float = field(
        125.0, "the temperature at which it trips", "°C"
    )

    def check(self) -> None:
        """Refuses a largest temperature that is not above the ambient one."""
        if self.max_temperature <= self.ambient:
            raise InputError(
                f"{self.max_temperature:g} °C is not above the ambient"
                f" {self.ambient:g} °C",
                path=("max_temperature",),
            )


@node
class Elastic:
    """A spring between gear and link, and the play of the gear.

    The motor turns an inertia of its own; the link feels only what the spring
    transmits.
    """

    stiffness: float | None = positive_if_said(
        "of the spring; needed by series_elastic", _PER_POSITION
    )
    damping: float = amount("of the spring", _PER_VELOCITY)
    backlash: float = amount(
        "the gap in which nothing is transmitted", "rad or m"
    )
    motor_inertia: float | None = positive_if_said(
        "of motor and gear, as the joint would feel it; default: that of dc_motor,"
        " else the joint's reflected_inertia",
        "kg m^2 or kg",
    )
    encoder: str = field(
        "motor",
        "side on which the PD loop measures",
        rule=one_of("motor", "link", kind="encoder"),
    )


@node
class Learned:
    """An actuator network: effort from recent position errors and velocities.

    The network gets samples at the period of its training and holds its effort as long.
    It already includes the motor's friction and delay. The motor's available effort
    bounds it, and so does the torque-speed line of a `dc_motor` that gives one
    (Hwangbo and others 2019; Isaac Lab's ActuatorNetMLP).
    """

    file: str = field(
        "",
        "the network: .npz with weight_0, bias_0, weight_1 ... and activation, or"
        " .onnx; relative to the scenario file",
    )
    period: float = field(
        0.005,
        "between two samples, a multiple of the motor period",
        "s",
        POSITIVE,
    )
    lags: list[int] = field(
        [0, 1, 2],
        "age of each input in samples, 0: now (Isaac Lab's input_idx)",
        rule=each(whole(0, 100)),
    )
    order: str = field(
        "pos_vel",
        "order of position errors and velocities",
        rule=one_of("pos_vel", "vel_pos", kind="order"),
    )
    position_scale: float = field(
        1.0, "on target less position; -1 for nets that want it reversed", "1"
    )
    velocity_scale: float = field(1.0, "on velocities", "1")
    effort_scale: float = field(1.0, "on what the network gives", "1")
