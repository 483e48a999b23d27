"""Webots' Display: pixels that a controller draws, copies and saves."""

import os
import typing
from collections.abc import Callable, Sequence

import numpy as np

from webmotor_drake import nodes
from webmotor_drake.controllers.devices.camera import Camera
from webmotor_drake.controllers.devices.images import ImageDevice, save_picture
from webmotor_drake.host import messages
from webmotor_drake.host.canvas import Canvas, picture
from webmotor_drake.results.whole_file import explained

Answer = typing.TypeVar("Answer")


class Display(ImageDevice):
    """Pixels in a buffer, red, green, blue and alpha; black at first.

    Drawings are there at once. Wrong arguments are ignored, with an error.
    """

    _declared = nodes.Display

    RGB, RGBA, ARGB, BGRA, ABGR = 3, 4, 5, 6, 7

    def __init__(self, *arguments: typing.Any, **keywords: typing.Any):
        super().__init__(*arguments, **keywords)
        self._next_image = 1

    @property
    def _canvas(self) -> Canvas:
        return self._device.canvas if self._tag else Canvas(0, 0)

    def _do(self, method: str, call: Callable[[], Answer]) -> Answer | None:
        """Returns the answer to a call; None, with an error, if it is refused."""
        with messages.refusals(self._call(method)):
            return call()
        return None

    def setColor(self, color: int) -> None:
        """Sets the `color` of the next drawings, 0xRRGGBB."""
        call = f"setColor({color!r})"
        number = messages.whole_number(self._call(call), color)
        self._do(call, lambda: self._canvas.set_color(number))

    def setAlpha(self, alpha: float) -> None:
        """Sets the alpha of the next drawings, 0 to 1."""
        call = f"setAlpha({alpha!r})"
        self._canvas.alpha = self._part(call, alpha, self._canvas.alpha)

    def setOpacity(self, opacity: float) -> None:
        """Sets the `opacity` of the next drawings, 0 to 1: how much they cover."""
        call = f"setOpacity({opacity!r})"
        self._canvas.opacity = self._part(call, opacity, self._canvas.opacity)

    def _part(self, method: str, value: float, before: float) -> float:
        part = messages.number(self._call(method), value)
        if 0 <= part <= 1:
            return part
        messages.error(self._call(method), "ignored; 0 to 1 is allowed")
        return before

    def setFont(self, font: str, size: int, anti_aliasing: bool) -> None:
        """Sets the `size` of texts, pixels; `font` and `anti_aliasing` do nothing."""
        call = f"setFont({font!r}, {size!r})"
        number = messages.whole_number(self._call(call), size)
        self._do(call, lambda: self._canvas.set_font_size(number))

    def drawPixel(self, x: int, y: int) -> None:
        """Draws the pixel in column `x` and row `y`, from the top left."""
        self._canvas.point(int(x), int(y))

    def drawLine(self, x1: int, y1: int, x2: int, y2: int) -> None:
        """Draws a line from pixel `x1`, `y1` to pixel `x2`, `y2`."""
        self._canvas.line(int(x1), int(y1), int(x2), int(y2))

    def drawRectangle(self, x: int, y: int, width: int, height: int) -> None:
        """Draws the outline of `width` x `height` pixels from `x`, `y` on."""
        self._draw("Rectangle", x, y, width, height, fill=False)

    def fillRectangle(self, x: int, y: int, width: int, height: int) -> None:
        """Draws a rectangle of `width` x `height` pixels from `x`, `y` on."""
        self._draw("Rectangle", x, y, width, height, fill=True)

    def drawOval(self, cx: int, cy: int, a: int, b: int) -> None:
        """Draws the outline of an ellipse at `cx`, `cy` with half axes `a`, `b`."""
        self._draw("Oval", cx, cy, a, b, fill=False)

    def fillOval(self, cx: int, cy: int, a: int, b: int) -> None:
        """Draws an ellipse at `cx`, `cy` with half axes `a` and `b`, in pixels."""
        self._draw("Oval", cx, cy, a, b, fill=True)

    def _draw(self, shape: str, *place: float, fill: bool) -> None:
        draw, numbers = getattr(self._canvas, shape.lower()), map(int, place)
        method = f"{'fill' if fill else 'draw'}{shape}()"
        self._do(method, lambda: draw(*numbers, fill=fill))

    def drawPolygon(self, x: Sequence[int], y: Sequence[int]) -> None:
        """Draws the outline of a polygon with corners at columns `x` and rows `y`."""
        self._polygon(x, y, fill=False)

    def fillPolygon(self, x: Sequence[int], y: Sequence[int]) -> None:
        """Draws a polygon with corners at columns `x` and rows `y`."""
        self._polygon(x, y, fill=True)

    def _polygon(
        self, x: Sequence[int], y: Sequence[int], *, fill: bool
    ) -> None:
        corners = list(zip(map(int, x), map(int, y), strict=False))
        self._canvas.polygon(corners, fill=fill)

    def drawText(self, text: str, x: int, y: int) -> None:
        """Draws `text` from its top left, at column `x` and row `y`."""
        self._canvas.text(str(text), int(x), int(y))

    def imageNew(
        self, data: typing.Any, format: int, width: int, height: int
    ) -> int | None:
        """Returns the handle of an image made of bytes, or of lists of numbers.

        Args:
            data: pixels row by row, in the format.
            format: RGB, RGBA, ARGB, BGRA or ABGR.
            width: in pixels.
            height: in pixels.
        """
        flat = (
            np.frombuffer(data, np.uint8)
            if isinstance(data, bytes)
            else (np.array(data, dtype=np.uint8).ravel())
        )
        return self._do(
            "imageNew()",
            lambda: self._kept(picture(flat, format, width, height)),
        )

    def _kept(self, pixels: np.ndarray) -> int:
        handle, self._next_image = self._next_image, self._next_image + 1
        self._canvas.images[handle] = pixels
        return handle

    def imageLoad(self, filename: str) -> int | None:
        """Returns the handle of the image `filename`; None, with an error, if bad."""
        from PIL import Image

        call, name = self._call("imageLoad()"), os.fspath(filename)
        with messages.refusals(call), explained(name, "read"):
            return self._kept(np.array(Image.open(name).convert("RGBA")))
        return None

    def imageCopy(self, x: int, y: int, width: int, height: int) -> int | None:
        """Returns the handle of a copy: `width` x `height` pixels from `x`, `y` on."""
        numbers = map(int, (x, y, width, height))
        return self._do(
            "imageCopy()", lambda: self._kept(self._canvas.copy(*numbers))
        )

    def imagePaste(
        self, image: int, x: int, y: int, blend: bool = False
    ) -> None:
        """Puts an image at `x`, `y` of the display; `blend` mixes it by its alpha."""
        pixels = self._do("imagePaste()", lambda: self._image(image))
        if pixels is not None:
            self._canvas.paste(pixels, int(x), int(y), blend=blend)

    def imageSave(self, image: int | None, filename: str) -> None:
        """Writes an image, or the display (None), to `filename`, .png or .jpg."""
        pixels = self._do("imageSave()", lambda: self._canvas.image(image or 0))
        if pixels is not None:
            save_picture(self._call("imageSave()"), pixels, filename, 100)

    def imageDelete(self, image: int) -> None:
        """Forgets an image."""
        pixels = self._do("imageDelete()", lambda: self._image(image))
        if pixels is not None:
            del self._canvas.images[image]

    def _image(self, image: int) -> np.ndarray:
        return self._canvas.image(image or -1)  # 0 is no image here

    def attachCamera(self, camera: Camera) -> None:
        """Shows a camera's image below the drawings, if both have the same size."""
        if self._canvas.camera is not None:
            messages.error(
                self._call("attachCamera()"), "there is a camera already"
            )
        elif isinstance(camera, Camera):
            self._canvas.camera = camera._device

    def detachCamera(self) -> None:
        """Removes the camera's image."""
        self._canvas.camera = None

    color = property(fset=setColor)
    alpha = property(fset=setAlpha)
    opacity = property(fset=setOpacity)
