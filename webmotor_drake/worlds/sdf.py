"""Writes a model as a readable SDF file, with its meshes beside it."""

import hashlib
import re
import sys
import typing
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import numpy as np
from pydrake.math import RigidTransform

from webmotor_drake.scenario.assets import safe_assets
from webmotor_drake.scenario.copies import NamedFiles
from webmotor_drake.scenario.meshes import obj_text
from webmotor_drake.scenario.model_files import BESIDE_PLANE
from webmotor_drake.worlds.convex import hull
from webmotor_drake.worlds.models import (
    FELT,
    WORLD,
    Joint,
    Link,
    Model,
    Placed,
    without_paths,
)
from webmotor_drake.worlds.poses import short
from webmotor_drake.worlds.shapes import Shape

# Thickness of a drawn plane, and of a flat mesh that collides, m.
_THIN, _BEHIND = 1e-3, 0.02
# The edges of a box that stands for a plane, m.
_VAST = 2e3
# Less than this is flat, m.
_FLAT = 1e-6
_LEAST = sys.float_info.min
# Stiffness, N/m, of a shape that feels what it touches and does not push it.
_YIELDING = "0.001"


def file_names(models: list[Model]) -> dict[str, str]:
    """Returns the names of models' files, valid on any system."""
    names: dict[str, str] = {}
    taken: set[str] = set()
    for number, model in enumerate(models):
        plain = re.sub(r"[^\w-]+", "_", model.name, flags=re.ASCII).strip("_")
        name = plain[:60] or "model"
        while name.lower() in taken:
            name = f"{name}_{number}"
        taken.add(name.lower())
        names[model.name] = name
    return names


class ModelFiles:
    """The files that a model's own file names: meshes and their textures.

    Args:
        written: contents of the files, by their names; added to.
        name: name of the model's file, without its ending.
    """

    def __init__(self, written: dict[str, bytes], name: str):
        self._written, self._name = written, name
        self._meshes: dict[str | bytes, str] = {}

    def file(self, mesh: str) -> str:
        """Adds a file with a mesh, and the files that it names; returns its name."""
        if mesh not in self._meshes:
            named = NamedFiles.of(safe_assets(Path(mesh).resolve())[0])
            folder = f"mesh_{named.name[-12:]}"
            names = {f"{folder}/{name}": d for name, d in named.files.items()}
            self._written |= names
            self._meshes[mesh] = next(iter(names))
        return self._meshes[mesh]

    def mesh(self, triangles: np.ndarray) -> str:
        """Adds a mesh; returns its name."""
        key = triangles.tobytes()
        if key not in self._meshes:
            text = obj_text(triangles)
            self._meshes[key] = self._add("mesh", text, ".obj")
        return self._meshes[key]

    def textured(
        self, triangles: np.ndarray, shape: Shape, color: Sequence[float]
    ) -> str:
        """Adds a mesh with an image, perhaps in two layers; returns its name."""
        assert shape.places is not None
        image = self._add("image", shape.png, ".png")
        factors = "{:g} {:g} {:g}".format(*color)
        material = f"newmtl m0\nKd {factors}\nmap_Kd {image}\n"
        library = self._add("skin", material, ".mtl")
        places = np.resize(shape.places, (*triangles.shape[:2], 2))
        text = obj_text(triangles, library=library, places=places)
        return self._add("mesh", text, ".obj")

    def _add(self, kind: str, content: str | bytes, ending: str) -> str:
        # Named by its content: a mesh that is drawn and collides is written once.
        data = content if isinstance(content, bytes) else content.encode()
        number = hashlib.blake2b(data, digest_size=6).hexdigest()
        name = f"{self._name}_{kind}_{number}{ending}"
        self._written[name] = data
        return name


def collision_names(link: Link) -> list[str]:
    """Returns the names of a link's colliding shapes."""
    names = (without_paths(c.name) for c in link.collisions)
    return [f"{name} {i}" for i, name in enumerate(names)]


def model_text(model: Model, meshes: ModelFiles) -> str:
    """Returns the SDF of a model.

    A link's frame is that of its Solid, so that positions are those of Webots.

    Args:
        model: model to write.
        meshes: files of the model; its meshes are added to them.
    """
    shapes = sum(len(link.collisions) for link in model.links)
    has_planes = shapes <= BESIDE_PLANE
    links = [_link(each, meshes, has_planes) for each in model.links]
    frames = [
        _element("frame", _pose(X_LF), name=name, attached_to=link.name)
        for link in model.links
        for name, X_LF in link.frames.items()
    ]
    joints = [
        _joint(link.joint, link)
        for link in model.links
        if link.joint is not None and len(link.joint.axes) < 2
    ]
    inside = _element("model", *links, *frames, *joints, name=model.name)
    root = _element("sdf", inside, version="1.10")
    root.set("xmlns:drake", "http://drake.mit.edu")
    ElementTree.indent(root)
    text = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0"?>\n{text}\n'


def _element(tag: str, *inside: Element | str, **attributes: str) -> Element:
    """Returns an element with others, or a text, in it."""
    element = Element(tag, attributes)
    for each in inside:
        if isinstance(each, str):
            element.text = each
        else:
            element.append(each)
    return element


def _link(link: Link, meshes: ModelFiles, has_planes: bool) -> Element:
    mass, joint = link.mass, link.joint
    moments = (
        _element(f"i{'xyz'[i]}{'xyz'[j]}", _numbers([mass.inertia[i, j]]))
        for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
    )
    inertial = _element(
        "inertial",
        _element("pose", f"{_numbers(map(short, mass.com))} 0 0 0"),
        _element("mass", _numbers([mass.mass])),
        _element("inertia", *moments),
    )
    visuals = (_visual(v, i, meshes) for i, v in enumerate(link.visuals))
    # Drake ends the process at shapes after a body's plane, or two planes: one, last.
    named = [*zip(collision_names(link), link.collisions, strict=True)]
    named.sort(key=lambda pair: pair[1].shape.kind == "plane")
    collisions = [
        _collision(each, name, meshes, has_planes and i == len(named))
        for i, (name, each) in enumerate(named, start=1)
    ]
    made = _element("link", inertial, *visuals, *collisions, name=link.name)
    if joint is not None:
        # The scenery's frame is the world's.
        of_world = joint.parent is WORLD
        relative = {} if of_world else {"relative_to": joint.parent.name}
        made.insert(0, _pose(joint.X_PC, **relative))
    return made


def _visual(visual: Placed, number: int, meshes: ModelFiles) -> Element:
    shape, X = visual.shape, visual.X
    if shape.kind == "plane":
        shape = Shape("box", (*shape.size, _THIN))
        X = X @ RigidTransform([0, 0, -_THIN / 2])
    if shape.png and shape.triangles is not None:
        uri = meshes.textured(thick(shape.triangles), shape, visual.color)
        looks = [_element("geometry", _element("mesh", _element("uri", uri)))]
    else:
        color = _element("diffuse", _numbers(visual.color))
        looks = [
            _geometry(shape, meshes, drawn=True),
            _element("material", color),
        ]
    name = f"{without_paths(visual.name)} {number}"
    return _element("visual", _pose(X), *looks, name=name)


def _collision(
    collision: Placed, name: str, meshes: ModelFiles, has_planes: bool
) -> Element:
    """Returns a colliding shape; a plane becomes a vast box if Drake allows none."""
    shape, X = collision.shape, collision.X
    if shape.kind == "plane" and not has_planes:
        shape = Shape("box", (_VAST,) * 3)
        X = X @ RigidTransform([0, 0, -_VAST / 2])
    # Webots' default friction.
    properties = {"mu_static": "1", "mu_dynamic": "1"}
    if collision.material == FELT:
        properties["point_contact_stiffness"] = _YIELDING
    return _element(
        "collision",
        _pose(X),
        _geometry(shape, meshes, drawn=False),
        _element(
            "drake:proximity_properties",
            *(_element(f"drake:{n}", v) for n, v in properties.items()),
        ),
        name=name,
    )


def _geometry(shape: Shape, meshes: ModelFiles, *, drawn: bool) -> Element:
    if shape.kind == "mesh" and drawn and shape.file:
        uri = _element("uri", meshes.file(shape.file))
        parts = [uri, _element("scale", _numbers(shape.scale))]
    elif shape.kind == "mesh":
        assert shape.triangles is not None
        triangles = shape.triangles if drawn else hull(thick(shape.triangles))
        convex = [] if drawn else [_element("drake:declare_convex")]
        parts = [*convex, _element("uri", meshes.mesh(triangles))]
    elif shape.kind in ("box", "plane"):
        parts = [_element("size", _numbers(shape.size))]
        if shape.kind == "plane":
            parts.insert(0, _element("normal", "0 0 1"))
    else:
        names = zip(("radius", "length"), shape.size, strict=False)
        parts = [_element(name, repr(size)) for name, size in names]
    return _element("geometry", _element(shape.kind, *parts))


def thick(triangles: np.ndarray) -> np.ndarray:
    """Returns triangles that have a hull: flat ones get a second layer.

    Args:
        triangles: shape (n, 3, 3), m.
    """
    points = triangles.reshape(-1, 3)
    centered = points - points.mean(axis=0)
    _, sizes, axes = np.linalg.svd(centered, full_matrices=False)
    if sizes[-1] > 1e-9 * sizes[0] and np.ptp(centered @ axes[-1]) > _FLAT:
        return triangles
    sides = triangles[:, 1:] - triangles[:, :1]
    front = np.cross(sides[:, 0], sides[:, 1]).sum(axis=0)
    behind = -axes[-1] if axes[-1] @ front >= 0 else axes[-1]
    return np.concatenate([triangles, triangles + _BEHIND * behind])


def _joint(joint: Joint, child: Link) -> Element:
    """Returns a joint of one axis, or a fixed one."""
    made = _element(
        "joint",
        _element("parent", joint.parent.name),
        _element("child", child.name),
        name=joint.name,
        type=joint.kind,
    )
    if joint.axes:
        X_CP = joint.X_PC.inverse()
        slides = joint.kind == "prismatic"
        anchor = np.zeros(3) if slides else X_CP @ joint.anchor
        axis = X_CP.rotation() @ joint.axes[0]
        limit = _element("limit", _element("effort", "0"))
        made.append(_element("pose", f"{_numbers(map(short, anchor))} 0 0 0"))
        made.append(_element("axis", _element("xyz", _numbers(axis)), limit))
    return made


def _pose(X: RigidTransform, **attributes: str) -> Element:
    place = _numbers(map(short, X.translation()))
    w, x, y, z = X.rotation().ToQuaternion().wxyz()
    if not any(map(short, (x, y, z))):
        return _element("pose", f"{place} 0 0 0", **attributes)
    turned = _numbers((x, y, z, w))
    attributes["rotation_format"] = "quat_xyzw"
    return _element("pose", f"{place} {turned}", **attributes)


def _numbers(values: typing.Iterable[float]) -> str:
    """Returns numbers as text that reads back exactly, without a trailing .0.

    Subnormal numbers become 0: the SDF reader refuses them.
    """
    return " ".join(
        repr(value + 0.0 if abs(value) >= _LEAST else 0.0).removesuffix(".0")
        for value in map(float, values)
    )
