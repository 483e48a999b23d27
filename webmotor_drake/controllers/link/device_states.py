"""The controller's state of each of its robot's devices."""

from webmotor_drake.controllers.link.connector_state import ConnectorState
from webmotor_drake.controllers.link.device_state import (
    BrakeState,
    DeviceState,
    MotorState,
    SensorState,
)
from webmotor_drake.controllers.link.image_states import CameraState, LidarState
from webmotor_drake.controllers.link.mounted_state import MountedState
from webmotor_drake.controllers.link.radio_states import (
    EmitterState,
    ReceiverState,
)
from webmotor_drake.controllers.link.requests import Requests
from webmotor_drake.host.devices import MotorDevice, devices_of
from webmotor_drake.host.robot_host import RobotHost
from webmotor_drake.nodes.node_types import Node

# Others keep no more than their fields and what they have measured.
_STATES: dict[int, type[DeviceState]] = {
    Node.BRAKE: BrakeState,
    Node.CAMERA: CameraState,
    Node.CONNECTOR: ConnectorState,
    Node.EMITTER: EmitterState,
    Node.LIDAR: LidarState,
    Node.POSITION_SENSOR: SensorState,
    Node.RECEIVER: ReceiverState,
}


def device_states(
    host: RobotHost, queue: Requests, seed: int
) -> list[DeviceState]:
    """Returns the devices of a robot in the order of their tags.

    Args:
        host: the simulator's side of the robot.
        queue: where their requests go.
        seed: the scenario's random_seed.
    """
    states: list[DeviceState] = []
    motors: list[MotorState] = []
    for device in devices_of(host, seed):
        if isinstance(device, MotorDevice):
            motors.append(
                MotorState(device, queue, host.settings(device.index))
            )
            states.append(motors[-1])
        else:
            kind = _STATES.get(device.node_type, MountedState)
            states.append(kind(device, queue))
    for motor in motors:
        group = motor.device.group
        motor.siblings = [motors[i] for i in group if i != motor.index]
    return states
