"""Small mechanisms on Drake for the tests, and what runs them.

A mechanism is a plant that is not finalized, with the model instance `MODEL`;
`driven` gives it motors, a `Rig` runs it.
"""

import dataclasses as dc
import functools
import math
import warnings
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from _lib.plants import MODEL, Z, add_body, add_joint, log_of, new_plant
from pydrake.multibody.plant import (
    MultibodyPlant,
)
from pydrake.multibody.tree import (
    Joint,
    PrismaticJoint,
    RigidBody,
)
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import (
    Context,
    Diagram,
    DiagramBuilder,
)

from webmotor_drake.drive.driver import (
    ApplyDriverConfig,
    WebotsMotorDriver,
    configure_actuators,
)
from webmotor_drake.drive.motor_system import MotorSystem
from webmotor_drake.errors import MotorWarning
from webmotor_drake.motor.commands import TimedCommand
from webmotor_drake.nodes.motors import LinearMotor, RotationalMotor


def pendulum(time_step: float, **options) -> MultibodyPlant:
    """Returns a pendulum on the joint "hinge": 1 kg, 0.25 m below it."""
    plant = new_plant(time_step, **options)
    add_joint(plant, "hinge", add_body(plant, "link"))
    return plant


def slider(
    time_step: float, *, axis: Sequence[float] = Z, **options
) -> MultibodyPlant:
    """Returns a carriage of 2 kg on the joint "rail"."""
    plant = new_plant(time_step, **options)
    carriage = add_body(plant, "carriage", mass=2.0, com=(0.0, 0.0, 0.0))
    add_joint(plant, "rail", carriage, axis=axis, sliding=True)
    return plant


def add_random_chain(
    plant: MultibodyPlant,
    links: int,
    rng: np.random.Generator,
    *,
    base: RigidBody | None = None,
    prefix: str = "",
    model: str = MODEL,
    damping: float = 0.0,
) -> list[Joint]:
    """Adds a serial arm of random links, hinges mostly; returns its joints."""
    joints, parent = [], base
    for i in range(links):
        body = add_body(
            plant,
            f"{prefix}link{i}",
            mass=rng.uniform(0.3, 2.0),
            com=rng.uniform(-0.3, 0.3, 3),
            inertia=rng.uniform(0.02, 0.03, 3),
            model=model,
        )
        axis = rng.normal(size=3)
        joints.append(
            add_joint(
                plant,
                f"{prefix}joint{i}",
                body,
                axis=axis / np.linalg.norm(axis),
                parent=parent,
                at=rng.uniform(-0.4, 0.4, 3),
                sliding=rng.random() < 0.2,
                damping=damping,
            )
        )
        parent = body
    return joints


def chain(
    time_step: float, links: int, rng: np.random.Generator, **options
) -> MultibodyPlant:
    """Returns a random arm on the world, joints "joint0", "joint1", ..."""
    plant = new_plant(time_step, **options)
    add_random_chain(plant, links, rng)
    return plant


def floating_arm(
    time_step: float, links: int, rng: np.random.Generator, **options
) -> MultibodyPlant:
    """Returns a random arm on a base that floats freely (a quaternion)."""
    plant = new_plant(time_step, **options)
    base = add_body(plant, "base", mass=3.0, inertia=(0.06, 0.07, 0.05))
    add_random_chain(plant, links, rng, base=base)
    return plant


def random_state(plant: MultibodyPlant, rng: np.random.Generator) -> np.ndarray:
    """Returns random [q, v] of a finalized plant, quaternions normalised."""
    q = rng.uniform(-1.5, 1.5, plant.num_positions())
    for index in plant.GetFloatingBaseBodies():
        start = plant.get_body(index).floating_positions_start()
        q[start : start + 4] /= np.linalg.norm(q[start : start + 4])
    return np.concatenate([q, rng.uniform(-2, 2, plant.num_velocities())])


Driven = tuple[DiagramBuilder, MultibodyPlant, MotorSystem]


def driven(
    plant: MultibodyPlant,
    driver: WebotsMotorDriver,
    *,
    connect: Callable[[DiagramBuilder, MultibodyPlant], None] | None = None,
) -> Driven:
    """Finalizes `plant` and gives it the motors, as a user's program does.

    Args:
        plant: not finalized.
        driver: the motors.
        connect: connects what else acts on the finalized plant.
    """
    builder = DiagramBuilder()
    builder.AddSystem(plant)
    configure_actuators(driver, MODEL, plant)
    plant.Finalize()
    if connect:
        connect(builder, plant)
    motors = ApplyDriverConfig(driver, MODEL, plant, builder=builder)
    return builder, plant, motors


def velocity_driver(
    plant: MultibodyPlant,
    rates: Mapping[str, float],
    *,
    bounds: Mapping[str, float] | None = None,
    **fields,
) -> WebotsMotorDriver:
    """Returns motors in velocity control from the first step on.

    Args:
        plant: with the joints; not finalized or finalized.
        rates: velocities by the name of the joint, which is the motor's too.
        bounds: the largest efforts by the same names; None: no limit in sight.
        **fields: of the driver.
    """
    motors = {}
    for name in rates:
        bound = (bounds or {}).get(name, 1e9)
        if isinstance(plant.GetJointByName(name), PrismaticJoint):
            motors[name] = LinearMotor(name, max_velocity=1e3, max_force=bound)
        else:
            motors[name] = RotationalMotor(
                name, max_velocity=1e3, max_torque=bound
            )
    commands = [
        TimedCommand(motor=name, set_position=math.inf, set_velocity=rate)
        for name, rate in rates.items()
    ]
    return WebotsMotorDriver(motors=motors, commands=commands, **fields)


@dc.dataclass
class Rig:
    """A mechanism with motors that can be run."""

    builder: DiagramBuilder
    plant: MultibodyPlant
    motors: MotorSystem

    @functools.cached_property
    def diagram(self) -> Diagram:
        return self.builder.Build()

    def simulator(self, context: Context | None = None) -> Simulator:
        return Simulator(self.diagram, context)

    def started(self, state: np.ndarray) -> Simulator:
        """Returns a simulator that starts with [q, v]; its law has run once."""
        simulator = self.simulator()
        self.plant.SetPositionsAndVelocities(
            self.plant.GetMyMutableContextFromRoot(
                simulator.get_mutable_context()
            ),
            state,
        )
        simulator.Initialize()
        return simulator

    def advance(self, simulator: Simulator, steps: float) -> None:
        """Advances to `steps` motor periods from time 0.

        The law of that step has run, the plant has not stepped yet: a quarter
        of a plant step before it does.
        """
        if steps == 0:  # AdvanceTo(0) would take the plant's first step
            simulator.Initialize()
        else:
            lead = self.plant.time_step() / 4
            simulator.AdvanceTo(steps * self.motors.period - lead)

    def state(self, simulator: Simulator) -> np.ndarray:
        """Returns the plant's [q, v]."""
        return self.plant.GetPositionsAndVelocities(
            self.plant.GetMyContextFromRoot(simulator.get_context())
        ).copy()

    def port(self, simulator: Simulator, name: str) -> np.ndarray:
        """Returns an output of the motors; tables in rows."""
        context = self.motors.GetMyContextFromRoot(simulator.get_context())
        value = self.motors.GetOutputPort(name).Eval(context)
        motors = len(self.motors.devices.names)
        return (
            value.reshape(-1, motors) if name in ("command", "servo") else value
        )

    def signals(self, steps: int) -> dict[str, np.ndarray]:
        """Returns the recorded signals of `steps` motor steps."""
        log = log_of(self.builder, self.plant, {MODEL: self.motors})
        simulator = self.simulator()
        # A step more, so that the sample at its start is there for sure.
        simulator.AdvanceTo((steps + 0.5) * self.motors.period)
        _, signals, _ = log.signals(simulator.get_context())
        return {name: values[: steps + 1] for name, values in signals.items()}


def run(rig: Rig, steps: int) -> np.ndarray:
    """Returns the plant's states at the first `steps` + 1 motor steps."""
    simulator, states = rig.simulator(), []
    for k in range(steps + 1):
        rig.advance(simulator, k)
        states.append(rig.state(simulator))
    return np.array(states)


def warnings_of(function: Callable, *args, **kwargs) -> tuple:
    """Returns what `function` returns, and the texts of its MotorWarnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = function(*args, **kwargs)
    return result, [
        str(w.message) for w in caught if issubclass(w.category, MotorWarning)
    ]
