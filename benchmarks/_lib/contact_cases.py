"""The contact scenarios for the benchmarks: varied, and with Drake's own actuators."""

import math
from collections.abc import Callable

import numpy as np
from pydrake.multibody.plant import AddMultibodyPlant, MultibodyPlant
from pydrake.multibody.tree import PdControllerGains
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import DiagramBuilder
from pydrake.systems.primitives import ConstantVectorSource

from webmotor_drake import (
    SCENARIOS,
    Scenario,
    TimedCommand,
    build_diagram,
    load_scenario,
)
from webmotor_drake.drive.plant_queries import find_actuators
from webmotor_drake.scenario.directives import process_directives

MODEL = {"rover": "rover", "gripper": "hand", "piston": "piston"}
CFM = 1e-5
ROVER_TORQUE = 1.0


def scenario(
    file: str, name: str, time_step: float, *, contact: str = ""
) -> Scenario:
    """Returns a contact scenario at a time step, the motors' period the same.

    Args:
        file: "rover", "gripper" or "piston".
        name: of the scenario in the file.
        time_step: s.
        contact: approximation of the contact; empty: Drake's own choice.
    """
    loaded = load_scenario(SCENARIOS / f"{file}.scenario.yaml", name=name)
    loaded.plant_config.time_step = time_step
    loaded.plant_config.discrete_contact_approximation = contact
    loaded.model_drivers[MODEL[file]].basic_time_step = None
    return loaded


def rover(
    time_step: float,
    speed: float,
    *,
    contact: str = "",
    sampled: bool = True,
) -> Scenario:
    """Returns the rover, all wheels told `speed` at once, without a ramp.

    Args:
        time_step: s.
        speed: rad/s.
        contact: see `scenario`.
        sampled: whether the plant's output ports are.
    """
    loaded = scenario("rover", "Drive", time_step, contact=contact)
    loaded.plant_config.use_sampled_output_ports = sampled
    driver = loaded.model_drivers["rover"]
    for motor in driver.motors.values():
        motor.acceleration = -1
    driver.commands = [
        TimedCommand(motor=name, set_position=math.inf, set_velocity=speed)
        for name in driver.motors
    ]
    return loaded


def ours(case: Scenario) -> Simulator:
    """Returns a simulator of the scenario with Webots motors."""
    return _started(build_diagram(case))


def bare(case: Scenario) -> Simulator:
    """The same plant alone, its actuation 0."""
    builder, plant = _plant(case)
    plant.Finalize()
    return _started(builder.Build())


def drake_pd(
    case: Scenario,
    speed: float,
    add: Callable[[DiagramBuilder, MultibodyPlant], None] | None = None,
) -> Simulator:
    """The rover with Drake's own actuators as velocity servos, told once.

    Args:
        case: a rover.
        speed: rad/s.
        add: adds more to the diagram.
    """
    builder, plant = _plant(case)
    instance = plant.GetModelInstanceByName("rover")
    actuators = list(find_actuators(plant, instance).values())
    for actuator in actuators:
        actuator.set_controller_gains(PdControllerGains(p=0.0, d=1 / CFM))
        actuator.set_effort_limit(ROVER_TORQUE)
    plant.Finalize()
    n = len(actuators)
    desired = ConstantVectorSource(np.r_[np.zeros(n), np.full(n, speed)])
    builder.Connect(
        builder.AddSystem(desired).get_output_port(),
        plant.get_desired_state_input_port(instance),
    )
    if add is not None:
        add(builder, plant)
    return _started(builder.Build())


def _plant(case: Scenario) -> tuple[DiagramBuilder, MultibodyPlant]:
    """Returns the scenario's plant, not finalized."""
    builder = DiagramBuilder()
    plant, _ = AddMultibodyPlant(case.plant_config, builder)
    process_directives(case.directives, plant)
    return builder, plant


def _started(diagram) -> Simulator:
    simulator = Simulator(diagram)
    simulator.Initialize()
    return simulator
