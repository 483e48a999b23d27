"""Drake's own motor controllers, following the targets of Webots motors.

They get the same commands as Webots motors: targets clipped by the soft limits,
available effort as effort limit, direct effort as it is. What they lack is the
law: they see a new target as a step, without limit on velocity or acceleration.

PD actuators without gains of their own have those of `matched_gains`; in velocity
control kp is 0.
"""

import math
from collections.abc import Mapping, Sequence

import numpy as np
from pydrake.systems.controllers import InverseDynamicsController

from webmotor_drake.contact.inboard import joints_of
from webmotor_drake.drive.matched_gains import (
    felt_inertia,
    matched_gains,
    poles,
)
from webmotor_drake.engines.drake_plant import DrakePlant
from webmotor_drake.errors import InputError, unknown_name
from webmotor_drake.loops.rows import Command, Demand
from webmotor_drake.motor.signals import direct_effort
from webmotor_drake.scenario.scenario import Scenario

Gains = Mapping[str, tuple[float, float]]


class PdEngine(DrakePlant):
    """Drake's PD actuators, solved inside the contact solver.

    Static friction of the joints acts beside them, as on a real joint: unlike in
    Webots, it does not share their bound.

    Args:
        scenario: scenario whose motors they replace.
        gains: kp and kd by "<model>/<motor>", N m/rad and N m s/rad or N/m and N s/m;
            the other motors have matched gains.

    Raises:
        InputError: the gains are not allowed, or the plant has no such actuators.
    """

    follows_law = False
    _friction_beside = True

    def __init__(self, scenario: Scenario, gains: Gains | None = None):
        super().__init__(scenario, "drake_pd")
        check_gains(gains or {}, self.motors.names)
        motors = self.motors
        inertia = felt_inertia(self.plant, self.context, self.v_index)
        kp, kd = matched_gains(motors.nodes, inertia, motors.period)
        pairs = zip(kp.tolist(), kd.tolist(), strict=True)
        matched = dict(zip(motors.names, pairs, strict=True))
        self.gains = {**matched, **(gains or {})}
        self._gains = np.transpose([self.gains[n] for n in motors.names])

    def step(self) -> tuple[np.ndarray, np.ndarray]:
        """Steps by the motor period; see `DrakePlant`."""
        motors = self.motors
        on = motors.servo_on
        command = motors.command
        target = command[Command.TARGET_POSITION]
        seeks = np.isfinite(target)
        limit = np.where(on, command[Command.AVAILABLE_EFFORT], 0.0)
        desired = np.where(
            seeks,
            [target, np.zeros(len(on))],
            [np.zeros(len(on)), command[Command.TARGET_VELOCITY]],
        )
        gains = self._gains * [seeks, np.ones(len(on))]
        for i, actuator in enumerate(self.actuators):
            self.servo(
                actuator,
                gains=tuple(gains[:, i]),
                limit=limit[i],
                desired=desired[:, i],
            )
        direct = direct_effort(command)
        for _ in range(self.stride):
            effort = self.advance(direct)
        # With friction beside, Drake reports the sum of both.
        missing = np.array(
            [desired[0] - self.positions(), desired[1] - self.velocities()]
        )
        own = np.clip((gains * missing).sum(axis=0), -limit, limit)
        effort = np.where(motors.friction > 0, own, effort)
        return effort, effort


class InverseDynamicsEngine(DrakePlant):
    """Drake's InverseDynamicsController on a fully actuated plant.

    Its gains are those of `matched_gains` for an inertia of 1. It ignores springs,
    dampers and friction of JointParameters. Its effort is clipped to the available
    effort.

    Args:
        scenario: scenario whose motors it replaces.

    Raises:
        InputError: a degree of freedom has no motor.
    """

    follows_law = False

    def __init__(self, scenario: Scenario):
        super().__init__(scenario, "inverse_dynamics")
        self._check_fully_actuated()
        order = np.argsort(self.v_index)  # motors by the plant's velocities
        pole, fast = poles(self.motors.nodes, self.motors.period)
        kp, kd = pole * fast, pole + fast
        self._controller = InverseDynamicsController(
            self.plant, kp[order], np.zeros(len(order)), kd[order], False
        )
        self._context = self._controller.CreateDefaultContext()

    def _check_fully_actuated(self) -> None:
        driven = {joint.index() for joint in self.motors.joints}
        for joint in joints_of(self.plant):
            if joint.num_velocities() and joint.index() not in driven:
                raise InputError(
                    "inverse_dynamics needs a motor on every degree of freedom;"
                    f" joint {joint.name()} has none"
                )

    def step(self) -> tuple[np.ndarray, np.ndarray]:
        """Steps by the motor period; see `DrakePlant`."""
        motors = self.motors
        on, direct = motors.servo_on, direct_effort(motors.command)
        bound = np.maximum(
            motors.command[Command.AVAILABLE_EFFORT], motors.friction
        )
        for actuator, friction, held in zip(
            self.actuators, motors.friction, on, strict=True
        ):
            self.follow_velocity(actuator, 0.0, 0.0 if held else friction)
        for _ in range(self.stride):
            own = np.where(on, np.clip(self._efforts(), -bound, bound), 0.0)
            own += self.advance(own + direct)
        return own, own

    def _efforts(self) -> np.ndarray:
        """Returns the controller's efforts, shape (n,), N m or N."""
        command = self.motors.command
        q = self.positions()
        target = command[Command.TARGET_POSITION]
        seeks_position = np.isfinite(target)
        desired = np.zeros(2 * len(q))
        desired[self.q_index] = np.where(seeks_position, target, q)
        desired[len(q) + np.array(self.v_index)] = np.where(
            seeks_position, 0.0, command[Command.TARGET_VELOCITY]
        )
        controller, context = self._controller, self._context
        state = self.plant.GetPositionsAndVelocities(self.context)
        controller.get_input_port_estimated_state().FixValue(context, state)
        controller.get_input_port_desired_state().FixValue(context, desired)
        force = controller.get_output_port_generalized_force().Eval(context)
        return force[self.v_index]


class IdealEngine(DrakePlant):
    """Perfect sources of effort, without limit, that follow the law of Webots.

    They are Drake's in-solver actuators with p = 0 and d = 1/cfm. Their efforts in the
    last step are fed forward, so that the solver's own softness leaves no slip.

    Args:
        scenario: scenario whose motors they replace.
    """

    follows_law = True

    def __init__(self, scenario: Scenario):
        super().__init__(scenario, "ideal")
        self._last = np.zeros(len(self.motors.names))

    def step(self) -> tuple[np.ndarray, np.ndarray]:
        """Steps by the motor period; see `DrakePlant`."""
        motors = self.motors
        on, direct = motors.servo_on, direct_effort(motors.command)
        for i, actuator in enumerate(self.actuators):
            if on[i]:
                rate = motors.demand[Demand.VELOCITY_COMMAND, i]
                self.follow_velocity(actuator, rate, math.inf)
            else:
                self.follow_velocity(actuator, 0.0, motors.friction[i])
        for _ in range(self.stride):
            ahead = np.where(on, self._last, 0.0)
            self._last = ahead + self.advance(ahead + direct)
        return self._last, self._last


def check_gains(gains: Gains, motors: list[str]) -> None:
    """Raises InputError for gains that a PD controller cannot have."""
    for name, values in gains.items():
        if name not in motors:
            raise InputError(
                unknown_name("motor", name, motors), path=("gains",)
            )
        good = isinstance(values, Sequence) and all(
            isinstance(v, int | float) and 0 <= v < math.inf for v in values
        )
        if not good or len(values) != 2 or not any(values):
            raise InputError(
                f"{values!r} is not allowed; must be [kp, kd] from 0 on, one of them"
                " above 0",
                path=("gains", name),
            )
