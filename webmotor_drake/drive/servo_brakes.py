"""Brakes in the plant's contact solver, however strong.

A brake is an actuator with the gains p = 0, d = B, its damping, which changes at run
time. Of a strong one the solver would take a part only (see `servo_places`) and let
the joint creep. So d stays below the solver's cap, where the brake's effort is known,
and the last effort e is fed forward: the next one, (1 - d / B) e - d v, is -B v as
soon as the joint rests, for any B.
"""

import numpy as np
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import PdControllerGains

from webmotor_drake.drive.model_motors import ModelMotors
from webmotor_drake.drive.plant_queries import brake_name
from webmotor_drake.drive.servo_places import actuators_beside
from webmotor_drake.loops.servo_pieces import NO_DAMPING


class ServoBrakes:
    """The brakes of a model, b of them; it keeps no state.

    Args:
        plant: finalized, prepared by `add_servo`.
        model: with a brake or more.
        slip: least slip per effort, as `least_slip` returns it.
    """

    def __init__(
        self, plant: MultibodyPlant, model: ModelMotors, slip: np.ndarray
    ):
        self._braked = np.unique(list(model.brakes.values()))
        joints = [model.acting[i].joint() for i in self._braked]
        self._brakes, self._slots = actuators_beside(
            plant, model, map(brake_name, joints)
        )
        self._servo_slots = model.actuation_slots(plant)[1][self._braked]
        v = np.array([joint.velocity_start() for joint in joints])
        self._velocities = plant.num_positions() + v
        # Well below the solver's cap, so that their efforts are known.
        self._strongest = 0.25 / slip[self._braked]

    def settle(
        self,
        effort: np.ndarray,
        damping: np.ndarray,
        bound: np.ndarray,
        plant_state: np.ndarray,
        net: np.ndarray,
    ) -> None:
        """Notes the brakes' efforts in a plant step and takes them out of `net`.

        Two actuators with gains on one joint both report their sum. No more of it is
        the servo's than its bound, also where masses that were changed in the Context
        make the solver's cap another.

        Args:
            effort: of the brakes in the step before, shape (b,); written.
            damping: of all joints, shape (m,), N m s/rad or N s/m.
            bound: of all servos, shape (m,), N m or N.
            plant_state: [q, v] after the step.
            net: efforts that the model's actuators applied; written.
        """
        gain, share = self._gains(damping)
        total, bound = net[self._servo_slots], bound[self._braked]
        effort *= share
        effort -= gain * plant_state[self._velocities]
        np.clip(effort, total - bound, total + bound, out=effort)
        net[self._servo_slots] -= effort

    def feed(
        self, effort: np.ndarray, damping: np.ndarray, actuation: np.ndarray
    ) -> None:
        """Writes the fed-forward effort into the model's actuation; see `settle`."""
        _, share = self._gains(damping)
        actuation[self._slots] = share * effort

    def write(self, damping: np.ndarray) -> None:
        """Writes the brakes' gains to the plant; see `settle`."""
        gains, _ = self._gains(damping)
        for brake, gain in zip(self._brakes, gains.tolist(), strict=True):
            gain = max(gain, NO_DAMPING)
            brake.set_controller_gains(PdControllerGains(p=0.0, d=gain))

    def _gains(self, damping: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Returns the gains, and the share of the last effort that is fed forward."""
        damping = np.maximum(damping[self._braked], NO_DAMPING)
        gain = np.minimum(damping, self._strongest)
        return gain, 1.0 - gain / damping
