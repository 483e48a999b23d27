"""Collisions between the bodies of a robot, as Webots' selfCollision.

The robot is the model and all models mounted on it: those with a body on a weld or
another joint to one of its bodies, like all nodes below a Robot node in Webots. The
body that carries the robot, such as a table, is not part of it.
"""

import itertools
from collections.abc import Callable, Iterable

from pydrake.common.value import Value
from pydrake.geometry import (
    CollisionFilterDeclaration,
    FramePoseVector,
    GeometryId,
    GeometrySet,
    SceneGraph,
)
from pydrake.math import RigidTransform
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import BodyIndex, ModelInstanceIndex
from pydrake.systems.framework import Context, DiagramBuilder

from webmotor_drake.contact.inboard import bodies_of, joints_of
from webmotor_drake.drive.builder_hooks import when_built
from webmotor_drake.errors import warn

# Smaller overlaps are ignored, m: within a robot, and with other bodies (the ground
# yields to the robot).
_NO_OVERLAP, _STANDS = 1e-6, 2e-3
# Pairs that a warning names.
_NAMED = 6
# How deep bodies overlap, m, by their names.
_Depths = dict[tuple[str, str], float]

_OWN = (
    "{name}: shapes of its own overlap at the start and push each other apart: {pairs};"
    " self_collision: false in the driver ends it, true keeps it"
)
_OTHERS = (
    "{name}: it starts inside shapes of others, which push it away or hold it:"
    " {pairs}"
)


def robot_bodies(
    plant: MultibodyPlant, instance: ModelInstanceIndex
) -> set[BodyIndex]:
    """Returns the bodies of a model and of the models that are mounted on it.

    Works before and after the plant's Finalize.
    """
    models, grown = {instance}, True
    joints = joints_of(plant)
    while grown:
        mounted = {
            joint.child_body().model_instance()
            for joint in joints
            if joint.parent_body().model_instance() in models
            and joint.num_velocities() < 6  # placed there, but free
        }
        grown = not mounted <= models
        models |= mounted
    return {
        body.index()
        for body in bodies_of(plant)
        if body.model_instance() in models
    }


def bodies_kept_apart(
    plant: MultibodyPlant,
    instance: ModelInstanceIndex,
    self_collision: bool | None,
) -> set[BodyIndex]:
    """Returns the bodies that `self_collision` keeps from touching each other."""
    return robot_bodies(plant, instance) if self_collision is False else set()


def apply_self_collision(
    self_collision: bool | None,
    builder: DiagramBuilder,
    plant: MultibodyPlant,
    instance: ModelInstanceIndex,
) -> Callable[[], None] | None:
    """Filters the collisions within a robot; warns of overlaps at the start.

    It warns when the diagram is built: until then other code may filter collisions.
    Call the returned function at the start of a run; it warns if the build was not
    seen. A robot that starts inside shapes of other models is always warned of.

    Args:
        self_collision: False: the robot's bodies do not collide with each other.
            True: they do, except for Drake's own filters. None: as True, with a
            warning if shapes overlap in the default Context.
        builder: the diagram that the plant is in.
        plant: the finalized plant.
        instance: the robot's model.
    """
    if not plant.geometry_source_is_registered():
        return None
    geometries = own_geometries(plant, robot_bodies(plant, instance))
    scene_graph = find_scene_graph(builder, plant)
    name = plant.GetModelInstanceName(instance)
    if scene_graph is None:
        if self_collision is False:
            warn(
                f"{name}: self_collision false needs the plant's scene graph,"
                " connected to it in the builder; the model's bodies collide with"
                " each other"
            )
        return None
    if self_collision is False:
        scene_graph.collision_filter_manager().Apply(
            CollisionFilterDeclaration().ExcludeWithin(GeometrySet(geometries))
        )

    def look() -> None:
        if not geometries:
            return
        own, others = overlaps(plant, scene_graph, set(geometries))
        if own and self_collision is None:
            warn(_OWN.format(name=name, pairs=own))
        if others:
            warn(_OTHERS.format(name=name, pairs=others))

    return when_built(builder, look)


def own_geometries(
    plant: MultibodyPlant, bodies: Iterable[BodyIndex]
) -> list[GeometryId]:
    """Returns the collision shapes of bodies."""
    return [
        geometry
        for index in sorted(bodies)
        for geometry in plant.GetCollisionGeometriesForBody(
            plant.get_body(index)
        )
    ]


def find_scene_graph(
    builder: DiagramBuilder, plant: MultibodyPlant
) -> SceneGraph | None:
    """Returns the scene graph connected to the plant, if there is one."""
    port = plant.get_geometry_query_input_port()
    source = builder.connection_map().get((plant, port.get_index()))
    if source is None or not isinstance(source[0], SceneGraph):
        return None
    return source[0]


def may_collide(scene_graph: SceneGraph, geometries: list[GeometryId]) -> bool:
    """Returns whether any two of the shapes may touch: no filter is between them."""
    inspector = scene_graph.model_inspector()
    return any(
        not inspector.CollisionFiltered(*pair)
        for pair in itertools.combinations(geometries, 2)
    )


def _deepest(depths: _Depths) -> str:
    """Returns the pairs that overlap most, in words."""
    deepest = sorted(depths, key=depths.__getitem__, reverse=True)
    pairs = [
        f"{a} and {b} by {1000 * depths[a, b]:.2g} mm"
        for a, b in deepest[:_NAMED]
    ]
    if len(deepest) > _NAMED:
        pairs.append(f"{len(deepest) - _NAMED} more pairs")
    return ", ".join(pairs)


def overlaps(
    plant: MultibodyPlant,
    scene_graph: SceneGraph,
    geometries: set[GeometryId],
) -> tuple[str, str]:
    """Returns the overlaps of shapes at the start, in words; "": none.

    Args:
        plant: finalized plant.
        scene_graph: scene graph with its geometry.
        geometries: collision shapes of a robot.

    Returns:
        The pairs of the robot's bodies, and its bodies with those of others.
    """
    context = _at_start(plant, scene_graph)  # the query refers to it
    query = scene_graph.get_query_output_port().Eval(context)
    inspector = query.inspector()

    def body(geometry: GeometryId) -> str:
        """Returns a body's name, with its model where that is not the robot."""
        found = plant.GetBodyFromFrameId(inspector.GetFrameId(geometry))
        if (
            geometry in geometries
            or found.index() == plant.world_body().index()
        ):
            return found.name()
        return found.scoped_name().get_full()

    own: _Depths = {}
    others: _Depths = {}
    for contact in query.ComputePointPairPenetration():
        pair = contact.id_A, contact.id_B
        inside = [geometry in geometries for geometry in pair]
        if not any(inside):
            continue
        depths, least = (own, _NO_OVERLAP) if all(inside) else (others, _STANDS)
        names = body(pair[0]), body(pair[1])
        if not inside[0]:
            names = names[::-1]
        if contact.depth > least:
            depths[names] = max(contact.depth, depths.get(names, 0.0))
    return _deepest(own), _deepest(others)


def _at_start(plant: MultibodyPlant, scene_graph: SceneGraph) -> Context:
    """Returns the scene graph's Context with the plant's default poses.

    The diagram is not built yet, so the poses are set by hand. Frames of other sources,
    such as Drake's visualizer of inertias, get the identity.
    """
    context = scene_graph.CreateDefaultContext()
    inspector = scene_graph.model_inspector()
    for source in inspector.GetAllSourceIds():
        poses = FramePoseVector()
        for frame in inspector.FramesForSource(source):
            if frame != scene_graph.world_frame_id():
                poses.set_value(frame, RigidTransform())
        if source == plant.get_source_id():
            poses = plant.get_geometry_pose_output_port().Eval(
                plant.CreateDefaultContext()
            )
        elif not poses.size():
            continue
        port = scene_graph.get_source_pose_port(source)
        port.FixValue(context, Value[FramePoseVector](poses))
    return context
