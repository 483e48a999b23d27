"""The data sheet of a DC motor and its gear."""

from webmotor_drake.errors import InputError
from webmotor_drake.nodes.field import amount, field, node, positive_if_said
from webmotor_drake.nodes.rules import AT_LEAST_0, POSITIVE, SHARE, SOME, one_of

__all__ = ["DcMotor"]

# Two sources of one number must agree within this share.
_AGREE = 0.1


@node
class DcMotor:
    """A DC motor and its gear: a torque that falls with speed (MuJoCo's dcmotor).

    Its line follows from stall torque and no-load speed, or from torque constant,
    resistance and supply voltage. All are values of the motor before its gear.
    """

    stall_torque: float | None = positive_if_said(
        "torque at standstill (Isaac Lab's saturation_effort); default: that of"
        " torque constant, resistance and voltage, else the motor's max_torque",
        "N m or N",
    )
    no_load_speed: float | None = positive_if_said(
        "speed without load (Isaac Lab's velocity_limit); default: that of voltage"
        " and torque constant, else the motor's max_velocity",
        "rad/s or m/s",
    )
    torque_constant: float | None = positive_if_said(
        "torque per current", "N m/A or N/A"
    )
    resistance: float | None = positive_if_said("of the winding", "ohm")
    supply_voltage: float | None = positive_if_said(
        "the largest at the winding", "V"
    )
    no_load_current: float = amount(
        "of the motor alone, at its no-load speed: dry friction of torque_constant"
        " times it",
        "A",
    )
    gear_ratio: float = field(
        1.0, "turns of the motor per turn of the joint", "1", POSITIVE
    )
    efficiency: float = field(
        1.0,
        "of the gear, driving or driven: a friction that grows with the load",
        "1",
        SOME,
    )
    rotor_inertia: float = amount(
        "of what turns with the motor; the joint feels it times gear_ratio^2",
        "kg m^2 or kg",
    )
    control: str = field(
        "torque",
        '"torque": a current loop makes the PD\'s torque as far as the voltage'
        ' allows; "voltage": the duty is `error_gain` times the position error, as'
        " in hobby servos",
        rule=one_of("torque", "voltage", kind="control"),
    )
    error_gain: float = field(
        10.0,
        "with voltage control: duty per position error",
        "1/rad or 1/m",
        AT_LEAST_0,
    )
    max_duty: float = field(
        1.0, "with voltage control: its largest share", "1", SHARE
    )

    def check(self) -> None:
        """Refuses data sheets that contradict themselves."""
        K, R, U = self.torque_constant, self.resistance, self.supply_voltage
        given = [x is not None for x in (K, R, U)]
        if any(given) and not all(given):
            raise InputError(
                "torque_constant, resistance and supply_voltage come together"
            )
        if K is None or R is None or U is None:
            if self.no_load_current:
                raise InputError(
                    "no_load_current needs torque_constant, resistance and"
                    " supply_voltage",
                    path=("no_load_current",),
                )
            return
        if self.no_load_current >= U / R:
            raise InputError(
                f"{self.no_load_current:g} A is not below the {U / R:.4g} A that the"
                " winding draws at standstill",
                path=("no_load_current",),
            )
        for name, value, other, unit in (
            ("stall_torque", self.stall_torque, U * K / R, "N m"),
            ("no_load_speed", self.no_load_speed, U / K, "rad/s"),
        ):
            if value is not None and abs(value - other) > _AGREE * other:
                raise InputError(
                    f"{value:g} {unit} contradicts the {other:.4g} {unit} of"
                    " torque_constant, resistance and supply_voltage; leave out"
                    " one of them",
                    path=(name,),
                )

    def line(self, effort: float, speed: float) -> tuple[float, float]:
        """Returns stall torque and no-load speed at the joint.

        Args:
            effort: stall torque at the joint if the sheet gives none, N m or N.
            speed: no-load speed at the joint if the sheet gives none, rad/s or m/s.
        """
        N = self.gear_ratio
        K, R, U = self.torque_constant, self.resistance, self.supply_voltage
        if K is not None and R is not None and U is not None:
            return N * U * K / R, U / K / N
        stall, free = self.stall_torque, self.no_load_speed
        return (
            effort if stall is None else N * stall,
            speed if free is None else free / N,
        )

    @property
    def dry_friction(self) -> float:
        """The friction that the no-load current overcomes, at the joint, N m or N."""
        if self.torque_constant is None:
            return 0.0
        return self.gear_ratio * self.torque_constant * self.no_load_current

    @property
    def torque_per_current(self) -> float:
        """The effort at the joint per current, N m/A or N/A; NaN if it is not known."""
        K = self.torque_constant
        return float("nan") if K is None else self.gear_ratio * K
