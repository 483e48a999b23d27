"""What the controller keeps of sensors that look around."""

import typing

from webmotor_drake.controllers.link.mounted_state import MountedState
from webmotor_drake.host.robot_host import RobotHost

if typing.TYPE_CHECKING:
    from webmotor_drake.host.senses.distance_sensor import DistanceSampler
    from webmotor_drake.host.senses.light_sensor import LightSampler


class DistanceState(MountedState):
    """A distance sensor as the controller sees it."""

    sampler: "DistanceSampler"

    def __init__(self, host: RobotHost, *rest: typing.Any):
        super().__init__(host, *rest)
        self.sampler.look_into(self.surroundings.distances, host.self_collision)


class LightState(MountedState):
    """A light sensor as the controller sees it."""

    sampler: "LightSampler"

    def __init__(self, *arguments: typing.Any):
        super().__init__(*arguments)
        around = self.surroundings
        self.sampler.look_into(around.lights, around.solids)
