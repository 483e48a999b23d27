"""The link between a robot and the program that controls it."""

from webmotor_drake.protocol.framing import Request
from webmotor_drake.protocol.programs import Program
from webmotor_drake.protocol.wire_robot import WireRobot


class Link(WireRobot):
    """A robot and its client.

    Attributes:
        program: program that was started; None: the user starts one.
        expected: True if the program is there, or will come.
        configured: True if its client knows the robot.
        asked: request for a step that its client waits for; None: the client computes.
        due: step at whose start the client is answered; None: it is not begun.
        quits: True if its client is told to quit at its next step.
        again: True if its program is started again after it has left.
        starts: number of starts at the present step, and the step.
    """

    program: Program | None = None
    expected = True
    configured = quits = again = False
    asked: Request | None = None
    due: int | None = None
    starts: tuple[int, int] = (0, -1)

    @property
    def name(self) -> str:
        """The robot's name."""
        return self.host.name

    @property
    def awaited(self) -> bool:
        """Whether the simulation waits for its next step (Robot.synchronization)."""
        waits = self.host.driver.synchronization
        return waits and self.expected and self.asked is None

    def begun(self, asked: Request) -> int:
        """Begins a step, once; returns the basic step at whose start it is due."""
        if self.due is None:
            self.carry_out(asked)
            self.due = self.exchange.begin_step(asked.milliseconds)
        return self.due

    def leave(self) -> None:
        """Forgets its client."""
        super().leave()
        self.configured = self.quits = False
        self.asked = self.due = None
