"""The rover, its modes switched at random: what a run repeats, to the bit."""

import dataclasses as dc
import functools
import math

import numpy as np
from mechanisms import Rig
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import Context, LeafSystem

from webmotor_drake.data import SCENARIOS
from webmotor_drake.loading import load_scenario
from webmotor_drake.nodes.joints import JointParameters
from webmotor_drake.scenario.scenario import with_drive
from webmotor_drake.simulation.diagram import assemble


class RandomCommands(LeafSystem):
    """Commands every motor anew every step, by a seed that is its state."""

    PORTS = (
        "target_position",
        "target_velocity",
        "available_effort",
        "direct_effort",
    )

    def __init__(self, motors: int, period: float):
        super().__init__()
        self._motors, self._period = motors, period
        self._seed = self.DeclareDiscreteState(1)
        for i, name in enumerate(self.PORTS):
            self.DeclareVectorOutputPort(
                name,
                motors,
                lambda context, output, i=i: output.SetFromVector(
                    self._draw(context)[i]
                ),
                {self.time_ticket(), self.xd_ticket()},
            )

    def seed(self, context: Context, seed: int):
        mine = self.GetMyMutableContextFromRoot(context)
        mine.SetDiscreteState([float(seed)])

    def _draw(self, context: Context) -> np.ndarray:
        seed = int(context.get_discrete_state(self._seed).GetAtIndex(0))
        step = math.floor(context.get_time() / self._period + 0.9)
        return drawn_commands(seed, step, self._motors)


@functools.lru_cache(maxsize=1)  # each port asks for the same
def drawn_commands(seed: int, step: int, motors: int) -> np.ndarray:
    """Returns the commands of a step, shape (4, motors)."""
    rng = np.random.default_rng([seed, step])
    values = np.full((4, motors), np.nan)
    for motor in range(motors):
        kind = rng.integers(6)
        if kind == 0:
            values[0, motor] = rng.uniform(-3, 3)
        elif kind == 1:
            values[:2, motor] = math.inf, rng.uniform(-10, 10)
        elif kind == 2:
            values[2, motor] = rng.choice([0.0, 1e-3, 0.3, 1.0, 1e9])
        elif kind == 3:
            values[3, motor] = rng.uniform(-1, 1)
    return values


@dc.dataclass
class RandomRover:
    """The rover, its modes switched at random through its ports."""

    rig: Rig
    commands: RandomCommands

    @classmethod
    def build(cls, drive: str, *, sampled: bool = True) -> "RandomRover":
        scenario = load_scenario(
            SCENARIOS / "rover.scenario.yaml", name="Drive"
        )
        scenario.plant_config.use_sampled_output_ports = sampled
        driver = scenario.model_drivers["rover"]
        driver.commands = []
        driver.joints = {
            "front_left": JointParameters(static_friction=0.05),
            "front_right": JointParameters(
                spring_constant=0.5, damping_constant=0.01
            ),
        }
        assembly = assemble(with_drive(scenario, drive))
        motors = assembly.motors["rover"]
        builder = assembly.builder
        commands = builder.AddSystem(RandomCommands(4, motors.period))
        for name in RandomCommands.PORTS:
            builder.Connect(
                commands.GetOutputPort(name), motors.GetInputPort(name)
            )
        return cls(Rig(builder, assembly.plant, motors), commands)

    def simulator(self, seed: int) -> Simulator:
        simulator = self.rig.simulator()
        self.commands.seed(simulator.get_mutable_context(), seed)
        return simulator

    def step(self, simulator: Simulator, step: int) -> np.ndarray:
        """Advances to a step; returns state and efforts."""
        self.rig.advance(simulator, step)
        return np.concatenate(
            [self.rig.state(simulator), self.rig.port(simulator, "effort")]
        )

    def run(self, seed: int, steps: int) -> np.ndarray:
        simulator = self.simulator(seed)
        return np.array([self.step(simulator, k) for k in range(steps)])
