"""The motor models that `compare` knows by name.

A model is prepared first, where bad input shows, and run later.
"""

import copy
import dataclasses as dc
import time
import warnings
from collections import Counter
from collections.abc import Callable

import numpy as np

from webmotor_drake.commands import TimedCommand
from webmotor_drake.counted_warnings import counted_warnings
from webmotor_drake.coupling import coupled_motors
from webmotor_drake.diagram import DRAKE_ERRORS
from webmotor_drake.drake_controllers import (
    Gains,
    InverseDynamicsWorld,
    PdWorld,
)
from webmotor_drake.drake_plant import with_drive
from webmotor_drake.drive_choice import DRIVES
from webmotor_drake.errors import MotorWarning, SimulationError, one_line
from webmotor_drake.motor_driver import WebotsMotorDriver
from webmotor_drake.nodes import MotorNode, max_effort
from webmotor_drake.ode_world import OdeWorld
from webmotor_drake.results import Results
from webmotor_drake.scenario import Scenario
from webmotor_drake.simulation import Simulation
from webmotor_drake.stepped_motors import SteppedMotors, SteppedRun, World

Progress = Callable[[float, float], None] | None
Run = Callable[[Progress], Results]

# What "without limit" is for the model `ideal`, N m or N.
UNLIMITED = 1e9

_FORCED_DRIVES = {
    f"webots_{drive}": drive for drive in DRIVES if drive != "auto"
}

# What each model is, for the report.
ABOUT = {
    "webots": "Webots motors on Drake, with the drive that the scenario asks for.",
    **{
        name: f"Webots motors on Drake, with the {drive} drive."
        for name, drive in _FORCED_DRIVES.items()
    },
    "drake_pd": "Drake's own PD actuators, solved inside its contact solver. They"
    " see the target positions as steps and have no limit but that of effort.",
    "inverse_dynamics": "Drake's InverseDynamicsController, with the same targets"
    " as drake_pd.",
    "ideal": "Webots motors with unlimited effort: the law alone.",
    "ode": "The same mechanism and motor law on the Open Dynamics Engine, as in"
    " Webots.",
}
NAMES = list(ABOUT)


def prepare(name: str, scenario: Scenario, gains: Gains | None) -> Run:
    """Returns what runs a scenario with the model `name`, one of `NAMES`.

    Args:
        name: of the model.
        scenario: what to run.
        gains: for drake_pd, see `PdWorld`.

    Raises:
        InputError: the model cannot run the scenario.
    """
    if name == "ideal":
        return _prepare_ideal(scenario)
    if name == "drake_pd":
        world = PdWorld(scenario, gains)
        return _stepped(scenario, name, world, world.gains)
    if name == "inverse_dynamics":
        return _stepped(scenario, name, InverseDynamicsWorld(scenario))
    if name == "ode":
        return _prepare_ode(scenario)
    drive = _FORCED_DRIVES.get(name)
    if drive is not None:
        scenario = with_drive(scenario, drive)
    simulation = Simulation(scenario)
    return lambda progress: simulation.run(progress=progress)


def _prepare_ode(scenario: Scenario) -> Run:
    scenario = with_drive(scenario, "torque")
    simulation = Simulation(scenario)
    simulator, plant = simulation.simulator, simulation.plant
    scene_graph = simulator.get_system().GetSubsystemByName("scene_graph")
    world = OdeWorld(
        plant,
        SteppedMotors(simulation.motors, scenario.model_drivers),
        inspector=scene_graph.model_inspector(),
        context=plant.GetMyContextFromRoot(simulator.get_context()),
    )
    return _stepped(scenario, "ode", world)


def _stepped(
    scenario: Scenario, name: str, world: World, gains: Gains | None = None
) -> Run:
    """Returns what runs the motors of `world`, for Results of that model."""
    about = _metadata(scenario, name, gains or {})
    counts: Counter[str] = Counter()
    stepped = SteppedRun(world)

    def results(wall_time: float) -> Results:
        now = stepped.time[-1]
        metadata = {
            **about,
            "simulation_time": now,
            "wall_time": wall_time,
            "real_time_factor": now / wall_time if wall_time else None,
            "warnings": {**about["warnings"], **counts},
        }
        return Results(stepped.time, stepped.signals(), metadata)

    def run(progress: Progress) -> Results:
        started = time.perf_counter()
        try:
            with counted_warnings(counts):
                stepped.run(scenario.simulation_duration, progress=progress)
        except (SimulationError, ArithmeticError, *DRAKE_ERRORS) as error:
            text = f"at {stepped.time[-1]:.6g} s: {one_line(error)}"
            failure = SimulationError(text)
            failure.results = results(time.perf_counter() - started)
            raise failure from error
        return results(time.perf_counter() - started)

    return run


def _metadata(scenario: Scenario, name: str, gains: Gains) -> dict:
    """Returns what a run of Webots motors says of itself, for another model."""
    simulation = Simulation(with_drive(scenario, "torque"))
    simulation.simulator.Initialize()
    metadata = simulation.results().metadata
    for motor, about in metadata["motors"].items():
        about["drive"] = name
        if motor in gains:
            about["gains"] = list(gains[motor])
    return metadata


def _prepare_ideal(scenario: Scenario) -> Run:
    with warnings.catch_warnings():
        # That the model's effort limit is exceeded is what is wanted.
        warnings.simplefilter("ignore", MotorWarning)
        simulation = Simulation(without_limits(scenario))

    def run(progress: Progress) -> Results:
        try:
            return _unlimited(simulation.run(progress=progress))
        except SimulationError as error:
            error.results = _unlimited(error.results)
            raise

    return run


def without_limits(scenario: Scenario) -> Scenario:
    """Returns the scenario with motors of unlimited effort.

    Available effort of 0 still turns a motor off. Direct efforts stay what they
    are: clipped by the limits of before; coupled motors share the tightest.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MotorWarning)
        systems = Simulation(scenario).motors
    changed = copy.copy(scenario)
    changed.model_drivers = {
        name: _driver_without_limits(driver, systems[name].model.motors)
        if isinstance(driver, WebotsMotorDriver)
        else driver
        for name, driver in scenario.model_drivers.items()
    }
    return changed


def _driver_without_limits(
    driver: WebotsMotorDriver, nodes: dict[str, MotorNode]
) -> WebotsMotorDriver:
    motors = {
        name: dc.replace(
            motor, **{getattr(motor, "effort_field", "max_force"): UNLIMITED}
        )
        for name, motor in driver.motors.items()
    }
    names = list(nodes)
    groups = dict(zip(names, coupled_motors(names), strict=True))
    available = {name: max_effort(node) for name, node in nodes.items()}
    commands = []
    for command in sorted(driver.commands, key=lambda c: c.time):
        if command.brake:
            commands.append(command)
            continue
        for verb in ("set_available_torque", "set_available_force"):
            effort = getattr(command, verb)
            if effort is not None:
                limit = max_effort(nodes[command.motor])
                available[command.motor] = min(effort, limit)
                command = dc.replace(
                    command, **{verb: UNLIMITED if effort else 0.0}
                )
        bound = min(
            available[names[i]] / abs(nodes[names[i]].multiplier)
            for i in groups[command.motor]
        )
        commands.append(_clipped(command, bound))
    return dc.replace(driver, motors=motors, commands=commands)


def _clipped(command: TimedCommand, bound: float) -> TimedCommand:
    """Returns the command with direct efforts of `bound` at most."""
    for verb in ("set_torque", "set_force"):
        effort = getattr(command, verb)
        if effort is not None:
            effort = min(max(effort, -bound), bound)
            command = dc.replace(command, **{verb: effort})
    return command


def _unlimited(results: Results) -> Results:
    """Returns the results of `ideal`, which say that there is no limit."""
    signals = {
        name: np.where(values >= UNLIMITED, np.inf, values)
        if name.endswith("/effort_limit")
        else values
        for name, values in results.signals.items()
    }
    motors = {
        name: {**about, "max_effort": np.inf}
        for name, about in results.metadata["motors"].items()
    }
    metadata = {**results.metadata, "motors": motors, "warnings": {}}
    return Results(results.time, signals, metadata)
