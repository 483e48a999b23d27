"""Which motors a place in a world has to do with: those of the joint around it."""

import typing
from collections.abc import Callable, Iterable

from webmotor_drake.worlds.devices import device_name
from webmotor_drake.worlds.nodes import Node
from webmotor_drake.worlds.source import Place

_DEVICES = ("device", "device2", "device3")


class _Span(typing.NamedTuple):
    """A part of a text: what stands in a joint with motors."""

    first: int
    last: int
    motors: tuple[str, ...]


# The first and the last character of a node's parts, by the text that they are in.
_Ends = dict[int, tuple[int, int]]


def motors_at(nodes: Iterable[Node]) -> Callable[[Place], tuple[str, ...]]:
    """Returns a function from a place to the names of its motors.

    They are those of the innermost joint, Track or Propeller that has any.

    Args:
        nodes: of a world, expanded.
    """
    spans: dict[int, list[_Span]] = {}
    done: dict[int, _Ends] = {}
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
    node: Node, spans: dict[int, list[_Span]], done: dict[int, _Ends]
) -> _Ends:
    """Adds the joints in a node; returns where the node begins and ends."""
    if id(node) in done:
        return done[id(node)]
    ends: _Ends = {}
    done[id(node)] = ends
    _widen(ends, id(node.place.source), node.place.offset, node.place.offset)
    for field in node.fields.values():
        place = field.place
        _widen(ends, id(place.source), place.offset, place.offset)
        for item in field.nodes:
            for source, (first, last) in _visit(item, spans, done).items():
                _widen(ends, source, first, last)
    motors = tuple(
        device_name(device)
        for field in _DEVICES
        for device in node.nodes(field)
        if device.type in ("RotationalMotor", "LinearMotor")
    )
    if motors:
        for source, (first, last) in ends.items():
            spans.setdefault(source, []).append(_Span(first, last, motors))
    return ends


def _widen(ends: _Ends, source: int, first: int, last: int) -> None:
    known = ends.get(source, (first, last))
    ends[source] = min(known[0], first), max(known[1], last)
