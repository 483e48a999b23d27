"""The motions that a robot plays while it steps."""

import typing
import weakref


class Playing(typing.Protocol):
    """An object that commands motors as time passes: a Motion."""

    def advance(self, milliseconds: int) -> None:
        """Requests what is due now and moves its time on."""


class Motions:
    """Motions in the order in which they play: the newest first.

    They are there for as long as somebody holds them.
    """

    def __init__(self):
        self._motions: list[weakref.ref[Playing]] = []

    def __bool__(self) -> bool:
        return bool(self._motions)

    def add(self, motion: Playing) -> None:
        """Plays `motion`, when it is playing."""
        self._motions.insert(0, weakref.ref(motion, self._motions.remove))

    def advance(self, milliseconds: int) -> None:
        """Makes all of them request what is due now, and moves their time on."""
        for reference in list(self._motions):
            motion = reference()
            if motion is not None:
                motion.advance(milliseconds)
