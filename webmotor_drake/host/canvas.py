"""The pixels of a Display, and the drawing on them (WbDisplay.cpp)."""

import typing
from collections.abc import Sequence

import numpy as np

from webmotor_drake.errors import InputError

if typing.TYPE_CHECKING:
    from PIL.ImageDraw import ImageDraw

# Pillow's name for the mode of each pixel format.
ORDERS = {3: "RGB", 4: "RGBA", 5: "ARGB", 6: "BGRA", 7: "ABGR"}

# The order of a camera's image.
BGRA = [2, 1, 0, 3]
# A larger font would take too much memory: letters are painted whole, then cut.
_LARGEST_FONT = 1000
# The limit of an image: more pixels would take gigabytes.
_MOST_PIXELS = 2**26


class Canvas:
    """Pixels in a buffer, red, green, blue and alpha; black at first.

    Attributes:
        pixels: shape (height, width, 4), from 0 to 255.
        color: colour of the next drawings: red, green, blue, 0 to 255.
        alpha: alpha of the next drawings, 0 to 1.
        opacity: cover of the next drawings, 0 to 1.
        font_size: size of the next texts, in pixels.
        images: copies and loaded images, by their handles.
        camera: CameraSampler whose image is shown below the drawings; None: no image.

    Raises:
        InputError: a method got a wrong argument; its call is ignored.

    Args:
        width: in pixels.
        height: in pixels.
    """

    def __init__(self, width: int, height: int):
        self.pixels = np.zeros((height, width, 4), np.uint8)
        self.color, self.alpha, self.opacity = (255, 255, 255), 1.0, 1.0
        self.font_size = 8
        self.images: dict[int, np.ndarray] = {}
        self.camera: typing.Any = None

    def set_font_size(self, size: int) -> None:
        """Sets the size of the next texts, pixels."""
        if not 1 <= size <= _LARGEST_FONT:
            raise InputError(f"ignored; 1 to {_LARGEST_FONT} is allowed")
        self.font_size = size

    def set_color(self, color: int) -> None:
        """Sets the colour of the next drawings, 0xRRGGBB."""
        if not 0 <= color <= 0xFFFFFF:
            raise InputError("ignored; 0 to 0xFFFFFF is allowed")
        self.color = color >> 16 & 255, color >> 8 & 255, color & 255

    def point(self, x: int, y: int) -> None:
        """Draws a pixel."""
        self._draw(lambda draw: draw.point((x, y), fill=255))

    def line(self, x1: int, y1: int, x2: int, y2: int) -> None:
        """Draws a line."""
        ends = [(x1, y1), (x2, y2)]
        self._draw(lambda draw: draw.line(ends, fill=255))

    def rectangle(
        self, x: int, y: int, width: int, height: int, *, fill: bool
    ) -> None:
        """Draws a rectangle, or its outline."""
        _check_size(width, height)
        corners = [(x, y), (x + width - 1, y + height - 1)]
        self._shape("rectangle", corners, fill=fill)

    def oval(self, x: int, y: int, a: int, b: int, *, fill: bool) -> None:
        """Draws an ellipse of half axes a and b, or its outline."""
        _check_size(a, b)
        corners = [(x - a, y - b), (x + a, y + b)]
        self._shape("ellipse", corners, fill=fill)

    def polygon(
        self, corners: Sequence[tuple[int, int]], *, fill: bool
    ) -> None:
        """Draws a polygon, or its outline; nothing with one corner."""
        if len(corners) > 1:
            self._shape("polygon", corners, fill=fill)

    def _shape(self, shape: str, corners: typing.Any, *, fill: bool) -> None:
        how = {"fill" if fill else "outline": 255}
        self._draw(lambda draw: getattr(draw, shape)(corners, **how))

    def text(self, text: str, x: int, y: int) -> None:
        """Draws a text from its top left; there is one font."""
        from PIL import ImageFont

        font = ImageFont.load_default(self.font_size)
        self._draw(lambda draw: draw.text((x, y), text, 255, font))

    def _draw(self, paint: typing.Callable[["ImageDraw"], object]) -> None:
        from PIL import Image, ImageDraw

        if not self.pixels.size:
            return
        height, width = self.pixels.shape[:2]
        mask = Image.new("L", (width, height))
        paint(ImageDraw.Draw(mask))
        color = np.array([*self.color, 255 * self.alpha])
        where = np.asarray(mask) > 0
        old = self.pixels[where]
        new = (1 - self.opacity) * old + self.opacity * color
        self.pixels[where] = np.rint(new)

    def paste(self, image: np.ndarray, x: int, y: int, *, blend: bool) -> None:
        """Puts an image on the pixels; if `blend`, its alpha mixes both."""
        from PIL import Image

        height, width = image.shape[:2]
        new, old = image.astype(float), _part(self.pixels, x, y, width, height)
        if blend:
            alpha = new[..., 3:] / 255
            new[..., :3] = alpha * new[..., :3] + (1 - alpha) * old[..., :3]
            new[..., 3] = np.maximum(new[..., 3], old[..., 3])
        shown = Image.fromarray(self.pixels)
        shown.paste(Image.fromarray(np.rint(new).astype(np.uint8)), (x, y))
        self.pixels = np.array(shown)

    def image(self, handle: int) -> np.ndarray:
        """Returns the image with a handle; 0: the display over its camera's image."""
        if handle == 0:
            return self.shown()
        if handle not in self.images:
            raise InputError(f"there is no image {handle!r}")
        return self.images[handle]

    def copy(self, x: int, y: int, width: int, height: int) -> np.ndarray:
        """Returns a part of the shown pixels; transparent beyond its edges."""
        _check_size(width, height)
        if width * height > _MOST_PIXELS:
            raise InputError(f"ignored; {_MOST_PIXELS} pixels are allowed")
        return _part(self.shown(), x, y, width, height)

    def shown(self) -> np.ndarray:
        """Returns the pixels, over the camera's image if it has the same size."""
        camera = self.camera
        if camera is None:
            return self.pixels
        shape = camera.node.height, camera.node.width, 4
        if shape[:2] != self.pixels.shape[:2]:
            return self.pixels
        image = camera.value  # bytes, or drawn in a client's memory
        if isinstance(image, bytes):
            image = np.frombuffer(image, np.uint8)
        below = image.reshape(shape)[..., BGRA]
        drawn = self.pixels[..., 3:] / 255
        mixed = drawn * self.pixels + (1 - drawn) * below
        mixed[..., 3] = 255
        return np.rint(mixed).astype(np.uint8)


def _check_size(width: int, height: int) -> None:
    if width < 1 or height < 1:
        raise InputError("ignored; it has no size")


def _part(
    pixels: np.ndarray, x: int, y: int, width: int, height: int
) -> np.ndarray:
    """Returns a part of an image; transparent beyond its edges."""
    from PIL import Image

    corners = x, y, x + width, y + height
    return np.array(Image.fromarray(pixels).crop(corners))


def picture(
    flat: np.ndarray, pixel_format: int, width: int, height: int
) -> np.ndarray:
    """Returns an image made of numbers.

    Args:
        flat: 0 to 255, row by row.
        pixel_format: one of `ORDERS`.
        width: in pixels.
        height: in pixels.

    Raises:
        InputError: no such format or size, or too few numbers.
    """
    from PIL import Image

    if pixel_format not in ORDERS or width < 1 or height < 1:
        raise InputError("a format and a size above 0 are needed")
    order = ORDERS[pixel_format]
    needed = width * height * len(order)
    if flat.size < needed:
        raise InputError(f"{flat.size} numbers; {needed} are needed")
    size, mode = (width, height), "RGBA"[: len(order)]
    image = Image.frombytes(mode, size, flat[:needed].tobytes(), "raw", order)
    return np.array(image.convert("RGBA"))
