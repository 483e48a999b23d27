"""Hooks for a DiagramBuilder: called before it builds, removes or connects.

Drake has no callbacks for these events, and connecting an input port twice ends the
interpreter (DRAKE_DEMAND, 1.51 to 1.58). So we replace the methods of the builder's
Python object.
"""

import contextlib
import dataclasses as dc
import functools
from collections.abc import Callable, Iterator

from pydrake.multibody.plant import ExternallyAppliedSpatialForceMultiplexer
from pydrake.systems.framework import (
    DiagramBuilder,
    InputPort,
    OutputPort,
    System,
)
from pydrake.systems.primitives import Adder

from webmotor_drake.errors import InputError

Look = Callable[[], object]
# Systems that add up the signals of several others.
_SUMS = Adder, ExternallyAppliedSpatialForceMultiplexer


@dc.dataclass
class _Belongings:
    """Systems, looks and undo functions that go when their system is removed."""

    systems: list[System] = dc.field(default_factory=list)
    looks: list[Look] = dc.field(default_factory=list)
    undo: list[Callable[[], None]] = dc.field(default_factory=list)


class _BuilderHooks:
    """Replaces a builder's methods that build, remove and connect.

    Looks are functions called before the build, the last one first. Owners are the
    systems that feed an input port.
    """

    def __init__(self, builder: DiagramBuilder):
        self._builder = builder
        self.looks: list[Look] = []
        self.owners: dict[tuple[System, int], System] = {}
        self.belongings: dict[System, _Belongings] = {}
        self._remove_one = builder.RemoveSystem
        for name in ("Build", "BuildInto"):
            self._precede(name, lambda *_, **__: self._call_looks())
        for name in ("Connect", "ConnectInput", "ExportInput"):
            self._precede(name, self._check_ports)
        builder.RemoveSystem = self.remove

    def _precede(self, name: str, before: Callable) -> None:
        own = getattr(self._builder, name)

        @functools.wraps(own)
        def both(*args, **kwargs):
            before(*args, **kwargs)
            return own(*args, **kwargs)

        setattr(self._builder, name, both)

    def _call_looks(self) -> None:
        while self.looks:
            self.looks.pop()()

    def _check_ports(self, *args, **kwargs) -> None:
        """Raises InputError for an input port that a system of ours feeds."""
        for port in (*args, *kwargs.values()):
            if not isinstance(port, InputPort):
                continue
            owner = self.owners.get(_place(port))
            if owner is not None:
                raise InputError(
                    f"{port.get_name()} of {port.get_system().get_name()} is fed by"
                    f" {owner.get_name()} already; command the motors at its ports,"
                    " or remove it with RemoveSystem"
                )

    def remove(self, system: System) -> None:
        """Removes a system, and all that came with it."""
        own = self.belongings.pop(system, _Belongings())
        self.looks[:] = [look for look in self.looks if look not in own.looks]
        for port, owner in list(self.owners.items()):
            if owner is system:
                del self.owners[port]
        for other in own.systems:
            if other in self._builder.GetSystems():
                self._take_out(other)
        self._remove_one(system)
        for undo in own.undo:
            undo()

    def _take_out(self, system: System) -> None:
        """Removes a system; other signals that it summed are connected directly."""
        wires = self._builder.connection_map()
        sources = [start for end, start in wires.items() if end[0] is system]
        ends = [end for end, start in wires.items() if start[0] is system]
        self._remove_one(system)
        if not isinstance(system, _SUMS):
            return
        there = self._builder.GetSystems()
        for start in sources:
            if start[0] in there:
                for end, index in ends:
                    self._builder.Connect(
                        start[0].get_output_port(start[1]),
                        end.get_input_port(index),
                    )


def hooks_of(builder: DiagramBuilder) -> _BuilderHooks:
    """Returns the hooks of a builder; the first call installs them."""
    if not hasattr(builder, "webmotor_hooks"):
        builder.webmotor_hooks = _BuilderHooks(builder)
    return builder.webmotor_hooks


def when_built(builder: DiagramBuilder, look: Look) -> Callable[[], None]:
    """Makes the builder's `Build` and `BuildInto` call `look` first.

    Returns:
        A function that calls `look` unless it was called: `RobotDiagramBuilder.Build`
        does not call it.
    """
    looks = hooks_of(builder).looks
    looks.append(look)

    def look_once() -> None:
        if look in looks:
            looks.remove(look)
            look()

    return look_once


def feed(
    builder: DiagramBuilder, owner: System, source: OutputPort, port: InputPort
) -> None:
    """Connects a port for `owner`; connecting it again raises InputError."""
    owners, place = hooks_of(builder).owners, _place(port)
    owners.pop(place, None)
    builder.Connect(source, port)
    owners[place] = owner


def summed(
    builder: DiagramBuilder, source: OutputPort, port: InputPort, total: System
) -> OutputPort:
    """Returns an output port to connect to `port`, so that it also gets `source`.

    If `port` is connected already, `total` adds up both sources.
    """
    place = port.get_system(), port.get_index()
    before = builder.connection_map().get(place)
    if before is None:
        return source
    first = before[0].get_output_port(before[1])
    builder.Disconnect(first, port)
    builder.AddSystem(total)
    builder.Connect(first, total.get_input_port(0))
    builder.Connect(source, total.get_input_port(1))
    return total.get_output_port()


def is_fed(builder: DiagramBuilder, port: InputPort) -> bool:
    """Returns whether a system of ours feeds a port."""
    return _place(port) in hooks_of(builder).owners


@contextlib.contextmanager
def belonging_to(
    builder: DiagramBuilder, system: System
) -> Iterator[_Belongings]:
    """Makes `RemoveSystem` of a system also remove all systems added in the block.

    Yields:
        The belongings of the system; the caller may add to them.
    """
    hooks = hooks_of(builder)
    systems, looks = list(builder.GetSystems()), list(hooks.looks)
    own = hooks.belongings[system] = _Belongings()
    yield own
    own.systems += [
        s for s in builder.GetSystems() if s not in (*systems, system)
    ]
    own.looks += [look for look in hooks.looks if look not in looks]


def free_name(
    builder: DiagramBuilder, plant: System, model_instance_name: str
) -> str:
    """Returns a prefix for names of a model's systems, unique in the diagram."""
    name = model_instance_name
    if builder.HasSubsystemNamed(f"{name}.motors"):
        name = f"{plant.get_name()}.{name}"
    return name


def _place(port: InputPort) -> tuple[System, int]:
    return port.get_system(), int(port.get_index())
