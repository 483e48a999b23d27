"""Makes what the controller keeps of devices on a body."""

import typing
from collections.abc import Callable

from webmotor_drake import nodes
from webmotor_drake.controllers.link import image_states, sight_states
from webmotor_drake.controllers.link.device_state import DeviceState
from webmotor_drake.controllers.link.mounted_state import MountedState
from webmotor_drake.controllers.link.radio_states import (
    EmitterState,
    ReceiverState,
)
from webmotor_drake.drive.device_mounts import find_mounts
from webmotor_drake.host.robot_host import RobotHost
from webmotor_drake.host.senses import (
    body_sensors,
    camera,
    distance_sensor,
    lidar,
    light_sensor,
    radio,
    touch_sensor,
)
from webmotor_drake.host.senses.body_sensors import BodySampler
from webmotor_drake.host.senses.place import Place
from webmotor_drake.host.senses.sampling import noise_source
from webmotor_drake.nodes.device import DeviceNode
from webmotor_drake.nodes.node_types import Node


class _Kind(typing.NamedTuple):
    """What a node becomes: a number of `Node`, and the classes of its two sides."""

    node_type: int
    sampler: Callable[..., BodySampler] | None = None
    state: type[MountedState] = MountedState


_KINDS: dict[type[DeviceNode], _Kind] = {
    nodes.Accelerometer: _Kind(
        Node.ACCELEROMETER, body_sensors.AccelerometerSampler
    ),
    nodes.Altimeter: _Kind(Node.ALTIMETER, body_sensors.AltimeterSampler),
    nodes.Compass: _Kind(Node.COMPASS, body_sensors.CompassSampler),
    nodes.GPS: _Kind(Node.GPS, body_sensors.GPSSampler),
    nodes.Gyro: _Kind(Node.GYRO, body_sensors.GyroSampler),
    nodes.Camera: _Kind(
        Node.CAMERA, camera.CameraSampler, image_states.CameraState
    ),
    nodes.Display: _Kind(Node.DISPLAY),
    nodes.Lidar: _Kind(Node.LIDAR, lidar.LidarSampler, image_states.LidarState),
    nodes.RangeFinder: _Kind(
        Node.RANGE_FINDER, camera.RangeFinderSampler, image_states.ImageState
    ),
    nodes.InertialUnit: _Kind(
        Node.INERTIAL_UNIT, body_sensors.InertialUnitSampler
    ),
    nodes.DistanceSensor: _Kind(
        Node.DISTANCE_SENSOR,
        distance_sensor.DistanceSampler,
        sight_states.DistanceState,
    ),
    nodes.TouchSensor: _Kind(Node.TOUCH_SENSOR, touch_sensor.touch_sampler),
    nodes.LightSensor: _Kind(
        Node.LIGHT_SENSOR, light_sensor.LightSampler, sight_states.LightState
    ),
    nodes.Connector: _Kind(Node.CONNECTOR),
    nodes.Pen: _Kind(Node.PEN),
    nodes.Radar: _Kind(Node.RADAR),
    nodes.Skin: _Kind(Node.SKIN),
    nodes.Speaker: _Kind(Node.SPEAKER),
    nodes.VacuumGripper: _Kind(Node.VACUUM_GRIPPER),
    nodes.Emitter: _Kind(Node.EMITTER, None, EmitterState),
    nodes.LED: _Kind(Node.LED),
    nodes.Receiver: _Kind(Node.RECEIVER, radio.ReceiverSampler, ReceiverState),
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
