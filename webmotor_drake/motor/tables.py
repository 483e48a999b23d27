"""The state of a model's motors: tables side by side in one vector."""

import numpy as np

from webmotor_drake.motor.law import Command, Demand, Servo


class MotorTables:
    """Where the tables of `webmotor_drake.motor.law`, and more, stand in the vector.

    One vector and not one a table: every look into a Context costs 0.4 µs, all
    the arithmetic of a motor 1 µs.

    Attributes:
        size: the length of the vector.
        command: the slice of the `Command` table, row by row.
        servo: of the `Servo` table.
        demand: of the `Demand` table.
        effort: of what the motors applied in the plant step just finished.
        drive: of what the drive keeps for itself.
        last_step: the place of the number of the last plant step, the last one;
            -1 before the first.

    Args:
        motors: their number n.
        joints: the number m of joints that a drive acts on.
        drive: the number of floats that the drive keeps.
    """

    def __init__(self, motors: int, joints: int, drive: int):
        sizes = (
            len(Command) * motors,
            len(Servo) * motors,
            len(Demand) * joints,
            motors,
            drive,
        )
        ends = np.cumsum(sizes).tolist()
        (
            self.command,
            self.servo,
            self.demand,
            self.effort,
            self.drive,
        ) = map(slice, [0, *ends], ends)
        self.last_step = ends[-1]
        self.size = ends[-1] + 1

    def command_table(self, values: np.ndarray) -> np.ndarray:
        """Returns the `Command` table as a view, (9, n)."""
        return values[self.command].reshape(len(Command), -1)

    def servo_table(self, values: np.ndarray) -> np.ndarray:
        """Returns the `Servo` table as a view, (4, n)."""
        return values[self.servo].reshape(len(Servo), -1)

    def demand_table(self, values: np.ndarray) -> np.ndarray:
        """Returns the `Demand` table as a view, (4, m)."""
        return values[self.demand].reshape(len(Demand), -1)
