"""Collision shapes of a Drake plant in ODE, and the contacts between them."""

import ctypes
import itertools
import weakref
from collections.abc import Mapping
from types import ModuleType

import numpy as np
from pydrake.geometry import (
    Box,
    Capsule,
    Cylinder,
    GeometryId,
    HalfSpace,
    SceneGraphInspector,
    Shape,
    Sphere,
)
from pydrake.math import RigidTransform
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import BodyIndex, RigidBody
from pydrake.systems.framework import Context

from webmotor_drake.contact.corner_names import own_shapes
from webmotor_drake.contact.friction_fit import combined
from webmotor_drake.contact.proximity import friction_of
from webmotor_drake.errors import InputError

# Webots: at most 10 contact joints per pair (WbSimulationCluster.cpp), softness and
# error reduction of ContactProperties.
MAX_CONTACTS = 10
SOFT_CFM = 1e-3
SOFT_ERP = 0.2

_ALLOWED = "box, sphere, cylinder, capsule and, fixed to the world, half space"


class OdeContacts:
    """Shapes of all bodies, and contacts between them.

    Friction is the plant's dynamic friction, of two bodies combined as Drake
    does. Contacts don't bounce, as in Drake (Webots' default bounce is 0.5). Pairs
    that Drake filters, such as bodies that share a joint, don't collide.

    Args:
        ode: the engine's module.
        world: the engine's world.
        plant: the finalized plant.
        inspector: inspector of the scene graph with the plant's shapes.
        context: Context of the plant, at the present poses of the ODE bodies.
        bodies: the ODE body of each body of the plant; None: fixed to the
            world.

    Raises:
        InputError: a shape that ODE does not have.
    """

    def __init__(
        self,
        ode: ModuleType,
        world: object,
        plant: MultibodyPlant,
        inspector: SceneGraphInspector,
        context: Context,
        bodies: Mapping[BodyIndex, object],
    ):
        self._ode, self._world = ode, world
        self._group = ode.dJointGroupCreate(0)
        self._contacts = (ode.dContact * MAX_CONTACTS)()
        self._shapes: dict[GeometryId, tuple[object, object]] = {}
        for index, ode_body in bodies.items():
            body = plant.get_body(index)
            for geometry in own_shapes(
                inspector, plant.GetCollisionGeometriesForBody(body)
            ):
                shape = inspector.GetShape(geometry)
                geom = self._create(body, shape, fixed=ode_body is None)
                X_WG = body.EvalPoseInWorld(context) @ inspector.GetPoseInFrame(
                    geometry
                )
                self._place(geom, shape, X_WG, ode_body)
                self._shapes[geometry] = geom, ode_body
        self._pairs = list(self._colliding(inspector))
        geoms = [geom for geom, _ in self._shapes.values()]
        weakref.finalize(self, _free, ode, self._group, geoms)

    def _create(self, body: RigidBody, shape: Shape, *, fixed: bool) -> object:
        ode = self._ode
        if isinstance(shape, Box):
            return ode.dCreateBox(None, *shape.size())
        if isinstance(shape, Sphere):
            return ode.dCreateSphere(None, shape.radius())
        if isinstance(shape, Cylinder):
            return ode.dCreateCylinder(None, shape.radius(), shape.length())
        if isinstance(shape, Capsule):
            return ode.dCreateCapsule(None, shape.radius(), shape.length())
        if isinstance(shape, HalfSpace) and fixed:
            return ode.dCreatePlane(None, 0.0, 0.0, 1.0, 0.0)
        raise InputError(
            f"ode: body {body.name()} has a {type(shape).__name__} as collision"
            f" shape; {_ALLOWED} are allowed"
        )

    def _place(
        self,
        geom: object,
        shape: Shape,
        X_WG: RigidTransform,
        ode_body: object,
    ) -> None:
        ode = self._ode
        if isinstance(shape, HalfSpace):
            normal = X_WG.rotation().col(2)
            distance = normal @ X_WG.translation()
            ode.dGeomPlaneSetParams(geom, *normal, distance)
            return
        rows = np.pad(X_WG.rotation().matrix(), [(0, 0), (0, 1)])
        R_WG = ode.dMatrix3(*rows.ravel())
        if ode_body is None:
            ode.dGeomSetPosition(geom, *X_WG.translation())
            ode.dGeomSetRotation(geom, R_WG)
        else:
            ode.dGeomSetBody(geom, ode_body)
            ode.dGeomSetOffsetWorldPosition(geom, *X_WG.translation())
            ode.dGeomSetOffsetWorldRotation(geom, R_WG)

    def _colliding(self, inspector: SceneGraphInspector):
        """Yields the pairs that can touch, and their friction."""
        for a, b in itertools.combinations(self._shapes, 2):
            one, other = self._shapes[a], self._shapes[b]
            if one[1] is other[1] or inspector.CollisionFiltered(a, b):
                continue
            friction = combined(*(friction_of(inspector, g) for g in (a, b)))
            yield one, other, friction

    def collide(self) -> None:
        """Makes contact joints for the next step, in place of the last ones."""
        ode, contacts = self._ode, self._contacts
        ode.dJointGroupEmpty(self._group)
        first = ctypes.byref(contacts[0].geom)
        for (geom_a, body_a), (geom_b, body_b), friction in self._pairs:
            touching = ode.dCollide(
                geom_a, geom_b, MAX_CONTACTS, first, ctypes.sizeof(ode.dContact)
            )
            for contact in contacts[:touching]:
                surface = contact.surface
                surface.mode = (
                    ode.dContactSoftCFM
                    | ode.dContactSoftERP
                    | ode.dContactApprox1
                )
                surface.mu = friction
                surface.soft_cfm, surface.soft_erp = SOFT_CFM, SOFT_ERP
                joint = ode.dJointCreateContact(
                    self._world, self._group, ctypes.byref(contact)
                )
                ode.dJointAttach(joint, body_a, body_b)


def _free(ode: ModuleType, group: object, geoms: list[object]) -> None:
    """Gives the memory of contacts and shapes back to the engine."""
    ode.dJointGroupDestroy(group)
    for geom in geoms:
        ode.dGeomDestroy(geom)
