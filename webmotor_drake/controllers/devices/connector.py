"""Webots' Connector and VacuumGripper, which hold other bodies."""

from webmotor_drake import nodes
from webmotor_drake.controllers.devices.device import Device, tell_off
from webmotor_drake.host import messages


class _Holder(Device):
    """The common methods of Connector and VacuumGripper."""

    def enablePresence(self, samplingPeriod: int) -> None:
        """Looks for a partner every `samplingPeriod` ms; 0 stops it."""
        self._sample("enablePresence", samplingPeriod)

    def disablePresence(self) -> None:
        """Stops looking for a partner; the last value stays."""
        self.enablePresence(0)

    def getPresenceSamplingPeriod(self) -> int:
        """Returns the sampling period, ms; 0: off."""
        return self._device.sampler.asked

    def _presence(self) -> int:
        sampler = self._device.sampler
        if self._tag and sampler.asked <= 0:
            tell_off(self, "getPresence()")
        return sampler.seen

    def _order(self, method: str, *, lock: bool) -> None:
        if self._is_here() and (problem := self._device.order(lock=lock)):
            messages.error(self._call(f"{method}()"), problem)
        elif self._tag:
            self._act()

    presence_sampling_period = property(getPresenceSamplingPeriod)


class Connector(_Holder):
    """Holds a Connector that faces it, until it is unlocked or breaks."""

    _declared = nodes.Connector

    def getPresence(self) -> int:
        """Returns 1 if it holds a Connector, or could hold one, else 0.

        A passive Connector returns -1. Before the first measurement it is 0.
        """
        return self._presence()

    def lock(self) -> None:
        """Locks it at the next step: it holds a Connector in place before it."""
        self._order("lock", lock=True)

    def unlock(self) -> None:
        """Unlocks it at the next step: it lets go."""
        self._order("unlock", lock=False)

    def isLocked(self) -> bool:
        """Returns whether it is locked, even if it holds nothing."""
        return self._tag > 0 and self._device.locked

    presence = property(getPresence)
    is_locked = property(isLocked)


class VacuumGripper(_Holder):
    """Holds a body that touches it while it is on, until a pull or push parts them."""

    _declared = nodes.VacuumGripper

    def getPresence(self) -> bool:
        """Returns whether it holds something; False before the first measurement."""
        return self._presence() == 1

    def turnOn(self) -> None:
        """Turns it on at the next step: it holds a body that touches it."""
        self._order("turnOn", lock=True)

    def turnOff(self) -> None:
        """Turns it off at the next step: it lets go."""
        self._order("turnOff", lock=False)

    def isOn(self) -> bool:
        """Returns whether it is on, even if it holds nothing."""
        return self._tag > 0 and self._device.locked

    presence = property(getPresence)
    on = property(isOn)
