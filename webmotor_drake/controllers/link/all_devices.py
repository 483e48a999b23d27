"""The devices of a robot, in the order of their tags."""

from webmotor_drake.controllers.link.device_state import (
    BrakeState,
    DeviceState,
    MotorState,
    SensorState,
)
from webmotor_drake.controllers.link.mounted_devices import mounted_states
from webmotor_drake.host.robot_host import RobotHost
from webmotor_drake.host.senses.sampling import (
    Sampler,
    noise_source,
    position_reading,
)
from webmotor_drake.nodes.motors import LinearMotor
from webmotor_drake.nodes.node_types import Node


def device_states(
    host: RobotHost, queue: set[DeviceState], seed: int
) -> list[DeviceState]:
    """Returns the devices of a robot in the order of their tags.

    Motors come first, then position sensors, brakes and all others; each in the
    order of the scenario.

    Args:
        host: the simulator's side of the robot.
        queue: where they put themselves when they have requests.
        seed: the scenario's random_seed.
    """
    motors = []
    for index, (name, node) in enumerate(host.motors.items()):
        linear = isinstance(node, LinearMotor)
        node_type = Node.LINEAR_MOTOR if linear else Node.ROTATIONAL_MOTOR
        motors.append(
            MotorState(host, queue, name, node.joint, node_type, index)
        )
    for motor in motors:
        group = host.groups[motor.index]
        motor.siblings = [motors[i] for i in group if i != motor.index]
    sensors = _sensor_states(host, queue, seed)
    brakes = [
        BrakeState(host, queue, name, node.joint, index)
        for index, (name, node) in enumerate(host.brakes.items())
    ]
    devices = [*motors, *sensors, *brakes, *mounted_states(host, queue, seed)]
    for tag, device in enumerate(devices, start=1):
        device.tag = tag
    return devices


def _sensor_states(
    host: RobotHost, queue: set[DeviceState], seed: int
) -> list[SensorState]:
    states = []
    for index, (name, node) in enumerate(host.position_sensors.items()):
        random = noise_source(seed, f"{host.name}/{name}")
        measure = position_reading(
            host.position(node.joint),
            noise=node.noise,
            offset=node.offset,
            resolution=node.resolution,
            random=random,
        )
        sampler = Sampler(measure, host.has_power, random=random)
        states.append(
            SensorState(host, queue, name, node.joint, index, sampler)
        )
    return states
