"""Our own PROTOs that replace Webots', in files of the package, and their scripts.

They are written in today's axes for worlds of any age. Parameters whose names begin
with "our_" are not Webots'; in older worlds, which have y up and -z forward, their
defaults are turned.

Scripts are in Jinja. They run in this process and need no extra, as only we write
them. In their bodies %< ... >% is a statement and %<= ... >% a value, as in Webots'
templates. z is up; `pose` turns the poses that they ask for if the world's file has y
up.
"""

import functools
import math
import re
import typing
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from pydrake.math import RotationMatrix

from webmotor_drake.worlds.nodes import Field, Interface, Node, guessed_type
from webmotor_drake.worlds.poses import pose as pose_by, turn, webots_pose
from webmotor_drake.worlds.reader import Texts, read_texts
from webmotor_drake.worlds.source import Source, read_version

if typing.TYPE_CHECKING:
    import jinja2

FOLDER = Path(__file__).parent / "protos"
_NAMES = frozenset(file.stem for file in FOLDER.glob("*.proto"))
OURS = "our_"
# The replacement for furniture of unknown PROTOs that give their size.
_STANDING_BOX = "StandingBox"
_OLD_AXIS, _OLD_ANGLE = [-1.0, 1.0, 1.0], 2.0943951023932
_LIES = pose_by([0, 0, 0], [1, 0, 0, -math.pi / 2])
# Most points of a terrain, and most parts of an extrusion.
_MOST_POINTS, _MOST_SUBDIVISIONS = 40_000, 50
# A line on a difference from Webots, which may depend on a parameter that is TRUE.
_DIFFERS = re.compile(r"^# differs(?: if (\w+))?: (.*)$", re.MULTILINE)


def has_stand_in(node: Node) -> bool:
    """Returns whether a PROTO of ours replaces an instance's PROTO."""
    return node.type in _NAMES


def has_size(node: Node) -> bool:
    """Returns whether an instance of an unknown PROTO says how large it is."""
    field = node.fields.get("size")
    items = field.items if field is not None else []
    sizes = [item for item in items if isinstance(item, float) and item > 0]
    return len(items) == len(sizes) == 3


def load_stand_in(node: Node) -> tuple[Texts, str]:
    """Returns our replacement for an instance's PROTO, and its differences from that.

    All nodes in it have the instance's place. Further fields that the instance gives
    become parameters, too.
    """
    name = node.type if has_stand_in(node) else _STANDING_BOX
    text = (FOLDER / f"{name}.proto").read_text(encoding="utf-8")
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
        for name, (kind, default) in proto.parameters.items():
            if name.startswith(OURS) or name == "translation":
                _turn(default, kind, R)
    for name, field in node.fields.items():
        proto.parameters.setdefault(name, (guessed_type(field), field))
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


def scripted(proto: Texts, body: str, given: Interface, *, old: bool) -> str:
    """Returns the text that a stand-in's script makes.

    Args:
        proto: the stand-in.
        body: its text.
        given: its parameters, whose values the script knows as `f`.
        old: True if the instance's file has y up.
    """
    values = {name: field for name, (_, field) in given.items()}

    def positive(name: str) -> list[float]:
        default = proto.parameters[name][1].numbers()
        numbers = values[name].numbers(len(default))
        return numbers if min(numbers) > 0 else default  # as Webots

    def upright(name: str, old_default: list[float]) -> list[float]:
        """Returns a size along x, y and up; old files have x, up, y."""
        if not old:
            return positive(name)
        if values[name] is proto.parameters[name][1]:
            return old_default
        x, up, y = positive(name)
        return [x, y, up]

    def pose(place: Sequence[float], yaw: float = 0.0) -> str:
        """Returns the fields of a pose turned about the vertical."""
        X = pose_by(place, [0.0, 0.0, 1.0, yaw])
        there = webots_pose(_LIES @ X if old else X)
        turned = _text(there.rotation)
        return f"translation {_text(there.translation)} rotation {turned}"

    def number(name: str) -> float:
        return values[name].numbers(1)[0]

    return _compiled(body).render(
        f=values, number=number, pose=pose, positive=positive, upright=upright
    )


@functools.cache
def _compiled(body: str) -> "jinja2.Template":
    return _environment().from_string(body)


@functools.cache
def _environment() -> "jinja2.Environment":
    import jinja2

    made = jinja2.Environment(
        block_start_string="%<",
        block_end_string=">%",
        variable_start_string="%<=",
        variable_end_string=">%",
        comment_start_string="%<#",
        comment_end_string="#>%",
        finalize=_text,
        undefined=jinja2.StrictUndefined,
        loader=jinja2.FileSystemLoader(FOLDER),
    )
    made.globals |= {"math": math, "hills": _hills, "rings": _swept}
    return made


def _text(value: typing.Any) -> typing.Any:
    """Returns a value as a file has it; a list as its items, blanks between."""
    if isinstance(value, list | tuple | np.ndarray):
        return " ".join(str(_text(item)) for item in value)
    return f"{value:.12g}" if isinstance(value, float) else value


# Extrusions


def _swept(
    f: dict[str, Field],
) -> tuple[list[list[float]], int, int, bool, bool]:
    """Sweeps the cross section of an Extrusion along its spine, as VRML97 does it.

    Returned are the points, ring after ring; the number of rings, and of points in
    each; whether a ring is closed, and whether it is anticlockwise.
    """
    section = np.array(f["crossSection"].rows(2))
    spine = np.array(f["spine"].rows(3))
    parts = int(f["splineSubdivision"].numbers(1)[0])
    if len(spine) > 2 and parts > 1:
        spine = _spline(spine, min(parts, _MOST_SUBDIVISIONS))
    found = _rings(
        section,
        spine,
        np.array(f["scale"].rows(2) or [[1.0, 1.0]]),
        np.array(f["orientation"].rows(4) or [[0.0, 0.0, 1.0, 0.0]]),
    )
    closed = bool(np.allclose(section[0], section[-1]))
    x, z = section.T
    left = bool(x @ np.roll(z, -1) > z @ np.roll(x, -1))
    points = found.reshape(-1, 3).tolist()
    return points, len(spine), len(section), closed, left


def _spline(spine: np.ndarray, parts: int) -> np.ndarray:
    """Returns a uniform cubic B-spline with a spine's ends; shape (n, 3)."""
    ends = [2 * spine[0] - spine[1]], [2 * spine[-1] - spine[-2]]
    points = np.concatenate([ends[0], spine, ends[1]])
    t = np.arange(parts)[:, None] / parts
    weights = np.hstack(
        [
            (1 - t) ** 3,
            3 * t**3 - 6 * t**2 + 4,
            -3 * t**3 + 3 * t**2 + 3 * t + 1,
            t**3,
        ]
    )
    smooth = [weights @ points[k : k + 4] / 6 for k in range(len(points) - 3)]
    return np.concatenate([*smooth, spine[-1:]])


def _rings(
    section: np.ndarray,
    spine: np.ndarray,
    scale: np.ndarray,
    turned: np.ndarray,
) -> np.ndarray:
    """Returns the section at each point of the spine; shape (points, section, 3).

    Its y axis is along the spine, its z axis that of the bend (VRML97, 6.18).
    """
    along = np.repeat(spine[-1:] - spine[:1], len(spine), axis=0)
    if len(spine) > 2:
        along = np.gradient(spine, axis=0)
    flat = np.insert(section, 1, 0.0, axis=1)
    z_before = np.zeros(3)
    rings = []
    for k, (point, y) in enumerate(zip(spine, along, strict=True)):
        y = _unit(y, np.array([0.0, 1, 0]))
        before, after = spine[max(k - 1, 0)], spine[min(k + 1, len(spine) - 1)]
        z = _unit(np.cross(after - point, before - point), z_before)
        if z @ z_before < 0:
            z = -z
        z = _unit(z - (z @ y) * y, _across(y))
        z_before = z
        R = np.column_stack([np.cross(y, z), y, z])
        size = scale[min(k, len(scale) - 1)]
        *axis, angle = turned[min(k, len(turned) - 1)]
        own = turn(axis, angle).matrix()
        rings.append(flat * [size[0], 1, size[1]] @ (R @ own).T + point)
    return np.array(rings)


def _unit(vector: np.ndarray, default: np.ndarray) -> np.ndarray:
    length = float(np.linalg.norm(vector))
    return vector / length if length > 1e-9 else default


def _across(y: np.ndarray) -> np.ndarray:
    """Returns the z axis turned by the shortest rotation from the y axis to `y`."""
    start = np.array([0.0, 1, 0])
    axis = np.cross(start, y)
    angle = float(np.arctan2(np.linalg.norm(axis), start @ y))
    if np.linalg.norm(axis) < 1e-9:
        axis = np.array([1.0, 0, 0])
    return turn(axis.tolist(), angle).matrix()[:, 2]


# Terrains


def _hills(f: dict[str, Field], nx: int, ny: int) -> np.ndarray:
    """Returns smooth noise from 0 to 1, shape (nx ny,): octaves of twice the detail."""
    if nx * ny > _MOST_POINTS:
        raise f["xDimension"].error(f"more than {_MOST_POINTS:,} points")
    rng = np.random.default_rng(max(0, int(f["randomSeed"].numbers(1)[0])))
    octaves = min(max(int(f["perlinNOctaves"].numbers(1)[0]), 1), 8)
    total = np.zeros((ny, nx))
    for octave in range(octaves):
        cells = 2 << octave
        values = rng.random((cells + 1, cells + 1))
        total += _smooth(values, nx, ny) / 2**octave
    low, high = total.min(), total.max()
    total = (total - low) / max(high - low, 1e-12)
    u, v = np.meshgrid(np.linspace(-1, 1, nx), np.linspace(-1, 1, ny))
    if f["flatCenter"].truth():
        total *= np.clip(2 * np.hypot(u, v) - 0.3, 0, 1)
    if f["flatBounds"].truth():
        total *= np.clip(4 * (1 - np.maximum(abs(u), abs(v))), 0, 1)
    return total.ravel().round(6)


def _smooth(values: np.ndarray, nx: int, ny: int) -> np.ndarray:
    """Interpolates the values of a coarse square grid smoothly; shape (ny, nx)."""
    points = np.arange(len(values))
    for axis, n in enumerate((ny, nx)):
        k, t = np.divmod(np.linspace(0, points[-1], n), 1)
        at = k + t * t * (3 - 2 * t)
        values = np.apply_along_axis(
            lambda line, at=at: np.interp(at, points, line), axis, values
        )
    return values
