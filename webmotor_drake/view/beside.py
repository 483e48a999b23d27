"""A ghost beside a run: the same commands on other motors, seen in the same view."""

import math
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
# Motor steps of a ghost at a time, at most.
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
            step: its number, from 0.
            commands: the `Command` tables by model, shape (rows, n).

        Returns:
            The motors' positions there, shape (n,).
        """

    def positions(self) -> np.ndarray:
        """Returns the plant's positions there."""

    def measured(self) -> np.ndarray:
        """Returns the motors' positions, velocities and efforts, shape (n, 3)."""


class Beside:
    """Has a ghost follow a simulation.

    It does several steps at a time: processors are quicker with one mechanism than
    with two by turns.

    Attributes:
        ghost: the ghost.
        context: context of its plant, in its pose.
        failure: reason why it has stopped; "" if it has not.

    Args:
        ghost: a new ghost.
        simulation: a new simulation.

    Raises:
        InputError: the ghost has other motors.
    """

    def __init__(self, ghost: Ghost, simulation: Simulation):
        self.ghost, self.failure = ghost, ""
        root = simulation.simulator.get_context()
        self._root, plant = root, simulation.plant
        self._plant_context = plant.GetMyContextFromRoot(root)
        self._state = plant.get_state_output_port()
        self._systems = [
            (model, system, system.GetMyContextFromRoot(root))
            for model, system in simulation.motors.items()
        ]
        names = [
            f"{model}/{name}"
            for model, system, _ in self._systems
            for name in system.devices.names
        ]
        check_motors(ghost.name, ghost.motors, names)
        self._places = np.concatenate(
            [system.position_indices for _, system, _ in self._systems]
        )
        self.context = ghost.plant.CreateDefaultContext()
        self._rows = np.zeros((len(names), len(GHOST_NUMBERS)))
        self._period = self._systems[0][1].period
        self._stride = round(self._period / (plant.time_step() or 1))
        self._step, self._next = -1, -math.inf
        self._due: list[tuple[int, dict[str, np.ndarray], np.ndarray]] = []

    def follow(self) -> None:
        """Notes the commands for the ghost, if a motor step has begun."""
        now = self._root.get_time()
        # A supervisor's reset turns the time back.
        if self._next - 2 * self._period <= now < self._next or self.failure:
            return
        commands = {}
        for model, system, context in self._systems:
            values = system.table_values(context)
            last = int(values[system.tables.last_step]) // self._stride
            if last in (self._step, -1):
                return
            commands[model] = system.tables.command_table(values).copy()
        self._step = last
        self._next = self._systems[0][1].next_step_time(last + 1)
        state = self._state.Eval(self._plant_context)
        self._due.append((last, commands, state[self._places]))
        if len(self._due) >= _TOGETHER:
            self.rows()

    def rows(self) -> np.ndarray:
        """Takes the ghost along; returns `GHOST_NUMBERS`, shape (n, 5)."""
        due, self._due = self._due, []
        try:
            for step, commands, here in due:
                apart = np.abs(self.ghost.begin(step, commands) - here)
                self._rows[:, 3] = apart
                np.maximum(self._rows[:, 4], apart, out=self._rows[:, 4])
            if due:
                self._rows[:, :3] = self.ghost.measured()
        except Exception as error:  # a model of one's own may raise anything
            self.failure = f"{self.ghost.name}: {one_line(error)}"
            self._rows[:] = np.nan
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
