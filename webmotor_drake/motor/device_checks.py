"""What a device's fields may hold, as far as no model is needed to tell."""

import math
import typing
from collections.abc import Callable, Sequence

from webmotor_drake.errors import InputError, below, unknown_name
from webmotor_drake.motor.device_nodes import (
    GPS,
    DeviceNode,
    InertialUnit,
    ThreeAxisSensor,
)
from webmotor_drake.motor.node_rules import check_not_negative, check_numbers

Node = typing.TypeVar("Node", bound=DeviceNode)


def check_device(node: DeviceNode) -> None:
    """Checks a device's values.

    Raises:
        InputError: the first that cannot be used, with its path.
    """
    check_numbers(node)
    _check_pose(node)
    for kind, check in _CHECKS.items():
        if isinstance(node, kind):
            check(node)


def _check_pose(node: DeviceNode) -> None:
    with below("pose"):
        pose = node.pose
        check_numbers(pose)
        check_length("translation", pose.translation, "x, y, z")
        check_length("rotation", pose.rotation, "axis x, y, z and angle")
        if not any(pose.rotation[:3]) and pose.rotation[3]:
            raise InputError("the axis is 0", path=("rotation",))


def check_length(field: str, values: Sequence[object], words: str) -> None:
    """Refuses a list with more or fewer values than it has `words`."""
    number = words.count(" and ") + words.count(", ") + 1
    if len(values) != number:
        raise InputError(
            f"{len(values)} numbers; {number} are needed: {words}",
            path=(field,),
        )


def check_resolution(value: float, field: str = "resolution") -> None:
    """Refuses a step that is none."""
    if value <= 0 and value != -1:
        raise InputError(
            f"{value} is not allowed; -1 (none) or a number above 0 is",
            path=(field,),
        )


def check_choice(kind: str, value: str, known: Sequence[str]) -> None:
    """Refuses a word that is none of those known."""
    if value not in known:
        raise InputError(unknown_name(kind, value, known), path=(kind,))


def check_range(
    field: str, value: float, low: float, high: float, unit: str = ""
) -> None:
    """Refuses a number outside of low to high."""
    if not low <= value <= high:
        unit = unit and f" {unit}"
        raise InputError(
            f"{value:g}{unit} is not allowed; {low:g} to {high:g}{unit} is",
            path=(field,),
        )


def check_lookup_table(table: Sequence[Sequence[float]]) -> None:
    """Refuses rows that are no triples, or inputs that don't increase."""
    before = -math.inf
    for i, row in enumerate(table):
        with below("lookup_table", i):
            if len(row) != 3:
                raise InputError(
                    f"{len(row)} numbers; three are needed: input, output, noise"
                )
            for number in row:
                if not math.isfinite(number):
                    raise InputError(
                        f"{number} is not allowed; a finite number is"
                    )
            if row[0] <= before:
                raise InputError(
                    f"the input {row[0]:g} is not above the {before:g} of the"
                    " row before; inputs have to increase"
                )
            before = row[0]


def _check_gps(node: GPS) -> None:
    check_choice("type", node.type, ("satellite", "laser"))
    for field in ("accuracy", "speed_noise"):
        check_not_negative(node, field)
    check_range("noise_correlation", node.noise_correlation, 0, 1)
    check_resolution(node.resolution)
    check_resolution(node.speed_resolution, "speed_resolution")
    check_choice(
        "coordinate_system", node.coordinate_system, ("local", "WGS84")
    )
    check_length("reference", node.reference, "x, y, z")
    if node.coordinate_system == "WGS84":
        with below("reference"):
            check_range("latitude", node.reference[0], -80, 84, "degrees")
            check_range("longitude", node.reference[1], -180, 180, "degrees")


def _check_inertial_unit(node: InertialUnit) -> None:
    check_not_negative(node, "noise")
    check_resolution(node.resolution)


def _check_three_axes(node: ThreeAxisSensor) -> None:
    check_lookup_table(node.lookup_table)
    check_resolution(node.resolution)


_CHECKS: dict[type[DeviceNode], Callable[[typing.Any], None]] = {
    GPS: _check_gps,
    InertialUnit: _check_inertial_unit,
    ThreeAxisSensor: _check_three_axes,
}
