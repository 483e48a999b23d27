"""Which of Drake's contacts a shape gets, by its form and its body.

Drake's point contact has one point per pair of shapes: a box on a floor tips about it,
and falls through from steps of 4 ms on. Its hydroelastic contact has a patch, on which
boxes rest at 32 ms; but on a patch nothing rolls, and two surfaces of the same
stiffness hold each other far beyond Coulomb's friction. So flat shapes get a soft
patch, fixed ones a stiff patch, and shapes that roll a point (docs/contact.md).
"""

import dataclasses as dc
from collections.abc import Mapping

import numpy as np
from pydrake.geometry import (
    Box,
    Capsule,
    Convex,
    Cylinder,
    Ellipsoid,
    GeometryId,
    HalfSpace,
    Mesh,
    Role,
    SceneGraphInspector,
    Shape,
    Sphere,
)
from pydrake.math import RigidTransform
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import Joint, RevoluteJoint, RigidBody

from webmotor_drake.contact.corner_names import own_shapes
from webmotor_drake.contact.inboard import (
    bodies_of,
    inboard_joints,
    to_weld_root,
)
from webmotor_drake.contact.proximity import HYDROELASTIC, STIFFNESS

COMPLIANT, STIFF, RIGID, POINT = "compliant", "stiff", "rigid", "point"

# An axis this near to a joint's counts as the same: rad, and share of the radius.
_SAME_AXIS = 0.02
# Properties by which a model sets a shape's contact; such a shape stays as it is.
_OWN_WORDS = (
    (HYDROELASTIC, "compliance_type"),
    (HYDROELASTIC, "hydroelastic_modulus"),
    STIFFNESS,
)


@dc.dataclass(frozen=True)
class ShapeContact:
    """The contact of one shape with others.

    Attributes:
        geometry: the shape.
        model: the name of its model instance.
        body: the name of its body.
        shape: "Box", "Sphere" and so on.
        contact: "compliant" (a soft patch), "stiff" (a patch that hardly yields),
            "rigid" (a patch that does not yield), "point", or "own": as its
            model or the scene graph's defaults say.
        reason: words for why it has this contact.
    """

    geometry: GeometryId
    model: str
    body: str
    shape: str
    contact: str
    reason: str

    @property
    def lands(self) -> bool:
        """True if the shape moves, and its contact is not its model's own."""
        return self.contact in (COMPLIANT, POINT)


def shape_contacts(
    plant: MultibodyPlant,
    inspector: SceneGraphInspector,
    moved: Mapping[GeometryId, RigidBody],
) -> list[ShapeContact]:
    """Returns the contact that suits each collision shape of a plant.

    Works before and after the plant's Finalize.

    Args:
        plant: plant with geometry.
        inspector: inspector of its scene graph.
        moved: former bodies of the world's half spaces; see `HalfSpaces`.
    """
    joints = inboard_joints(plant)
    contacts = []
    for body in bodies_of(plant):
        root, X_RB = to_weld_root(body, joints)
        joint = joints.get(root.index())
        fixed = root.index() == plant.world_body().index()
        for geometry in collision_shapes(plant, inspector, body):
            shape = inspector.GetShape(geometry)
            properties = inspector.GetProximityProperties(geometry)
            X_RG = X_RB @ inspector.GetPoseInFrame(geometry)
            contact, reason = _suitable(shape, X_RG, joint, fixed=fixed)
            for group, name in reversed(_OWN_WORDS):
                if properties.HasProperty(group, name):
                    contact, reason = "own", f"its model gives it a {name}"
            of, kind = moved.get(geometry, body), type(shape).__name__
            model = plant.GetModelInstanceName(of.model_instance())
            contacts.append(
                ShapeContact(geometry, model, of.name(), kind, contact, reason)
            )
    return contacts


def collision_shapes(
    plant: MultibodyPlant, inspector: SceneGraphInspector, body: RigidBody
) -> list[GeometryId]:
    """Returns the shapes with which a body collides, without their corners.

    The plant still lists shapes whose role was removed. Its list moves in memory when
    it grows, so nothing may hold on to the list's elements.
    """
    frame = plant.GetBodyFrameIdIfExists(body.index())
    if frame is None:
        return []
    known = {
        geometry.get_value()
        for geometry in plant.GetCollisionGeometriesForBody(body)
    }
    found = inspector.GetGeometries(frame, Role.kProximity)
    return sorted(
        (
            geometry
            for geometry in own_shapes(inspector, found)
            if geometry.get_value() in known
        ),
        key=GeometryId.get_value,
    )


def _suitable(
    shape: Shape,
    X_CG: RigidTransform,
    joint: Joint | None,
    *,
    fixed: bool,
) -> tuple[str, str]:
    """Returns the contact of a shape G that is welded to a body C, and the reason."""
    match shape:
        case HalfSpace():
            if fixed:
                return RIGID, "a half space, fixed to the world"
            return POINT, "a half space that moves"
        case Sphere() | Ellipsoid():
            return POINT, "it is round"
        case Cylinder() | Capsule() | Box() | Convex() | Mesh():
            pass
        case _:
            return POINT, "Drake has no other contact for it"
    if fixed:
        return STIFF, "fixed to the world"
    if isinstance(shape, Cylinder | Capsule):
        if joint is not None and _turns_about(joint, X_CG, shape.radius()):
            return POINT, f"a wheel: it turns about the joint {joint.name()}"
        return COMPLIANT, "it stands and lies; it does not roll"
    return COMPLIANT, "it has faces to rest on"


def _turns_about(joint: Joint, X_CG: RigidTransform, radius: float) -> bool:
    """Returns whether the z axis of a shape G on a child C is its joint's axis."""
    if not isinstance(joint, RevoluteJoint):
        return False
    X_CM = joint.frame_on_child().GetFixedPoseInBodyFrame()
    axis = X_CM.rotation() @ joint.revolute_axis()
    off = X_CG.translation() - X_CM.translation()
    aside = off - axis * (axis @ off)
    parallel = np.linalg.norm(np.cross(axis, X_CG.rotation().col(2)))
    return bool(
        parallel < _SAME_AXIS and np.linalg.norm(aside) < _SAME_AXIS * radius
    )
