"""A device that a controller wants and its robot does not have."""

import math
import typing

from webmotor_drake.host import messages
from webmotor_drake.host.senses.sampling import Sampler


class Absent:
    """Stands for a device that the robot does not have.

    Every use prints an error; numbers are NaN.
    """

    tag = 0
    joint = model = ""

    def __init__(self, name: str, kind: str):
        self.name = name
        self._kind = kind

    @property
    def settings(self) -> "Absent":
        """Stands for the settings, too."""
        return self

    @property
    def node(self) -> "Absent":
        """Stands for the node, too."""
        return self

    def get(self, field: str, default: typing.Any = None) -> typing.Any:
        """Returns NaN, with an error."""
        return getattr(self, field)

    def tell(self) -> None:
        """Prints the error."""
        messages.error(
            f"{self._kind} {self.name!r}", "the robot has no such device"
        )

    def __getattr__(self, field: str) -> typing.Any:
        self.tell()
        if field in ("feedback", "sampler"):
            return Sampler(lambda: math.nan)
        return math.nan
