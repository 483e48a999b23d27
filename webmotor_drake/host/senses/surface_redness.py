"""How red a drawn surface is where a ray meets it (WbShape.cpp pickColor).

A box with a texture, and an OBJ mesh with texture coordinates, are as red as they are
drawn at that point. Other shapes with a texture have its mean redness.
"""

import dataclasses as dc
import functools
import typing
from pathlib import Path

import numpy as np
from pydrake import geometry
from pydrake.geometry import GeometryId, SceneGraphInspector

from webmotor_drake.errors import warn

# Returns the redness at a point of the surface that a ray meets: the point and the
# ray's direction, in the shape's frame.
Redness = typing.Callable[[np.ndarray, np.ndarray], float]


def redness_of(inspector: SceneGraphInspector, shape: GeometryId) -> Redness:
    """Returns a function for the redness of a shape, 0 to 1; white without a colour."""
    properties = inspector.GetIllustrationProperties(shape)
    form = inspector.GetShape(shape)
    plain, named, scale = 1.0, "", np.ones(2)
    if properties is not None:
        get = functools.partial(properties.GetPropertyOrDefault, "phong")
        plain = get("diffuse", geometry.Rgba(1, 1, 1)).r()
        named, scale = get("diffuse_map", ""), get("diffuse_scale", scale)
    if isinstance(form, geometry.Mesh) and form.extension() == ".obj":
        red = _of_mesh(form, Path(named) if named else None)
        if red is not None:
            return lambda p, d: plain * red(p, d)
    image = _image(Path(named)) if named else None
    if not image:
        return lambda p, d: plain
    if isinstance(form, geometry.Box):
        half = form.size() / 2
        return lambda p, d: plain * image.red(*(_of_box(p / half) * scale))
    return lambda p, d: plain * image.mean


@dc.dataclass(frozen=True)
class _Image:
    """The red channel of a texture."""

    reds: np.ndarray  # row by row from the top, 0 to 1, shape (h, w)
    mean: float

    def red(self, u: float, v: float) -> float:
        """Returns the redness at texture coordinates: right, and up."""
        rows, columns = self.reds.shape
        row = int((1 - v % 1) * rows) % rows
        return float(self.reds[row, int(u % 1 * columns) % columns])


@functools.lru_cache(maxsize=64)
def _image(file: Path) -> _Image | None:
    """Reads a texture; None, with a warning, if it cannot be read."""
    try:
        from PIL import Image as Pillow

        with Pillow.open(file) as picture:
            reds = np.asarray(picture.convert("RGB"))[..., 0] / 255
    except (ImportError, OSError, ValueError) as error:
        warn(f"infra-red sensors do not see the texture {file}: {error}")
        return None
    return _Image(reds, float(reds.mean()))


def _of_box(p: np.ndarray) -> np.ndarray:
    """Returns the texture coordinates on a box of edges 2, as VTK has them."""
    axis = int(np.abs(p).argmax())
    x, y, z = (p + 1) / 2
    up = p[axis] > 0
    if axis == 0:
        return np.array([y if up else 1 - y, z])
    if axis == 1:
        return np.array([1 - x if up else x, z])
    return np.array([x, y if up else 1 - y])


def _of_mesh(mesh: geometry.Mesh, named: Path | None) -> Redness | None:
    """Returns the redness of an OBJ mesh with a texture; None without one."""
    source = mesh.source()
    if not source.is_path():
        return None
    try:
        points, places, names, files = _load_obj(Path(source.path()))
    except (IndexError, ValueError):  # Drake reports such a mesh
        return None
    files = {name: named or file for name, file in files.items()}
    images = {name: file and _image(file) for name, file in files.items()}
    if not points or not any(images.values()):
        return None
    corners = np.array(points) * mesh.scale3()
    return _of_triangles(corners, np.array(places), [*map(images.get, names)])


def _of_triangles(
    corners: np.ndarray, places: np.ndarray, images: list[_Image | None]
) -> Redness:
    """Returns the redness of the first triangle behind a point.

    The point is on the mesh's convex hull. If the ray misses the mesh itself, the
    mean redness is returned.
    """
    mean = float(np.mean([image.mean for image in images if image]))
    first, (e1, e2) = corners[:, 0], np.moveaxis(corners[:, 1:], 1, 0)
    e1, e2 = e1 - first, e2 - first
    size = float(np.ptp(corners.reshape(-1, 3), axis=0).max())

    def red(p: np.ndarray, direction: np.ndarray) -> float:
        start = p - 1e-9 * size * direction
        across = np.cross(direction, e2)
        with np.errstate(divide="ignore", invalid="ignore"):
            inverse = 1 / (e1 * across).sum(axis=1)
            away = start - first
            b = (away * across).sum(axis=1) * inverse
            turned = np.cross(away, e1)
            c = turned @ direction * inverse
            t = (e2 * turned).sum(axis=1) * inverse
            edge = -1e-9
            met = (b >= edge) & (c >= edge) & (b + c <= 1 - edge) & (t >= 0)
        if not met.any():
            return mean
        i = int(np.where(met, t, np.inf).argmin())
        image = images[i]
        weights = np.array([1 - b[i] - c[i], b[i], c[i]])
        return 1.0 if image is None else image.red(*(weights @ places[i]))

    return red


def _load_obj(
    file: Path,
) -> tuple[list, list, list[str], dict[str, Path | None]]:
    """Reads the triangles of an OBJ with texture coordinates, and materials."""
    points, textures = [], []
    corners, places, names = [], [], []
    materials: dict[str, Path | None] = {}
    material = ""
    for line in _lines(file):
        match line:
            case ["v", x, y, z, *_]:
                points.append([float(x), float(y), float(z)])
            case ["vt", u, v, *_]:
                textures.append([float(u), float(v)])
            case ["usemtl", material, *_]:
                pass
            case ["mtllib", *words]:
                materials |= _load_mtl(file.parent / " ".join(words))
            case ["f", *items]:
                pairs = [_pair(item, points, textures) for item in items]
                if any(place is None for _, place in pairs):
                    continue
                for i in range(1, len(pairs) - 1):
                    fan = pairs[0], pairs[i], pairs[i + 1]
                    corners.append([p for p, _ in fan])
                    places.append([place for _, place in fan])
                    names.append(material)
    return corners, places, names, materials


def _pair(
    item: str, points: list, textures: list
) -> tuple[list[float], list[float] | None]:
    """Returns the point and the texture coordinates of a corner such as "3/1/2"."""
    first, _, rest = item.partition("/")
    second = rest.partition("/")[0]
    place = None
    if second:
        place = textures[int(second) - (int(second) > 0)]
    return points[int(first) - (int(first) > 0)], place


def _load_mtl(file: Path) -> dict[str, Path | None]:
    found: dict[str, Path | None] = {}
    name = ""
    for line in _lines(file):
        match line:
            case ["newmtl", name, *_]:
                found[name] = None
            case ["map_Kd", *_, image]:
                found[name] = file.parent / image
    return found


def _lines(file: Path) -> list[list[str]]:
    try:
        text = file.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return []
    return [line.split() for line in text.splitlines()]
