"""The parts of a world: models of links and joints, and their robots."""

import dataclasses as dc
import re
import typing
from collections.abc import Sequence

import numpy as np
from pydrake.math import RigidTransform

from webmotor_drake.drive.driver import WebotsMotorDriver
from webmotor_drake.nodes.contact import Damping
from webmotor_drake.scenario.bodies import BodyParameters
from webmotor_drake.worlds.nodes import Node
from webmotor_drake.worlds.shapes import (
    NONE_GIVEN,
    Mass,
    Shape,
    possible,
    total,
)
from webmotor_drake.worlds.source import Place

# Mass of a body that Webots moves without Physics, kg and kg m^2: its joint needs
# something to move.
KINEMATIC = Mass(1e-3, np.zeros(3), 1e-6 * np.eye(3))
# Mass of a body that only holds a device, kg and kg m^2: next to nothing.
WEIGHTLESS = Mass(1e-6, np.zeros(3), 1e-9 * np.eye(3))
STATIC = NONE_GIVEN
# The material of bumpers that feel and do not push.
FELT = "webmotor felt"


class Names(set[str]):
    """Names that are taken."""

    def __init__(self, *names: str):
        super().__init__(names)
        self._numbers: dict[str, int] = {}  # the last number tried per name

    def take(self, name: str) -> str:
        """Takes a name, with a number after it if it is taken; returns it."""
        number, tried = self._numbers.get(name, 0), name
        while tried in self:
            number += 1
            tried = f"{name} ({number})"
        self._numbers[name] = number
        self.add(tried)
        return tried


@dc.dataclass
class Placed:
    """A shape that is drawn, or that collides.

    Attributes:
        name: name of its Solid.
        shape: form and size.
        X: its pose in the link.
        material: value of Solid.contactMaterial.
        color: red, green, blue and alpha; with an image, factors on its colours.
    """

    name: str
    shape: Shape
    X: RigidTransform
    material: str = "default"
    color: Sequence[float] = (0.8, 0.8, 0.8, 1.0)


@dc.dataclass(eq=False)
class Joint:
    """The inboard joint of a link.

    Attributes:
        name: unique in its model.
        kind: "revolute", "prismatic", "fixed", "hinge2" or "ball".
        parent: inboard link.
        X_PC: pose of the child in the parent at position 0.
        place: place in the file.
        anchor: point in the parent, m.
        axes: directions in the parent at position 0.
        positions: values at the start, one per axis, rad or m.
    """

    name: str
    kind: str
    parent: "Link"
    X_PC: RigidTransform
    place: Place | None
    anchor: np.ndarray = dc.field(default_factory=lambda: np.zeros(3))
    axes: list[np.ndarray] = dc.field(default_factory=list[np.ndarray])
    positions: list[float] = dc.field(default_factory=list[float])

    @property
    def parts(self) -> list[str]:
        """The names of its parts: joints of one axis each, in the order of its axes."""
        if len(self.axes) == 1:
            return [self.name]
        return [f"{self.name}_{i + 1}" for i in range(len(self.axes))]


@dc.dataclass(eq=False)
class Link:
    """A body: one or more Solids that move together.

    Attributes:
        name: unique in its model.
        kind: "dynamic", "kinematic" (moves without forces) or "static".
        X_W: its pose in the world as the file has it.
        place: place of its first Solid.
        joint: inboard joint; None for a floating link and for a welded base.
        parts: masses of its Solids.
        damping: volume, m^3, and damping of the bounding object of each Solid.
        visuals: shapes that are drawn.
        collisions: shapes that collide.
        changes: further values of the body, as in the scenario's `bodies`.
        frames: poses in the link of Solids that supervisors look up, by name.
    """

    name: str
    kind: str
    X_W: RigidTransform
    place: Place | None
    joint: Joint | None = None
    parts: list[Mass] = dc.field(default_factory=list[Mass])
    damping: list[tuple[float, Damping | None]] = dc.field(
        default_factory=list[tuple[float, Damping | None]]
    )
    visuals: list[Placed] = dc.field(default_factory=list[Placed])
    collisions: list[Placed] = dc.field(default_factory=list[Placed])
    changes: BodyParameters = dc.field(default_factory=BodyParameters)
    frames: dict[str, RigidTransform] = dc.field(
        default_factory=dict[str, RigidTransform]
    )

    @property
    def mass(self) -> Mass:
        """The mass of all parts, with a physical inertia."""
        if self.kind == "static":
            return STATIC
        whole = total(self.parts)
        if not whole.mass > 0:
            welded = self.joint is not None and self.joint.kind == "fixed"
            return WEIGHTLESS if welded else KINEMATIC
        return dc.replace(whole, inertia=possible(whole.inertia))


# The world's own body, which is in no model.
WORLD = Link("world", "static", RigidTransform(), None)
# Stands for a body where none is known yet.
NOWHERE = Link("", "static", RigidTransform(), None)


@dc.dataclass(eq=False)
class Robot:
    """A Robot node: its controller and devices.

    Attributes:
        model: the name of its model.
        place: place in the file.
        node: node of the Robot; None for a Solid with joints but no Robot.
        driver: its driver in the scenario.
        places: places of the entries of the driver's tables, by table and name.
        names: names of its devices.
    """

    model: str
    place: Place
    node: Node | None = None
    driver: WebotsMotorDriver = dc.field(default_factory=WebotsMotorDriver)
    places: dict[tuple[str, str], Place] = dc.field(
        default_factory=dict[tuple[str, str], Place]
    )
    names: Names = dc.field(default_factory=Names)

    def put(
        self, table: str, name: str, entry: typing.Any, place: Place
    ) -> None:
        """Adds an entry to a table of the driver, such as "motors"."""
        getattr(self.driver, table)[name] = entry
        self.places[table, name] = place


@dc.dataclass(eq=False)
class Model:
    """A model instance: a top Solid or Robot with its children.

    Attributes:
        name: unique in the world.
        place: place in the file.
        links: parents before children.
        base: the link that never moves, if there is one.
        robot: its Robot; None for a mere Solid.
        names: names of links, joints and frames.
        solids: body of each Solid, and pose of the Solid in the world, by name; the
            first of several.
        carrier: carrier of a Robot in a Robot: the model and the body that carry it.
    """

    name: str
    place: Place | None
    links: list[Link] = dc.field(default_factory=list[Link])
    base: Link | None = None
    robot: Robot | None = None
    names: Names = dc.field(default_factory=lambda: Names("world"))
    solids: dict[str, tuple[Link, RigidTransform]] = dc.field(
        default_factory=dict[str, tuple[Link, RigidTransform]]
    )
    carrier: "tuple[Model, Link] | None" = None

    def add_base(self, X_W: RigidTransform, name: str = "base") -> Link:
        """Returns the static link, made if missing; it takes the first real name."""
        if self.base is None:
            free = unique("base", self.names)
            self.base = Link(free, "static", X_W, self.place)
            self.links.insert(0, self.base)
        if name != "base" and self.base.name == "base":
            self.names.discard("base")
            self.base.name = unique(name, self.names)
        return self.base

    def add_link(
        self,
        name: str,
        kind: str,
        X_W: RigidTransform,
        place: Place | None,
        joint: Joint | None = None,
    ) -> Link:
        """Adds a body."""
        link = Link(unique(name, self.names), kind, X_W, place, joint)
        self.links.append(link)
        return link

    @property
    def roots(self) -> list[Link]:
        """The links that float freely."""
        return [
            link
            for link in self.links
            if link.joint is None
            and link is not self.base
            and not (self.carrier and link is self.links[0])
        ]


# Stands for a model where none is known yet.
NO_MODEL = Model("", None)


def without_paths(name: str) -> str:
    """Returns a name without the two colons between the parts of a path."""
    return re.sub("::+", ":", name)


def unique(name: str, taken: Names) -> str:
    """Takes a free name, numbered as by Webots' editor, and returns it.

    Two colons, slashes, and two underscores around a name are replaced: they have
    a meaning in the names of bodies and signals, or in SDF.
    """
    clean = without_paths(name).replace("/", "_")
    clean = "".join(c for c in clean if c.isprintable()).strip() or "solid"
    if clean.startswith("__") and clean.endswith("__"):
        clean = clean.strip("_") or "solid"
    if not clean.strip("."):
        clean = "solid"
    return taken.take(clean)
