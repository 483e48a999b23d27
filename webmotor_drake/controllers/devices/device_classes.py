"""The class of each type of device."""

# Modules whose classes robots know once they are imported, see `Device._declared`.
from webmotor_drake.controllers.devices import (
    body_sensors,  # noqa: F401
    camera,  # noqa: F401
    connector,  # noqa: F401
    display,  # noqa: F401
    led,  # noqa: F401
    pen,  # noqa: F401
    radar,  # noqa: F401
    radio,  # noqa: F401
    ranging,  # noqa: F401
    sight,  # noqa: F401
    speaker,  # noqa: F401
    unsimulated,  # noqa: F401
)
from webmotor_drake.controllers.devices.device import DEVICE_CLASSES
from webmotor_drake.controllers.devices.joint_devices import (
    Brake,
    Motor,
    PositionSensor,
)
from webmotor_drake.nodes.node_types import Node

__all__ = ["DEVICE_CLASSES"]

DEVICE_CLASSES |= {
    Node.BRAKE: Brake,
    Node.LINEAR_MOTOR: Motor,
    Node.POSITION_SENSOR: PositionSensor,
    Node.ROTATIONAL_MOTOR: Motor,
}
