"""Displays on the wire: a client draws by a queue of commands (display.c)."""

import struct

import numpy as np

from webmotor_drake import nodes
from webmotor_drake.errors import InputError
from webmotor_drake.host.canvas import BGRA, ORDERS, Canvas, picture
from webmotor_drake.host.devices import (
    CameraDevice,
    DisplayDevice,
    HostDevice,
)
from webmotor_drake.protocol.exchange import Exchange
from webmotor_drake.protocol.reader import BadRequestError, Reader
from webmotor_drake.protocol.wire_devices import KINDS, WireDevice

_IMAGE_SAVE = 66


class Display(WireDevice):
    """A display; what is drawn is there at once."""

    device: DisplayDevice

    def __init__(self, device: HostDevice, exchange: Exchange):
        super().__init__(device, exchange)
        self._commands = {
            16: self._set_color,
            17: self._set_alpha,
            18: self._set_opacity,
            19: self._set_font,
            20: self._attach_camera,
            21: self._detach_camera,
            32: self._draw_pixel,
            33: self._draw_line,
            34: self._draw_text,
            35: self._draw_rectangle,
            36: self._draw_oval,
            37: self._draw_polygon,
            64: self._copy_image,
            65: self._paste_image,
            _IMAGE_SAVE: self._save_image,
            67: self._load_image,
            68: self._delete_image,
        }

    @property
    def _canvas(self) -> Canvas:
        return self.device.canvas

    def configuration(self) -> bytes:
        """Returns width and height."""
        node = self.device.node
        return struct.pack("<HH", node.width, node.height)

    def command(self, number: int, block: Reader) -> bool:
        """Draws, or tells once why not."""
        if number not in self._commands:
            return False
        try:
            self._commands[number](block)
        except InputError as problem:
            self.tell_once(str(problem))
        return True

    def restart(self) -> None:
        """Forgets the client that has left, and what it has drawn."""
        super().restart()
        self.device.clear()

    def _set_color(self, block: Reader) -> None:
        self._canvas.set_color(block.i32())

    def _set_alpha(self, block: Reader) -> None:
        self._canvas.alpha = block.u8() / 255

    def _set_opacity(self, block: Reader) -> None:
        self._canvas.opacity = block.u8() / 255

    def _set_font(self, block: Reader) -> None:
        size, _ = block.u32(), block.u8()
        block.text(block.u16())
        self._canvas.set_font_size(size)

    def _attach_camera(self, block: Reader) -> None:
        tag = block.u16()
        for device in self.exchange.devices:
            is_it = self.exchange.tags[device.tag] == tag
            if is_it and isinstance(device, CameraDevice):
                self._canvas.camera = device

    def _detach_camera(self, block: Reader) -> None:
        self._canvas.camera = None

    def _corners(self, block: Reader) -> list[tuple[int, int]]:
        """Reads x of all, then y of all."""
        count = block.i16()
        if count < 1:
            raise BadRequestError(f"{count} corners")
        numbers = np.frombuffer(block.take(8 * count), "<i4").tolist()
        return list(zip(numbers[:count], numbers[count:], strict=True))

    def _two(self, block: Reader) -> tuple[int, int, int, int]:
        """Reads two places, or a place and a size."""
        corners = self._corners(block)
        if len(corners) != 2:
            raise BadRequestError(f"{len(corners)} corners, not 2")
        return (*corners[0], *corners[1])

    def _draw_pixel(self, block: Reader) -> None:
        self._canvas.point(*self._corners(block)[0])

    def _draw_line(self, block: Reader) -> None:
        self._canvas.line(*self._two(block))

    def _draw_text(self, block: Reader) -> None:
        x, y = self._corners(block)[0]
        self._canvas.text(block.string(), x, y)

    def _draw_rectangle(self, block: Reader) -> None:
        x, y, width, height = self._two(block)
        fill = bool(block.u8())
        self._canvas.rectangle(x, y, width, height, fill=fill)

    def _draw_oval(self, block: Reader) -> None:
        x, y, a, b = self._two(block)
        fill = bool(block.u8())
        self._canvas.oval(x, y, a, b, fill=fill)

    def _draw_polygon(self, block: Reader) -> None:
        corners = self._corners(block)
        self._canvas.polygon(corners, fill=bool(block.u8()))

    def _copy_image(self, block: Reader) -> None:
        handle, x, y = block.i32(), block.i16(), block.i16()
        copy = self._canvas.copy(x, y, block.i16(), block.i16())
        self._canvas.images[handle] = copy

    def _paste_image(self, block: Reader) -> None:
        handle, x, y = block.i32(), block.i16(), block.i16()
        blend = bool(block.u8())
        self._canvas.paste(self._canvas.image(handle), x, y, blend=blend)

    def _save_image(self, block: Reader) -> None:
        handle = block.i32()
        shown = self._canvas.image(handle)
        height, width = shown.shape[:2]
        head = struct.pack("<Biii", _IMAGE_SAVE, handle, width, height)
        self.tell(head + shown[..., BGRA].tobytes())

    def _load_image(self, block: Reader) -> None:
        handle, width, height = block.i32(), block.i16(), block.i16()
        pixel_format = block.u8()
        if pixel_format not in ORDERS or min(width, height) < 1:
            raise BadRequestError("an image of no known format or size")
        size = width * height * len(ORDERS[pixel_format])
        flat = np.frombuffer(block.take(size), np.uint8)
        image = picture(flat, pixel_format, width, height)
        self._canvas.images[handle] = image

    def _delete_image(self, block: Reader) -> None:
        self._canvas.images.pop(block.i32(), None)


KINDS[nodes.Display] = Display
