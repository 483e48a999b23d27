"""The tree of a page: bodies with their joints, inertia, collision shapes, devices."""

import typing
from collections.abc import Mapping

import numpy as np
from pydrake.geometry import (
    Convex,
    Ellipsoid,
    GeometryId,
    Mesh,
    Rgba,
    SceneGraphInspector,
)
from pydrake.math import RigidTransform
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import (
    Joint,
    PrismaticJoint,
    RevoluteJoint,
    RigidBody,
)
from pydrake.systems.framework import Context

from webmotor_drake.contact.inboard import inboard_joints
from webmotor_drake.contact.shape_contact import collision_shapes
from webmotor_drake.drive.device_mounts import find_mounts
from webmotor_drake.drive.motor_system import MotorSystem
from webmotor_drake.drive.plant_queries import position_limits
from webmotor_drake.nodes.motors import MotorNode
from webmotor_drake.scenario.scenario import Scenario, robots_of
from webmotor_drake.simulation.imports import DrawnShape, can_be_said, pose_said
from webmotor_drake.view.puppet import Robots

Told = dict[str, typing.Any]


def tree_of(robots: Robots, bodies: Mapping[str, RigidBody]) -> list[Told]:
    """Returns all that a page can show of bodies besides their shapes.

    Args:
        robots: owners of the bodies.
        bodies: bodies of the page, by their paths in its scene.
    """
    plant = robots.plant
    above = inboard_joints(plant)
    driven = driven_joints(robots.motors)
    paths = {int(body.index()): path for path, body in bodies.items()}
    devices = _devices(plant, robots.scenario)
    inspector = robots.scene_graph.model_inspector()
    rows = []
    for path, body in bodies.items():
        index = int(body.index())
        row: Told = {
            "path": path,
            "model": plant.GetModelInstanceName(body.model_instance()),
            "name": body.name(),
            "devices": devices.get(index, []),
            "collision": _collision(plant, inspector, body),
            **_inertia(body),
        }
        joint = above.get(body.index())
        if joint is not None and joint.num_velocities():
            row["joint"] = _joint(joint, robots.context, driven, paths)
        rows.append(row)
    return rows


def _joint(
    joint: Joint,
    context: Context,
    driven: Mapping[int, tuple[int, str, MotorNode]],
    paths: Mapping[int, str],
) -> Told:
    """Returns a joint; one of a single axis with its axis, motor and limits."""
    told: Told = {"name": joint.name(), "type": joint.type_name()}
    if isinstance(joint, RevoluteJoint):
        axis = joint.revolute_axis()
    elif isinstance(joint, PrismaticJoint):
        axis = joint.translation_axis()
    else:
        return told
    frame, parent = joint.frame_on_parent(), joint.parent_body()
    path = paths.get(int(parent.index()), "")
    X_BF = frame.GetFixedPoseInBodyFrame()
    limits = [position_limits(joint)]
    number, _, motor = driven.get(int(joint.index()), (None, "", None))
    if motor is not None and motor.min_position != motor.max_position:
        limits.insert(0, (motor.min_position, motor.max_position))
    if not path and parent.GetParentPlant().IsAnchored(parent):
        X_BF = frame.CalcPoseInWorld(context)
    elif not path:  # it moves without being seen: nothing can be drawn on it
        limits = []
    return told | {
        "axis": (axis / np.linalg.norm(axis)).tolist(),
        "motor": number,
        "parent": path,
        "on_parent": _pose(X_BF),
        "on_child": _pose(joint.frame_on_child().GetFixedPoseInBodyFrame()),
        "limits": [
            [low, high]
            for low, high in limits
            if np.isfinite([low, high]).all() and low < high
        ],
    }


def driven_joints(
    motors: Mapping[str, MotorSystem],
) -> dict[int, tuple[int, str, MotorNode]]:
    """Returns each motor's number among all, name and node, by its joint's index."""
    found: dict[int, tuple[int, str, MotorNode]] = {}
    for system in motors.values():
        named = zip(system.devices.names, system.devices.motors, strict=True)
        for joint, motor in zip(system.model.joints, named, strict=False):
            found[int(joint.index())] = (len(found), *motor)
    return found


def _devices(
    plant: MultibodyPlant, scenario: Scenario
) -> dict[int, list[Told]]:
    """Returns name, node and pose of devices, by the index of their body."""
    found: dict[int, list[Told]] = {}
    for model, driver in robots_of(scenario).items():
        instance = plant.GetModelInstanceByName(model)
        mounts = find_mounts(plant, instance, driver.devices)
        for name, mount in mounts.items():
            kind = type(driver.devices[name]).__name__
            told = {"name": name, "type": kind, "pose": _pose(mount.X_BD)}
            found.setdefault(int(mount.body.index()), []).append(told)
    return found


def _collision(
    plant: MultibodyPlant, inspector: SceneGraphInspector, body: RigidBody
) -> list[Told]:
    """Returns the shapes by which a body touches others; planes are left out."""
    shapes = collision_shapes(plant, inspector, body)
    told = (_shape(inspector, shape) for shape in shapes)
    return [shape for shape in told if shape is not None]


def _shape(inspector: SceneGraphInspector, shape: GeometryId) -> Told | None:
    form, X_BG = inspector.GetShape(shape), inspector.GetPoseInFrame(shape)
    if can_be_said(form):
        return DrawnShape(form, X_BG, Rgba(1, 1, 1)).said()
    if not isinstance(form, Convex | Mesh):
        return None
    hull = inspector.GetConvexHull(shape)
    faces = [hull.element(k) for k in range(hull.num_faces())]
    return {
        "kind": "Hull",
        "vertices": [
            hull.vertex(k).round(6).tolist() for k in range(hull.num_vertices())
        ],
        "faces": [
            [face.vertex(k) for k in range(face.num_vertices())]
            for face in faces
        ],
        **pose_said(X_BG),
    }


def _inertia(body: RigidBody) -> Told:
    inertia = body.default_spatial_inertia()
    mass = inertia.get_mass()
    is_fixed = body.GetParentPlant().IsAnchored(body)
    if is_fixed or not (mass > 0 and inertia.IsPhysicallyValid()):
        return {"mass": mass if np.isfinite(mass) else 0.0, "ellipsoid": None}
    sizes, X_BE = inertia.CalcPrincipalSemiDiametersAndPoseForSolidEllipsoid()
    form = Ellipsoid(*(max(float(size), 1e-6) for size in sizes))
    told = DrawnShape(form, X_BE, Rgba(1, 1, 1)).said()
    return {"mass": mass, "ellipsoid": told}


def _pose(X: RigidTransform) -> list[float]:
    """Returns a pose as three.js has it: column by column."""
    return X.GetAsMatrix4().T.ravel().tolist()
