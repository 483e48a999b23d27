"""The common part of Node, Field and Supervisor: the check of a supervisor's right."""

from collections.abc import Sequence

import numpy as np

from webmotor_drake.controllers.link.client import Client
from webmotor_drake.host import messages
from webmotor_drake.host.scene.scene import Scene, scene_of


class Supervised:
    """A part of the world that a supervisor reads or changes.

    Args:
        client: the supervisor's side.
    """

    def __init__(self, client: Client):
        self._client = client

    def _track(self, *arguments: object, **keywords: object) -> None:
        """Does nothing: all that can be tracked is read directly anyway."""

    @property
    def _scene(self) -> Scene:
        return scene_of(self._client.host.stepped)

    def _may(self, call: str) -> bool:
        """Returns whether the robot is a supervisor; prints an error if not."""
        host = self._client.host
        if not host.is_supervisor:
            needed = "its driver needs 'supervisor: true'"
            messages.error(call, f"{host.name} is not a supervisor; {needed}")
        return host.is_supervisor

    def _refuse(self, call: str, reason: str) -> bool:
        """Prints why a call is impossible here; returns False."""
        if Supervised._may(self, call):
            messages.error(call, reason)
        return False

    def _ask(self, call: str) -> bool:
        """Sends queued requests; returns whether the simulator can answer now."""
        return self._may(call) and self._client.flush(call)


def numbers(
    call: str, values: object, size: int, *, least: int | None = None
) -> list[float] | None:
    """Returns an argument with `size` numbers; None, with an error, for others.

    Args:
        call: name of the call, for the error.
        values: the argument.
        size: number of the values.
        least: fewest numbers that are needed, missing ones are 0 (as in a new array
            of ctypes in Webots); None: `size`.

    Raises:
        TypeError: it is not a sequence of numbers, as with Webots, where ctypes
            raises.
    """
    if isinstance(values, str | bytes) or not isinstance(
        values, Sequence | np.ndarray
    ):
        raise TypeError(f"{call}: {values!r} is not a list of {size} numbers")
    result = [messages.number(call, value) for value in values]
    if least is not None and least <= len(result) < size:
        result += [0.0] * (size - len(result))
    if len(result) == size:
        return result
    messages.error(call, f"{len(result)} numbers; {size} are needed")
    return None
