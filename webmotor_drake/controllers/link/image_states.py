"""What the controller keeps of Cameras, RangeFinders and Lidars (camera.c, lidar.c)."""

import typing

from webmotor_drake.controllers.link.device_state import Measurement
from webmotor_drake.controllers.link.mounted_state import MountedState
from webmotor_drake.host.senses.recognition import RecognitionSampler

if typing.TYPE_CHECKING:
    from webmotor_drake.host.senses.camera import CameraSampler, ImageSampler


class ImageState(MountedState):
    """A device that sees as the controller sees it."""

    sampler: "ImageSampler"

    def __init__(self, *arguments: typing.Any):
        super().__init__(*arguments)
        self.sampler.look_into(
            self.surroundings.renderer, self.surroundings.stay_in_thread
        )


class CameraState(ImageState):
    """A camera as the controller sees it.

    Attributes:
        field_of_view: as set, rad.
        exposure: as set; it changes nothing.
        recognition: the measurement of what it names; None: nothing.
        segments: whether segmentation is on.
    """

    sampler: "CameraSampler"

    def __init__(self, *arguments: typing.Any):
        super().__init__(*arguments)
        self.field_of_view: float = self.node.field_of_view
        self.exposure = 1.0
        self.segments = False
        self.recognition: Measurement | None = None
        if self.node.recognition is not None:
            camera = self.sampler
            sampler = RecognitionSampler(
                self.node,
                self.place,
                camera.clock,
                camera.random,
                camera.has_power,
            )
            sampler.look_through(camera)
            self.recognition = Measurement(sampler, sampler.value)

    def act(self, milliseconds: int) -> None:
        """Changes the field of view and the segmentation."""
        self.sampler.field_of_view = self.field_of_view
        if self.recognition is not None:
            self.recognition.sampler.segments = self.segments


class LidarState(ImageState):
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
        clock = self.sampler.clock
        self.measured_at = self.sampler.last * clock.basic_time_step / 1000
