"""Webots' Connector, which holds another one."""

from webmotor_drake import nodes
from webmotor_drake.controllers.devices.device import Device, tell_off
from webmotor_drake.host import messages


class Connector(Device):
    """Holds a Connector that faces it, until it is unlocked or breaks."""

    _declared = nodes.Connector

    def enablePresence(self, samplingPeriod: int) -> None:
        """Looks every `samplingPeriod` ms for a Connector to hold; 0: stops."""
        self._sample("enablePresence", samplingPeriod)

    def disablePresence(self) -> None:
        """Looks no more; the last value stays."""
        self.enablePresence(0)

    def getPresenceSamplingPeriod(self) -> int:
        """Returns the sampling period, ms; 0: off."""
        return self._device.sampler.asked

    def getPresence(self) -> int:
        """Returns 1 for a Connector that it holds or could hold, 0 for none.

        That of a passive one is -1; before the first measurement it is 0.
        """
        sampler = self._device.sampler
        if self._tag and sampler.asked <= 0:
            tell_off(self, "getPresence()")
        return sampler.seen

    def lock(self) -> None:
        """Locks it with the next step: it holds the one that is in place before it."""
        self._order("lock", lock=True)

    def unlock(self) -> None:
        """Unlocks it with the next step: it lets go."""
        self._order("unlock", lock=False)

    def _order(self, method: str, *, lock: bool) -> None:
        if self._is_here() and (problem := self._device.order(lock=lock)):
            messages.error(self._call(f"{method}()"), problem)
        elif self._tag:
            self._act()

    def isLocked(self) -> bool:
        """Returns whether it is locked, which is not whether it holds something."""
        return self._tag > 0 and self._device.locked

    presence = property(getPresence)
    presence_sampling_period = property(getPresenceSamplingPeriod)
    is_locked = property(isLocked)
