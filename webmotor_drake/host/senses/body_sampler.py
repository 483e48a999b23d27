"""Samplers of devices on bodies, by type of device."""

import typing
from collections.abc import Callable

import numpy as np

from webmotor_drake.host.senses.place import Place
from webmotor_drake.host.senses.sampling import Sampler
from webmotor_drake.nodes.device import DeviceNode

NodeT = typing.TypeVar("NodeT", bound=DeviceNode)
Made = typing.TypeVar("Made", bound=Callable[..., "BodySampler[typing.Any]"])

# The maker of the sampler of each device that measures, see `samples`.
SAMPLERS: dict[type[DeviceNode], Callable[..., "BodySampler[typing.Any]"]] = {}


def samples(node: type[DeviceNode]) -> Callable[[Made], Made]:
    """Registers a class of samplers, or a function that makes one, for a device.

    Args:
        node: the device's declaration.
    """

    def register(sampler: Made) -> Made:
        SAMPLERS[node] = sampler
        return sampler

    return register


class BodySampler(Sampler, typing.Generic[NodeT]):
    """Samples the measurements of a device on a body.

    Attributes:
        clock: the `SteppedSimulation`.
        around: the `Surroundings` that all devices of a run share.

    Args:
        node: declared fields of the device.
        place: its place.
        host: the `RobotHost` of its robot.
        name: name of the device.
        random: source of its noise.
    """

    blank: typing.ClassVar[typing.Any] = [float("nan")] * 3

    def __init__(
        self,
        node: NodeT,
        place: Place,
        host: typing.Any,
        name: str,
        random: np.random.Generator,
    ):
        super().__init__(self.sensed, host.has_power, self.blank, random)
        self.node, self.place = node, place
        self.host, self.name = host, name
        self.clock, self.around = host.stepped, host.stepped.surroundings

    def sensed(self) -> typing.Any:
        """Returns a measurement of the present."""
        raise NotImplementedError

    def elapsed(self) -> float:
        """Returns the time since the last measurement, or the enabling, s."""
        return (self.clock.now - self.last) * self.clock.basic_time_step / 1000
