"""The link between a robot and the program that controls it."""

import dataclasses as dc
import functools

from webmotor_drake.protocol.framing import Request
from webmotor_drake.protocol.programs import Program
from webmotor_drake.protocol.wire_robot import WireRobot


@dc.dataclass
class Link:
    """A robot and its client.

    Attributes:
        robot: the robot.
        program: program that was started; None: somebody else starts one.
        expected: True if it is there, or will come.
        configured: True if its client knows the robot.
        asked: the step that its client waits for; None: it computes.
        due: step at whose start that is; None: it is not carried out.
        quits: True if its client is told at its next step that it is over.
        again: True if its program is started again once it has left.
        starts: number of starts at the present step, and the step.
    """

    robot: WireRobot
    program: Program | None = None
    expected: bool = True
    configured: bool = False
    asked: Request | None = None
    due: int | None = None
    quits: bool = False
    again: bool = False
    starts: tuple[int, int] = (0, -1)

    @functools.cached_property
    def name(self) -> str:
        """The robot's name."""
        return self.robot.host.name

    @property
    def awaited(self) -> bool:
        """Whether the simulation waits for its next step (Robot.synchronization)."""
        waits = self.robot.host.driver.synchronization
        return waits and self.expected and self.asked is None

    def begun(self, asked: Request) -> int:
        """Carries out, once, the beginning of a step; returns when it is due."""
        if self.due is not None:
            return self.due
        self.robot.carry_out(asked)
        self.due = self.robot.exchange.begin_step(asked.milliseconds)
        return self.due

    def forget(self) -> None:
        """Forgets its client."""
        self.robot.leave()
        self.configured = self.quits = False
        self.asked = self.due = None
