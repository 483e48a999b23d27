"""The device that a controller asks for."""

from collections.abc import Sequence

from webmotor_drake.controllers.link.device_state import Absent, DeviceState
from webmotor_drake.errors import unknown_name
from webmotor_drake.host import messages


def find_device(
    devices: Sequence[DeviceState],
    name: str | int,
    kind: type[DeviceState],
    called: str,
    node_type: int | None = None,
) -> DeviceState | Absent:
    """Returns the device with a name or tag; prints an error if there is none.

    Args:
        devices: those of the robot; the first has tag 1.
        name: name or tag.
        kind: what it should be.
        called: what it is called in messages.
        node_type: of `Node`, its type; None: any of that kind.
    """
    found: Sequence[DeviceState] = ()
    if isinstance(name, int):
        if name > 0:
            found = devices[name - 1 : name]
    else:
        found = [d for d in devices if d.name == name]
        if not found:
            names = [device.name for device in devices]
            messages.warning(
                f"{called}({name!r})", unknown_name("device", name, names)
            )
    for device in found:
        fits = node_type is None or device.node_type == node_type
        if fits and isinstance(device, kind):
            return device
    return Absent(str(name), called)
