"""The link between a robot and the program that controls it."""

import dataclasses as dc

from webmotor_drake.protocol.framing import Request
from webmotor_drake.protocol.programs import Program
from webmotor_drake.protocol.wire_robot import WireRobot


@dc.dataclass
class Link:
    """A robot and its client.

    Attributes:
        robot: the robot.
        program: what was started for it; None: somebody else starts it.
        expected: whether the simulation waits for it.
        configured: whether its client knows the robot.
        asked: the step that its client waits for; None: it computes.
        due: at the start of which step that is; None: it is not carried out.
        before: at which step it asked before; None: never.
        delay: how late the answer is, ms.
        quits: whether its client is told at its next step that it is over.
        again: whether its program is started again once it has left.
    """

    robot: WireRobot
    program: Program | None = None
    expected: bool = True
    configured: bool = False
    asked: Request | None = None
    due: int | None = None
    before: int | None = None
    delay: int = 0
    quits: bool = False
    again: bool = False

    @property
    def name(self) -> str:
        """The robot's name."""
        return self.robot.host.name

    def forget(self) -> None:
        """Forgets its client."""
        self.robot.leave()
        self.expected = self.configured = self.quits = False
        self.asked = self.due = self.before = None
