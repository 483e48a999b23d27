"""Whether a Connector has another one before it (WbConnector.cpp computeValue)."""

import typing

from webmotor_drake import nodes
from webmotor_drake.host.senses.body_sampler import BodySampler, samples


@samples(nodes.Connector)
class PresenceSampler(BodySampler[nodes.Connector]):
    """Samples 1 for a Connector that could be held, or is; 0 for none.

    That of a passive one is -1.
    """

    blank: typing.ClassVar[int] = 0

    def know(self, docks: typing.Any, name: tuple[str, str]) -> None:
        """Prepares its look at the Connectors of a simulation."""
        self._docks, self._name = docks, name

    def sensed(self) -> int:
        """Returns the presence."""
        return self._docks.presence(self.place.context, self._name)
