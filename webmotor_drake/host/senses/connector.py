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

    def sensed(self) -> int:
        """Returns the presence."""
        docks = self.clock.simulation.docks
        return docks.presence(self.place.context, (self.host.name, self.name))
