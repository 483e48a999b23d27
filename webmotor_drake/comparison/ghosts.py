"""Ghosts: a model of `compare`, or a saved run, that moves beside a run."""

import dataclasses as dc
import os
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np

from webmotor_drake.comparison.known_models import (
    NAMES,
    engine_of,
    prepare,
    with_drive_of,
)
from webmotor_drake.engines.stepped_run import Engine, SteppedRun
from webmotor_drake.errors import InputError, unknown_name
from webmotor_drake.results.results import Results
from webmotor_drake.scenario.checks import check_scenario
from webmotor_drake.scenario.scenario import Scenario, with_robots
from webmotor_drake.simulation.simulation import Simulation
from webmotor_drake.view.beside import Ghost, RunGhost
from webmotor_drake.view.puppet import Puppet
from webmotor_drake.view.replay import posable


def ghost_maker(name: str, scenario: Scenario) -> Callable[[], Ghost]:
    """Returns a function that makes a new ghost.

    Args:
        name: name of a model, or of the folder of a run.
        scenario: scenario of the run that it will be beside.

    Raises:
        InputError: there is no such model or folder, or it cannot run the scenario.
    """
    if _is_folder(name):
        results = Results.load(name)
        plant = posable(Puppet(scenario), results).plant
        return lambda: RunGhost(Path(name).name, results, plant)
    scenario = with_robots(
        scenario,
        lambda d: dc.replace(d, controller="", lcm_bus="", commands=[]),
    )
    scenario.visualization, scenario.cameras = None, {}
    make_engine = engine_of(name, scenario, None)
    if make_engine is None:
        driven = with_drive_of(name, scenario)
        return lambda: SimulationGhost(
            name, Simulation(driven, record="nothing")
        )
    check_scenario(scenario)
    return lambda: EngineGhost(name, make_engine())


def ghost_results(name: str, scenario: Scenario) -> Results:
    """Returns the results of a saved run, or of a model that is run now.

    Args:
        name: name of a model, or of the folder of a run.
        scenario: scenario that a model runs.

    Raises:
        InputError: there is no such model or folder, or it cannot run the scenario.
        SimulationError: the model failed.
    """
    if _is_folder(name):
        return Results.load(name)
    return prepare(name, scenario, None)(None)


def _is_folder(name: str) -> bool:
    """Returns whether a ghost is a saved run; else it is a known model."""
    if name in NAMES:
        return False
    if os.path.isdir(name):
        return True
    raise InputError(
        f"{unknown_name('model', name, NAMES)}; the folder of a run is allowed, too"
    )


class EngineGhost:
    """A ghost on an engine of `compare`; see `Ghost`."""

    def __init__(self, name: str, engine: Engine):
        self.name, self.plant = name, engine.plant
        self.motors = engine.motors.names
        self._engine, self._run = engine, SteppedRun(engine)
        self._done = 0

    def begin(
        self, step: int, commands: Mapping[str, np.ndarray]
    ) -> np.ndarray:
        """Goes to the start of a motor step, and takes its commands."""
        while self._done < step:
            self._run.step(self._done)
            self._done += 1
        self._engine.motors.follow(commands)
        return self._run.positions

    def state(self) -> tuple[np.ndarray, np.ndarray]:
        """Returns the plant's positions, and the motors' measurements."""
        q = self._engine.state()[: self.plant.num_positions()]
        return q, self._run.measured()


class SimulationGhost:
    """A ghost of Webots motors or motor models on Drake; see `Ghost`."""

    def __init__(self, name: str, simulation: Simulation):
        self.name, self.plant = name, simulation.plant
        self._simulation = simulation
        self.motors: list[str] = []
        self._systems = []
        root = simulation.simulator.get_mutable_context()
        for model, system in simulation.motors.items():
            self.motors += [f"{model}/{n}" for n in system.devices.names]
            context = system.GetMyMutableContextFromRoot(root)
            given = system.tables.command_table(system.table_values(context))
            self._systems.append((model, system, context, given))
        systems = simulation.motors.values()
        self._places = np.concatenate([s.position_indices for s in systems])
        self._speeds = np.concatenate([s.velocity_indices for s in systems])
        self._plant_context = self.plant.GetMyContextFromRoot(root)
        self._state_port = self.plant.get_state_output_port()

    def begin(
        self, step: int, commands: Mapping[str, np.ndarray]
    ) -> np.ndarray:
        """Goes to the start of a motor step, and takes its commands."""
        # Errors are left to `Beside`: guarding here costs 3 us per step.
        self._simulation.stepper.advance_to(step)
        for model, system, context, given in self._systems:
            command = commands[model]
            # Commands mostly stay; setting equal ones would cause new computations.
            if given.tobytes() != command.tobytes():
                values = system.mutable_tables(context)
                system.tables.command_table(values)[:] = command
                system.tables.line_tables(values)[:] = command
        return self._state_port.Eval(self._plant_context)[self._places]

    def state(self) -> tuple[np.ndarray, np.ndarray]:
        """Returns the plant's positions, and the motors' measurements."""
        state = self._state_port.Eval(self._plant_context)
        efforts = [s.effort_reader(own)() for _, s, own, _ in self._systems]
        effort = np.concatenate(efforts)
        motion = state[self._places], state[self._speeds]
        q = state[: self.plant.num_positions()]
        return q, np.transpose([*motion, effort])
