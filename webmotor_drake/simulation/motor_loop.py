"""A scenario's motors in a fast loop: rows of targets in, measurements out."""

import os
import typing
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from webmotor_drake.drive.command_ports import COMMAND_PORTS
from webmotor_drake.errors import InputError, unknown_name
from webmotor_drake.loading import as_scenario
from webmotor_drake.scenario.scenario import Scenario
from webmotor_drake.simulation.motor_stepper import check_number
from webmotor_drake.simulation.simulation import Simulation

if typing.TYPE_CHECKING:
    from pydrake.systems.framework import Context, FixedInputPortValue

    from webmotor_drake.drive.motor_system import MotorSystem


class MotorLoop:
    """Steps the motors of a scenario with as little in between as possible.

    ::

        loop = wm.MotorLoop("package:two_link_arm")
        q, v, e = loop.reset()
        while loop.time < 3:
            q, v, e = loop.step(targets(q))

    Commands given to `step` act in the step that starts then, also in the first one
    after `reset`. A row has a value per motor, model by model in device order; NaN
    commands nothing. `RobotSession` has sensors, too, `webmotor_drake.gym` environments
    to learn in; `MotorStepper` steps a diagram of your own.

    Args:
        scenario: scenario to run, the name of its file, or a Simulation at its start.
        commands: meaning of the rows, of `COMMAND_PORTS`: "target_position" (rad or
            m), "target_velocity" (rad/s or m/s; alone it is velocity control),
            "available_effort" and "direct_effort" (N m or N).

    Attributes:
        simulation: stepped simulation; it records nothing if made from a scenario.
        motors: names of the motors, "<model>/<motor>", n of them.
        period: period of the motors, s.
        steps: the motor steps done since the last reset.
        places: indices of the motors' positions and velocities in the plant's [q, v],
            shape (2, n).
        plant_context: the plant's Context.
        tables: each system with its vector of `MotorTables`, not to be changed.
        state: the plant's [q, v], overwritten in each step; copy it to keep it.

    Raises:
        InputError: the scenario cannot run, has no motors, or a command is unknown.
    """

    def __init__(
        self,
        scenario: Simulation | Scenario | str | os.PathLike[str],
        *,
        commands: Sequence[str] = ("target_position",),
    ):
        if isinstance(scenario, Scenario | str | os.PathLike):
            scenario = as_scenario(scenario)
            scenario = Simulation(scenario, record="nothing")
        self.simulation = scenario
        motors = self.simulation.motors
        if not motors:
            raise InputError(
                "a MotorLoop needs motors; the scenario has no motors"
            )
        self.motors = [
            f"{model}/{name}"
            for model, system in motors.items()
            for name in system.devices.names
        ]
        self.period = next(iter(motors.values())).period
        self.steps = 0
        root = self.simulation.simulator.get_mutable_context()
        plant = self.simulation.plant
        self.plant_context = plant.GetMyMutableContextFromRoot(root)
        self._state_port = plant.get_state_output_port()
        self._systems = [
            (system, system.GetMyMutableContextFromRoot(root))
            for system in motors.values()
        ]
        self.places = np.hstack(
            [[s.position_indices, s.velocity_indices] for s, _ in self._systems]
        )
        efforts = plant.num_multibody_states() + np.arange(len(self.motors))
        self._read_places = np.vstack([self.places, efforts])
        self._efforts = [s.effort_reader(own) for s, own in self._systems]
        self.tables = [(s, s.table_values(own)) for s, own in self._systems]
        commands = [commands] if isinstance(commands, str) else list(commands)
        for name in commands:
            if name not in COMMAND_PORTS:
                raise InputError(unknown_name("command", name, COMMAND_PORTS))
        self._rows = [_CommandRow(name, self._systems) for name in commands]
        self._is_discrete = plant.time_step() > 0
        self.state = self._state_port.Eval(self.plant_context)
        if self._is_discrete:  # which Drake writes in place
            self.state = self.plant_context.get_discrete_state(0).get_value()
            self.state.flags.writeable = False

    @property
    def time(self) -> float:
        """The time since the last reset, s."""
        return self.steps * self.period

    def reset(
        self,
        state: npt.ArrayLike | None = None,
        *,
        seed: int | None = None,
    ) -> np.ndarray:
        """Goes back to the start, or to another state; nothing is built anew.

        Args:
            state: the plant's [q, v]; None: the state at the start. Motors that nobody
                commands hold their joints where they are then.
            seed: seed of the scenario's random values; see `Simulation.reset`.

        Returns:
            The same as `step`; the efforts are 0.
        """
        self.simulation.reset(seed)
        self.steps = 0
        for row in self._rows:
            row.set(np.full(len(self.motors), np.nan))
        if state is not None:
            self.set_state(state)
        return self.read()

    def set_state(self, state: npt.ArrayLike) -> None:
        """Sets the plant's [q, v].

        Args:
            state: shape (nq + nv,).

        Raises:
            InputError: it has another size, or is not finite.
        """
        plant = self.simulation.plant
        given = np.asarray(state, dtype=float)
        if given.shape != (plant.num_multibody_states(),):
            raise InputError(
                f"a state of shape {given.shape} is not allowed; [q, v] has"
                f" {plant.num_multibody_states()} elements"
            )
        if not np.isfinite(given).all():
            raise InputError("a state must be finite")
        plant.SetPositionsAndVelocities(self.plant_context, given)

    def step(self, *rows: npt.ArrayLike, number: int = 1) -> np.ndarray:
        """Simulates motor steps.

        Args:
            rows: rows for each of `commands`, with a value per motor, shape (n,); they
                act in all of these steps. Without any the rows given last act.
            number: count of steps.

        Returns:
            Positions, velocities and efforts at their end, shape (3, n), rad or m,
            rad/s or m/s, N m or N.

        Raises:
            InputError: the rows, their number, or the number of steps do not fit.
            SimulationError: the simulation failed, now or before; a reset mends it.
        """
        check_number(number)
        if rows:
            if len(rows) != len(self._rows):
                raise InputError(
                    f"{len(rows)} rows; one for each of the loop's commands"
                    f" is needed: {', '.join(row.name for row in self._rows)}"
                )
            for command, row in zip(self._rows, rows, strict=True):
                command.set(row)
        self.steps += number
        self.simulation.advance_to_step(self.steps)
        return self.read()

    def read(self) -> np.ndarray:
        """Returns positions, velocities and efforts as they are, shape (3, n)."""
        if not self._is_discrete:
            self.state = self._state_port.Eval(self.plant_context)
        efforts = [read() for read in self._efforts]
        return np.concatenate([self.state, *efforts])[self._read_places]


class _CommandRow:
    """An input port of all models' motors, fixed to a row that changes.

    The port's value is fixed once, then its memory is written: this takes a third of
    the time, and Drake notices the change as well.
    """

    def __init__(self, name: str, systems: "list[tuple[MotorSystem, Context]]"):
        self.name = name
        self._size = sum(len(s.devices.names) for s, _ in systems)
        self._parts: list[tuple[FixedInputPortValue, np.ndarray, slice]] = []
        start = 0
        for system, context in systems:
            part = slice(start, start + len(system.devices.names))
            nothing = np.full(part.stop - start, np.nan)
            fixed = system.GetInputPort(name).FixValue(context, nothing)
            system.look_at_ports(context)
            memory = fixed.GetMutableData().get_mutable_value()
            self._parts.append((fixed, memory.get_mutable_value(), part))
            start = part.stop

    def set(self, row: npt.ArrayLike) -> None:
        """Sets a value per motor."""
        try:
            values = np.asarray(row, dtype=float)
        except (TypeError, ValueError):
            raise InputError(f"{self.name}: {row!r} is no row") from None
        if values.shape != (self._size,):
            raise InputError(
                f"{self.name}: shape {values.shape} is not allowed; there are"
                f" {self._size} motors"
            )
        for fixed, memory, part in self._parts:
            fixed.GetMutableData()  # tells Drake
            memory[:] = values[part]
