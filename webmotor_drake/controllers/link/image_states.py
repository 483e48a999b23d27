"""The controller's state of Cameras and Lidars (camera.c, lidar.c)."""

import typing

from webmotor_drake.controllers.link.device_state import Request
from webmotor_drake.controllers.link.mounted_state import MountedState
from webmotor_drake.host.devices import CameraDevice
from webmotor_drake.host.measuring import Measurement
from webmotor_drake.host.senses.camera import ImageSampler


class CameraState(MountedState):
    """A camera as the controller sees it.

    Attributes:
        field_of_view: as set, rad.
        exposure: as set.
        recognition: the measurement of its recognition; None: no recognition.
        segments: whether segmentation is on.
    """

    device: CameraDevice

    def __init__(self, *arguments: typing.Any):
        super().__init__(*arguments)
        self.field_of_view: float = self.node.field_of_view
        self.exposure = 1.0
        self.segments = False
        sampler = self.device.recognition
        self.recognition = sampler and Measurement(sampler, sampler.value)

    def measured(self, number: int) -> Measurement:
        """Returns the measurement of its recognition, or of its image."""
        if number == Request.RECOGNITION_PERIOD and self.recognition:
            return self.recognition
        return self.measurement

    def change(self, field: str, value: float) -> None:
        """Takes over what a supervisor has set: the field of view."""
        setattr(self, field, value)
        self.act(0)

    def act(self, milliseconds: int) -> None:
        """Changes the field of view, the exposure and the segmentation."""
        self.device.sampler.field_of_view = self.field_of_view
        self.device.sampler.exposure = self.exposure
        if self.device.recognition is not None:
            self.device.recognition.segments = self.segments


class LidarState(MountedState):
    """A lidar as the controller sees it.

    Attributes:
        frequency: as set, 1/s; it changes nothing.
        has_points: whether the point cloud is on.
        measured_at: the time of the newest measurement, s.
    """

    def __init__(self, *arguments: typing.Any):
        super().__init__(*arguments)
        self.frequency: float = self.node.default_frequency
        self.has_points = False
        self.measured_at = 0.0

    def answered(self) -> None:
        """Notes the time."""
        sampler = typing.cast(ImageSampler[typing.Any], self.device.sampler)
        self.measured_at = sampler.last * sampler.clock.basic_time_step / 1000
