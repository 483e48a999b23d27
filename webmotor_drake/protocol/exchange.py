"""A client's requests of a robot, with the tags and images of the wire."""

from collections.abc import Sequence
from pathlib import Path

from webmotor_drake.host.devices import HostDevice
from webmotor_drake.host.robot_host import RobotHost
from webmotor_drake.host.robot_requests import RobotRequests


class Exchange(RobotRequests):
    """Requests and answers of a robot's devices between two steps.

    Attributes:
        tags: of the devices on the wire, by those of the simulator.
        images: the pixels that the next answer has, by tag and number; over TCP.
        image_folder: folder of files with pixels; None: over TCP.
    """

    def __init__(self, host: RobotHost, devices: Sequence[HostDevice]):
        super().__init__(host, devices)
        self.tags = {d.tag: tag for tag, d in enumerate(devices, start=1)}
        self.images: dict[tuple[int, int], bytes] = {}
        self.image_folder: Path | None = None
