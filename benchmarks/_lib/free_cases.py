"""Free bodies that tip, slide, land, fall, roll and rest: ours, ODE's and the form's.

Their shapes and masses are drawn from a seed, so that nobody tunes to them.
"""

import math
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from pydrake.geometry import Box, Capsule, Cylinder

sys.path.insert(0, str(Path(__file__).parents[2] / "tests/support"))
from free_bodies import Free, InDrake, InOde

G = 9.81
WIDE = Box(80, 80, 1)
STEPS = 0.001, 0.004, 0.008, 0.016, 0.032
# What is measured, ours, ODE's and the form's; NaN where one does not say it.
Row = tuple[str, float, float, float]


def rows(seed: int, step: float) -> Iterator[Row]:
    """Yields all measurements of a seed at a plant step."""
    random = np.random.default_rng(seed)
    for slender in (1, 2, 3):
        yield tip(random, step, slender)
    for mu in (0.5, 1.0):
        yield kick(random, step, mu)
    for fall in (3e-4, 1e-2):
        yield land(random, step, fall)
    yield drop(random, step)
    yield roll(random, step)
    yield rest(random, step)
    for mu in (0.5, 0.95):
        yield push(random, step, mu)
    yield seam(random, step)
    for turn in (90, 45):
        yield cross(random, step, turn)
    yield stack(random, step)
    yield heap(random, step)


def drawn_box(
    random: np.random.Generator, slender: float, friction: float
) -> Free:
    """Returns a box that stands just above the floor."""
    width = 10 ** random.uniform(-1.5, -0.3)
    size = width, width, width * slender
    mass = float(10 ** random.uniform(2, 3.5) * np.prod(size))
    place = [0, 0, size[2] / 2 + 1e-4]
    return Free(Box(*size), place, mass=mass, friction=friction)


def both(body: Free, step: float, slope: float = 0.0) -> Iterator:
    """Yields the body in Drake and in ODE."""
    mu = body.friction
    yield InDrake([body], step, floor=WIDE, slope=slope, floor_friction=mu)
    yield InOde([body], step, slope=slope)


def tip(random: np.random.Generator, step: float, slender: float) -> Row:
    """The slope at which a box tips over, as a share of the tangent."""
    body, found = drawn_box(random, slender, 3.0), []
    for engine in range(2):
        low, high = 0.5, 1.6
        while high - low > 0.02:
            middle = (low + high) / 2
            slope = math.atan(middle / slender)
            world = [*both(body, step, slope)][engine]
            world.advance(3.072)
            fell = _upright(world) < 0.8
            low, high = (low, middle) if fell else (middle, high)
        found.append((low + high) / 2)
    return f"tip {slender}, of the tangent", *found, 1.0


def _upright(world: InDrake | InOde) -> float:
    """Returns the cosine of a body's tilt."""
    if isinstance(world, InOde):
        return world.ode.dBodyGetRotation(world._bodies[0])[10]
    pose = world.plant.GetBodyByName("b0").EvalPoseInWorld(world.context)
    return pose.rotation().matrix()[2, 2]


def kick(random: np.random.Generator, step: float, mu: float) -> Row:
    """The way of a flat box at rest that is kicked, as a share of the form's."""
    body = drawn_box(random, random.uniform(0.2, 0.8), mu)
    speed, found = random.uniform(0.5, 2.0), []
    for world in both(body, step):
        world.advance(0.512)
        before = world.places()[0, 0]
        _push(world, speed)
        world.advance(round((speed / mu / G + 0.5) / step) * step)
        way = world.places()[0, 0] - before
        found.append(way * 2 * mu * G / speed**2)
    return f"kick, friction {mu:g}, of the way", *found, 1.0


def _push(world: InDrake | InOde, faster: float) -> None:
    """Adds to the speed of a single body along x."""
    if isinstance(world, InOde):
        x, y, z = world.velocities()[0]
        world.ode.dBodySetLinearVel(world._bodies[0], x + faster, y, z)
        return
    v = world.plant.GetVelocities(world.context)
    v[3] += faster
    world.plant.SetVelocities(world.context, v)


def land(random: np.random.Generator, step: float, fall: float) -> Row:
    """The way of a box that lands while it slides, as a share of the form's."""
    body = drawn_box(random, random.uniform(0.3, 1.0), 0.3)
    speed = random.uniform(1.0, 2.0)
    body.velocity = [speed, 0, 0]
    body.place = [0, 0, body.place[2] + fall]
    form, found = speed**2 / (2 * 0.3 * G), []
    down = math.sqrt(2 * G * fall)
    for world in both(body, step):
        world.advance(1.536)
        found.append(float(world.places()[0, 0]) / form)
    # It falls unbraked, and friction's impulse is that of the landing.
    right = speed * down / G / form + (1 - 0.3 * down / speed) ** 2
    return f"land from {1e3 * fall:g} mm, of the way", *found, right


def drop(random: np.random.Generator, step: float) -> Row:
    """How far from the floor thin and small boxes are after their fall, mm at most."""
    worst = []
    for _ in range(4):
        size = random.uniform(0.01, 0.2, 3)
        size[2] = random.choice([0.005, 0.01, 0.02])
        height = size[2] / 2 + random.uniform(0.05, 1.0)
        body = Free(Box(*size), [0, 0, height], mass=float(800 * np.prod(size)))
        floor = Box(4, 4, random.uniform(0.02, 1.0))
        for world in (InDrake([body], step, floor=floor), InOde([body], step)):
            world.advance(2.048)
            worst.append(1e3 * abs(world.places()[0, 2] - size[2] / 2))
    return "drop, mm off the floor", max(worst[::2]), max(worst[1::2]), 0.0


def roll(random: np.random.Generator, step: float) -> Row:
    """The speed that a lying cylinder or capsule keeps of 0.5 m/s for 2 s."""
    radius = random.uniform(0.03, 0.1)
    kind = Cylinder if random.random() < 0.5 else Capsule
    body = Free(
        kind(radius, radius * random.uniform(1, 4)),
        [0, 0, radius + 2e-4],
        (math.pi / 2, 0, 0),
        velocity=[0.5, 0, 0],
        spin=[0, 0.5 / radius, 0],
    )
    found = []
    for world in both(body, step):
        world.advance(2.048)
        found.append(float(world.velocities()[0, 0]) / 0.5)
    return f"roll, {kind.__name__}, of the speed", *found, 1.0


def rest(random: np.random.Generator, step: float) -> Row:
    """How fast a stack of three creeps after 8 s, mm/s."""
    body, bodies, top = drawn_box(random, 1.0, 1.0), [], 0.0
    size = body.shape.size()[0]
    for _ in range(3):
        place = [*random.uniform(-0.1, 0.1, 2) * size, top + size / 2 + 1e-4]
        turn = 0, 0, random.uniform(0, 0.2)
        bodies.append(Free(body.shape, place, turn, body.mass))
        top += size
    found = []
    for world in (InDrake(bodies, step, floor=WIDE), InOde(bodies, step)):
        world.advance(8.192)
        before = world.places()
        world.advance(2.048)
        way = np.linalg.norm(world.places() - before, axis=1).max()
        found.append(1e3 * float(way) / 2.048)
    return "rest, stack of 3, mm/s", *found, 0.0


def push(random: np.random.Generator, step: float, mu: float) -> Row:
    """The largest tilt of a cube that is pushed at half its height, degrees."""
    body, found = drawn_box(random, 1.0, mu), []
    for world in both(body, step):
        world.advance(0.512)
        least = 1.0
        for _ in range(round(0.768 / step)):
            _push(world, 1.05 * mu * G * step)
            world.advance(step)
            least = min(least, _upright(world))
        found.append(math.degrees(math.acos(min(least, 1.0))))
    return f"push, friction {mu:g}, degrees", *found, 0.0


def seam(random: np.random.Generator, step: float) -> Row:
    """The way of a flat box over a seam of tiles, as a share of the form's."""
    body = drawn_box(random, random.uniform(0.2, 0.8), 0.5)
    speed = random.uniform(1.0, 2.0)
    form = speed**2 / (2 * 0.5 * G)
    tiles = InDrake(
        [body],
        step,
        floor=WIDE,
        floor_friction=0.5,
        seam=random.uniform(0.2, 0.8) * form,
    )
    found = []
    for world in (tiles, InOde([body], step)):
        world.advance(0.512)
        before = world.places()[0, 0]
        _push(world, speed)
        world.advance(round((speed / 0.5 / G + 0.5) / step) * step)
        found.append(float(world.places()[0, 0] - before) / form)
    return "seam, of the way", *found, 1.0


def cross(random: np.random.Generator, step: float, turn: float) -> Row:
    """How far a beam sinks into one that it lies across, mm: edges touch edges."""
    edge, length = random.uniform(0.02, 0.06), random.uniform(0.2, 0.4)
    mass, found = float(800 * edge * edge * length), []
    bodies = [
        Free(
            Box(length, edge, edge),
            [0, 0, (0.5 + i) * edge + 1e-4 * (1 + i)],
            (0, 0, i * math.radians(turn)),
            mass=mass,
        )
        for i in range(2)
    ]
    for world in (InDrake(bodies, step, floor=WIDE), InOde(bodies, step)):
        world.advance(3.072)
        lower, upper = world.places()[:, 2]
        found.append(1e3 * float(edge - (upper - lower)))
    return f"cross at {turn} degrees, mm", *found, 0.0


def stack(random: np.random.Generator, step: float) -> Row:
    """How far the upmost of four turned cubes sinks and strays in 5 s, mm."""
    edge = 10 ** random.uniform(-1.3, -0.5)
    bodies = [
        Free(
            Box(edge, edge, edge),
            [0, 0, (0.5 + i) * edge + 1e-4 * (1 + i)],
            (0, 0, random.uniform(-3, 3)),
            mass=float(800 * edge**3),
        )
        for i in range(4)
    ]
    found = []
    for world in (InDrake(bodies, step, floor=WIDE), InOde(bodies, step)):
        world.advance(5.12)
        off = world.places()[3] - [0, 0, 3.5 * edge]
        found.append(1e3 * float(np.linalg.norm(off)))
    return "turned stack, mm", *found, 0.0


def heap(random: np.random.Generator, step: float) -> Row:
    """How fast the fastest of eight cubes in a heap creeps after 6 s, mm/s."""
    bodies = [
        Free(
            Box(0.1, 0.1, 0.1),
            [*random.uniform(-0.1, 0.1, 2), 0.1 + 0.16 * i],
            random.uniform(-3, 3, 3),
        )
        for i in range(8)
    ]
    found = []
    for world in (InDrake(bodies, step, floor=WIDE), InOde(bodies, step)):
        world.advance(6.144)
        before = world.places()
        world.advance(2.048)
        way = np.linalg.norm(world.places() - before, axis=1).max()
        found.append(1e3 * float(way) / 2.048)
    return "heap of 8, mm/s", *found, 0.0
