"""A ghost beside a run: the same commands on other motors, seen in the same view."""

import typing
from collections.abc import Mapping

import numpy as np
from pydrake.multibody.plant import MultibodyPlant

from webmotor_drake.errors import InputError, one_line
from webmotor_drake.simulation.simulation import Simulation

# The numbers of a ghost's motor beside those of a motor; the last are how far it was
# from it when a motor step began, and at most.
GHOST_NUMBERS = (
    "ghost_position",
    "ghost_velocity",
    "ghost_effort",
    "ghost_distance",
    "ghost_most",
)


class Ghost(typing.Protocol):
    """Robots that move beside a run's: an interface.

    Attributes:
        name: of the ghost, as the page shows it.
        plant: of its robots.
        motors: "<model>/<motor>" of its motors.
    """

    name: str
    plant: MultibodyPlant
    motors: list[str]

    def begin(self, step: int, commands: Mapping[str, np.ndarray]) -> None:
        """Goes to the start of a motor step, and takes the commands that act in it.

        Args:
            step: its number, from 0.
            commands: the `Command` tables by model, shape (rows, n).
        """

    def positions(self) -> np.ndarray:
        """Returns the plant's positions there."""

    def measured(self) -> np.ndarray:
        """Returns the motors' positions, velocities and efforts, shape (n, 3)."""


class Beside:
    """Has a ghost follow a simulation.

    Attributes:
        ghost: the ghost.
        context: of its plant, in its pose.
        failure: reason why it has stopped; "" if it has not.

    Args:
        ghost: a new ghost.
        simulation: a new simulation.

    Raises:
        InputError: the ghost has other motors.
    """

    def __init__(self, ghost: Ghost, simulation: Simulation):
        self.ghost, self.failure = ghost, ""
        self._systems = simulation.motors
        self._simulation = simulation
        names = [
            f"{model}/{name}"
            for model, system in simulation.motors.items()
            for name in system.devices.names
        ]
        check_motors(ghost.name, ghost.motors, names)
        self.context = ghost.plant.CreateDefaultContext()
        self._rows = np.zeros((len(names), len(GHOST_NUMBERS)))
        self._step = -1
        self._stride = round(
            next(iter(self._systems.values())).period
            / (simulation.plant.time_step() or 1)
        )

    def follow(self) -> None:
        """Takes the ghost along, if a motor step has begun."""
        root = self._simulation.simulator.get_context()
        commands, last, position = {}, -1, []
        state = self._simulation.plant.get_state_output_port()
        plant_state = state.Eval(
            self._simulation.plant.GetMyContextFromRoot(root)
        )
        for model, system in self._systems.items():
            values = system.table_values(system.GetMyContextFromRoot(root))
            last = int(values[system.tables.last_step]) // self._stride
            if last == self._step:
                return
            commands[model] = system.tables.command_table(values).copy()
            position.append(plant_state[system.position_indices])
        if last < 0 or self.failure:
            return
        self._step = last
        try:
            self.ghost.begin(last, commands)
        except Exception as error:  # a model of one's own may raise anything
            self.failure = f"{self.ghost.name}: {one_line(error)}"
            self._rows[:] = np.nan
            return
        self._measure(np.concatenate(position))

    def _measure(self, position: np.ndarray) -> None:
        rows = self._rows
        rows[:, :3] = self.ghost.measured()
        rows[:, 3] = np.abs(rows[:, 0] - position)
        rows[:, 4] = np.maximum(rows[:, 4], rows[:, 3])

    def rows(self) -> np.ndarray:
        """Returns `GHOST_NUMBERS` of the motors, shape (n, 5)."""
        return self._rows

    def pose(self) -> None:
        """Puts `context` into the ghost's pose."""
        q = self.ghost.positions()
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
