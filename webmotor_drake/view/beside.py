"""A ghost beside a run: the same commands on other motors, seen in the same view."""

import typing
from collections.abc import Mapping

import numpy as np
from pydrake.multibody.plant import MultibodyPlant
from pydrake.systems.framework import Context

from webmotor_drake.errors import InputError, one_line
from webmotor_drake.results.results import Results
from webmotor_drake.simulation.simulation import Simulation
from webmotor_drake.view.puppet import Robots
from webmotor_drake.view.replay import rows_then

# The numbers of a ghost's motor beside those of a run's. The last two: the distance
# between both when a motor step began, the present one and the largest.
GHOST_NUMBERS = (
    "ghost_position",
    "ghost_velocity",
    "ghost_effort",
    "ghost_distance",
    "ghost_most",
)
_MEASURED = "position", "velocity", "effort"


class Ghost(typing.Protocol):
    """Robots that move beside a run's: an interface.

    Attributes:
        name: name of the ghost, as the page shows it.
        plant: plant of its robots.
        motors: "<model>/<motor>" of its motors.
    """

    name: str
    plant: MultibodyPlant
    motors: list[str]

    def restart(self) -> None:
        """Goes back to the start, as the run was reset."""

    def follow(
        self, times: np.ndarray, commands: Mapping[str, np.ndarray]
    ) -> np.ndarray:
        """Does the next motor steps.

        Args:
            times: times of their ends in the run, over all its resets, s, shape (K,).
            commands: the `Command` tables in them by model, row by row, shape
                (rows * n, K).

        Returns:
            The motors' positions at their ends, shape (K, n).
        """

    def state(self) -> tuple[np.ndarray, np.ndarray]:
        """Returns the plant's positions there, and the motors' measurements.

        The measurements are positions, velocities and efforts, shape (n, 3).
        """


class RunGhost:
    """A ghost that replays a saved run, whatever the commands; see `Ghost`.

    Attributes:
        name: name to show.
        plant: plant that takes its poses.
        motors: "<model>/<motor>" of the run's motors.

    Args:
        name: name to show.
        results: the run.
        plant: plant that takes its poses.
    """

    def __init__(self, name: str, results: Results, plant: MultibodyPlant):
        self.name, self.plant, self.motors = name, plant, results.motors
        self._time, self._row = results.time, 0
        self._poses = results.positions[:, : plant.num_positions()]
        signals = [
            [results[f"{m}/{s}"] for s in _MEASURED] for m in self.motors
        ]
        self._recorded = np.transpose(signals, (2, 0, 1))  # (rows, n, 3)

    def restart(self) -> None:
        """Does nothing: the saved run's time goes on, over its own resets."""

    def follow(
        self, times: np.ndarray, commands: Mapping[str, np.ndarray]
    ) -> np.ndarray:
        """Goes on to the rows of some times; after the last one it stays there."""
        rows = rows_then(self._time, times)
        self._row = rows[-1]
        return self._recorded[rows, :, 0]

    def state(self) -> tuple[np.ndarray, np.ndarray]:
        """Returns the plant's positions, and the motors' measurements."""
        return self._poses[self._row], self._recorded[self._row]

    def numbers(self, results: Results) -> np.ndarray:
        """Returns `GHOST_NUMBERS` in each row of another run, shape (rows, n, 5)."""
        measured = self._recorded[rows_then(self._time, results.time)]
        there = [results[f"{motor}/position"] for motor in results.motors]
        apart = np.abs(measured[:, :, 0] - np.transpose(there))
        return np.dstack([measured, apart, np.maximum.accumulate(apart)])


class Beside:
    """Has a ghost follow a simulation, by the record of its motors.

    The ghost does all steps at once that the run has done since it was looked at:
    processors are faster with one mechanism than with two by turns.

    Attributes:
        ghost: the ghost.
        numbers: `GHOST_NUMBERS` of the motors, shape (n, 5).
        failure: reason why the ghost has stopped; "" if it has not.

    Args:
        ghost: a new ghost.
        simulation: a new simulation, which records.

    Raises:
        InputError: the ghost has other motors.
    """

    def __init__(self, ghost: Ghost, simulation: Simulation):
        self.ghost, self.failure = ghost, ""
        self._simulation, motors = simulation, simulation.motors
        names = [
            f"{model}/{name}"
            for model, system in motors.items()
            for name in system.devices.names
        ]
        check_motors(ghost.name, ghost.motors, names)
        self._places = np.concatenate(
            [system.position_indices for system in motors.values()]
        )
        self._context = ghost.plant.CreateDefaultContext()
        self.numbers = np.zeros((len(names), len(GHOST_NUMBERS)))
        self._start, self._done = 0.0, 0
        here = Robots.of(simulation).positions[self._places]
        self._compare(ghost.state()[1][np.newaxis, :, 0], here)

    def follow(self) -> None:
        """Moves the ghost up to the last motor step that the run has done."""
        if self.failure:
            return
        try:
            self._go_on()
        except Exception as error:  # a model of one's own may raise anything
            self.failure = f"{self.ghost.name}: {one_line(error)}"
            self.numbers[:] = np.nan

    def _go_on(self) -> None:
        log, run = self._simulation.log, self._simulation
        root = run.simulator.get_context()
        start = run.time - root.get_time()
        if start > self._start + log.period / 2:  # it was reset
            self._start, self._done = start, 0
            self.ghost.restart()
        states, commands = log.steps(root, self._done)
        if not (number := states.shape[1]):
            return
        times = start + (self._done + np.arange(1, number + 1)) * log.period
        self._done += number
        there = self.ghost.follow(times, commands)
        self._compare(there, states[self._places].T)

    def _compare(self, there: np.ndarray, here: np.ndarray) -> None:
        """Takes the ghost's numbers, and its and the run's positions, shape (K, n)."""
        apart = np.abs(there - here)
        self.numbers[:, :3] = self.ghost.state()[1]
        self.numbers[:, 3] = apart[-1]
        self.numbers[:, 4] = np.vstack([self.numbers[:, 4], apart]).max(axis=0)

    def pose(self) -> Context:
        """Returns the Context of the ghost's plant, in the ghost's pose."""
        q, _ = self.ghost.state()
        if np.isfinite(q).all():
            self.ghost.plant.SetPositions(self._context, q)
        return self._context


def check_motors(name: str, motors: list[str], wanted: list[str]) -> None:
    """Raises InputError for a ghost that has other motors than a run."""
    if missing := [m for m in wanted if m not in motors]:
        raise InputError(
            f"{name} has no motor {missing[0]}; a ghost needs the same motors"
        )
    if motors != wanted:
        raise InputError(f"{name} has other motors; a ghost needs the same")
