"""The shapes of a scene, drawn and colliding, which change while it runs."""

import contextlib
import copy
import functools
import typing
from collections.abc import Callable, Iterator

from pydrake.geometry import (
    GeometryId,
    GeometryInstance,
    IllustrationProperties,
    PerceptionProperties,
    ProximityProperties,
    RenderLabel,
    Rgba,
    Role,
    SceneGraphInspector,
    Shape,
)
from pydrake.math import RigidTransform
from pydrake.multibody.tree import RigidBody
from pydrake.systems.framework import Context

from webmotor_drake.contact.corner_names import corners_of, own_shapes
from webmotor_drake.contact.corners import balls_of
from webmotor_drake.contact.proximity import same_filters
from webmotor_drake.errors import InputError
from webmotor_drake.host.stepped_simulation import SteppedSimulation

_WHITE = Rgba(1, 1, 1, 1)


class Shapes:
    """The shapes in the scene graph's Context: reads and changes them.

    A change lasts until `restore`, which every reset calls.

    Args:
        stepped: the simulation.

    Attributes:
        scene_graph: the scene graph with the shapes.
        colliding: shapes that were made to collide.
    """

    def __init__(self, stepped: SteppedSimulation):
        simulation = stepped.simulation
        self._stepped = stepped
        self.scene_graph = simulation.scene_graph
        self._plant = simulation.plant
        self._source = simulation.plant.get_source_id()
        self._root = simulation.simulator.get_mutable_context()
        # Shape, pose and colour before the changes.
        self._changed: dict[GeometryId, tuple[Shape, RigidTransform, Rgba]] = {}
        self._added: list[GeometryId] = []
        self.colliding: dict[GeometryId, ProximityProperties] = {}

    @property
    def inspector(self) -> SceneGraphInspector:
        """The inspector of the shapes at present."""
        return self._stepped.surroundings.inspector()

    def _context(self) -> Context:
        """Returns the scene graph's Context, at the present step, to be changed."""
        self._stepped.catch_up()
        self._stepped.surroundings.reshaped()
        return self.scene_graph.GetMyMutableContextFromRoot(self._root)

    def _change(
        self, change: Callable[..., typing.Any], *arguments: object
    ) -> typing.Any:
        """Calls a method of the scene graph on its Context, where it is drawn."""
        call = functools.partial(
            change, self._context(), self._source, *arguments
        )
        return self._stepped.surroundings.at_home(call)

    def of_body(self, body: RigidBody, role: Role) -> list[GeometryId]:
        """Returns the shapes of a body that have a role."""
        inspector = self.inspector
        frame = self._plant.GetBodyFrameIdOrThrow(body.index())
        shapes = inspector.GetGeometries(frame, role)
        return own_shapes(inspector, shapes)

    def shape(self, geometry: GeometryId) -> Shape:
        """Returns a copy of a shape's form and size."""
        return copy.deepcopy(self.inspector.GetShape(geometry))

    def pose(self, geometry: GeometryId) -> RigidTransform:
        """Returns the pose of a shape in the frame of its body."""
        return RigidTransform(self.inspector.GetPoseInFrame(geometry))

    def rgba(self, geometry: GeometryId) -> Rgba:
        """Returns the colour that a shape is drawn in; white without one."""
        properties = self.inspector.GetIllustrationProperties(geometry)
        if properties is None:
            return _WHITE
        known = properties.GetPropertyOrDefault("phong", "diffuse", _WHITE)
        return Rgba(*known.rgba)  # the properties' own goes with them

    def _note(self, geometry: GeometryId) -> None:
        if geometry not in self._changed and geometry not in self._added:
            before = self.shape, self.pose, self.rgba
            self._changed[geometry] = tuple(of(geometry) for of in before)

    def reshape(
        self,
        geometry: GeometryId,
        shape: Shape,
        pose: RigidTransform | None = None,
    ) -> None:
        """Gives a shape another form, and another pose unless that is None.

        Its contact corners change with it.
        """
        self._note(geometry)
        self._change_shape(geometry, shape, pose)
        corners = corners_of(self.inspector, geometry)
        if corners:
            X_BG = self.pose(geometry)
            balls = balls_of(shape, fixed=False)
            for corner, (ball, p_GC) in zip(corners, balls, strict=False):
                X_BC = X_BG @ RigidTransform(p_GC)
                self._change_shape(corner, ball, X_BC)

    def _change_shape(
        self, geometry: GeometryId, shape: Shape, pose: RigidTransform | None
    ) -> None:
        """Gives a shape another form; it collides with the same shapes as before."""
        manager = self.scene_graph.collision_filter_manager(self._context())
        with same_filters(self.inspector, manager, geometry):
            self._change(self.scene_graph.ChangeShape, geometry, shape, pose)

    def move(self, geometry: GeometryId, pose: RigidTransform) -> None:
        """Moves a shape in the frame of its body."""
        self.reshape(geometry, self.shape(geometry), pose)

    def paint(self, geometry: GeometryId, rgba: Rgba) -> None:
        """Draws a shape in another colour, here and in cameras."""
        self._note(geometry)
        drawn = self.inspector.GetIllustrationProperties(geometry)
        seen = self.inspector.GetPerceptionProperties(geometry)
        roles: list[tuple[Role, typing.Any]] = []
        if drawn is not None:
            roles.append((Role.kIllustration, IllustrationProperties(drawn)))
        if seen is not None:
            roles.append((Role.kPerception, PerceptionProperties(seen)))
        # Replacing a role would not redraw the shape, and does not work for cameras.
        for role, properties in roles:
            properties.UpdateProperty("phong", "diffuse", rgba)
            self._change(self.scene_graph.RemoveRole, geometry, role)
            self._change(self.scene_graph.AssignRole, geometry, properties)

    def draw(
        self,
        body: RigidBody,
        shape: Shape,
        pose: RigidTransform,
        rgba: Rgba,
        name: str,
    ) -> GeometryId:
        """Adds a drawn shape to a body.

        Args:
            body: carrier of the shape; the world's body for one that never moves.
            shape: its form.
            pose: its pose in the frame of the body.
            rgba: its colour.
            name: name that no other shape of the body has.
        """
        instance = GeometryInstance(pose, shape, name)
        drawn, seen = IllustrationProperties(), PerceptionProperties()
        for properties in (drawn, seen):
            properties.AddProperty("phong", "diffuse", rgba)
        label = RenderLabel(int(body.index()))
        seen.AddProperty("label", "id", label)
        instance.set_illustration_properties(drawn)
        instance.set_perception_properties(seen)
        register = self.scene_graph.RegisterGeometry
        frame = self._plant.GetBodyFrameIdOrThrow(body.index())
        geometry = self._change(register, frame, instance)
        self._added.append(geometry)
        return geometry

    @contextlib.contextmanager
    def all_or_none(self) -> Iterator[None]:
        """Removes the shapes that the block has added if it is refused."""
        count = len(self._added)
        try:
            yield
        except InputError:
            for geometry in self._added[count:]:
                self.remove(geometry)
            raise

    def remove(self, geometry: GeometryId) -> None:
        """Removes a shape that was added."""
        self._added.remove(geometry)
        self._change(self.scene_graph.RemoveGeometry, geometry)

    def collide(
        self, geometry: GeometryId, properties: ProximityProperties
    ) -> None:
        """Makes a shape collide."""
        self._change(self.scene_graph.AssignRole, geometry, properties)
        self.colliding[geometry] = properties

    def pass_through(self, geometry: GeometryId) -> None:
        """Makes a shape collide no more."""
        self._change(self.scene_graph.RemoveRole, geometry, Role.kProximity)
        self.colliding.pop(geometry, None)

    def restore(self) -> None:
        """Resets the shapes to the start."""
        for geometry in list(self.colliding):
            self.pass_through(geometry)
        for geometry in list(self._added):
            self.remove(geometry)
        changed, self._changed = self._changed, {}
        for geometry, (shape, pose, rgba) in changed.items():
            self.reshape(geometry, shape, pose)
            if self.rgba(geometry) != rgba:
                self.paint(geometry, rgba)
        self._changed.clear()
