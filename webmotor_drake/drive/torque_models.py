"""Motor models on the torque drive: laws solved together with the mechanism.

A law is effort by the velocity that its joint has at the end of the step, falling
piece by piece along straight lines. A line is what the drive solves exactly, as a
direct effort and a brake, with dry friction as its bounded row. So Newton's method:
solve with one piece of each law, and again where that led to another piece.
"""

import numpy as np

from webmotor_drake.drive.torque_drive import External, TorqueDrive
from webmotor_drake.errors import warn
from webmotor_drake.motor.models.model_laws import ModelLaws
from webmotor_drake.motor.models.model_state import ModelState
from webmotor_drake.motor.tables import DEMANDS, Demand, MotorTables

# Newton's steps; where they run in circles, one law at a time is sought by secants.
_NEWTON, _TURNS = 6, 100
_EXACT = 1e-9
_UNSETTLED = (
    "the laws of the motors {names} were left {error:.1g} N m or N apart"
)


class TorqueModels:
    """Solves plant steps of a `TorqueDrive` with the laws of motor models.

    Args:
        laws: of m modelled ones among n motors.
        tables: the layout of the state.
        rows: of the motors' joints among the trees' velocities, shape (n,).
        names: of the motors.
    """

    def __init__(
        self,
        laws: ModelLaws,
        tables: MotorTables,
        rows: np.ndarray,
        names: list[str],
    ):
        self._laws, self._tables = laws, tables
        self._rows, self._names = rows[laws.own], names

    def solve(
        self,
        drive: TorqueDrive,
        state: np.ndarray,
        values: np.ndarray,
        effort: np.ndarray,
        external: External,
        foreseen: np.ndarray,
        last: int,
    ) -> tuple[np.ndarray, int, np.ndarray, np.ndarray]:
        """Finds the efforts of a plant step; see `TorqueDrive.solve`.

        Args:
            drive: what solves.
            state: see there, as for what is not listed.
            values: the vector of the tables, only read.
            effort: of all joints in the last step; they become those of this one.
            external: see there.
            foreseen: see there.
            last: see there.

        Returns:
            All efforts; how the step went; the modelled motors' efforts, and those
            of their friction, shape (m,) each, N m or N.
        """
        laws, own = self._laws, self._laws.own
        table = self._tables.models_table(values)
        command = self._tables.command_table(values)
        demand = values[self._tables.demand].copy()
        wanted = demand.reshape(DEMANDS, -1)
        brake = wanted[Demand.BRAKE, own].copy()
        wanted[Demand.EFFORT_LIMIT, own] = table[ModelState.BUDGET, own]
        friction = table[ModelState.FRICTION, own]
        w = table[ModelState.START_VELOCITY, own]
        given, fall, _, _ = laws.anchored(table, command)
        off = before = np.zeros(len(own))
        for turn in range(_TURNS):
            wanted[Demand.DIRECT_EFFORT, own] = given + fall * w
            wanted[Demand.BRAKE, own] = brake + fall
            effort[own] = friction + wanted[Demand.DIRECT_EFFORT, own]
            total, went = drive.solve(
                state, demand, effort, external, foreseen, last
            )
            friction = effort[own] - wanted[Demand.DIRECT_EFFORT, own]
            reached = foreseen[self._rows]
            given += fall * (w - reached)
            law, slope = laws.effort(table, command, reached)
            off = np.abs(law - given)
            wrong = off > _EXACT * (1 + np.abs(law))
            if not wrong.any():
                return total, went, given, friction
            if turn >= _NEWTON:
                wrong[np.argmax(wrong) + 1 :] = False
                slope = _secant(law - before, reached - w, slope, laws.steepest)
            before = law
            given, fall = np.where(wrong, (law, slope), (given, fall))
            w = reached
        names = ", ".join(self._names[i] for i in own)
        warn(_UNSETTLED.format(names=names, error=off.max()))
        return (
            total,
            went,
            wanted[Demand.DIRECT_EFFORT, own] - fall * w,
            friction,
        )


def _secant(
    change: np.ndarray, way: np.ndarray, slope: np.ndarray, steepest: np.ndarray
) -> np.ndarray:
    """Returns what laws fell by per velocity between two points, shape (m,).

    Args:
        change: of the efforts, N m or N.
        way: of the velocities; where there is none, the slope counts.
        slope: at the second point.
        steepest: what no law exceeds.
    """
    moved = np.abs(way) > 1e-12
    fall = -change / np.where(moved, way, 1.0)
    return np.clip(np.where(moved, fall, slope), 0.0, steepest)
