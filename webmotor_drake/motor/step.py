"""The start of a motor step: commands act on the tables, then the law runs."""

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from webmotor_drake.loops import entry, law_rows
from webmotor_drake.motor.battery import Battery
from webmotor_drake.motor.command_delay import CommandDelay
from webmotor_drake.motor.commands import Kind, StepCommands
from webmotor_drake.motor.devices import MotorDevices
from webmotor_drake.motor.kinematic_law import move
from webmotor_drake.motor.models.model_laws import ModelLaws
from webmotor_drake.motor.row_commands import COMMANDS_IN_ROWS, RowCommands
from webmotor_drake.motor.tables import Command, Demand, LawState, MotorTables
from webmotor_drake.nodes.motors import MotorNode

_step_servo_rows = entry(law_rows.step_servo_rows)
# As a plain number, for the reason in `devices`.
_BRAKE_DAMPING = int(Kind.BRAKE_DAMPING)
# Commands to fewer motors are faster one by one.
_MANY = 4


class MotorStep:
    """Runs motor steps on the tables of a model's motors.

    Everything that changes is in `values`, the vector of `MotorTables`.

    Attributes:
        devices: the motors as commands see them.
        friction: static friction of the drive's joints, shape (m,), N m or N.
        models: the laws of motors that are no Webots servos; None without any.
        row_commands: commands to all motors at once.
        tables: the layout of the vector.

    Args:
        motors: the nodes by motor name, after Webots' fallbacks, n of them.
        kinematic: for each motor whether its joint is kinematic.
        friction: static friction; the motors' joints come first.
        braked: for each brake the index of its joint among the m.
        period: the motor period h, s.
        drive_state: the number of floats that the drive keeps in the vector.
        delay: the time that commands take to the motors, s.
        models: the laws of motors that are no Webots servos, if there are any.
    """

    def __init__(
        self,
        motors: Mapping[str, MotorNode],
        *,
        kinematic: Sequence[bool],
        friction: Sequence[float],
        braked: Sequence[int],
        period: float,
        drive_state: int,
        delay: float = 0.0,
        models: ModelLaws | None = None,
    ):
        self.models = models
        self._delay = CommandDelay(delay, period)
        self.devices = MotorDevices(motors, kinematic)
        self._all = tuple(range(len(motors)))
        self.row_commands = RowCommands(self.devices)
        self.friction = np.array(friction)
        self.tables = MotorTables(
            len(motors),
            len(friction),
            drive_state,
            self._delay.tables,
            models.states if models else 0,
        )
        self._kinematic = np.flatnonzero(kinematic).tolist()
        self._braked = list(braked)
        self._period = period

    def initial_values(self) -> np.ndarray:
        """Returns the vector before the first step."""
        tables = self.tables
        values = np.zeros(tables.size)
        initial = self.devices.initial_commands()
        values[tables.command] = initial.ravel()
        tables.line_tables(values)[:] = initial
        tables.demand_table(values)[Demand.EFFORT_LIMIT] = self.friction
        values[tables.given] = values[tables.last_step] = -1
        return values

    def hold(self, values: np.ndarray, q: np.ndarray) -> None:
        """Makes `q` the target of motors that nobody has commanded yet."""
        command = self.tables.command_table(values)
        for table in (command, *self.tables.line_tables(values)):
            target = table[Command.TARGET_POSITION]
            unset = np.isnan(target)
            target[unset] = q[unset]

    def ramp_from(
        self,
        values: np.ndarray,
        motors: Sequence[int],
        velocities: npt.ArrayLike,
    ) -> None:
        """Makes the law ramp some motors, in device order, from these velocities."""
        law_state = self.tables.law_state_table(values)
        law_state[LawState.VELOCITY_COMMAND, motors] = velocities

    def catch_up(
        self, values: np.ndarray, schedule: Mapping[int, StepCommands]
    ) -> None:
        """Applies the commands of steps before step 0, which may be on their way."""
        for step in range(min(schedule, default=0), 0):
            self.apply(values, schedule.get(step, []))
            if self._delay.tables:
                self._pass_on(values)

    def apply(self, values: np.ndarray, commands: StepCommands) -> None:
        """Applies commands in the order given; see `MotorDevices.apply`."""
        self.applier(values)(commands)

    def applier(self, values: np.ndarray) -> Callable[[StepCommands], None]:
        """Returns a function that applies commands to `values`; see `apply`."""
        command, law_state = self.given(values)
        demand = self.tables.demand_table(values)
        one, rows = self.devices.apply, self.row_commands.apply

        def apply(commands: StepCommands) -> None:
            row = self._as_row(commands)
            if row is not None:
                rows(*row, command, law_state)
                return
            for index, kind, value in commands:
                if kind == _BRAKE_DAMPING:
                    demand[Demand.BRAKE, self._braked[index]] = value
                else:
                    one(kind, index, value, command, law_state)

        return apply

    def _as_row(self, commands: StepCommands) -> tuple[Kind, np.ndarray] | None:
        """Returns commands of one kind to all motors, in their order, as a row.

        None if that is not what they are, or if the motors are few: with 12 of them a
        row takes 0.6 of the time where loops are compiled.
        """
        if len(commands) < _MANY or len(commands) != len(self._all):
            return None
        indices, kinds, given = zip(*commands, strict=True)
        kind = kinds[0]
        if indices != self._all or kind not in COMMANDS_IN_ROWS:
            return None
        # A row has no way to say NaN.
        if kinds.count(kind) < len(kinds) or math.isnan(sum(given)):
            return None
        return kind, np.array(given, dtype=float)

    def apply_rows(
        self, values: np.ndarray, rows: Mapping[Kind, np.ndarray]
    ) -> None:
        """Applies a value per motor of each kind; see `RowCommands.apply`."""
        command, law_state = self.given(values)
        for kind, row in rows.items():
            self.row_commands.apply(kind, row, command, law_state)

    def run_law(self, values: np.ndarray, q: np.ndarray) -> None:
        """Runs the law, which writes the tables of law state and demand.

        Args:
            values: the vector.
            q: the motors' joint positions, shape (n,), rad or m.
        """
        tables = self.tables
        if self._delay.tables:
            self._pass_on(values)
        law_state = values[tables.law_state]
        before = law_state.copy() if self._kinematic else law_state
        command, demand = values[tables.command], values[tables.demand]
        _step_servo_rows(
            q, len(q), self._period, command, self.friction, law_state, demand
        )
        for i in self._kinematic:  # by a law of their own
            table = tables.law_state_table(values)
            table[:, i] = before.reshape(table.shape)[:, i]
            move(
                i,
                q[i],
                self._period,
                self.devices.motors[i],
                tables.command_table(values),
                table,
                tables.demand_table(values),
            )
        if self.models is not None:
            self.models.forget_servos(law_state, demand, command)

    def given(self, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Returns the tables that commands are applied to.

        With a delay they are those that set out; what a command makes of the law's
        state comes with it.
        """
        law_state = self.tables.law_state_table(values)
        if self._delay.tables:
            return self.tables.line_tables(values)[0], law_state.copy()
        return self.tables.command_table(values), law_state

    def _pass_on(self, values: np.ndarray) -> None:
        """Lets commands that are on their way arrive, see `CommandDelay`."""
        self._delay.pass_on(
            self.tables.line_tables(values),
            self.tables.command_table(values),
            self.tables.law_state_table(values),
        )

    def feedback(self, values: np.ndarray) -> np.ndarray:
        """Returns the servos' efforts in the step just done, shape (n,).

        Joints that simply move take none, as in Webots without Physics.
        """
        effort = values[self.tables.effort]
        demand = self.tables.demand_table(values)
        feedback = effort - demand[Demand.DIRECT_EFFORT, : len(effort)]
        if self._kinematic:
            feedback[self._kinematic] = 0.0
        if self.models is not None:
            own = self.models.own
            command = self.tables.command_table(values)[:, own]
            direct = command[Command.EFFORT_CONTROL] == 1  # limited, or not
            feedback[own] = np.where(direct, 0.0, effort[own])
        return feedback

    def effort_was_commanded(self, values: np.ndarray) -> bool:
        """Returns whether a motor's effort, or its limit, differs from the start."""
        efforts = [Command.AVAILABLE_EFFORT, Command.EFFORT_CONTROL]
        initial = self.devices.initial_commands()[efforts]
        command = self.tables.command_table(values)
        tables = (command, *self.tables.line_tables(values))
        return any((table[efforts] != initial).any() for table in tables)

    def use_battery(
        self,
        values: np.ndarray,
        battery: Battery,
        level: np.ndarray,
        feedback: np.ndarray,
        charge: float = 0.0,
    ) -> None:
        """Draws the energy of the motor step just finished; see `Battery.use`.

        The available effort that it takes or gives back comes at once, whatever is
        on its way.

        Args:
            values: the vector.
            battery: source of the motors' energy.
            level: its energy, J, and 1 or 0 for on or off; changed.
            feedback: the motors' efforts in the step, shape (n,), N m or N.
            charge: power of a charger, W.
        """
        devices = self.devices
        available = self.tables.command_table(values)[Command.AVAILABLE_EFFORT]
        before = available.copy()
        power = float(np.abs(feedback) @ devices.consumption_factors)
        period, efforts = self._period, devices.max_efforts
        battery.use(level, power, charge, period, available, efforts)
        if self._delay.tables and (available != before).any():
            line = self.tables.line_tables(values)
            line[:, Command.AVAILABLE_EFFORT] = available
