"""Chains of links in a plane, some closed, in ODE driven directly."""

import ctypes
import dataclasses as dc
import math
import typing

import numpy as np
from ode_here import ode_or_skip


@dc.dataclass
class Bar:
    """A link in the xy plane.

    Attributes:
        start: of its frame, m, shape (2,).
        angle: of its x axis, rad.
        center: of mass along x, m.
        mass: kg.
        inertia: about z at the centre of mass, kg m^2.
    """

    start: typing.Sequence[float]
    angle: float
    center: float
    mass: float
    inertia: float

    def at(self, x: float) -> np.ndarray:
        """Returns a point of its x axis, m."""
        turn = [math.cos(self.angle), math.sin(self.angle)]
        return np.array(self.start) + x * np.array(turn)


class OdeLinkage:
    """Links and hinges about z without gravity.

    Args:
        bars: the links.
        hinges: two links (None: the world) and where they meet, m.
        motors: for each motor its hinge's number and torque, N m.
        step: s.
    """

    def __init__(self, bars, hinges, motors, step):
        ode = self.ode = ode_or_skip()
        self._step, self._motors = step, motors
        self._world = ode.dWorldCreate()
        ode.dWorldSetCFM(self._world, 1e-5)
        ode.dWorldSetERP(self._world, 0.2)
        bodies = [self._body(bar) for bar in bars]
        self._hinges = []
        for first, second, place in hinges:
            joint = ode.dJointCreateHinge(self._world, None)
            ends = [None if i is None else bodies[i] for i in (second, first)]
            ode.dJointAttach(joint, *ends)
            ode.dJointSetHingeAnchor(joint, *map(float, place), 0.0)
            # ODE turns the first body; a world there turns the sign.
            ode.dJointSetHingeAxis(joint, 0.0, 0.0, 1.0)
            self._hinges.append(joint)
        for hinge, torque in motors:
            ode.dJointSetHingeParam(self._hinges[hinge], ode.dParamFMax, torque)

    def _body(self, bar: Bar):
        ode = self.ode
        mass = ode.dMass()
        ode.dMassSetParameters(
            ctypes.byref(mass), bar.mass, 0, 0, 0, *[bar.inertia] * 3, 0, 0, 0
        )
        body = ode.dBodyCreate(self._world)
        ode.dBodySetMass(body, ctypes.byref(mass))
        ode.dBodySetPosition(body, *bar.at(bar.center), 0.0)
        turn = (ctypes.c_double * 4)(
            math.cos(bar.angle / 2), 0, 0, math.sin(bar.angle / 2)
        )
        ode.dBodySetQuaternion(body, turn)
        return body

    def step(self, rates: typing.Sequence[float]) -> None:
        """Steps once, the motors at these rates, rad/s."""
        ode = self.ode
        for (hinge, _), rate in zip(self._motors, rates, strict=True):
            ode.dJointSetHingeParam(
                self._hinges[hinge], ode.dParamVel, float(rate)
            )
        ode.dWorldStep(self._world, self._step)

    def angles(self) -> np.ndarray:
        """Returns the motors' angles since the start, rad."""
        return np.array(
            [
                self.ode.dJointGetHingeAngle(self._hinges[hinge])
                for hinge, _ in self._motors
            ]
        )
