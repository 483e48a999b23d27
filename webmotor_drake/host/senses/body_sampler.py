"""Base classes for a robot's devices on the simulator's side."""

import typing
from collections.abc import Callable

import numpy as np

from webmotor_drake.host.senses.place import Place
from webmotor_drake.host.senses.sampling import Sampler
from webmotor_drake.nodes.device import DeviceNode

NodeT = typing.TypeVar("NodeT", bound=DeviceNode)
Made = typing.TypeVar("Made", bound=Callable[..., "MountedDevice"])

# The class, or factory function, of each node's devices; see `device_for`.
MADE: dict[type[DeviceNode], Callable[..., "MountedDevice"]] = {}


def device_for(node: type[DeviceNode]) -> Callable[[Made], Made]:
    """Registers a class of devices, or a function that makes one, for a node.

    Args:
        node: the device's declaration.
    """

    def register(made: Made) -> Made:
        MADE[node] = made
        return made

    return register


class HostDevice:
    """A device of a robot, with its fields as its one client sees them.

    Attributes:
        tag: 1 for the robot's first device.
        name: the device's name.
        node: its declared fields.
        node_type: number of `Node`.
        model: Solid.model; "" for a device that is no Solid, such as a motor.
        joint: joint that carries it; "": none.
        index: place among the robot's devices of its kind; names motors and brakes
            in `RobotHost.send`.
        type: 0 rotational, 1 linear.
        sampler: sampler of its measurements; None: the device does not measure.
        fields: fields that the client has set, or was told.
    """

    def __init__(
        self,
        host: typing.Any,
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
        """Does the device's work at the start of a step of so many ms.

        Returns:
            True if it has to be called again at the next step.
        """
        return False

    def change(self, field: str, value: typing.Any) -> None:
        """Takes over a field that a supervisor has set."""

    def configure(self) -> None:
        """Shows the client the fields that the simulator tells."""

    def forget_client(self) -> None:
        """Prepares the device for the next client."""

    def reset(self) -> None:
        """Clears its state: the simulation has been reset."""
        if self.sampler is not None:
            self.sampler.pending = False
            self.sampler.restart()


class MountedDevice(HostDevice):
    """A device on a body.

    Attributes:
        host: the `RobotHost` of its robot.
        clock: the `SteppedSimulation`.
        around: the `Surroundings` that all devices of a run share.

    Args:
        node: declared fields of the device.
        place: place of the device in the world.
        host: `RobotHost` of its robot.
        name: name of the device.
        index: its place among the robot's devices of its kind.
    """

    def __init__(
        self,
        node: typing.Any,
        place: Place,
        host: typing.Any,
        name: str,
        index: int,
    ):
        super().__init__(host, name, node, index)
        self.host, self.place = host, place
        self.clock, self.around = host.stepped, host.stepped.surroundings


class BodySampler(MountedDevice, Sampler, typing.Generic[NodeT]):
    """A device on a body that samples measurements."""

    blank: typing.ClassVar[typing.Any] = [float("nan")] * 3
    node: NodeT

    def __init__(self, node: NodeT, *rest: typing.Any):
        MountedDevice.__init__(self, node, *rest)
        noise, has_power = self.host.noise_of(self.name), self.host.has_power
        Sampler.__init__(self, self.sensed, has_power, self.blank, noise)
        self.sampler = self

    def sensed(self) -> typing.Any:
        """Returns a measurement of the present."""
        raise NotImplementedError

    def motion(self, what: str) -> np.ndarray:
        """Returns a part of the motion of its place, see `Surroundings.motion`."""
        return self.around.motion(self.place, what)

    def elapsed(self) -> float:
        """Returns the time since the last measurement, or the enabling, s."""
        return (self.clock.now - self.last) * self.clock.basic_time_step / 1000
