"""Webots' Display: pixels that a controller draws, copies and saves."""

import os
import typing
from collections.abc import Sequence

import numpy as np

from webmotor_drake import nodes
from webmotor_drake.controllers.devices.camera import Camera
from webmotor_drake.controllers.devices.images import (
    ImageDevice,
    rgba,
    save_picture,
)
from webmotor_drake.host import messages
from webmotor_drake.host.canvas import ORDERS, Canvas, part, picture

# Letters are painted at their full size, whatever the display shows of them.
_LARGEST_FONT = 1000


class Display(ImageDevice):
    """Pixels in a buffer, red, green, blue and alpha; black at first.

    Drawings are there at once. Wrong arguments are ignored, with an error.
    """

    _declared = nodes.Display

    RGB, RGBA, ARGB, BGRA, ABGR = 3, 4, 5, 6, 7

    def __init__(self, *arguments: typing.Any, **keywords: typing.Any):
        super().__init__(*arguments, **keywords)
        self._canvas = Canvas(self.getWidth(), self.getHeight())
        self._next_image = 1
        self._camera: Camera | None = None

    def setColor(self, color: int) -> None:
        """Sets the `color` of the next drawings, 0xRRGGBB."""
        call = self._call(f"setColor({color!r})")
        number = messages.whole_number(call, color)
        if 0 <= number <= 0xFFFFFF:
            self._canvas.set_color(number)
        else:
            messages.error(call, "ignored; 0 to 0xFFFFFF is allowed")

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
        call = self._call(f"setFont({font!r}, {size!r})")
        number = messages.whole_number(call, size)
        if 1 <= number <= _LARGEST_FONT:
            self._canvas.font_size = number
        else:
            messages.error(call, f"ignored; 1 to {_LARGEST_FONT} is allowed")

    def drawPixel(self, x: int, y: int) -> None:
        """Draws the pixel in column `x` and row `y`, from the top left."""
        self._canvas.point(int(x), int(y))

    def drawLine(self, x1: int, y1: int, x2: int, y2: int) -> None:
        """Draws a line from pixel `x1`, `y1` to pixel `x2`, `y2`."""
        self._canvas.line(int(x1), int(y1), int(x2), int(y2))

    def drawRectangle(self, x: int, y: int, width: int, height: int) -> None:
        """Draws the outline of `width` x `height` pixels from `x`, `y` on."""
        self._rectangle("drawRectangle()", (x, y, width, height), fill=False)

    def fillRectangle(self, x: int, y: int, width: int, height: int) -> None:
        """Draws a rectangle of `width` x `height` pixels from `x`, `y` on."""
        self._rectangle("fillRectangle()", (x, y, width, height), fill=True)

    def _rectangle(
        self, method: str, place: Sequence[float], *, fill: bool
    ) -> None:
        x, y, width, height = map(int, place)
        if width < 1 or height < 1:
            messages.error(self._call(method), "ignored; it has no size")
            return
        self._canvas.rectangle(x, y, width, height, fill=fill)

    def drawOval(self, cx: int, cy: int, a: int, b: int) -> None:
        """Draws the outline of an ellipse at `cx`, `cy` with half axes `a`, `b`."""
        self._oval("drawOval()", (cx, cy, a, b), fill=False)

    def fillOval(self, cx: int, cy: int, a: int, b: int) -> None:
        """Draws an ellipse at `cx`, `cy` with half axes `a` and `b`, in pixels."""
        self._oval("fillOval()", (cx, cy, a, b), fill=True)

    def _oval(self, method: str, place: Sequence[float], *, fill: bool) -> None:
        x, y, a, b = map(int, place)
        if a < 1 or b < 1:
            messages.error(self._call(method), "ignored; it has no size")
            return
        self._canvas.oval(x, y, a, b, fill=fill)

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
        if len(corners) > 1:
            self._canvas.polygon(corners, fill=fill)

    def drawText(self, text: str, x: int, y: int) -> None:
        """Draws `text` from its top left, at column `x` and row `y`."""
        self._canvas.text(str(text), int(x), int(y))

    def imageNew(
        self, data: typing.Any, format: int, width: int, height: int
    ) -> int | None:
        """Returns the handle of an image made of bytes, or of lists of numbers.

        Args:
            data: row by row, in the format.
            format: RGB, RGBA, ARGB, BGRA or ABGR.
            width: in pixels.
            height: in pixels.
        """
        call = self._call("imageNew()")
        if format not in ORDERS or width < 1 or height < 1:
            messages.error(call, "a format and a size above 0 are needed")
            return None
        order = ORDERS[format]
        flat = (
            np.frombuffer(data, np.uint8)
            if isinstance(data, bytes)
            else (np.array(data, dtype=np.uint8).ravel())
        )
        if flat.size < width * height * len(order):
            messages.error(
                call,
                f"{flat.size} numbers; {width * height * len(order)} are needed",
            )
            return None
        return self._kept(picture(flat, format, width, height))

    def _kept(self, pixels: np.ndarray) -> int:
        handle, self._next_image = self._next_image, self._next_image + 1
        self._canvas.images[handle] = pixels
        return handle

    def imageLoad(self, filename: str) -> int | None:
        """Returns the handle of the image `filename`; None, with an error, if bad."""
        from PIL import Image

        try:
            with Image.open(os.fspath(filename)) as image:
                return self._kept(np.array(image.convert("RGBA")))
        except OSError as error:
            call = self._call(f"imageLoad({filename!r})")
            messages.error(call, str(error.strerror or error))
            return None

    def imageCopy(self, x: int, y: int, width: int, height: int) -> int | None:
        """Returns the handle of a copy: `width` x `height` pixels from `x`, `y` on."""
        x, y, width, height = map(int, (x, y, width, height))
        if width < 1 or height < 1:
            call = self._call("imageCopy()")
            messages.error(call, "ignored; it has no size")
            return None
        return self._kept(part(self._shown(), x, y, width, height))

    def imagePaste(
        self, image: int, x: int, y: int, blend: bool = False
    ) -> None:
        """Puts an image at `x`, `y` of the display, by its alpha if `blend`."""
        pixels = self._image("imagePaste()", image)
        if pixels is not None:
            self._canvas.paste(pixels, int(x), int(y), blend=blend)

    def imageSave(self, image: int | None, filename: str) -> None:
        """Writes an image, or the display (None), to `filename`, .png or .jpg."""
        shown = self._shown()
        pixels = shown if not image else self._image("imageSave()", image)
        if pixels is not None:
            save_picture(self._call("imageSave()"), pixels, filename, 100)

    def imageDelete(self, image: int) -> None:
        """Forgets an image."""
        if self._image("imageDelete()", image) is not None:
            del self._canvas.images[image]

    def _image(self, method: str, image: int) -> np.ndarray | None:
        if image not in self._canvas.images:
            messages.error(self._call(method), f"there is no image {image!r}")
        return self._canvas.images.get(image)

    def attachCamera(self, camera: Camera) -> None:
        """Shows a camera's image below the drawings, if they are of one size."""
        if self._camera is not None:
            messages.error(
                self._call("attachCamera()"), "there is a camera already"
            )
        elif isinstance(camera, Camera):
            self._camera = camera

    def detachCamera(self) -> None:
        """Removes the camera's image."""
        self._camera = None

    def _shown(self) -> np.ndarray:
        """Returns the pixels, over those of the camera."""
        camera, below = self._camera, None
        if camera is not None:
            image = camera._state.measurement.value
            below = rgba(image, camera.getWidth(), camera.getHeight())
        return self._canvas.over(below)

    color = property(fset=setColor)
    alpha = property(fset=setAlpha)
    opacity = property(fset=setOpacity)
