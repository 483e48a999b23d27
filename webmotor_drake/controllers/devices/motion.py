"""Webots' Motion: plays a .motion file."""

import math
import os
import weakref

from webmotor_drake.controllers.link import active
from webmotor_drake.controllers.link.client import Client
from webmotor_drake.errors import InputError
from webmotor_drake.host import messages
from webmotor_drake.host.devices import MotorDevice
from webmotor_drake.results.motion_file import load_motion


class Motion:
    """Targets for motors, from a file, sent as time passes.

    At the start of each step every motion that plays commands its motors with
    the positions of its present time, then moves that time on by the step
    (motion.c). A Motion that no variable holds any more does not play.

    Args:
        filename: a .motion file. One that cannot be read prints an error; such a
            motion is not valid, and its methods do nothing.
        robot: robot that has the motors; None: the controller's.
    """

    def __init__(
        self,
        filename: str | os.PathLike[str],
        *,
        robot: active.Owner | None = None,
    ):
        self._name = str(filename)
        self._elapsed = 0
        self._playing = self._loop = self._reverse = False
        client = active.client_of(robot)
        try:
            self._file = load_motion(filename)
        except InputError as error:
            messages.error("Motion", str(error))
            self._file = None
            return
        self._client = client
        self._motors = [self._motor(client, name) for name in self._file.motors]
        client.motions.insert(
            0, weakref.WeakMethod(self._advance, client.motions.remove)
        )

    def _motor(self, client: Client, name: str) -> MotorDevice | None:
        """Returns the motor of a column; None, with a message, if there is none."""
        call = f"Motion({self._name!r})"
        found = next((d for d in client.devices if d.name == name), None)
        if isinstance(found, MotorDevice):
            return found
        if found is None:
            messages.warning(call, f"the robot has no motor {name!r}")
        else:
            messages.error(call, f"{name!r} is not a motor")
        return None

    def _advance(self, milliseconds: int) -> None:
        """Commands the motors if it plays, and moves its time on by `milliseconds`."""
        if not self._playing:
            return
        positions = self._file.at(self._elapsed).tolist()
        for motor, position in zip(self._motors, positions, strict=True):
            if motor is not None and not math.isnan(position):
                self._client.request_position(motor, position)
        if not self._at_end():
            self._elapsed += -milliseconds if self._reverse else milliseconds
        elif self._loop:
            self._elapsed = self._file.duration if self._reverse else 0
        else:
            self._elapsed = 0 if self._reverse else self._file.duration
            self._playing = False

    def _at_end(self) -> bool:
        if self._reverse:
            return self._elapsed <= 0
        return self._elapsed >= self._file.duration

    def isValid(self) -> bool:
        """Returns whether the file could be read."""
        return self._file is not None

    def play(self) -> None:
        """Plays on; from the other end, if it is at the end."""
        if self._is_invalid("play()"):
            return
        self._playing = True
        if self._at_end():
            self._elapsed = self._file.duration if self._reverse else 0

    def stop(self) -> None:
        """Plays no further; `play` goes on from here."""
        if not self._is_invalid("stop()"):
            self._playing = False

    def setLoop(self, loop: bool) -> None:
        """Lets the motion go on at its other end after an end, if `loop` is true."""
        if not self._is_invalid("setLoop()"):
            self._loop = bool(loop)

    def setReverse(self, reverse: bool) -> None:
        """Plays backwards from now on if `reverse` is true, else forwards."""
        if not self._is_invalid("setReverse()"):
            self._reverse = bool(reverse)

    def isOver(self) -> bool:
        """Returns whether the end is reached; always False for a loop.

        The positions at the end are sent only by the next step.
        """
        if self._is_invalid("isOver()") or self._loop:
            return False
        return self._at_end()

    def getDuration(self) -> int:
        """Returns the time of the last pose, ms; -1 for an invalid motion."""
        if self._is_invalid("getDuration()"):
            return -1
        return self._file.duration

    def getTime(self) -> int:
        """Returns the present time in the motion, ms; -1 for an invalid one."""
        return -1 if self._is_invalid("getTime()") else self._elapsed

    def setTime(self, time: int) -> None:
        """Sets the time in the motion, ms, between 0 and its duration."""
        time = messages.milliseconds("Motion.setTime()", time)
        if not self._is_invalid("setTime()"):
            self._elapsed = min(max(time, 0), self._file.duration)

    def _is_invalid(self, method: str) -> bool:
        """Returns whether the motion cannot be played; prints an error if so."""
        if self._file is None:
            messages.error(
                f"Motion.{method}", f"{self._name!r} is not a valid motion"
            )
        return self._file is None

    time = property(getTime, setTime)
    duration = property(getDuration)
