"""A run of motors on any engine that steps.

In step k the motors' commands and law act, the engine steps by the motor period, and
a row of signals is recorded.
"""

import math
from collections.abc import Callable

import numpy as np

from webmotor_drake.engines.drake_plant import DrakePlant
from webmotor_drake.engines.ode_engine import OdeEngine
from webmotor_drake.errors import SimulationError
from webmotor_drake.loops.rows import Command, LawState
from webmotor_drake.motor.signals import direct_effort, mode, step_signals

# A mechanism with the motors of `SteppedMotors` on it.
Engine = DrakePlant | OdeEngine


class SteppedRun:
    """A run of motors on an engine, and its record.

    Args:
        engine: bodies that move, with their motors.
    """

    def __init__(self, engine: Engine):
        self._motors, self._engine = engine.motors, engine
        n = len(engine.motors.names)
        self._rows = [
            (engine.positions(), engine.velocities(), np.zeros(n), np.zeros(n))
        ]
        self._states = [engine.state()]
        self._tables: list[tuple[np.ndarray, np.ndarray]] = []

    def run(
        self,
        duration: float,
        progress: Callable[[float, float], None] | None = None,
    ) -> None:
        """Runs all steps that end by `duration`.

        Args:
            duration: simulated time, s.
            progress: called after each step with the time and the end, s.

        Raises:
            SimulationError: the state is no longer finite.
        """
        period = self._motors.period
        for step in range(math.floor(duration / period + 1e-9)):
            self.step(step)
            if progress is not None:
                progress((step + 1) * period, duration)

    def step(self, step: int) -> None:
        """Runs one step, the next one.

        Args:
            step: its number.

        Raises:
            SimulationError: the state is no longer finite.
        """
        motors, engine = self._motors, self._engine
        motors.start_step(step, engine.positions())
        tables = motors.command, motors.law_state
        efforts, position = engine.step(), engine.positions()
        for i in np.flatnonzero(~np.isfinite(position)):
            raise SimulationError(
                f"the position of joint {motors.joints[i].name()} (motor"
                f" {motors.names[i]}) is {position[i]}"
            )
        motors.finish_step(efforts[1])
        self._tables.append(tables)
        self._rows.append((position, engine.velocities(), *efforts))
        self._states.append(engine.state())

    @property
    def positions(self) -> np.ndarray:
        """The motors' positions now, shape (n,)."""
        return self._rows[-1][0]

    def measured(self) -> np.ndarray:
        """Returns the motors' positions, velocities and efforts now, shape (n, 3)."""
        position, velocity, effort, _ = self._rows[-1]
        if self._tables:
            effort = effort + direct_effort(self._tables[-1][0])
        return np.transpose([position, velocity, effort])

    @property
    def time(self) -> np.ndarray:
        """Times of the K + 1 rows, s."""
        return np.arange(len(self._rows)) * self._motors.period

    @property
    def states(self) -> np.ndarray:
        """The plant's [q, v], shape (nq + nv, K+1)."""
        return np.transpose(self._states[: len(self._rows)])

    def signals(self) -> dict[str, np.ndarray]:
        """Returns the signals by name, each of shape (K+1,)."""
        table = self._signal_table()
        return {
            f"{motor}/{name}": values[i]
            for i, motor in enumerate(self._motors.names)
            for name, values in table.items()
        }

    def _signal_table(self) -> dict[str, np.ndarray]:
        """Returns each signal of all motors, shape (n, K+1)."""
        motors = self._motors
        position, velocity, effort, feedback = (
            np.transpose(column) for column in zip(*self._rows, strict=True)
        )
        # Ctrl-C may end a step midway.
        done = self._tables[: len(self._rows) - 1]
        first = done[:1] or [(motors.command, motors.law_state)]
        tables = first + done
        command, law_state = (
            np.stack(rows, axis=-1) for rows in zip(*tables, strict=True)
        )
        if not self._engine.follows_law:
            law_state = _without_law(command, law_state)
        factors = np.array([node.consumption_factor for node in motors.nodes])
        return {
            "position": position,
            "velocity": velocity,
            **step_signals(
                command,
                law_state,
                effort + direct_effort(command),
                feedback,
                friction=motors.friction,
                consumption_factors=factors,
                period=motors.period,
            ),
        }


def _without_law(command: np.ndarray, law_state: np.ndarray) -> np.ndarray:
    """Returns the law's rows with target velocities in velocity control, else NaN."""
    known = mode(command) == 1
    velocity = np.where(known, command[Command.TARGET_VELOCITY], np.nan)
    law_state = law_state.copy()
    law_state[LawState.VELOCITY_TARGET] = velocity
    law_state[LawState.VELOCITY_COMMAND] = velocity
    return law_state
