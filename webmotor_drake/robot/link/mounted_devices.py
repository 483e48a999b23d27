"""Makes what the controller keeps of devices on a body."""

import typing
from collections.abc import Callable

from webmotor_drake.drive.device_mounts import find_mounts
from webmotor_drake.motor import (
    device_nodes,
    distance_nodes,
    image_nodes,
    light_nodes,
    radio_nodes,
    unsimulated_nodes,
)
from webmotor_drake.robot.link import image_states, sight_states
from webmotor_drake.robot.link.device_state import DeviceState
from webmotor_drake.robot.link.host import RobotHost
from webmotor_drake.robot.link.mounted_state import MountedState
from webmotor_drake.robot.link.node import Node
from webmotor_drake.robot.link.radio_states import EmitterState, ReceiverState
from webmotor_drake.robot.senses import (
    body_sensors,
    camera,
    distance_sensor,
    lidar,
    light_sensor,
    radio,
    touch_sensor,
)
from webmotor_drake.robot.senses.body_sensors import BodySampler
from webmotor_drake.robot.senses.place import Place
from webmotor_drake.robot.senses.sampling import noise_source


class _Kind(typing.NamedTuple):
    """What a node becomes: a number of `Node`, and the classes of its two sides."""

    node_type: int
    sampler: Callable[..., BodySampler] | None = None
    state: type[MountedState] = MountedState


_KINDS: dict[type[device_nodes.DeviceNode], _Kind] = {
    device_nodes.Accelerometer: _Kind(
        Node.ACCELEROMETER, body_sensors.AccelerometerSampler
    ),
    device_nodes.Altimeter: _Kind(
        Node.ALTIMETER, body_sensors.AltimeterSampler
    ),
    device_nodes.Compass: _Kind(Node.COMPASS, body_sensors.CompassSampler),
    device_nodes.GPS: _Kind(Node.GPS, body_sensors.GPSSampler),
    device_nodes.Gyro: _Kind(Node.GYRO, body_sensors.GyroSampler),
    image_nodes.Camera: _Kind(
        Node.CAMERA, camera.CameraSampler, image_states.CameraState
    ),
    image_nodes.Display: _Kind(Node.DISPLAY),
    image_nodes.Lidar: _Kind(
        Node.LIDAR, lidar.LidarSampler, image_states.LidarState
    ),
    image_nodes.RangeFinder: _Kind(
        Node.RANGE_FINDER, camera.RangeFinderSampler, image_states.ImageState
    ),
    device_nodes.InertialUnit: _Kind(
        Node.INERTIAL_UNIT, body_sensors.InertialUnitSampler
    ),
    distance_nodes.DistanceSensor: _Kind(
        Node.DISTANCE_SENSOR,
        distance_sensor.DistanceSampler,
        sight_states.DistanceState,
    ),
    distance_nodes.TouchSensor: _Kind(
        Node.TOUCH_SENSOR, touch_sensor.touch_sampler
    ),
    light_nodes.LightSensor: _Kind(
        Node.LIGHT_SENSOR, light_sensor.LightSampler, sight_states.LightState
    ),
    unsimulated_nodes.Connector: _Kind(Node.CONNECTOR),
    unsimulated_nodes.Pen: _Kind(Node.PEN),
    unsimulated_nodes.Radar: _Kind(Node.RADAR),
    unsimulated_nodes.Skin: _Kind(Node.SKIN),
    unsimulated_nodes.Speaker: _Kind(Node.SPEAKER),
    unsimulated_nodes.VacuumGripper: _Kind(Node.VACUUM_GRIPPER),
    radio_nodes.Emitter: _Kind(Node.EMITTER, None, EmitterState),
    radio_nodes.LED: _Kind(Node.LED),
    radio_nodes.Receiver: _Kind(
        Node.RECEIVER, radio.ReceiverSampler, ReceiverState
    ),
}


def mounted_states(
    host: RobotHost, queue: set[DeviceState], seed: int
) -> list[MountedState]:
    """Returns the devices on a robot's bodies in the scenario's order."""
    mounts = find_mounts(host.plant, host.instance, host.devices)
    states = []
    for index, (name, node) in enumerate(host.devices.items()):
        kind = _KINDS[type(node)]
        place = Place(host.plant, host.stepped.plant_context, mounts[name])
        sampler = None
        if kind.sampler is not None:
            sampler = kind.sampler(
                node,
                place,
                host.stepped,
                noise_source(seed, f"{host.name}/{name}"),
                host.has_power,
            )
        states.append(
            kind.state(host, queue, name, index, kind.node_type, place, sampler)
        )
    return states
