"""Shapes, collisions and masses of a body as Webots' nodes.

A drawn geometry is a Shape in the Solid's children, in a Pose unless it is where the
body is. What collides is in its boundingObject: a geometry, or a Group of several.
"""

import typing

from pydrake import geometry
from pydrake.geometry import GeometryId, Role
from pydrake.math import RigidTransform
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import RigidBody

from webmotor_drake.host.scene.scene_node import SceneNode
from webmotor_drake.host.scene.shapes import Shapes
from webmotor_drake.nodes.node_types import Node

# Adds a node to a parent, with the fields of a SceneNode.
Add = typing.Callable[..., SceneNode]


def add_shape_nodes(
    add: Add,
    solid: SceneNode,
    shapes: Shapes,
    plant: MultibodyPlant,
) -> None:
    """Adds the nodes of a body's drawn shapes, collision shapes and mass.

    Args:
        add: adds a node.
        solid: the body's node.
        shapes: those of the scene.
        plant: the body's.
    """
    body = typing.cast(RigidBody, solid.body)

    def holder(parent: SceneNode, shape: GeometryId, slot: str) -> SceneNode:
        """Returns the parent of a shape: a Pose, or `parent` if the pose is 0."""
        X_BG = shapes.pose(shape)
        if X_BG.IsExactlyEqualTo(RigidTransform()):
            return parent
        frame = body.body_frame()
        return add(parent, type=Node.POSE, slot=slot, frame=frame, offset=X_BG)

    for drawn in shapes.of_body(body, Role.kIllustration):
        parent = holder(solid, drawn, "children")
        shape = add(parent, type=Node.SHAPE, geometry=drawn)
        for slot, kind in (
            ("appearance", Node.PBR_APPEARANCE),
            ("geometry", _geometry_type(shapes, drawn)),
        ):
            add(shape, type=kind, slot=slot, geometry=drawn)
    colliding = shapes.of_body(body, Role.kProximity)
    outer, slot = solid, "boundingObject"
    if len(colliding) > 1:
        outer = add(solid, type=Node.GROUP, slot=slot)
        slot = "children"
    for shape in colliding:
        inside = holder(outer, shape, slot)
        add(
            inside,
            type=_geometry_type(shapes, shape),
            slot=slot if inside is outer else "children",
            geometry=shape,
        )
    if not plant.IsAnchored(body):
        add(solid, type=Node.PHYSICS, slot="physics", body=body)


def _geometry_type(shapes: Shapes, shape: GeometryId) -> int:
    """Returns the node type of a shape; Mesh for shapes without one."""
    return {
        geometry.Box: Node.BOX,
        geometry.Sphere: Node.SPHERE,
        geometry.Cylinder: Node.CYLINDER,
        geometry.Capsule: Node.CAPSULE,
        geometry.HalfSpace: Node.PLANE,
    }.get(type(shapes.shape(shape)), Node.MESH)
