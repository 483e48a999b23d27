"""Mimic joints of a URDF that Drake cannot make, each with its cure."""

import dataclasses as dc
from pathlib import Path
from xml.parsers import expat

from webmotor_drake.errors import InputError, unknown_name


@dc.dataclass
class _Mimic:
    """A joint with a mimic element, and where that is."""

    joint: str
    kind: str
    target: str
    line: int
    column: int


def check_mimics(urdf: Path) -> None:
    """Refuses a mimic element at a fixed joint, or of a joint that is not there.

    Raises:
        InputError: with the place in the URDF.
        OSError: it cannot be read.
    """
    data = urdf.read_bytes()
    if b"<mimic" not in data:
        return
    joints, mimics = _read(data)
    for mimic in mimics:
        if mimic.kind == "fixed":
            problem = (
                f"joint {mimic.joint!r} is fixed and cannot mimic"
                f" {mimic.target!r}; take its mimic element out of the file, or"
                " make the joint revolute or prismatic"
            )
        elif mimic.target not in joints:
            problem = (
                f"joint {mimic.joint!r} mimics an"
                f" {unknown_name('joint', mimic.target, joints)}; name one that"
                " is there, or take the mimic element out of the file"
            )
        else:
            continue
        where = f"{urdf}:{mimic.line}:{mimic.column}"
        raise InputError(problem, where=where)


def _read(data: bytes) -> tuple[list[str], list[_Mimic]]:
    """Returns the names of a URDF's joints, and its mimic elements."""
    joints: list[str] = []
    mimics: list[_Mimic] = []
    kinds: list[str] = []  # of the joints
    parents: list[str] = []

    def start(tag: str, attributes: dict[str, str]) -> None:
        if tag == "joint" and parents == ["robot"]:
            joints.append(attributes.get("name", ""))
            kinds.append(attributes.get("type", ""))
        elif tag == "mimic" and parents == ["robot", "joint"]:
            mimics.append(
                _Mimic(
                    joints[-1],
                    kinds[-1],
                    attributes.get("joint", ""),
                    parser.CurrentLineNumber,
                    parser.CurrentColumnNumber + 1,
                )
            )
        parents.append(tag)

    parser = expat.ParserCreate()
    parser.StartElementHandler = start
    parser.EndElementHandler = lambda tag: parents.pop()
    try:
        parser.Parse(data, True)
    except expat.ExpatError:
        return [], []  # Drake says why.
    return joints, mimics
