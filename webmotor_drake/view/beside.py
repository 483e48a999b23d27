"""A ghost beside a run: the same commands on other motors, seen in the same view."""

import typing
from collections.abc import Mapping

import numpy as np
from pydrake.multibody.plant import MultibodyPlant

from webmotor_drake.errors import InputError, one_line
from webmotor_drake.results.results import Results
from webmotor_drake.simulation.simulation import Simulation

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
# The most motor steps that a ghost does at a time.
_TOGETHER = 64


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

    def begin(
        self, step: int, commands: Mapping[str, np.ndarray]
    ) -> np.ndarray:
        """Goes to the start of a motor step, and takes the commands that act in it.

        Args:
            step: number of the motor step, from 0.
            commands: the `Command` tables by model, shape (rows, n).

        Returns:
            The motors' positions there, shape (n,).
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
        self._poses = results.positions[:, : plant.num_positions()]
        self._recorded = recorded(results)
        self._row = 0

    def begin(
        self, step: int, commands: Mapping[str, np.ndarray]
    ) -> np.ndarray:
        """Goes to the row of a step; after the last one it stays there."""
        self._row = min(step, len(self._poses) - 1)
        return self._recorded[self._row][:, 0]

    def state(self) -> tuple[np.ndarray, np.ndarray]:
        """Returns the plant's positions, and the motors' measurements."""
        return self._poses[self._row], self._recorded[self._row]


def recorded(results: Results) -> np.ndarray:
    """Returns the motors' measurements in each row of a run, shape (rows, n, 3)."""
    signals = [[results[f"{m}/{s}"] for s in _MEASURED] for m in results.motors]
    return np.transpose(signals, (2, 0, 1))


class Beside:
    """Has a ghost follow a simulation.

    The ghost does several steps at a time: processors are faster with one mechanism
    than with two by turns.

    Attributes:
        ghost: the ghost.
        context: Context of the ghost's plant, in the ghost's pose.
        failure: reason why the ghost has stopped; "" if it has not.

    Args:
        ghost: a new ghost.
        simulation: a new simulation.

    Raises:
        InputError: the ghost has other motors.
    """

    def __init__(self, ghost: Ghost, simulation: Simulation):
        self.ghost, self.failure = ghost, ""
        root = simulation.simulator.get_context()
        motors, plant = simulation.motors, simulation.plant
        self._plant_context = plant.GetMyContextFromRoot(root)
        self._state = plant.get_state_output_port()
        # The tables of the motors are views, which always show the present.
        self._tables = []
        for model, system in motors.items():
            values = system.table_values(system.GetMyContextFromRoot(root))
            command = system.tables.command_table(values)
            last = values[system.tables.last_step :]
            self._tables.append((model, command, last))
        names = [
            f"{model}/{name}"
            for model, system in motors.items()
            for name in system.devices.names
        ]
        check_motors(ghost.name, ghost.motors, names)
        self._places = np.concatenate(
            [system.position_indices for system in motors.values()]
        )
        self.context = ghost.plant.CreateDefaultContext()
        self._rows = np.zeros((len(names), len(GHOST_NUMBERS)))
        period = next(system.period for system in motors.values())
        self._stride = round(period / (plant.time_step() or 1)) or 1
        self._step = -1
        self._due: list[tuple[int, dict[str, np.ndarray], np.ndarray]] = []

    def follow(self) -> None:
        """Notes the commands for the ghost, if a motor step has begun."""
        step = self._step  # a supervisor's reset turns it back
        for _, _, last in self._tables:
            step = int(last[0]) // self._stride
            if step in (self._step, -1):
                return
        if self.failure:
            return
        self._step = step
        commands = {model: table.copy() for model, table, _ in self._tables}
        state = self._state.Eval(self._plant_context)
        self._due.append((step, commands, state[self._places]))
        if len(self._due) >= _TOGETHER:
            self.rows()

    def rows(self) -> np.ndarray:
        """Moves the ghost up to the run; returns `GHOST_NUMBERS`, shape (n, 5)."""
        due, self._due = self._due, []
        try:
            there = [self.ghost.begin(step, given) for step, given, _ in due]
            if due:
                apart = np.abs(np.array(there) - [here for *_, here in due])
                most = np.vstack([self._rows[:, 4], apart]).max(axis=0)
                self._rows[:, :3] = self.ghost.state()[1]
                self._rows[:, 3:] = np.transpose([apart[-1], most])
        except Exception as error:  # a model of one's own may raise anything
            self.failure = f"{self.ghost.name}: {one_line(error)}"
            self._rows[:] = np.nan
        return self._rows

    def pose(self) -> None:
        """Puts `context` into the ghost's pose."""
        q, _ = self.ghost.state()
        if np.isfinite(q).all():
            self.ghost.plant.SetPositions(self.context, q)


def check_motors(name: str, motors: list[str], wanted: list[str]) -> None:
    """Raises InputError for a ghost that has other motors than a run."""
    if missing := [m for m in wanted if m not in motors]:
        raise InputError(
            f"{name} has no motor {missing[0]}; a ghost needs the same motors"
        )
    if motors != wanted:
        raise InputError(f"{name} has other motors; a ghost needs the same")
