"""Random mechanisms with motors, on Drake and on ODE, for the same seed.

Chains of 1 to 5 hinges and sliders with springs, dampers, friction, stops, brakes and
coupled motors, told random things; in one model or with the outer half as another.
"""

import dataclasses as dc
import functools
import math

import numpy as np
from _lib.plants import MODEL, add_body, add_joint, new_plant
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import PrismaticJoint
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import DiagramBuilder

from webmotor_drake.drive.driver import (
    ApplyDriverConfig,
    WebotsMotorDriver,
    configure_actuators,
)
from webmotor_drake.drive.motor_system import MotorSystem
from webmotor_drake.engines.ode_engine import OdeEngine
from webmotor_drake.engines.stepped_motors import SteppedMotors
from webmotor_drake.engines.stepped_run import SteppedRun
from webmotor_drake.motor.commands import TimedCommand
from webmotor_drake.nodes.joints import Brake, JointParameters
from webmotor_drake.nodes.motors import LinearMotor, RotationalMotor

KINDS = {
    "plain": {},
    "stops": {"stops": True},
    "brakes": {"brakes": True},
    "two models": {"two_models": True},
    "all": {"two_models": True, "stops": True, "brakes": True},
}
PERIOD = 0.008
DURATION = 0.768
HAND = "hand"
# Of the bodies' joints in ODE. Webots gives them the motors' 1e-5, which bends long
# chains; Drake's joints don't bend.
_STIFF = 1e-11


@dc.dataclass
class Mechanism:
    """A finalized plant with motors, ready to run.

    Attributes:
        plant: with the model `MODEL`, and `HAND` if it spans two.
        drivers: by model.
        motors: their systems.
        builder: of the diagram, not built.
    """

    plant: MultibodyPlant
    drivers: dict[str, WebotsMotorDriver]
    motors: dict[str, MotorSystem]
    builder: DiagramBuilder

    def joints(self) -> list:
        """Returns the motors' joints, model by model."""
        return [j for m in self.motors.values() for j in m.model.joints[: m._n]]


def mechanism(
    seed: int,
    period: float,
    *,
    drive: str,
    stops: bool = False,
    brakes: bool = False,
    two_models: bool = False,
) -> Mechanism:
    """Returns the mechanism of `seed`, the same for every period and drive."""
    rng = np.random.default_rng(seed)
    links = int(rng.integers(2 if two_models else 1, 6))
    plant = new_plant(period)
    models = [MODEL]
    if two_models:
        plant.AddModelInstance(HAND)
        models.append(HAND)
    model_of = [models[i >= links // 2 and two_models] for i in range(links)]
    sliding = _add_chain(plant, model_of, rng)
    drivers = {}
    for model in models:
        own = [i for i in range(links) if model_of[i] == model]
        drivers[model] = _driver(own, sliding, rng, drive, stops, brakes)
    builder = DiagramBuilder()
    builder.AddSystem(plant)
    for model, driver in drivers.items():
        configure_actuators(driver, model, plant)
    plant.Finalize()
    motors = {
        model: ApplyDriverConfig(driver, model, plant, builder=builder)
        for model, driver in drivers.items()
    }
    return Mechanism(plant, drivers, motors, builder)


def _add_chain(
    plant: MultibodyPlant, model_of: list[str], rng: np.random.Generator
) -> list[bool]:
    """Adds a chain of bodies; returns which joints slide."""
    sliding, parent = [], None
    for i, model in enumerate(model_of):
        body = add_body(
            plant,
            f"body{i}",
            mass=rng.uniform(0.4, 2.0),
            com=rng.uniform(-0.2, 0.2, 3),
            inertia=rng.uniform(0.02, 0.03, 3),
            model=model,
        )
        axis = rng.normal(size=3)
        joint = add_joint(
            plant,
            f"joint{i}",
            body,
            axis=axis / np.linalg.norm(axis),
            parent=parent,
            at=rng.uniform(-0.3, 0.3, 3),
            sliding=rng.random() < 0.25,
        )
        sliding.append(isinstance(joint, PrismaticJoint))
        parent = body
    return sliding


def _driver(
    own: list[int],
    sliding: list[bool],
    rng: np.random.Generator,
    drive: str,
    stops: bool,
    brakes: bool,
) -> WebotsMotorDriver:
    """Returns random motors for most of the joints `own`, told random things."""
    config = WebotsMotorDriver(drive=drive)
    passive = {i for i in own if len(own) > 1 and rng.random() < 0.2}
    if passive == set(own):
        passive = set()
    coupled = rng.random() < 0.3
    for i in own:
        joint = f"joint{i}"
        config.joints[joint] = _parameters(rng, stops, passive=i in passive)
        if brakes and rng.random() < 0.7:
            config.brakes[f"brake{i}"] = Brake(joint=joint)
            config.commands += [
                TimedCommand(
                    time=time,
                    brake=f"brake{i}",
                    set_damping_constant=rng.uniform(0, 8),
                )
                for time in (0.0, 0.384)
            ]
        if i in passive:
            continue
        name = f"pair::{i}" if coupled else f"motor{i}"
        kind = LinearMotor if sliding[i] else RotationalMotor
        effort = "max_force" if sliding[i] else "max_torque"
        config.motors[name] = kind(
            joint=joint,
            max_velocity=rng.uniform(0.5, 4.0),
            acceleration=-1 if rng.random() < 0.6 else rng.uniform(5, 40),
            **{effort: rng.uniform(15, 60)},
        )
        config.commands += _commands(name, rng)
    return config


def _parameters(
    rng: np.random.Generator, stops: bool, *, passive: bool
) -> JointParameters:
    low, high = (-rng.uniform(0.05, 0.3), rng.uniform(0.05, 0.3))
    stopped = stops and rng.random() < 0.7
    return JointParameters(
        min_stop=low if stopped else 0.0,
        max_stop=high if stopped else 0.0,
        spring_constant=rng.uniform(0, 40) if rng.random() < 0.4 else 0.0,
        damping_constant=rng.uniform(0.5, 3.0) if passive else 0.0,
        static_friction=rng.uniform(0, 3) if rng.random() < 0.3 else 0.0,
    )


def _commands(name: str, rng: np.random.Generator) -> list[TimedCommand]:
    """Returns what a motor is told at three times."""
    commands = []
    for time in (0.0, 0.256, 0.512):
        told = TimedCommand(time=time, motor=name)
        kind = rng.random()
        if kind < 0.55:
            told.set_position = rng.uniform(-0.6, 0.6)
        elif kind < 0.85:
            told.set_position = math.inf
            told.set_velocity = rng.uniform(-1.0, 1.0)
        else:
            told.set_torque = rng.uniform(-4, 4)
        commands.append(told)
    return commands


def on_drake(built: Mechanism, period: float) -> np.ndarray:
    """Returns the motors' joint positions after each motor period, (steps, n)."""
    diagram = built.builder.Build()
    simulator = Simulator(diagram)
    context = built.plant.GetMyContextFromRoot(simulator.get_context())
    joints, rows = built.joints(), []
    for step in range(1, round(DURATION / period) + 1):
        simulator.AdvanceTo(step * period)
        q = built.plant.GetPositions(context)
        rows.append([q[joint.position_start()] for joint in joints])
    return np.array(rows)


def on_ode(built: Mechanism) -> np.ndarray:
    """Returns the same on ODE, at the mechanism's own period."""
    motors = SteppedMotors(built.motors, built.drivers)
    motors.world_cfm = _STIFF
    run = SteppedRun(OdeEngine(built.plant, motors))
    run.run(DURATION)
    signals = run.signals()
    rows = [signals[f"{name}/position"][1:] for name in motors.names]
    return np.array(rows).T


def distances(kind: str, seed: int) -> tuple[dict[str, float], float]:
    """Returns how far drives are from ODE, and what both engines' steps explain.

    Both engines are first order in the step: the error of each is about what halving
    the step changes.

    Args:
        kind: of `KINDS`.
        seed: of the mechanism.

    Returns:
        The largest difference of a joint's position from ODE's, rad or m, by drive,
        and the sum of both engines' errors.
    """
    build = functools.partial(mechanism, seed, **KINDS[kind])
    # For implicit the plant has the springs' damping in its joints.
    ode = on_ode(build(PERIOD, drive="torque"))
    finer_ode = on_ode(build(PERIOD / 2, drive="torque"))[1::2]
    auto = on_drake(build(PERIOD, drive="auto"), PERIOD)
    finer = on_drake(build(PERIOD / 2, drive="auto"), PERIOD / 2)[1::2]
    implicit = on_drake(build(PERIOD, drive="implicit"), PERIOD)
    errors = np.abs(ode - finer_ode).max() + np.abs(auto - finer).max()
    far = {
        drive: float(np.abs(moved - ode).max())
        for drive, moved in (("auto", auto), ("implicit", implicit))
    }
    return far, float(errors)
