"""The indices of OBJ meshes: beyond the vertices they end Drake's process."""

import re
from pathlib import Path

import numpy as np

from webmotor_drake.errors import InputError
from webmotor_drake.limits import too_many

_FACE = re.compile(rb"^[ \t]*f[ \t]+([^\r\n]*)", re.MULTILINE)
_OF_KIND = {
    kind: re.compile(rb"^[ \t]*%s[ \t]" % kind, re.MULTILINE)
    for kind in (b"v", b"vt", b"vn")
}
_CORNER = re.compile(
    rb"([-+]?\d{1,9})(?:/([-+]?\d{1,9})?(?:/([-+]?\d{1,9}))?)?"
)
_MOST_CORNERS = 30_000_000


def check_indices(file: Path, data: bytes) -> None:
    """Refuses an OBJ mesh whose faces have corners that are not there.

    Args:
        file: its name, for messages.
        data: what is in it.

    Raises:
        InputError: with the line.
    """
    data = data.replace(b"\\\n", b" ")
    faces = _FACE.findall(data)
    corners = b" ".join(faces).split()
    if problem := too_many(len(corners), _MOST_CORNERS, "corners of faces"):
        raise InputError(f"{file}: a mesh of {problem}")
    counts = [len(kind.findall(data)) for kind in _OF_KIND.values()]
    numbers = _quick(corners)
    if numbers is not None and _fit(numbers, counts):
        return
    for match in _FACE.finditer(data):
        problem = _problem(match[1], counts)
        if problem:
            line = data.count(b"\n", 0, match.start(1)) + 1
            raise InputError(f"{file}:{line}: {problem}")


def _quick(corners: list[bytes]) -> np.ndarray | None:
    """Returns the numbers of corners that are all written alike, shape (n, 1 to 3)."""
    if not corners:
        return np.empty((0, 1), dtype=int)
    width = corners[0].count(b"/") + 1
    text = b" ".join([*corners, b""])
    letters = np.frombuffer(text, np.uint8)
    ends = np.flatnonzero(letters == ord(" "))
    slashes = np.cumsum(letters == ord("/"))[ends]
    numbers = text.replace(b"//", b"/0/").replace(b"/", b" ").split()
    is_alike = (np.diff(slashes, prepend=0) == width - 1).all()
    if not is_alike or len(numbers) != width * len(corners):
        return None
    try:
        return np.array(numbers, dtype=np.int64).reshape(-1, width)
    except (ValueError, OverflowError):
        return None


def _fit(numbers: np.ndarray, counts: list[int]) -> bool:
    """Returns whether all numbers are those of vertices, from the first or the last."""
    if numbers.shape[1] > len(counts) or (numbers[:, :1] == 0).any():
        return False
    most = np.array(counts[: numbers.shape[1]])
    return not (np.abs(numbers) > most).any()


def _problem(corners: bytes, counts: list[int]) -> str:
    """Returns what is wrong with the corners of a face; "" if nothing is."""
    for corner in corners.split(b"#")[0].split():
        match = _CORNER.fullmatch(corner)
        shown = corner[:40].decode(errors="replace")
        if match is None or int(match[1]) == 0:
            return f"{shown} is not a corner of a face"
        for number, count in zip(match.groups(), counts, strict=True):
            if number and abs(int(number)) > count:
                return f"the face's corner {shown} is not there; {count} are"
    return ""
