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
from webmotor_drake.controllers.link.mounted_state import MountedState
from webmotor_drake.host import messages

if typing.TYPE_CHECKING:
    from PIL.ImageDraw import ImageDraw

# Where red, green, blue and alpha are in a format's pixel.
_ORDERS = {
    3: (0, 1, 2),
    4: (0, 1, 2, 3),
    5: (1, 2, 3, 0),
    6: (2, 1, 0, 3),
    7: (3, 2, 1, 0),
}

# Letters are painted at their full size, whatever the display shows of them.
_LARGEST_FONT = 1000


class Display(ImageDevice):
    """Pixels in a buffer, red, green, blue and alpha; black at first.

    What is drawn is there at once. Wrong arguments are ignored, with an error.
    """

    _kind = MountedState
    _declared = nodes.Display

    RGB, RGBA, ARGB, BGRA, ABGR = 3, 4, 5, 6, 7

    def __init__(self, *arguments: typing.Any, **keywords: typing.Any):
        super().__init__(*arguments, **keywords)
        shape = self.getHeight(), self.getWidth(), 4
        self._pixels = np.zeros(shape, np.uint8)
        self._color, self._alpha, self._opacity = (255, 255, 255), 1.0, 1.0
        self._font_size = 8
        self._images: dict[int, np.ndarray] = {}
        self._next_image = 1
        self._camera: Camera | None = None

    def setColor(self, color: int) -> None:
        """Sets the colour of the next drawings, 0xRRGGBB."""
        call = self._call(f"setColor({color!r})")
        number = messages.whole_number(call, color)
        if 0 <= number <= 0xFFFFFF:
            self._color = number >> 16, number >> 8 & 255, number & 255
        else:
            messages.error(call, "ignored; 0 to 0xFFFFFF is allowed")

    def setAlpha(self, alpha: float) -> None:
        """Sets the alpha of the next drawings, 0 to 1."""
        self._alpha = self._part(f"setAlpha({alpha!r})", alpha, self._alpha)

    def setOpacity(self, opacity: float) -> None:
        """Sets how much the next drawings cover, 0 to 1."""
        call = f"setOpacity({opacity!r})"
        self._opacity = self._part(call, opacity, self._opacity)

    def _part(self, method: str, value: float, before: float) -> float:
        part = messages.number(self._call(method), value)
        if 0 <= part <= 1:
            return part
        messages.error(self._call(method), "ignored; 0 to 1 is allowed")
        return before

    def setFont(self, font: str, size: int, anti_aliasing: bool) -> None:
        """Sets the size of texts; there is one font."""
        call = self._call(f"setFont({font!r}, {size!r})")
        number = messages.whole_number(call, size)
        if 1 <= number <= _LARGEST_FONT:
            self._font_size = number
        else:
            messages.error(call, f"ignored; 1 to {_LARGEST_FONT} is allowed")

    def drawPixel(self, x: int, y: int) -> None:
        """Draws a pixel."""
        self._draw(lambda draw: draw.point((int(x), int(y)), fill=255))

    def drawLine(self, x1: int, y1: int, x2: int, y2: int) -> None:
        """Draws a line."""
        ends = [(int(x1), int(y1)), (int(x2), int(y2))]
        self._draw(lambda draw: draw.line(ends, fill=255))

    def drawRectangle(self, x: int, y: int, width: int, height: int) -> None:
        """Draws the outline of a rectangle."""
        self._rectangle("drawRectangle()", (x, y, width, height), "outline")

    def fillRectangle(self, x: int, y: int, width: int, height: int) -> None:
        """Draws a rectangle."""
        self._rectangle("fillRectangle()", (x, y, width, height), "fill")

    def _rectangle(self, method: str, place: Sequence[float], how: str) -> None:
        x, y, width, height = map(int, place)
        if width < 1 or height < 1:
            messages.error(self._call(method), "ignored; it has no size")
            return
        corners = [(x, y), (x + width - 1, y + height - 1)]
        self._draw(lambda draw: draw.rectangle(corners, **{how: 255}))

    def drawOval(self, cx: int, cy: int, a: int, b: int) -> None:
        """Draws the outline of an ellipse of half axes a and b."""
        self._oval("drawOval()", (cx, cy, a, b), "outline")

    def fillOval(self, cx: int, cy: int, a: int, b: int) -> None:
        """Draws an ellipse of half axes a and b."""
        self._oval("fillOval()", (cx, cy, a, b), "fill")

    def _oval(self, method: str, place: Sequence[float], how: str) -> None:
        x, y, a, b = map(int, place)
        if a < 1 or b < 1:
            messages.error(self._call(method), "ignored; it has no size")
            return
        corners = [(x - a, y - b), (x + a, y + b)]
        self._draw(lambda draw: draw.ellipse(corners, **{how: 255}))

    def drawPolygon(self, x: Sequence[int], y: Sequence[int]) -> None:
        """Draws the outline of a polygon."""
        self._polygon(x, y, "outline")

    def fillPolygon(self, x: Sequence[int], y: Sequence[int]) -> None:
        """Draws a polygon."""
        self._polygon(x, y, "fill")

    def _polygon(self, x: Sequence[int], y: Sequence[int], how: str) -> None:
        corners = list(zip(map(int, x), map(int, y), strict=False))
        if len(corners) > 1:
            self._draw(lambda draw: draw.polygon(corners, **{how: 255}))

    def drawText(self, text: str, x: int, y: int) -> None:
        """Draws a text from its top left."""
        from PIL import ImageFont

        font = ImageFont.load_default(self._font_size)
        place = int(x), int(y)
        self._draw(lambda draw: draw.text(place, str(text), 255, font))

    def _draw(self, paint: typing.Callable[["ImageDraw"], object]) -> None:
        """Blends a drawing into the pixels."""
        from PIL import Image, ImageDraw

        if not self._pixels.size:
            return
        height, width = self._pixels.shape[:2]
        mask = Image.new("L", (width, height))
        paint(ImageDraw.Draw(mask))
        color = np.array([*self._color, 255 * self._alpha])
        self._blend(np.asarray(mask) > 0, color)

    def _blend(self, where: np.ndarray, color: np.ndarray) -> None:
        old = self._pixels[where]
        new = (1 - self._opacity) * old + self._opacity * color
        self._pixels[where] = np.rint(new)

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
        if format not in _ORDERS or width < 1 or height < 1:
            messages.error(call, "a format and a size above 0 are needed")
            return None
        order = _ORDERS[format]
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
        pixels = flat[: width * height * len(order)]
        pixels = pixels.reshape(height, width, len(order))[..., list(order)]
        if len(order) == 3:
            opaque = np.full((height, width, 1), 255, np.uint8)
            pixels = np.concatenate([pixels, opaque], axis=2)
        return self._kept(pixels.copy())

    def _kept(self, pixels: np.ndarray) -> int:
        handle, self._next_image = self._next_image, self._next_image + 1
        self._images[handle] = pixels
        return handle

    def imageLoad(self, filename: str) -> int | None:
        """Returns the handle of an image file; None, with an error, if unreadable."""
        from PIL import Image

        try:
            with Image.open(os.fspath(filename)) as image:
                return self._kept(np.array(image.convert("RGBA")))
        except OSError as error:
            call = self._call(f"imageLoad({filename!r})")
            messages.error(call, str(error.strerror or error))
            return None

    def imageCopy(self, x: int, y: int, width: int, height: int) -> int | None:
        """Returns the handle of a copy of a part of the display."""
        x, y, width, height = map(int, (x, y, width, height))
        if width < 1 or height < 1:
            call = self._call("imageCopy()")
            messages.error(call, "ignored; it has no size")
            return None
        copy = np.zeros((height, width, 4), np.uint8)
        inside, place = self._overlap(x, y, copy.shape)
        copy[place] = self._shown()[inside]
        return self._kept(copy)

    def imagePaste(
        self, image: int, x: int, y: int, blend: bool = False
    ) -> None:
        """Puts an image on the display, by its alpha if it is to blend."""
        pixels = self._image("imagePaste()", image)
        if pixels is None:
            return
        inside, place = self._overlap(int(x), int(y), pixels.shape)
        new = pixels[place].astype(float)
        if blend:
            alpha = new[..., 3:] / 255
            old = self._pixels[inside]
            new[..., :3] = alpha * new[..., :3] + (1 - alpha) * old[..., :3]
            new[..., 3] = np.maximum(new[..., 3], old[..., 3])
        self._pixels[inside] = np.rint(new)

    def _overlap(
        self, x: int, y: int, shape: Sequence[int]
    ) -> tuple[tuple[slice, slice], tuple[slice, slice]]:
        """Returns where an image at x, y is on the display, and in the image."""
        rows, columns = self._pixels.shape[:2]
        left, top = min(max(x, 0), columns), min(max(y, 0), rows)
        right = min(max(x + shape[1], left), columns)
        bottom = min(max(y + shape[0], top), rows)
        inside = slice(top, bottom), slice(left, right)
        return inside, (
            slice(top - y, bottom - y) if bottom > top else slice(0, 0),
            slice(left - x, right - x) if right > left else slice(0, 0),
        )

    def imageSave(self, image: int | None, filename: str) -> None:
        """Writes an image, or the display (None), as .png or .jpg."""
        shown = self._shown()
        pixels = shown if not image else self._image("imageSave()", image)
        if pixels is not None:
            save_picture(self._call("imageSave()"), pixels, filename, 100)

    def imageDelete(self, image: int) -> None:
        """Forgets an image."""
        if self._image("imageDelete()", image) is not None:
            del self._images[image]

    def _image(self, method: str, image: int) -> np.ndarray | None:
        if image not in self._images:
            messages.error(self._call(method), f"there is no image {image!r}")
        return self._images.get(image)

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
        camera = self._camera
        size = self._pixels.shape[:2]
        if camera is None or (camera.getHeight(), camera.getWidth()) != size:
            return self._pixels
        below = rgba(camera._state.measurement.value, size[1], size[0])
        drawn = self._pixels[..., 3:] / 255
        mixed = drawn * self._pixels + (1 - drawn) * below
        mixed[..., 3] = 255
        return np.rint(mixed).astype(np.uint8)

    color = property(fset=setColor)
    alpha = property(fset=setAlpha)
    opacity = property(fset=setOpacity)
