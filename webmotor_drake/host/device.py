"""A device of a robot on the simulator's side, and the two kinds of most of them."""

import math
import typing

from webmotor_drake.host.robot_host import MotorSettings, RobotHost
from webmotor_drake.host.senses.place import Place
from webmotor_drake.host.senses.sampling import Sampler


class HostDevice:
    """A device of a robot, and how its one client sees it.

    Attributes:
        tag: 1 for the robot's first device.
        name: the device's name.
        node: its declared fields.
        node_type: of `Node`.
        model: Solid.model; "" of what is no Solid, such as a motor.
        joint: the joint that it is on; "": none.
        index: its place among the robot's devices of its kind; what `send` calls
            a motor or a brake.
        type: 0 rotational, 1 linear.
        sampler: takes its measurements once a client enables it; None: no measurements.
        fields: those that the client has set, or was told.
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
        self.model: str = getattr(node, "model", "")
        self.index = index
        self.joint: str = getattr(node, "joint", "")
        self.type = host.joint_type(self.joint) if self.joint else 0
        self.sampler: typing.Any = sampler
        self.fields: dict[str, typing.Any] = {}

    def get(self, field: str, default: typing.Any = None) -> typing.Any:
        """Returns a field as the client has set it, or else as the node has it."""
        if field in self.fields:
            return self.fields[field]
        return getattr(self.node, field, default)

    def act(self, milliseconds: int) -> bool:
        """Does its work as a step of so many ms starts.

        Returns:
            Whether the next step has to call it again.
        """
        return False

    def change(self, field: str, value: typing.Any) -> None:
        """Takes over a field that a supervisor has set."""

    def told(self) -> dict[str, typing.Any]:
        """Returns the fields that a client is told when they change."""
        return {}

    def configure(self) -> None:
        """Has the client see the fields that it is told."""
        self.fields |= self.told()

    def forget_client(self) -> None:
        """Is for the next client as for the first."""

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
        siblings: the other motors of its group.
        settings: those that the client was told last.
        target_position, target_velocity, acceleration, available_effort: as the
            client has set them, or as it was told.
    """

    settings: MotorSettings

    def __init__(
        self, host: RobotHost, name: str, node: typing.Any, index: int
    ):
        position = Sampler(host.position(node.joint), host.has_power)
        super().__init__(host, name, node, index, position)
        self._host = host
        self.feedback = Sampler(host.feedback(index), host.has_power)
        self.group = host.groups[index]
        self.siblings: list[MotorDevice] = []
        self.available_effort = math.inf

    def configure(self) -> None:
        """Has the client see the simulator's values (motor.c motor_read_answer)."""
        before = getattr(self, "settings", None)
        self.settings = now = self._host.settings(self.index)
        if before is None or self.available_effort == before.max_effort:
            self.available_effort = now.max_effort
        self.available_effort = min(self.available_effort, now.max_effort)
        self.target_position = now.target_position
        self.target_velocity = now.target_velocity
        self.acceleration = now.acceleration

    def see_target(self, position: float) -> None:
        """Has the client see a target, times the multiplier for coupled motors."""
        self.target_position = position
        for sibling in self.siblings:
            sibling.target_position = (
                position
                if math.isinf(position)
                else position * sibling.settings.multiplier
            )

    def see_velocity(self, velocity: float) -> None:
        """Has the client see a velocity, times the multiplier for coupled motors."""
        self.target_velocity = velocity
        for sibling in self.siblings:
            sibling.target_velocity = velocity * sibling.settings.multiplier


class MountedDevice(HostDevice):
    """A device on a body.

    Attributes:
        place: its place in the world.
        surroundings: those of the run.
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
