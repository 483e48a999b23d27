"""Free bodies on a floor, in Drake with our contact and in ODE driven directly."""

import dataclasses as dc
import typing

import numpy as np
from ode_here import ode_or_skip
from pydrake.geometry import Box, Capsule, Cylinder, HalfSpace, Shape, Sphere
from pydrake.math import RigidTransform, RollPitchYaw
from pydrake.multibody.plant import (
    AddMultibodyPlant,
    CoulombFriction,
    MultibodyPlant,
    MultibodyPlantConfig,
)
from pydrake.multibody.tree import RigidBody, SpatialInertia, UnitInertia
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import DiagramBuilder

from webmotor_drake.contact.configure import configure_contact

SOFT_CFM, SOFT_ERP = 1e-3, 0.2
FLOOR = Box(4, 4, 0.2)


@dc.dataclass
class Free:
    """A free body.

    Attributes:
        shape: of uniform density.
        place: of its centre, m.
        rpy: roll, pitch, yaw, rad.
        mass: kg.
        friction: of its surface.
        velocity: at the start, m/s.
        spin: angular velocity at the start, rad/s.
    """

    shape: Shape
    place: typing.Sequence[float]
    rpy: typing.Sequence[float] = (0, 0, 0)
    mass: float = 1.0
    friction: float = 1.0
    velocity: typing.Sequence[float] = (0, 0, 0)
    spin: typing.Sequence[float] = (0, 0, 0)

    @property
    def pose(self) -> RigidTransform:
        return RigidTransform(RollPitchYaw(*self.rpy), self.place)

    @property
    def inertia(self) -> SpatialInertia:
        s, m = self.shape, self.mass
        if isinstance(s, Box):
            return SpatialInertia.SolidBoxWithMass(
                m, s.width(), s.depth(), s.height()
            )
        if isinstance(s, Sphere):
            return SpatialInertia.SolidSphereWithMass(m, s.radius())
        if isinstance(s, Cylinder):
            return SpatialInertia.SolidCylinderWithMass(
                m, s.radius(), s.length(), [0, 0, 1]
            )
        unit = UnitInertia.SolidCapsule(s.radius(), s.length(), [0, 0, 1])
        return SpatialInertia(m, np.zeros(3), unit)


class InDrake:
    """The bodies on a floor in Drake.

    Args:
        bodies: which.
        step: the plant's, s.
        floor: its shape, its top at z = 0.
        slope: turn of gravity about y, rad.
        configured: whether `configure_contact` is called.
        seam: place along x where two such floors meet, m; None: there is one.
        sampled: whether the plant's ports are; those of scenarios are not.
    """

    def __init__(
        self,
        bodies: list[Free],
        step: float,
        *,
        floor: Shape = FLOOR,
        slope: float = 0.0,
        floor_friction: float = 1.0,
        configured: bool = True,
        seam: float | None = None,
        sampled: bool = True,
    ):
        builder = DiagramBuilder()
        config = MultibodyPlantConfig(
            time_step=step,
            discrete_contact_approximation="lagged",
            use_sampled_output_ports=sampled,
        )
        plant, graph = AddMultibodyPlant(config, builder)
        depth = floor.height() / 2 if isinstance(floor, Box) else 0.0
        aside = [] if seam is None else [-floor.width() / 2, floor.width() / 2]
        for i, x in enumerate(aside or [0.0]):
            _add_shape(
                plant,
                plant.world_body(),
                floor,
                floor_friction,
                [(seam or 0.0) + x, 0, -depth],
                str(i),
            )
        for i, body in enumerate(bodies):
            rigid = plant.AddRigidBody(f"b{i}", body.inertia)
            _add_shape(plant, rigid, body.shape, body.friction)
            plant.SetDefaultFloatingBaseBodyPose(rigid, body.pose)
        plant.mutable_gravity_field().set_gravity_vector(
            9.81 * np.array([np.sin(slope), 0, -np.cos(slope)])
        )
        self.contacts = configure_contact(plant, graph) if configured else []
        plant.Finalize()
        self.plant, self._number = plant, len(bodies)
        self.simulator = Simulator(builder.Build())
        root = self.simulator.get_mutable_context()
        self.context = plant.GetMyMutableContextFromRoot(root)
        for i, body in enumerate(bodies):
            joint = plant.get_body(plant.GetBodyByName(f"b{i}").index())
            v = np.array([*body.spin, *body.velocity], float)
            start = joint.floating_velocities_start_in_v()
            all_v = plant.GetVelocities(self.context)
            all_v[start : start + 6] = v
            plant.SetVelocities(self.context, all_v)

    def advance(self, time: float) -> None:
        self.simulator.AdvanceTo(self.simulator.get_context().get_time() + time)

    def places(self) -> np.ndarray:
        """Returns where the centres are, shape (n, 3), m."""
        return np.array(
            [
                self.plant.EvalBodyPoseInWorld(
                    self.context, self.plant.GetBodyByName(f"b{i}")
                ).translation()
                for i in range(self._number)
            ]
        )

    def velocities(self) -> np.ndarray:
        """Returns the centres' velocities, shape (n, 3), m/s."""
        return np.array(
            [
                self.plant.EvalBodySpatialVelocityInWorld(
                    self.context, self.plant.GetBodyByName(f"b{i}")
                ).translational()
                for i in range(self._number)
            ]
        )


def _add_shape(
    plant: MultibodyPlant,
    body: RigidBody,
    shape: Shape,
    friction: float,
    place: typing.Sequence[float] = (0, 0, 0),
    number: str = "",
) -> None:
    plant.RegisterCollisionGeometry(
        body,
        RigidTransform(place),
        shape,
        f"{body.name()}_shape{number}",
        CoulombFriction(friction, friction),
    )


class InOde:
    """The bodies on a plane in ODE, as Webots steps it.

    Args:
        bodies: which; their friction counts, not the floor's.
        step: s.
        slope: turn of gravity about y, rad.
        bounce: of all contacts.
        contact: is given the surface of each contact, to change it.
        direction: of body i, the first direction of its friction in its frame.
    """

    def __init__(
        self,
        bodies: list[Free],
        step: float,
        *,
        slope: float = 0.0,
        bounce: float = 0.0,
        contact: typing.Callable[[typing.Any], None] | None = None,
        direction: typing.Sequence[float] | None = None,
    ):
        ode = self.ode = ode_or_skip()
        self._step, self._bounce, self._contact = step, bounce, contact
        self._direction = direction
        self._world = ode.dWorldCreate()
        ode.dWorldSetGravity(
            self._world, 9.81 * np.sin(slope), 0, -9.81 * np.cos(slope)
        )
        ode.dWorldSetCFM(self._world, 1e-5)
        ode.dWorldSetERP(self._world, 0.2)
        self._group = ode.dJointGroupCreate(0)
        self._plane = ode.dCreatePlane(None, 0, 0, 1, 0)
        self._contacts = (ode.dContact * 10)()
        self._friction = [body.friction for body in bodies]
        self._bodies = [self._body(body) for body in bodies]
        self._geoms = [
            self._geom(body, own)
            for body, own in zip(bodies, self._bodies, strict=True)
        ]

    def _body(self, free: Free) -> typing.Any:
        import ctypes

        ode = self.ode
        I_B = free.inertia.CalcRotationalInertia().CopyToFullMatrix3()
        mass = ode.dMass()
        ode.dMassSetParameters(
            ctypes.byref(mass), free.mass, 0, 0, 0, *np.diag(I_B), 0, 0, 0
        )
        body = ode.dBodyCreate(self._world)
        ode.dBodySetMass(body, ctypes.byref(mass))
        ode.dBodySetPosition(body, *map(float, free.place))
        turn = (ctypes.c_double * 4)(
            *free.pose.rotation().ToQuaternion().wxyz()
        )
        ode.dBodySetQuaternion(body, turn)
        ode.dBodySetLinearVel(body, *map(float, free.velocity))
        ode.dBodySetAngularVel(body, *map(float, free.spin))
        return body

    def _geom(self, free: Free, body: typing.Any) -> typing.Any:
        ode, s = self.ode, free.shape
        if isinstance(s, Box):
            geom = ode.dCreateBox(None, *s.size())
        elif isinstance(s, Sphere):
            geom = ode.dCreateSphere(None, s.radius())
        elif isinstance(s, Cylinder):
            geom = ode.dCreateCylinder(None, s.radius(), s.length())
        elif isinstance(s, Capsule):
            geom = ode.dCreateCapsule(None, s.radius(), s.length())
        ode.dGeomSetBody(geom, body)
        return geom

    def advance(self, time: float) -> None:
        for _ in range(round(time / self._step)):
            for i, geom in enumerate(self._geoms):
                self._collide(geom, self._plane, i, None)
                for k in range(i):
                    self._collide(geom, self._geoms[k], i, k)
            self.ode.dWorldStep(self._world, self._step)
            self.ode.dJointGroupEmpty(self._group)

    def _collide(
        self, a: typing.Any, b: typing.Any, i: int, k: int | None
    ) -> None:
        import ctypes

        ode = self.ode
        n = ode.dCollide(
            a,
            b,
            10,
            ctypes.byref(self._contacts[0].geom),
            ctypes.sizeof(ode.dContact),
        )
        for j in range(n):
            contact = self._contacts[j]
            surface = contact.surface
            surface.mode = (
                ode.dContactSoftERP
                | ode.dContactSoftCFM
                | ode.dContactApprox1
                | ode.dContactBounce
            )
            surface.mu = self._friction[i]
            surface.bounce, surface.bounce_vel = self._bounce, 0.01
            surface.soft_cfm, surface.soft_erp = SOFT_CFM, SOFT_ERP
            if self._contact is not None:
                self._contact(surface)
            if self._direction is not None:
                surface.mode |= ode.dContactFDir1
                along = (ctypes.c_double * 4)()
                ode.dBodyVectorToWorld(self._bodies[i], *self._direction, along)
                contact.fdir1[0:3] = along[0:3]
            joint = ode.dJointCreateContact(
                self._world, self._group, ctypes.byref(contact)
            )
            other = None if k is None else self._bodies[k]
            ode.dJointAttach(joint, self._bodies[i], other)

    def places(self) -> np.ndarray:
        return np.array(
            [self.ode.dBodyGetPosition(b)[:3] for b in self._bodies]
        )

    def velocities(self) -> np.ndarray:
        return np.array(
            [self.ode.dBodyGetLinearVel(b)[:3] for b in self._bodies]
        )


__all__ = ["FLOOR", "Free", "HalfSpace", "InDrake", "InOde"]
