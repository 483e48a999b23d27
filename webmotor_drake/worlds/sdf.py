"""Writes a model as a readable SDF file."""

import dataclasses as dc
import sys
import typing
from xml.sax.saxutils import escape, quoteattr

import numpy as np
from pydrake.math import RigidTransform

from webmotor_drake.scenario.model_files import BESIDE_PLANE
from webmotor_drake.worlds.convex import hull
from webmotor_drake.worlds.materials import FELT
from webmotor_drake.worlds.model_files import ModelFiles
from webmotor_drake.worlds.models import (
    WORLD,
    Collision,
    Joint,
    Link,
    Model,
    Visual,
    without_paths,
)
from webmotor_drake.worlds.poses import short
from webmotor_drake.worlds.shapes import Shape

# What a plane is drawn as thick, and a flat mesh that collides is made, m.
_THIN, _BEHIND = 1e-3, 0.02
# The edges of a box that stands for a plane, m.
_VAST = 2e3
# Less than this is flat, m.
_FLAT = 1e-6
_LEAST = sys.float_info.min
# Such a spring, N/m, lets everything in: what it touches is felt, not pushed.
_YIELDING = (
    "<drake:point_contact_stiffness>0.001</drake:point_contact_stiffness>"
)


def collision_names(link: Link) -> list[str]:
    """Returns the names of a link's colliding shapes."""
    names = (without_paths(c.name) for c in link.collisions)
    return [f"{name} {i}" for i, name in enumerate(names)]


def model_text(model: Model, meshes: ModelFiles) -> str:
    """Returns the SDF of a model.

    A link's frame is that of its Solid, so that positions are those of Webots.

    Args:
        model: model to write.
        meshes: writes triangles, returns the URI.
    """
    lines = [
        '<?xml version="1.0"?>',
        '<sdf version="1.10" xmlns:drake="http://drake.mit.edu">',
        f"<model name={quoteattr(model.name)}>",
    ]
    shapes = sum(len(link.collisions) for link in model.links)
    for link in model.links:
        lines += _link(link, meshes, has_planes=shapes <= BESIDE_PLANE)
    for link in model.links:
        for name, X_LF in link.frames.items():
            attributes = (
                f"name={quoteattr(name)} attached_to={quoteattr(link.name)}"
            )
            lines.append(f"  <frame {attributes}>{_pose(X_LF)}</frame>")
    for link in model.links:
        if link.joint is not None and len(link.joint.axes) < 2:
            lines += _joint(link.joint, link)
    lines += ["</model>", "</sdf>", ""]
    return "\n".join(lines)


def _link(link: Link, meshes: ModelFiles, *, has_planes: bool) -> list[str]:
    lines = [f"  <link name={quoteattr(link.name)}>"]
    if link.joint is not None:
        parent = f" relative_to={quoteattr(link.joint.parent.name)}"
        # The scenery's frame is the world's.
        relative = parent if link.joint.parent is not WORLD else ""
        lines.append(f"    {_pose(link.joint.X_PC, relative)}")
    mass = link.mass
    moments = {
        f"i{'xyz'[i]}{'xyz'[j]}": mass.inertia[i, j]
        for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
    }
    lines += [
        "    <inertial>",
        f"      <pose>{_numbers(map(short, mass.com))} 0 0 0</pose>",
        f"      <mass>{_numbers([mass.mass])}</mass>",
        "      <inertia>"
        + "".join(f"<{n}>{_numbers([v])}</{n}>" for n, v in moments.items())
        + "</inertia>",
        "    </inertial>",
    ]
    for i, visual in enumerate(link.visuals):
        lines += _visual(visual, i, meshes)
    # Drake ends the process as it adds shapes to a body with a plane, and with two.
    named = [*zip(collision_names(link), link.collisions, strict=True)]
    named.sort(key=lambda pair: pair[1].shape.kind == "plane")
    for i, (name, collision) in enumerate(named, start=1):
        if not has_planes or i < len(named):
            collision = _without_half_space(collision)
        lines += _collision(collision, name, meshes)
    lines.append("  </link>")
    return lines


def _without_half_space(collision: Collision) -> Collision:
    """Returns a shape; for a plane a box below it that reaches as far as worlds."""
    if collision.shape.kind != "plane":
        return collision
    X = collision.X @ RigidTransform([0, 0, -_VAST / 2])
    return dc.replace(collision, shape=Shape("box", (_VAST,) * 3), X=X)


def _visual(visual: Visual, number: int, meshes: ModelFiles) -> list[str]:
    shape, X = visual.shape, visual.X
    if shape.kind == "plane":
        shape = Shape("box", (*shape.size, _THIN))
        X = X @ RigidTransform([0, 0, -_THIN / 2])
    if named := _picture(visual, meshes):
        looks = [
            f"      {_pose(visual.X)}",
            f"      <geometry><mesh><uri>{escape(named)}</uri></mesh></geometry>",
        ]
    else:
        color = _numbers(visual.color)
        looks = [
            f"      {_pose(X)}",
            f"      {_geometry(shape, meshes, drawn=True)}",
            f"      <material><diffuse>{color}</diffuse></material>",
        ]
    name = quoteattr(f"{without_paths(visual.name)} {number}")
    return [f"    <visual name={name}>", *looks, "    </visual>"]


def _picture(visual: Visual, meshes: ModelFiles) -> str:
    """Writes the mesh of a textured shape; returns its name, "" without a texture."""
    picture = visual.picture
    if picture is None:
        return ""
    triangles = thick(picture.triangles)
    layers = len(triangles) // len(picture.triangles)
    places = np.tile(picture.places, (layers, 1, 1))
    return meshes.picture(
        dc.replace(picture, triangles=triangles, places=places)
    )


def _collision(
    collision: Collision, name: str, meshes: ModelFiles
) -> list[str]:
    own = _YIELDING if collision.material == FELT else ""
    return [
        f"    <collision name={quoteattr(name)}>",
        f"      {_pose(collision.X)}",
        f"      {_geometry(collision.shape, meshes, drawn=False)}",
        # Webots' friction where nothing else is said.
        "      <drake:proximity_properties>"
        "<drake:mu_static>1</drake:mu_static>"
        f"<drake:mu_dynamic>1</drake:mu_dynamic>{own}"
        "</drake:proximity_properties>",
        "    </collision>",
    ]


def _geometry(shape: Shape, meshes: ModelFiles, *, drawn: bool) -> str:
    if shape.kind == "box":
        inside = f"<box><size>{_numbers(shape.size)}</size></box>"
    elif shape.kind == "sphere":
        inside = f"<sphere><radius>{shape.size[0]!r}</radius></sphere>"
    elif shape.kind in ("cylinder", "capsule"):
        radius, length = shape.size
        inside = (
            f"<{shape.kind}><radius>{radius!r}</radius>"
            f"<length>{length!r}</length></{shape.kind}>"
        )
    elif shape.kind == "plane":
        inside = (
            "<plane><normal>0 0 1</normal>"
            f"<size>{_numbers(shape.size)}</size></plane>"
        )
    elif drawn and shape.file:
        scale = _numbers(shape.scale)
        uri = escape(meshes.file(shape.file))
        inside = f"<mesh><uri>{uri}</uri><scale>{scale}</scale></mesh>"
    else:
        assert shape.triangles is not None
        triangles = shape.triangles if drawn else hull(thick(shape.triangles))
        convex = "" if drawn else "<drake:declare_convex/>"
        uri = escape(meshes.mesh(triangles))
        inside = f"<mesh>{convex}<uri>{uri}</uri></mesh>"
    return f"<geometry>{inside}</geometry>"


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


def _joint(joint: Joint, child: Link) -> list[str]:
    """Returns a joint of one axis, or none."""
    lines = [
        f'  <joint name={quoteattr(joint.name)} type="{joint.kind}">',
        f"    <parent>{escape(joint.parent.name)}</parent>",
        f"    <child>{escape(child.name)}</child>",
    ]
    if joint.axes:
        X_CP = joint.X_PC.inverse()
        anchor = X_CP @ joint.anchor
        if joint.kind == "prismatic":
            anchor = np.zeros(3)
        axis = X_CP.rotation() @ joint.axes[0]
        lines += [
            f"    <pose>{_numbers(map(short, anchor))} 0 0 0</pose>",
            f"    <axis><xyz>{_numbers(axis)}</xyz>"
            "<limit><effort>0</effort></limit></axis>",
        ]
    lines.append("  </joint>")
    return lines


def _pose(X: RigidTransform, attributes: str = "") -> str:
    place = _numbers(map(short, X.translation()))
    w, x, y, z = X.rotation().ToQuaternion().wxyz()
    if not any(map(short, (x, y, z))):
        return f"<pose{attributes}>{place} 0 0 0</pose>"
    turned = _numbers((x, y, z, w))
    return (
        f'<pose{attributes} rotation_format="quat_xyzw">{place} {turned}</pose>'
    )


def _numbers(values: typing.Iterable[float]) -> str:
    """Returns numbers that are read back as they are, without an end of .0.

    The SDF reader refuses what is nearer to 0 than any normal number.
    """
    return " ".join(
        repr(value + 0.0 if abs(value) >= _LEAST else 0.0).removesuffix(".0")
        for value in map(float, values)
    )
