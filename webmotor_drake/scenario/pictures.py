"""Pictures in a form that cannot hurt: VTK ends the process at damaged PNGs."""

import io
from pathlib import Path

from webmotor_drake.errors import InputError, warn
from webmotor_drake.limits import too_many

# Formats that Pillow decodes itself, without other programs.
_FORMATS = ("PNG", "JPEG", "BMP", "GIF", "WEBP")
_MOST_PIXELS = 2**26
# The last chunk of a PNG: `verify` does not check it.
_END = b"\0\0\0\0IEND\xaeB`\x82"


def safe_png(file: Path, data: bytes) -> bytes:
    """Returns a picture as a PNG that any library can decode.

    Args:
        file: its name, for messages.
        data: its content; a sound PNG is returned as it is.

    Raises:
        InputError: it cannot be decoded, or has too many pixels.
    """
    from PIL import Image

    try:
        with Image.open(io.BytesIO(data), formats=_FORMATS) as image:
            pixels = image.width * image.height
            if problem := too_many(pixels, _MOST_PIXELS, "pixels"):
                raise InputError(f"{file}: a picture of {problem}")
            image.load()
            if _is_sound(data):
                return data
            made = io.BytesIO()
            kind = "RGBA" if image.has_transparency_data else "RGB"
            image.convert(kind).save(made, "PNG", compress_level=1)
            return made.getvalue()
    except InputError:
        raise
    except Exception as error:  # whatever a decoder of damaged files raises
        problem = f"{file} is not a picture that can be decoded"
        why = str(error) or type(error).__name__
        why = "unknown format" if "cannot identify" in why else why
        raise InputError(f"{problem}: {why}") from None


def white_png(error: InputError) -> bytes:
    """Returns a white picture, which keeps a material's colour, and warns."""
    from PIL import Image

    warn(f"{error.problem}; its colour is drawn instead")
    made = io.BytesIO()
    Image.new("RGB", (1, 1), "white").save(made, "PNG")
    return made.getvalue()


def _is_sound(data: bytes) -> bool:
    """Returns whether a PNG's chunks are whole, with the right check sums."""
    from PIL import Image

    try:
        with Image.open(io.BytesIO(data), formats=["PNG"]) as image:
            image.verify()
    except Exception:  # whatever a decoder of damaged files raises
        return False
    return data.endswith(_END)
