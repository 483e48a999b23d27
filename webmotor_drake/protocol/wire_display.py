"""Displays on the wire: a client draws by a queue of commands (display.c)."""

import itertools
import typing
from collections.abc import Callable

import numpy as np

from webmotor_drake import nodes
from webmotor_drake.host.canvas import BGRA, ORDERS, Canvas, picture
from webmotor_drake.host.senses.camera import CameraSampler
from webmotor_drake.protocol.framing import BadRequestError, Reader, packed
from webmotor_drake.protocol.wire_devices import KINDS, Kind, WireDevice

_IMAGE_SAVE = 66


def _draws(draw: Callable[..., object]) -> Callable[..., None]:
    """Returns a request function that calls a method of the canvas."""

    def carry_out(wire: WireDevice, *values: typing.Any) -> None:
        draw(wire.device.canvas, *values)

    return carry_out


def _sets(part: str) -> Callable[..., None]:
    """Returns a request function that sets a number of the canvas, from 0 to 255."""
    return _draws(lambda canvas, n: setattr(canvas, part, n / 255))


def _attach_camera(wire: WireDevice, tag: int) -> None:
    for device in wire.exchange.devices:
        is_it = wire.exchange.tags[device.tag] == tag
        if is_it and isinstance(device, CameraSampler):
            wire.device.canvas.camera = device


def _corners(block: Reader) -> list[tuple[int, int]]:
    """Reads the corners: their x one after the other, then their y."""
    count = block.one("h")
    if count < 1:
        raise BadRequestError(f"{count} corners")
    numbers = np.frombuffer(block.take(8 * count), "<i4").tolist()
    return list(zip(numbers[:count], numbers[count:], strict=True))


def _shape(
    draw: Callable[..., object], count: int = 0, *, filled: bool = False
) -> tuple[str, Callable[..., None]]:
    """Returns the request to draw a shape with so many corners; 0: any number."""

    def carry_out(wire: WireDevice, block: Reader) -> None:
        corners = _corners(block)
        how = {"fill": bool(block.one("B"))} if filled else {}
        if count and len(corners) != count:
            raise BadRequestError(f"{len(corners)} corners, not {count}")
        places = itertools.chain(*corners) if count else [corners]
        draw(wire.device.canvas, *places, **how)

    return "*", carry_out


def _text(canvas: Canvas, block: Reader) -> None:
    place = _corners(block)[0]
    canvas.text(block.one("z"), *place)


def _copy(canvas: Canvas, handle: int, place: list[int]) -> None:
    canvas.images[handle] = canvas.copy(*place)


def _paste(canvas: Canvas, handle: int, x: int, y: int, blend: int) -> None:
    canvas.paste(canvas.image(handle), x, y, blend=bool(blend))


def _save(wire: WireDevice, handle: int) -> None:
    shown = wire.device.canvas.image(handle)
    height, width = shown.shape[:2]
    head = packed("Biii", _IMAGE_SAVE, handle, width, height)
    wire.tell(head + shown[..., BGRA].tobytes())


def _load(
    canvas: Canvas, handle: int, size: list[int], form: int, block: Reader
) -> None:
    if form not in ORDERS or min(size) < 1:
        raise BadRequestError("an image of no known format or size")
    flat = block.take(size[0] * size[1] * len(ORDERS[form]))
    flat = np.frombuffer(flat, np.uint8)
    canvas.images[handle] = picture(flat, form, *size)


# Drawings are on the canvas at once.
KINDS[nodes.Display] = Kind(
    lambda wire: packed("HH", wire.node.width, wire.node.height),
    {
        16: ("i", _draws(Canvas.set_color)),
        17: ("B", _sets("alpha")),
        18: ("B", _sets("opacity")),
        19: (
            "IBt",
            _draws(lambda canvas, size, *_: canvas.set_font_size(size)),
        ),
        20: ("H", _attach_camera),
        21: ("", _draws(lambda canvas: setattr(canvas, "camera", None))),
        32: _shape(Canvas.point, 1),
        33: _shape(Canvas.line, 2),
        34: ("*", _draws(_text)),
        35: _shape(Canvas.rectangle, 2, filled=True),
        36: _shape(Canvas.oval, 2, filled=True),
        37: _shape(Canvas.polygon, filled=True),
        64: ("i4h", _draws(_copy)),
        65: ("ihhB", _draws(_paste)),
        _IMAGE_SAVE: ("i", _save),
        67: ("i2hB*", _draws(_load)),
        68: ("i", _draws(lambda canvas, n: canvas.images.pop(n, None))),
    },
)
