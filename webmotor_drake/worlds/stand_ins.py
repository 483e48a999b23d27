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
from webmotor_drake.worlds.reader import Parameter, Texts, read_texts
from webmotor_drake.worlds.source import Source, read_version
from webmotor_drake.worlds.stand_in_scripts import FOLDER
from webmotor_drake.worlds.value_text import guessed_type

OURS = "our_"
# The one for furniture of which nothing is known but its size.
STANDING_BOX = "StandingBox"
_OLD_AXIS, _OLD_ANGLE = [-1.0, 1.0, 1.0], 2.0943951023932
# A line of what differs, perhaps only where a parameter is TRUE.
_DIFFERS = re.compile(r"^# differs(?: if (\w+))?: (.*)$", re.MULTILINE)


def has_stand_in(node: Node) -> bool:
    """Returns whether a PROTO of ours stands for an instance's."""
    return _path(node.type) in _files()


def has_size(node: Node) -> bool:
    """Returns whether an instance of an unknown PROTO says how large it is."""
    field = node.fields.get("size")
    items = field.items if field is not None else []
    sizes = [item for item in items if isinstance(item, float) and item > 0]
    return len(items) == len(sizes) == 3


def load_stand_in(node: Node) -> tuple[Texts, str]:
    """Returns the PROTO that stands for an instance's, and its differences.

    All in it has the instance's place. What the instance gives besides is a parameter
    of it, too.
    """
    file = _path(node.type if has_stand_in(node) else STANDING_BOX)
    text = file.read_text(encoding="utf-8")
    place = node.place.source.instead or str(node.place)
    source = Source(
        f"our own {node.type}",
        text,
        FOLDER,
        read_version(text) or node.place.source.version,
        instead=place,
        report=node.place.source.report,
    )
    proto = read_texts(source)
    if node.place.source.has_old_axes:
        R = turn(_OLD_AXIS, _OLD_ANGLE)
        for name, parameter in proto.parameters.items():
            if name.startswith(OURS) or name == "translation":
                _turn(parameter.default, parameter.type, R)
    for name, field in node.fields.items():
        given = Parameter(guessed_type(field), field)
        proto.parameters.setdefault(name, given)
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


def _path(name: str) -> Path:
    return FOLDER / f"{name}.proto"


@functools.cache
def _files() -> frozenset[Path]:
    return frozenset(FOLDER.glob("*.proto"))
