"""What is found in a robot's files: numbers with the lines they came from."""

import dataclasses as dc
import math
import typing

from webmotor_drake.errors import InputError


@dc.dataclass(frozen=True)
class Found:
    """A value of a field, and where it came from.

    Attributes:
        value: as the scenario has it.
        place: "file:line", and how it was made of what stands there.
    """

    value: typing.Any
    place: str


# Fields of a node by name; those of a node in it by "pd.kp".
Fields = dict[str, Found]


@dc.dataclass
class FoundMotor:
    """A motor of a robot's file.

    Attributes:
        joint: the joint that it drives.
        slides: True if that is prismatic.
        fields: of a RotationalMotor or LinearMotor, besides `joint`.
    """

    joint: str
    slides: bool
    fields: Fields = dc.field(default_factory=dict[str, Found])


@dc.dataclass
class FoundRobot:
    """A robot's motors and joints, as its file has them.

    Attributes:
        name: the model's.
        motors: by name.
        joints: fields of JointParameters by joint.
        brakes: the joints of Brakes, by name.
        positions: where joints start, by name.
        base: where a free base starts: x, y, z, and the quaternion w, x, y, z.
        base_is_free: True or False if the file says so.
        lost: what cannot be carried over, with places.
    """

    name: str
    motors: dict[str, FoundMotor] = dc.field(default_factory=dict)
    joints: dict[str, Fields] = dc.field(default_factory=dict)
    brakes: dict[str, Found] = dc.field(default_factory=dict)
    positions: dict[str, Found] = dc.field(default_factory=dict)
    base: list[float] = dc.field(default_factory=list)
    base_is_free: bool | None = None
    lost: list[str] = dc.field(default_factory=list)

    def set_joint(self, joint: str, field: str, found: Found) -> None:
        """Sets a field of a joint's JointParameters, unless it is 0."""
        if found.value:
            self.joints.setdefault(joint, {})[field] = found

    def lose(self, place: str, what: str) -> None:
        """Notes what cannot be carried over."""
        self.lost.append(f"{place}: {what}")


def number(text: str, place: str, name: str) -> float:
    """Returns a number of a file.

    Raises:
        InputError: it is none; with its place.
    """
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if math.isnan(value):
        raise InputError(f"{name} {text!r}; a number is needed", where=place)
    return value


def limit(text: str, place: str, name: str) -> float:
    """Returns a limit of a file: infinite where it is 0, which limits nothing.

    Raises:
        InputError: it is negative, or no number; with its place.
    """
    value = number(text, place, name)
    if value < 0:
        raise InputError(
            f"{name} {text} is not allowed; must be at least 0", where=place
        )
    return value or math.inf


def set_limits(
    motor: FoundMotor, effort: Found | None, velocity: Found | None
) -> list[str]:
    """Sets the limits of a motor.

    Returns:
        The fields for which Webots' default stands, in words.
    """
    effort_field = "max_force" if motor.slides else "max_torque"
    taken = []
    for field, found in ((effort_field, effort), ("max_velocity", velocity)):
        if found is not None and math.isfinite(found.value):
            motor.fields[field] = found
        else:
            taken.append(f"{field} 10")
    return taken
