"""A device of a robot on the simulator's side, and the two kinds of most of them."""

import typing

from webmotor_drake.host.robot_host import RobotHost
from webmotor_drake.host.senses.place import Place
from webmotor_drake.host.senses.sampling import Sampler


class HostDevice:
    """A device of a robot.

    Attributes:
        tag: 1 for the robot's first device.
        name: the device's name.
        node: its declared fields.
        node_type: of `Node`.
        joint: the joint that it is on; "": none.
        index: its place among the robot's devices of its kind; what `send` calls
            a motor or a brake.
        type: 0 rotational, 1 linear.
        sampler: takes its measurements once a client enables it; None: no measurements.
    """

    def __init__(
        self,
        host: RobotHost,
        name: str,
        node: typing.Any,
        index: int,
        sampler: Sampler | None = None,
    ):
        self.tag = 0
        self.name = name
        self.node = node
        self.node_type: int = node.node_type
        self.index = index
        self.joint: str = getattr(node, "joint", "")
        self.type = host.joint_type(self.joint) if self.joint else 0
        self.sampler = sampler

    def act(self, milliseconds: int) -> bool:
        """Executes what it has to do as a step of so many ms starts.

        Returns:
            Whether the next step has to call it again.
        """
        return False

    def change(self, field: str, value: typing.Any) -> None:
        """Takes over a field that a supervisor has set."""

    def told(self) -> dict[str, typing.Any]:
        """Returns the fields that a client is told when they change."""
        return {}

    def restart(self) -> None:
        """Clears its state: the simulation has been reset."""
        if self.sampler is not None:
            self.sampler.pending = False
            self.sampler.restart()


class MotorDevice(HostDevice):
    """A motor.

    Attributes:
        feedback: the sampler of its effort, N m or N.
        sampler: of its joint's position, which the old Servo measures.
        group: the indices of the motors that are coupled with it, its own too.
    """

    def __init__(
        self, host: RobotHost, name: str, node: typing.Any, index: int
    ):
        position = Sampler(host.position(node.joint), host.has_power)
        super().__init__(host, name, node, index, position)
        self.feedback = Sampler(host.feedback(index), host.has_power)
        self.group = host.groups[index]


class MountedDevice(HostDevice):
    """A device on a body.

    Attributes:
        place: where it is.
        surroundings: what it senses there.
    """

    def __init__(
        self,
        host: RobotHost,
        name: str,
        node: typing.Any,
        index: int,
        place: Place,
        sampler: Sampler | None,
    ):
        super().__init__(host, name, node, index, sampler)
        self.place = place
        self.surroundings = host.stepped.surroundings
