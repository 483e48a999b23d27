"""The messages of a browser that shows Meshcat when somebody pulls and presses."""

import struct

from pydrake.geometry import Meshcat


def pull(meshcat: Meshcat, slider: str, value: float) -> None:
    """Pulls a slider."""
    _send(meshcat, type="slider", name=slider, value=value)


def press(meshcat: Meshcat, button: str) -> None:
    """Presses a button."""
    _send(meshcat, type="button", name=button)


def _send(meshcat: Meshcat, **message: str | float) -> None:
    # Drake's own tests talk to Meshcat this way.
    packed = bytes([0x80 | len(message)])
    for key, value in message.items():
        packed += _packed(key) + _packed(value)
    meshcat._InjectWebsocketMessage(message=packed)


def _packed(value: str | float) -> bytes:
    """Returns a value as MessagePack has it."""
    if isinstance(value, str):
        data = value.encode()
        return bytes([0xD9, len(data)]) + data
    return b"\xcb" + struct.pack(">d", value)
