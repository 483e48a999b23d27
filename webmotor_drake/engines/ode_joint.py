"""A hinge or slider of ODE with its motor, stops, spring and damper."""

import ctypes
import math
from types import ModuleType

import numpy as np
from pydrake.multibody.tree import PrismaticJoint, RevoluteJoint
from pydrake.systems.framework import Context

from webmotor_drake.drive.plant_queries import position_limits
from webmotor_drake.nodes.joints import JointParameters


class OdeJoint:
    """A joint of one degree of freedom, as Webots sets it up in ODE.

    Motor, static friction and stops share one row (joint.cpp, addLimot).
    Spring K and damper D are a row of their own, of a motor without bound whose
    velocity is -K q / (h K + D) and softness 1 / (h K + D): the effort is then
    -K (q + h v) - D v at the new velocity v, as Webots' (WbOdeUtilities.cpp).

    ODE knows a hinge's angle within a turn only; turns are counted here, and the
    stops moved along, so that stops beyond half a turn work (in Webots they
    don't).

    Attributes:
        name: name of the joint.
        position: position of the joint, rad or m.
        velocity: velocity of the joint, rad/s or m/s.

    Args:
        ode: the engine's module.
        world: the engine's world.
        joint: the joint in the plant.
        context: Context of the plant, at the present poses of the ODE bodies.
        parent: ODE body of the joint's parent; None: fixed to the world.
        child: ODE body of its child. Not both are None.
        parameters: spring, damper and friction; stops are those of `joint`.
        step: h, s.
        cfm: softness of the motor, rad/s/(N m) or m/s/N.
    """

    def __init__(
        self,
        ode: ModuleType,
        world: object,
        joint: RevoluteJoint | PrismaticJoint,
        context: Context,
        *,
        parent: object,
        child: object,
        parameters: JointParameters,
        step: float,
        cfm: float,
    ):
        self._ode, self._step = ode, step
        self.name = joint.name()
        self._hinge = isinstance(joint, RevoluteJoint)
        self._start = joint.GetOnePosition(context)
        self._stops = np.array(position_limits(joint)) - self._start
        X_WF = joint.frame_on_parent().CalcPoseInWorld(context)
        axis = (
            joint.revolute_axis() if self._hinge else joint.translation_axis()
        )
        axis = X_WF.rotation() @ axis
        if child is None:  # ODE's first body has to be one that moves
            parent, child, axis = None, parent, -axis
        self._child = child
        self._joint = self._create(world, parent, axis, X_WF.translation())
        self._feedback = ode.dJointFeedback()
        ode.dJointSetFeedback(self._joint, ctypes.byref(self._feedback))
        self._set(ode.dParamCFM, cfm)
        self._turns = None
        self._set_stops(0)
        self._stiffness = parameters.spring_constant
        self._damping = joint.default_damping() + parameters.damping_constant
        self._spring = self._create_spring(world, parent, axis)
        self.position, self.velocity = self._start, 0.0
        self._lever = np.zeros(3)
        self._effort_at_stop = None

    def _create(
        self, world: object, parent: object, axis: np.ndarray, at: np.ndarray
    ) -> object:
        ode, kind = self._ode, "Hinge" if self._hinge else "Slider"
        joint = getattr(ode, f"dJointCreate{kind}")(world, None)
        ode.dJointAttach(joint, self._child, parent)
        if self._hinge:
            ode.dJointSetHingeAnchor(joint, *at)
        getattr(ode, f"dJointSet{kind}Axis")(joint, *axis)
        self._get_axis = getattr(ode, f"dJointGet{kind}Axis")
        self._set_param = getattr(ode, f"dJointSet{kind}Param")
        position, effort = "HingeAngle", "HingeTorque"
        if not self._hinge:
            position, effort = "SliderPosition", "SliderForce"
        self._get_position = getattr(ode, f"dJointGet{position}")
        self._get_rate = getattr(ode, f"dJointGet{position}Rate")
        self._add_effort = getattr(ode, f"dJointAdd{effort}")
        return joint

    def _create_spring(
        self, world: object, parent: object, axis: np.ndarray
    ) -> object:
        ode, kind = self._ode, "AMotor" if self._hinge else "LMotor"
        spring = getattr(ode, f"dJointCreate{kind}")(world, None)
        ode.dJointAttach(spring, self._child, parent)
        if self._hinge:
            ode.dJointSetAMotorMode(spring, ode.dAMotorUser)
        getattr(ode, f"dJointSet{kind}NumAxes")(spring, 1)
        relative_to = 2 if parent is not None else 0
        getattr(ode, f"dJointSet{kind}Axis")(spring, 0, relative_to, *axis)
        self._set_spring = getattr(ode, f"dJointSet{kind}Param")
        return spring

    def _set(self, parameter: int, value: float) -> None:
        self._set_param(self._joint, parameter, value)

    def _set_stops(self, turns: int) -> None:
        """Sets the stops as seen after `turns` full turns."""
        if turns == self._turns or not np.isfinite(self._stops).any():
            return
        self._turns = turns
        low, high = self._stops - 2 * math.pi * turns
        self._set(self._ode.dParamLoStop, low)
        self._set(self._ode.dParamHiStop, high)

    def measure(self) -> None:
        """Reads position and velocity after a step of the world."""
        angle = self._get_position(self._joint)
        self.velocity = self._get_rate(self._joint)
        if not self._hinge:
            self.position = self._start + angle
            return
        # The multiple of a turn nearest to where the rate leads, as Webots'.
        guess = self.position + self._step * self.velocity - self._start
        if not math.isfinite(guess):
            self.position = math.nan
            return
        turns = round((guess - angle) / (2 * math.pi))
        self.position = self._start + angle + 2 * math.pi * turns
        self._set_stops(turns)

    def prepare(
        self, rate: float, bound: float, direct: float, brake: float
    ) -> None:
        """Sets the motor's demands for the next step.

        Args:
            rate: velocity to reach, rad/s or m/s.
            bound: largest |effort| for it, N m or N.
            direct: effort applied anyway, N m or N.
            brake: damping that a brake adds, N m s/rad or N s/m.
        """
        ode = self._ode
        self._set(ode.dParamFMax, bound)
        self._set(ode.dParamVel, rate)
        if direct:
            self._add_effort(self._joint, direct)
        self._prepare_spring(brake)
        self._axis = _vector(ode, self._get_axis, self._joint)
        if self._hinge:
            anchor = _vector(ode, ode.dJointGetHingeAnchor, self._joint)
            com = np.array(ode.dBodyGetPosition(self._child)[:3])
            self._lever = com - anchor
        self._effort_at_stop = self._pushes_at_stop(rate, bound)

    def _prepare_spring(self, brake: float) -> None:
        """Sets the row of spring and damper; removes it without both."""
        ode, spring = self._ode, self._spring
        hardness = self._step * self._stiffness + self._damping + brake
        self._set_spring(
            spring, ode.dParamFMax, math.inf if hardness > 0 else 0
        )
        if hardness > 0:
            velocity = -self._stiffness * self.position / hardness
            self._set_spring(spring, ode.dParamCFM, 1 / hardness)
            self._set_spring(spring, ode.dParamVel, velocity)

    def _pushes_at_stop(self, rate: float, bound: float) -> float | None:
        """Returns the effort of a motor whose joint is at a stop, else None."""
        # ODE uses the row for the stop, and applies all of the motor's bound as an
        # external effort; at rate 0 it acts into the stop.
        low, high = self._stops
        at = self.position - self._start
        if not (at <= low or at >= high):
            return None
        if low == high:  # fixed: ODE ignores the motor
            return 0.0
        if rate == 0:
            return -bound if at <= low else bound
        return math.copysign(bound, rate)

    def efforts(self) -> tuple[float, float]:
        """Returns effort and feedback of the last step, N m or N.

        The effort is the motor's, with friction, without direct effort. The feedback is
        that of the joint's own row: the same, except at a stop, where it is the stop's.
        """
        f = np.array(self._feedback.f1[:3])
        t = np.array(self._feedback.t1[:3])
        reaction = t + np.cross(self._lever, f) if self._hinge else f
        row = float(self._axis @ reaction)
        stop = self._effort_at_stop
        return (row if stop is None else stop), row


def _vector(ode: ModuleType, getter: object, joint: object) -> np.ndarray:
    """Returns the vector that one of ODE's getters writes, shape (3,)."""
    result = ode.dVector3()
    getter(joint, result)
    return np.array(result[:3])
