"""What the controller keeps of devices on a body, and what they measure there."""

from webmotor_drake.drive.device_mounts import find_mounts
from webmotor_drake.motor.device_nodes import (
    GPS,
    Accelerometer,
    Compass,
    DeviceNode,
    Gyro,
    InertialUnit,
)
from webmotor_drake.robot.link.device_state import DeviceState, Measurement
from webmotor_drake.robot.link.host import RobotHost
from webmotor_drake.robot.link.node import Node
from webmotor_drake.robot.senses.body_sensors import (
    AccelerometerSampler,
    BodySampler,
    CompassSampler,
    GPSSampler,
    GyroSampler,
    InertialUnitSampler,
)
from webmotor_drake.robot.senses.place import Place
from webmotor_drake.robot.senses.sampling import Sampler, noise_source

_NODE_TYPES: dict[type[DeviceNode], int] = {
    Accelerometer: Node.ACCELEROMETER,
    Compass: Node.COMPASS,
    GPS: Node.GPS,
    Gyro: Node.GYRO,
    InertialUnit: Node.INERTIAL_UNIT,
}

_SAMPLERS: dict[type[DeviceNode], type[BodySampler]] = {
    Accelerometer: AccelerometerSampler,
    Compass: CompassSampler,
    GPS: GPSSampler,
    Gyro: GyroSampler,
    InertialUnit: InertialUnitSampler,
}


class MountedState(DeviceState):
    """A device on a body as the controller sees it.

    Attributes:
        node: its fields.
        measurement: what it measures.
    """

    def __init__(
        self,
        host: RobotHost,
        queue: set[DeviceState],
        name: str,
        index: int,
        sampler: Sampler,
    ):
        self.node = host.devices[name]
        node_type = _NODE_TYPES[type(self.node)]
        super().__init__(host, queue, name, "", node_type, index)
        self.measurement = Measurement(sampler, sampler.value)


def mounted_states(
    host: RobotHost, queue: set[DeviceState], seed: int
) -> list[MountedState]:
    """Returns the devices on a robot's bodies in the scenario's order."""
    mounts = find_mounts(host.plant, host.instance, host.devices)
    states = []
    for index, (name, node) in enumerate(host.devices.items()):
        place = Place(host.plant, host.stepped.plant_context, mounts[name])
        sampler = _SAMPLERS[type(node)](
            node,
            place,
            host.stepped,
            noise_source(seed, f"{host.name}/{name}"),
            host.has_power,
        )
        states.append(MountedState(host, queue, name, index, sampler))
    return states
