"""The class of each type of device."""

# Modules whose classes robots know once they are imported, see `Device._declared`.
from webmotor_drake.controllers.devices import (
    body_sensors,  # noqa: F401
    camera,  # noqa: F401
    connector,  # noqa: F401
    display,  # noqa: F401
    joint_devices,  # noqa: F401
    radio,  # noqa: F401
    ranging,  # noqa: F401
    sight,  # noqa: F401
    signs,  # noqa: F401
    unsimulated,  # noqa: F401
)
from webmotor_drake.controllers.devices.device import DEVICE_CLASSES

__all__ = ["DEVICE_CLASSES"]
