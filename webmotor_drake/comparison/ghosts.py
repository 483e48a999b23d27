"""Ghosts: a model of `compare`, or a saved run, that moves beside a run."""

import dataclasses as dc
import itertools
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
from webmotor_drake.loops.rows import COMMANDS
from webmotor_drake.results.results import Results
from webmotor_drake.scenario.checks import check_scenario
from webmotor_drake.scenario.scenario import Scenario, robots_of, with_robots
from webmotor_drake.simulation.simulation import Simulation
from webmotor_drake.view.beside import Ghost, RunGhost, check_motors
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
        results, drivers = Results.load(name), robots_of(scenario)
        motors = [f"{m}/{n}" for m, d in drivers.items() for n in d.motors]
        check_motors(Path(name).name, results.motors, motors)
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
            name, Simulation(driven, record="episode")
        )
    check_scenario(scenario)
    return lambda: EngineGhost(name, make_engine)


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

    def __init__(self, name: str, make: Callable[[], Engine]):
        self.name, self._make = name, make
        self.restart()
        self.plant, self.motors = self._engine.plant, self._engine.motors.names

    def restart(self) -> None:
        """Goes back to the start."""
        self._engine = self._make()
        self._run, self._done = SteppedRun(self._engine), 0

    def follow(
        self, times: np.ndarray, commands: Mapping[str, np.ndarray]
    ) -> np.ndarray:
        """Does the next motor steps with their commands."""
        positions = []
        for k in range(len(times)):
            self._engine.motors.follow(
                {
                    model: given[:, k].reshape(COMMANDS, -1)
                    for model, given in commands.items()
                }
            )
            self._run.step(self._done)
            self._done += 1
            positions.append(self._run.positions)
        return np.array(positions)

    def state(self) -> tuple[np.ndarray, np.ndarray]:
        """Returns the plant's positions, and the motors' measurements."""
        q = self._engine.state()[: self.plant.num_positions()]
        return q, self._run.measured()


class SimulationGhost:
    """A ghost of Webots motors or motor models on Drake; see `Ghost`."""

    def __init__(self, name: str, simulation: Simulation):
        self.name, self.plant = name, simulation.plant
        self._simulation, self._done = simulation, 0
        self.motors: list[str] = []
        self._systems = []
        root = simulation.simulator.get_mutable_context()
        for model, system in simulation.motors.items():
            self.motors += [f"{model}/{n}" for n in system.devices.names]
            context = system.GetMyMutableContextFromRoot(root)
            self._systems.append((model, system, context))
        systems = simulation.motors.values()
        self._places = np.concatenate([s.position_indices for s in systems])
        self._speeds = np.concatenate([s.velocity_indices for s in systems])
        self._plant_context = self.plant.GetMyContextFromRoot(root)

    def restart(self) -> None:
        """Goes back to the start."""
        self._simulation.reset()
        self._done = 0

    def follow(
        self, times: np.ndarray, commands: Mapping[str, np.ndarray]
    ) -> np.ndarray:
        """Does the next motor steps, those with the same commands at once."""
        first = self._done
        given = np.vstack([*commands.values()]).view(np.int64)  # NaN equals NaN
        changes = np.any(given[:, 1:] != given[:, :-1], axis=0)
        starts = [0, *(np.flatnonzero(changes) + 1)]
        for start, end in itertools.pairwise([*starts, len(times)]):
            for model, system, context in self._systems:
                command = commands[model][:, start].reshape(COMMANDS, -1)
                values = system.mutable_tables(context)
                system.tables.command_table(values)[:] = command
                system.tables.line_tables(values)[:] = command
            self._simulation.advance_to_step(int(first + end))
        self._done += len(times)
        root = self._simulation.simulator.get_context()
        states, _ = self._simulation.log.steps(root, first)
        return states[self._places].T

    def state(self) -> tuple[np.ndarray, np.ndarray]:
        """Returns the plant's positions, and the motors' measurements."""
        state = self.plant.GetPositionsAndVelocities(self._plant_context)
        efforts = [s.effort_reader(own)() for _, s, own in self._systems]
        effort = np.concatenate(efforts)
        motion = state[self._places], state[self._speeds]
        q = state[: self.plant.num_positions()]
        return q, np.transpose([*motion, effort])
