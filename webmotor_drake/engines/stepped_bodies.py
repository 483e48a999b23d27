"""Records other joints and bodies of a stepped run, besides its motors."""

import numpy as np

from webmotor_drake.engines.stepped_run import Engine
from webmotor_drake.scenario.scenario import Scenario
from webmotor_drake.simulation.body_poses import recorded_poses


class SteppedBodies:
    """The joints without a motor and the bodies that a scenario records.

    Attributes:
        joints: those without a motor that are recorded, by "<model>/<joint>".

    Args:
        scenario: names the bodies.
        engine: moves them.
    """

    def __init__(self, scenario: Scenario, engine: Engine):
        self._plant, motors = engine.plant, engine.motors
        self._poses = recorded_poses(scenario, self._plant, motors.names)
        taken = {*motors.names, *self._poses.names}
        self.joints = {
            name: joint
            for name, joint in motors.passive.items()
            if name not in taken
        }

    def signals(self, states: np.ndarray) -> dict[str, np.ndarray]:
        """Returns signals by name, as `MotorLog` has them.

        Args:
            states: of the plant, [q, v], shape (nq + nv, K+1).
        """
        signals = {}
        for name, joint in self.joints.items():
            velocity = self._plant.num_positions() + joint.velocity_start()
            signals[f"{name}/position"] = states[joint.position_start()]
            signals[f"{name}/velocity"] = states[velocity]
        return signals | self._poses.signals(states)
