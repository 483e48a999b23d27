"""Brakes of the implicit drive hold as strongly as they are told to."""

import math

import numpy as np
import pytest
from _lib.plants import add_body, add_joint, new_plant
from drawn import draws
from mechanisms import Rig, chain, driven
from pydrake.multibody.tree import PrismaticJoint

from webmotor_drake.drive.driver import WebotsMotorDriver
from webmotor_drake.motor.commands import TimedCommand
from webmotor_drake.nodes.joints import Brake
from webmotor_drake.nodes.motors import LinearMotor, RotationalMotor

LOAD = 9.81 * 0.25  # N m: 1 kg on a lever of 0.25 m
# What is left of a change of velocity after a step: four times the solver's
# 2.5e-4. The rod's is dt m g l / I, with I = 0.02 + 1 * 0.25^2.
SLIP = 1e-3 * LOAD / 0.0825


def level_rod(time_step: float, damping: float, drive: str) -> Rig:
    """Returns a rod that a brake keeps level."""
    plant = new_plant(time_step)
    hinge = add_joint(plant, "hinge", add_body(plant, "link"))
    hinge.set_default_angle(math.pi / 2)
    driver = WebotsMotorDriver(
        drive=drive,
        basic_time_step=0.032,
        brakes={"b": Brake("hinge")},
        commands=[TimedCommand(brake="b", set_damping_constant=damping)],
    )
    return Rig(*driven(plant, driver))


@pytest.mark.parametrize("damping", [1e2, 1e4, 1e6, 1e9])
@pytest.mark.parametrize("time_step", [0.002, 0.008, 0.032])
def test_a_brake_creeps_by_its_damping_and_no_more(damping, time_step):
    rig = level_rod(time_step, damping, "implicit")
    simulator = rig.simulator()
    simulator.AdvanceTo(0.64)
    q, v = rig.state(simulator)
    load = LOAD * math.sin(q)
    # The solver's own accuracy, 1e-5 of what moves, is all that is left.
    assert v == pytest.approx(-load / damping, rel=0.02, abs=1e-8)
    start = 2 * SLIP * time_step**2
    crept = math.pi / 2 - q
    assert crept == pytest.approx(0.64 * LOAD / damping, rel=0.02, abs=start)


def test_a_brake_that_is_loosened_lets_go_at_once():
    rig = level_rod(0.008, 1e9, "implicit")
    brake = [(0, 9, 0.0)]
    simulator = rig.simulator()
    simulator.AdvanceTo(0.5)
    context = rig.motors.GetMyMutableContextFromRoot(
        simulator.get_mutable_context()
    )
    rig.motors.apply_all(context, brake)
    simulator.AdvanceTo(0.5 + 10 * 0.008)
    _, v = rig.state(simulator)
    # In free fall for the steps since the next motor step.
    steps = -v / (0.008 * LOAD / 0.0825)
    assert 6 < steps < 11
    assert steps == pytest.approx(round(steps), abs=0.05)


def braked_mechanism(seed: int, drive: str, time_step: float) -> Rig:
    """Returns a random arm with motors and brakes of any strength."""
    rng = np.random.default_rng(seed)
    links = int(rng.integers(1, 6))
    plant = chain(time_step, links, rng)
    config = WebotsMotorDriver(drive=drive, basic_time_step=time_step)
    for i in range(links):
        joint = f"joint{i}"
        if i == 0 or rng.random() < 0.7:
            sliding = isinstance(plant.GetJointByName(joint), PrismaticJoint)
            effort = "max_force" if sliding else "max_torque"
            kind = LinearMotor if sliding else RotationalMotor
            config.motors[f"m{i}"] = kind(
                joint, **{effort: float(10 ** rng.uniform(0, 3))}
            )
            target = math.inf if rng.random() < 0.5 else rng.uniform(-1, 1)
            speed = rng.uniform(0, 2) if math.isfinite(target) else -1.0
            config.commands.append(
                TimedCommand(
                    motor=f"m{i}", set_position=target, set_velocity=speed
                )
            )
        if rng.random() < 0.7:
            config.brakes[f"b{i}"] = Brake(joint)
            for k in range(3):
                damping = 10 ** rng.uniform(-1, 9) * (rng.random() < 0.8)
                config.commands.append(
                    TimedCommand(
                        time=0.3 * k,
                        brake=f"b{i}",
                        set_damping_constant=float(damping),
                    )
                )
    return Rig(*driven(plant, config))


@pytest.mark.parametrize(("time_step", "far"), [(0.008, 5e-3), (0.032, 5e-2)])
def test_random_brakes_move_as_on_the_torque_drive(time_step, far):
    # There brakes are exact. Here a brake that sets in takes a step or two to stop
    # a joint: 90 % of the mechanisms are within a tenth of `far`.
    distances = []
    for seed in range(draws(3, 50)):
        paths = []
        for drive in ("torque", "implicit"):
            rig = braked_mechanism(seed, drive, time_step)
            simulator, path = rig.simulator(), []
            for k in range(1, 10):
                simulator.AdvanceTo(0.1 * k)
                path.append(rig.plant.GetPositions(_context(rig, simulator)))
            paths.append(np.array(path))
        distances.append(np.abs(paths[0] - paths[1]).max())
    assert max(distances) < far, int(np.argmax(distances))
    assert np.quantile(distances, 0.7) < far / 10


def _context(rig: Rig, simulator):
    return rig.plant.GetMyContextFromRoot(simulator.get_context())
