"""The shapes of a plant once more, as pages and films draw them."""

from collections.abc import Callable
from pathlib import Path

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
from pydrake.multibody.tree import BodyIndex, RigidBody
from pydrake.systems.framework import Context

from webmotor_drake.view.drawn_meshes import MeshCopies
from webmotor_drake.view.puppet import Robots

# A half space is drawn as a plate so wide and thick, m.
_WIDE, _THICK = 100.0, 0.02

Dress = Callable[[RigidBody, GeometryInstance], None]


class DrawnScene:
    """A scene graph with copies of the shapes of a plant that are to be looked at.

    COLLADA meshes have their colours there, and half spaces are plates: none of which
    Meshcat draws, nor do films.

    Attributes:
        scene_graph: the copy.
        source: the shapes' source in it.
        bodies: those that have shapes.

    Args:
        robots: owners of the bodies.
        folder: gets copies of meshes; it has to stay until they are drawn.
        dress: changes how a body's shape looks; None: it stays as it is.
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
        meshes = MeshCopies(folder, for_cameras=dress is not None)
        if light:
            meshes.lighten(inspector)
        for i in range(plant.num_bodies()):
            body = plant.get_body(BodyIndex(i))
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

        It takes the moment of a recording, s, besides.
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
    inspector: SceneGraphInspector, shape: GeometryId, meshes: MeshCopies
) -> GeometryInstance:
    """Returns a copy of a shape, as it is drawn."""
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
