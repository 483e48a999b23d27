"""Which motors a place in a world has to do with: those of the joint around it."""

import dataclasses as dc
import typing
from collections.abc import Callable, Iterable

from webmotor_drake.worlds.devices import device_name
from webmotor_drake.worlds.node_kinds import motors_in
from webmotor_drake.worlds.nodes import Node
from webmotor_drake.worlds.source import Place


class _Span(typing.NamedTuple):
    """The part of a text in which a joint with motors stands."""

    first: int
    last: int
    motors: tuple[str, ...]


@dc.dataclass
class _Part:
    """The place of a node and of all in it.

    Nodes that it USEs, and defaults of a PROTO, stand before it, outside of it.

    Attributes:
        node: its place.
        ends: the first and the last character, by the text that they are in.
        entered: the texts of PROTOs of which instances are in it. In others stand
            only values that the instance around it gives.
    """

    node: Place
    ends: dict[int, tuple[int, int]] = dc.field(
        default_factory=dict[int, tuple[int, int]]
    )
    entered: set[int] = dc.field(default_factory=set[int])

    def add(self, source: int, first: int, last: int) -> None:
        """Adds a piece of a text."""
        if source == id(self.node.source) and first < self.node.offset:
            return
        known = self.ends.get(source, (first, last))
        self.ends[source] = min(known[0], first), max(known[1], last)


def motors_at(nodes: Iterable[Node]) -> Callable[[Place], tuple[str, ...]]:
    """Returns a function from a place to the names of its motors.

    They are those of the innermost joint, Track or Propeller that has any.

    Args:
        nodes: of a world, expanded.
    """
    spans: dict[int, list[_Span]] = {}
    done: dict[int, _Part] = {}
    for node in nodes:
        _visit(node, spans, done)

    def motors(place: Place) -> tuple[str, ...]:
        around = [
            span
            for span in spans.get(id(place.source), ())
            if span.first <= place.offset <= span.last
        ]
        smallest = min(around, key=lambda s: s.last - s.first, default=None)
        return smallest.motors if smallest is not None else ()

    return motors


def _visit(
    node: Node, spans: dict[int, list[_Span]], done: dict[int, _Part]
) -> _Part:
    """Adds the joints in a node; returns where the node stands."""
    if id(node) in done:
        return done[id(node)]
    part = done[id(node)] = _Part(node.place)
    own = id(node.place.source)
    part.add(own, node.place.offset, node.place.offset)
    for field in node.fields.values():
        place = field.place
        part.add(id(place.source), place.offset, place.offset)
        for item in field.nodes:
            inner = _visit(item, spans, done)
            for source, (first, last) in inner.ends.items():
                part.add(source, first, last)
            part.entered |= inner.entered
            if item.protos:
                part.entered.add(id(item.place.source))
    motors = tuple(map(device_name, motors_in(node)))
    if motors:
        for source in part.ends.keys() & {own, *part.entered}:
            first, last = part.ends[source]
            spans.setdefault(source, []).append(_Span(first, last, motors))
    return part
