"""Our own PROTOs that stand for Webots', in files of the package.

They have today's axes in worlds of any age. Parameters whose names begin with "our_"
are not Webots': in older worlds those are turned into their axes, which have y up and
-z forward.
"""

import functools
import re
from pathlib import Path

from pydrake.math import RotationMatrix

from webmotor_drake.worlds.nodes import Field, Node
from webmotor_drake.worlds.poses import turn
from webmotor_drake.worlds.reader import Texts, read_texts
from webmotor_drake.worlds.source import Source, read_version

_FOLDER = Path(__file__).parent / "protos"
OURS = "our_"
_OLD_AXIS, _OLD_ANGLE = [-1.0, 1.0, 1.0], 2.0943951023932
# A line of what differs, perhaps only where a parameter is TRUE.
_DIFFERS = re.compile(r"^# differs(?: if (\w+))?: (.*)$", re.MULTILINE)


def has_stand_in(node: Node) -> bool:
    """Returns whether a PROTO of ours stands for an instance's."""
    return _file(node) in _files()


def load_stand_in(node: Node) -> tuple[Texts, str]:
    """Returns the PROTO that stands for an instance's, and what differs from Webots'.

    All in it has the instance's place.
    """
    file = _file(node)
    text = file.read_text(encoding="utf-8")
    place = node.place.source.instead or str(node.place)
    source = Source(
        f"our own {node.type}",
        text,
        _FOLDER,
        read_version(text) or node.place.source.version,
        instead=place,
    )
    proto = read_texts(source)
    if node.place.source.has_old_axes:
        R = turn(_OLD_AXIS, _OLD_ANGLE)
        for name, parameter in proto.parameters.items():
            if name.startswith(OURS) or name == "translation":
                _turn(parameter.default, parameter.type, R)
    differs = [
        words
        for only_if, words in _DIFFERS.findall(text)
        if not only_if or node.truth(only_if, False)
    ]
    return proto, "; ".join(differs)


def _turn(field: Field, kind: str, R: RotationMatrix) -> None:
    """Turns a parameter of today's axes into those of older files."""
    if kind.endswith("Vec3f"):
        turned = [R @ row for row in field.rows(3)]
        field.items = [float(x) for row in turned for x in row.round(9) + 0.0]
    elif kind == "SFRotation":
        field.items = [*_OLD_AXIS, _OLD_ANGLE]


def _file(node: Node) -> Path:
    """Returns where the PROTO of an instance would be; of an e-puck 2 its own."""
    version = node.fields.get("version")
    second = (
        version is not None and str(next(iter(version.items), ""))[:1] == "2"
    )
    name = f"{node.type}2" if second else node.type
    file = _FOLDER / f"{name}.proto"
    return file if file in _files() else _FOLDER / f"{node.type}.proto"


@functools.cache
def _files() -> frozenset[Path]:
    return frozenset(_FOLDER.glob("*.proto"))
