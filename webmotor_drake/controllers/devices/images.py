"""The common part of devices with images: their size, and files."""

import os
import typing
from pathlib import Path

import numpy as np

from webmotor_drake.controllers.devices.device import Device, of_node
from webmotor_drake.host import messages
from webmotor_drake.nodes.images import Pixels
from webmotor_drake.results.whole_file import explained


class ImageDevice(Device):
    """The common methods of cameras, range finders and displays."""

    getWidth = of_node(Pixels, "width", 0)
    getHeight = of_node(Pixels, "height", 0)
    width = property(getWidth)
    height = property(getHeight)


def save_radiance(call: str, values: np.ndarray, filename: str) -> int:
    """Writes numbers as a Radiance .hdr file, the same in red, green and blue.

    Each keeps 8 bits and an exponent of its own (Ward, "Real Pixels", 1991).

    Args:
        call: name of the call in messages.
        values: (height, width), finite, not below 0.
        filename: name of the file.

    Returns:
        0, or -1 with an error.
    """
    fractions, exponents = np.frexp(values)
    seen = values > 0
    mantissas = np.where(seen, 256 * fractions, 0).astype(np.uint8)
    exponents = np.where(seen, exponents + 128, 0).astype(np.uint8)
    pixels = np.stack([mantissas] * 3 + [exponents], axis=-1)
    height, width = values.shape
    head = f"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y {height} +X {width}\n"
    # Mantissas are 0 or from 128 on: no row looks as if it were packed.
    with messages.refusals(call), explained(filename):
        Path(filename).write_bytes(head.encode() + pixels.tobytes())
        return 0
    return -1


def save_picture(
    call: str, pixels: np.ndarray, filename: str, quality: int
) -> int:
    """Writes red, green, blue (and alpha), or grey, as Webots' saveImage does.

    Args:
        call: name of the call in messages.
        pixels: (height, width, 3 or 4) or (height, width), 0 to 255.
        filename: ends in .png, .jpg or .jpeg.
        quality: quality of a JPEG, 1 to 100.

    Returns:
        0, or -1 with an error.
    """
    from PIL import Image

    name = os.fspath(filename)
    jpeg = name.lower().endswith((".jpg", ".jpeg"))
    if not jpeg and not name.lower().endswith(".png"):
        messages.error(call, f"{name!r} does not end in .png, .jpg or .jpeg")
        return -1
    if jpeg and not 1 <= quality <= 100:
        messages.error(
            call, f"the quality must be from 1 to 100, got {quality}"
        )
        return -1
    options: dict[str, typing.Any] = {"quality": quality} if jpeg else {}
    image = Image.fromarray(pixels)
    with messages.refusals(call), explained(name):
        (image.convert("RGB") if jpeg else image).save(name, **options)
        return 0
    return -1


def rgba(image: bytes, width: int, height: int) -> np.ndarray:
    """Returns a camera's bytes as (height, width, 4), red, green, blue, alpha."""
    pixels = np.frombuffer(image, np.uint8).reshape(height, width, 4)
    return pixels[..., [2, 1, 0, 3]]
