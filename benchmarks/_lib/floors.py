"""The least that a system of motors in Python can do in a step, and nothing else.

It reads the plant's state and its commands, asks Drake for the same dynamics and writes
as many numbers. What our motors cost beside it hardly depends on the machine: how fast
one runs Python beside C++ is in both.
"""

import numpy as np
from _lib import chains, contact_cases, moving_chains
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import MultibodyForces
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import Context, DiagramBuilder, LeafSystem
from pydrake.systems.primitives import ConstantVectorSource

# Numbers that our motors keep per motor.
KEPT = 25


class Floor(LeafSystem):
    """Holds a plant against gravity, with some damping.

    Args:
        plant: finalized, with an actuator on each joint.
        dynamics: whether Drake is asked for them; else nothing moves the plant.
    """

    def __init__(self, plant: MultibodyPlant, *, dynamics: bool):
        super().__init__()
        n, step = plant.num_actuators(), plant.time_step()
        self._plant, self._dynamics = plant, dynamics
        self._context = plant.CreateDefaultContext()
        self._forces = MultibodyForces(plant)
        self._still = np.zeros(plant.num_velocities())
        self._state = self.DeclareVectorInputPort(
            "state", plant.num_multibody_states()
        )
        self._told = self.DeclareVectorInputPort("told", n)
        self._kept = int(self.DeclareDiscreteState(KEPT * n))
        actuation = self.DeclareDiscreteState(n)
        self.DeclareStateOutputPort("actuation", actuation)
        self._actuation = int(actuation)
        self.DeclarePeriodicDiscreteUpdateEvent(step, step / 2, self._update)

    def _update(self, context: Context, state) -> None:
        kept = state.get_mutable_value(self._kept)
        x, told = self._state.Eval(context), self._told.Eval(context)
        kept[: len(told)] = told
        actuation = state.get_mutable_value(self._actuation)
        if not self._dynamics:
            actuation[:] = told
            return
        plant, own, forces = self._plant, self._context, self._forces
        plant.SetPositionsAndVelocities(own, x)
        plant.CalcForceElementsContribution(own, forces)
        plant.CalcMassMatrix(own)
        force = plant.CalcInverseDynamics(own, self._still, forces)
        actuation[:] = force - x[plant.num_positions() :]


def chain(links: int) -> Simulator:
    """Returns a chain that is held, told what the ones in motion are."""
    builder = DiagramBuilder()
    plant, (name,) = chains.chains(builder, links, 1, sampled=False)
    plant.Finalize()
    floor = builder.AddSystem(Floor(plant, dynamics=True))
    told = moving_chains.sines(builder, links).get_output_port(0)
    builder.Connect(told, floor.GetInputPort("told"))
    builder.Connect(plant.get_state_output_port(), floor.GetInputPort("state"))
    builder.Connect(
        floor.GetOutputPort("actuation"),
        plant.get_actuation_input_port(plant.GetModelInstanceByName(name)),
    )
    return chains.started(builder)


def rover(speed: float) -> Simulator:
    """Returns the rover with Drake's own actuators, and the floor beside them."""
    case = contact_cases.rover(chains.TIME_STEP, speed, sampled=False)

    def add(builder: DiagramBuilder, plant: MultibodyPlant) -> None:
        floor = builder.AddSystem(Floor(plant, dynamics=False))
        builder.Connect(
            plant.get_state_output_port(), floor.GetInputPort("state")
        )
        told = ConstantVectorSource(np.zeros(plant.num_actuators()))
        builder.Connect(
            builder.AddSystem(told).get_output_port(),
            floor.GetInputPort("told"),
        )

    return contact_cases.drake_pd(case, speed, add)
