"""Copies of a plant's shapes, as pages and films draw them.

Meshes of formats that are not drawn, or with too many triangles, are made anew.
"""

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
from pydrake.geometry import (
    Box,
    FramePoseVector,
    GeometryFrame,
    GeometryId,
    GeometryInstance,
    HalfSpace,
    IllustrationProperties,
    Mesh,
    Meshcat,
    MeshcatVisualizer,
    MeshcatVisualizerParams,
    Role,
    SceneGraph,
    SceneGraphInspector,
    Shape,
)
from pydrake.math import RigidTransform
from pydrake.multibody.tree import RigidBody
from pydrake.systems.framework import Context

from webmotor_drake.contact.inboard import bodies_of
from webmotor_drake.errors import InputError, warn
from webmotor_drake.results.whole_file import load_bytes
from webmotor_drake.scenario.meshes import (
    lacks_normals,
    load_mesh,
    load_triangles,
    obj_text,
)
from webmotor_drake.view.puppet import Robots

# A half space is drawn as a plate so wide and thick, m.
_WIDE, _THICK = 100.0, 0.02

Dress = Callable[[RigidBody, GeometryInstance], None]
_LEFT_OUT = (".dae", ".stl")
_LIGHTENED = (".dae", ".obj")

# The colour of parts without one, from 0 to 1.
_GREY = (0.8, 0.8, 0.8)
# Triangles of all light meshes together; about 40 bytes each in a page.
_TRIANGLES = 60_000

# Cells along the longest side of a mesh, from fine to coarse.
_CELLS = [round(256 / math.sqrt(2) ** i) for i in range(14)]


class _MeshCopies:
    """Copies of meshes that are drawn, with their colours where they have some."""

    def __init__(self, folder: Path, *, for_cameras: bool = False):
        self._folder, self._for_cameras = folder, for_cameras
        self._copies: dict[Path, tuple[Path, bool] | None] = {}
        self._share = 1.0

    def lighten(self, inspector: SceneGraphInspector) -> None:
        """Makes copies keep a share of their triangles, and a single colour."""
        shapes = inspector.GetAllGeometryIds(Role.kIllustration)
        meshes = [
            triangles
            for shape in shapes
            if isinstance(mesh := inspector.GetShape(shape), Mesh)
            and (triangles := _triangles(mesh)) is not None
        ]
        self._share = _TRIANGLES / max(sum(map(len, meshes)), _TRIANGLES)

    def copy(self, mesh: Mesh) -> tuple[Mesh, bool] | None:
        """Returns the copy, and whether it has colours of its own.

        None: the mesh is drawn as it is, or cannot be read; then there is a warning.
        """
        is_light = self._share < 1 and mesh.extension() in _LIGHTENED
        file = Path(mesh.source().path())
        if not is_light and not self._is_left_out(mesh.extension(), file):
            return None
        if file not in self._copies:
            copy = self._folder / f"mesh{len(self._copies)}.obj"
            copied = self._light(mesh, copy) if is_light else None
            self._copies[file] = copied or _copy(file, copy)
        copied = self._copies[file]
        if copied is None:
            return None
        return Mesh(str(copied[0]), mesh.scale3()), copied[1]

    def _is_left_out(self, kind: str, file: Path) -> bool:
        if kind == ".obj" and self._for_cameras:
            return lacks_normals(load_bytes(file))
        return kind in _LEFT_OUT

    def _light(self, mesh: Mesh, copy: Path) -> tuple[Path, bool] | None:
        """Writes a mesh of fewer triangles; None: it cannot be read."""
        triangles = _triangles(mesh)
        if triangles is None:
            return None
        most = max(int(self._share * len(triangles)), 100)
        vertices, corners = _simplified(triangles, most)
        lines = ["v {:.5g} {:.5g} {:.5g}".format(*v) for v in vertices.tolist()]
        lines += ["f {} {} {}".format(*c) for c in (corners + 1).tolist()]
        copy.write_text("\n".join([*lines, ""]))
        return copy, False


def _triangles(mesh: Mesh) -> np.ndarray | None:
    """Returns a mesh's triangles without its scale, (n, 3, 3); None: it has none."""
    if mesh.extension() not in _LIGHTENED:
        return None
    try:
        return load_triangles(Path(mesh.source().path()))
    except InputError:
        return None


def _copy(file: Path, copy: Path) -> tuple[Path, bool] | None:
    """Writes a mesh as an OBJ, and says if it has colours; None: it is unreadable."""
    try:
        parts = load_mesh(file)
    except InputError as error:
        warn(f"not drawn: {error}")
        return None
    materials = copy.with_suffix(".mtl")
    has_colors = any(color for _, color in parts)
    if has_colors:
        materials.write_text(
            "".join(
                "newmtl m{}\nKd {:.4f} {:.4f} {:.4f}\n".format(
                    k, *(color or _GREY)
                )
                for k, (_, color) in enumerate(parts)
            )
        )
    library = materials.name if has_colors else ""
    copy.write_text(
        obj_text(*(corners for corners, _ in parts), library=library)
    )
    return copy, has_colors


def _simplified(
    triangles: np.ndarray, most: int
) -> tuple[np.ndarray, np.ndarray]:
    """Returns vertices and triangles of a mesh of at most `most`, if possible.

    Vertices in one cell of a grid become their mean (Rossignac and Borrel's
    clustering); triangles that lose a corner by that are left out.
    """
    points = triangles.reshape(-1, 3)
    low, size = points.min(axis=0), np.ptp(points, axis=0).max() or 1.0
    vertices, corners = _clustered(points, np.round((points - low) / size, 6))
    for cells in _CELLS:
        if len(corners) <= most:
            break
        cell = np.floor((points - low) / size * cells)
        vertices, corners = _clustered(points, cell)
    return vertices, corners


def _clustered(
    points: np.ndarray, cells: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Returns the mesh in which the points of a cell are one point."""
    _, cluster = np.unique(cells, axis=0, return_inverse=True)
    cluster = cluster.reshape(-1)
    number = np.bincount(cluster)
    vertices = np.column_stack(
        [np.bincount(cluster, weights=points[:, i]) / number for i in range(3)]
    )
    corners = cluster.reshape(-1, 3)
    a, b, c = corners.T
    corners = corners[(a != b) & (b != c) & (c != a)]
    # Two layers of a thin sheet may have become one.
    _, first = np.unique(np.sort(corners, axis=1), axis=0, return_index=True)
    return vertices, corners[np.sort(first)]


class DrawnScene:
    """A scene graph with copies of the shapes of a plant that can be seen.

    COLLADA meshes have their colours in it, and half spaces are plates: Meshcat and
    films draw neither of these themselves.

    Attributes:
        scene_graph: the copy.
        source: source of the shapes in the copy.
        bodies: bodies that have shapes.

    Args:
        robots: owners of the bodies.
        folder: folder for copies of meshes; it has to stay until they are drawn.
        dress: function that changes the look of a body's shape; None: looks stay.
        light: True for meshes of fewer triangles.
    """

    def __init__(
        self,
        robots: Robots,
        folder: Path,
        *,
        dress: Dress | None = None,
        light: bool = False,
    ):
        plant, copy = robots.plant, SceneGraph()
        inspector = robots.scene_graph.model_inspector()
        self.scene_graph, self.source = copy, copy.RegisterSource("drawn")
        self.bodies: list[RigidBody] = []
        self._frames = []
        meshes = _MeshCopies(folder, for_cameras=dress is not None)
        if light:
            meshes.lighten(inspector)
        for body in bodies_of(plant):
            frame = plant.GetBodyFrameIdIfExists(body.index())
            role = Role.kIllustration
            shapes = frame and inspector.GetGeometries(frame, role)
            if not shapes:
                continue
            name = body.scoped_name().get_full()
            own = copy.RegisterFrame(self.source, GeometryFrame(name))
            self.bodies.append(body)
            self._frames.append(own)
            for shape in shapes:
                instance = _instance(inspector, shape, meshes)
                if dress is not None:
                    dress(body, instance)
                copy.RegisterGeometry(self.source, own, instance)

    def drawn_in(
        self, meshcat: Meshcat, prefix: str
    ) -> Callable[[Context, float], None]:
        """Returns a function that draws the pose of a plant's Context in a Meshcat.

        The function takes the moment of a recording, s, as well.
        """
        # No diagram: Meshcat must not be in one of its cycles, as it may end in no
        # other thread than its own.
        visualizer = MeshcatVisualizer(
            meshcat,
            MeshcatVisualizerParams(prefix=prefix, enable_alpha_slider=False),
        )
        own = visualizer.CreateDefaultContext()
        scene = self.scene_graph.CreateDefaultContext()
        query = self.scene_graph.get_query_output_port()

        def draw(of_plant: Context, time: float) -> None:
            self.pose(scene, of_plant)
            own.SetTime(time)
            visualizer.query_object_input_port().FixValue(
                own, query.EvalAbstract(scene)
            )
            visualizer.ForcedPublish(own)

        return draw

    def pose(self, context: Context, of_plant: Context) -> None:
        """Moves the bodies to where they are in a plant's Context."""
        poses = FramePoseVector()
        for frame, body in zip(self._frames, self.bodies, strict=True):
            poses.set_value(frame, body.EvalPoseInWorld(of_plant))
        port = self.scene_graph.get_source_pose_port(self.source)
        port.FixValue(context, poses)


def _instance(
    inspector: SceneGraphInspector, shape: GeometryId, meshes: _MeshCopies
) -> GeometryInstance:
    X_BG = inspector.GetPoseInFrame(shape)
    form: Shape = inspector.GetShape(shape)
    properties = inspector.GetIllustrationProperties(shape)
    if isinstance(form, HalfSpace):
        X_BG = X_BG @ RigidTransform([0, 0, -_THICK / 2])
        form = Box(_WIDE, _WIDE, _THICK)
    elif isinstance(form, Mesh) and (copy := meshes.copy(form)) is not None:
        form, has_colors = copy
        if has_colors:
            properties = IllustrationProperties()
    instance = GeometryInstance(X_BG, form, inspector.GetName(shape))
    instance.set_illustration_properties(properties)
    return instance
