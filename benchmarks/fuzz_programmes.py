"""Random supervisors as people write them: they build, move and clear a world.

    python benchmarks/fuzz_programmes.py [--programmes N] [--actions N] [--seed S]

Each is a controller's file: it imports Solids and marks, moves, pushes, paints, sizes,
weighs, copies and removes them, moves the robot, resets, and asserts after each action
what Webots' reference says of it. Each runs twice, with the same bits. A programme that
fails is shown, and the exit status is 1.
"""

import argparse
import contextlib
import io
import sys
import tempfile
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
from fuzz_supervisor import WORLD

from webmotor_drake import MotorWarning, load_scenario
from webmotor_drake.data import SCENARIOS
from webmotor_drake.results.results import Results
from webmotor_drake.robot import run_with_controllers

HEAD = """\
import math
from controller import Supervisor

supervisor = Supervisor()
step = int(supervisor.getBasicTimeStep())
children = supervisor.getRoot().getField("children")
alive = {}


def bring(name, text):
    before = children.getCount()
    children.importMFNodeFromString(-1, "DEF " + name + " " + text)
    node = supervisor.getFromDef(name)
    if node is None:  # the stock is used up
        assert children.getCount() == before
        return
    assert children.getCount() == before + 1
    assert children.getMFNode(-1).getId() == node.getId()
    alive[name] = node


def check():
    assert all(map(math.isfinite, supervisor.getFromDef("ROBOT").getPosition()))
    for name, node in alive.items():
        assert supervisor.getFromDef(name).getId() == node.getId(), name
        assert all(map(math.isfinite, node.getPosition())), name
        assert node.getDef() == name


def shape_of(node):
    inside = node.getField("children")
    return inside.getMFNode(0) if inside.getCount() else None

"""

_LOOK = "appearance PBRAppearance {{ baseColor {c[0]} {c[1]} {c[2]} }}"
_FORMS = (
    "Box {{ size {s[0]} {s[1]} {s[2]} }}",
    "Sphere {{ radius {s[0]} }}",
    "Cylinder {{ radius {s[0]} height {s[1]} }}",
    "Capsule {{ radius {s[0]} height {s[1]} }}",
)
_SOLID = (
    "Solid {{ translation {p[0]} {p[1]} {p[2]} children [ Shape {{ "
    + _LOOK
    + " geometry DEF F {form} }} ] boundingObject USE F {physics} }}"
)
_MARK = (
    "Pose {{ translation {p[0]} {p[1]} {p[2]} children [ Shape {{ "
    + _LOOK
    + " geometry {form} }} ] }}"
)

_ARM = "  arm: !WebotsMotorDriver\n"

# What a programme may do with a node, in Python.
_ON_A_NODE = (
    """
position = {p}
node.getField("translation").setSFVec3f(position)
if node.getTypeName() == "Solid":
    node.resetPhysics()
assert node.getField("translation").getSFVec3f() == position
supervisor.step(step)
assert math.dist(node.getPosition(), position) < 0.5
""",
    """
if node.getField("physics") and node.getField("physics").getSFNode():
    mass = node.getField("physics").getSFNode().getField("mass")
    mass.setSFFloat({s[0]} * 10)
    supervisor.step(step)
    assert abs(mass.getSFFloat() - {s[0]} * 10) < 1e-9
    node.addForce([0, 0, 20 * mass.getSFFloat()], False)
    node.setVelocity([{v[0]}, {v[1]}, 0, 0, 0, {v[2]}])
supervisor.step(2 * step)
""",
    """
shape = shape_of(node)
if shape is not None:
    look = shape.getField("appearance").getSFNode().getField("baseColor")
    look.setSFColor({c})
    supervisor.step(step)
    assert look.getSFColor() == {c}
    form = shape.getField("geometry").getSFNode()
    size = form.getField("radius") or form.getField("size")
    if size.getTypeName() == "SFFloat":
        size.setSFFloat({s[0]})
    else:
        size.setSFVec3f({s})
    supervisor.step(step)
    assert size.value in ({s[0]}, {s})
""",
    """
text = node.exportString()
node.remove()
del alive[name]
assert supervisor.getFromDef(name) is None
bring(name, text.partition(" ")[2].partition(" ")[2])
if name in alive:
    assert alive[name].exportString() == text
""",
    """
before = children.getCount()
node.remove()
del alive[name]
assert children.getCount() == before - 1
assert supervisor.getFromDef(name) is None
""",
    """
if node.getTypeName() == "Solid":
    node.saveState("here")
    there = node.getPosition()
    supervisor.step(3 * step)
    node.loadState("here")
    assert math.dist(node.getPosition(), there) < 1e-12
    assert node.getVelocity() == [0] * 6
""",
)
_ALONE = (
    "supervisor.step({n} * step)\n",
    """
robot = supervisor.getFromDef("ROBOT")
robot.getField("translation").setSFVec3f([{v[0]}, {v[1]}, 0.2])
robot.resetPhysics()
supervisor.step(step)
""",
    """
pole = supervisor.getFromDef("POLE").getField("position")
supervisor.getFromDef("hinge").setJointPosition({v[0]})
assert abs(pole.getSFFloat() - {v[0]}) < 1e-9
supervisor.step(step)
""",
    """
crate = supervisor.getFromDef("CRATE")
crate.loadState("__init__")
things = supervisor.getFromDef("THINGS").getField("children")
assert things.getMFNode(0).getId() == crate.getId()
assert supervisor.getFromDef("BODY").getField("mass").getSFFloat() > 0
supervisor.step(step)
""",
    """
supervisor.simulationReset()
supervisor.step(step)
assert supervisor.getTime() == 0
gone, alive = list(alive), {{}}
assert not any(map(supervisor.getFromDef, gone))
""",
)


def programme(actions: int, random: np.random.Generator) -> str:
    """Returns the text of a supervisor.

    Args:
        actions: how many it does.
        random: what they are drawn from.
    """
    parts, number = [HEAD], 0
    for _ in range(actions):
        values = {
            "p": random.uniform([-3, -3, 0.5], [3, 3, 2]).round(3).tolist(),
            "s": random.uniform(0.05, 0.3, 3).round(3).tolist(),
            "c": random.uniform(0, 1, 3).round(3).tolist(),
            "v": random.uniform(-1, 1, 3).round(3).tolist(),
            "n": int(random.integers(1, 20)),
        }
        kind = random.choice(["bring", "node", "alone"], p=[0.3, 0.5, 0.2])
        if kind == "bring":
            form = str(random.choice(_FORMS)).format(**values)
            physics = str(random.choice(["", "physics Physics { mass 0.5 }"]))
            text = str(random.choice([_SOLID, _MARK]))
            text = text.format(form=form, physics=physics, **values)
            parts.append(f"bring({f'N{number}'!r}, {text!r})\n")
            number += 1
        elif kind == "alone":
            parts.append(str(random.choice(_ALONE)).format(**values))
        else:
            body = str(random.choice(_ON_A_NODE)).format(**values)
            pick = int(random.integers(100))
            parts.append(
                f"if alive:\n    name = sorted(alive)[{pick} % len(alive)]\n"
                "    node = alive[name]\n"
                + "".join(f"    {line}\n" for line in body.splitlines() if line)
            )
        parts.append("check()\n")
    return "".join([*parts, "supervisor.simulationQuit(0)\n"])


def run(text: str, folder: Path, drive: str) -> Results:
    """Runs a programme as the rover's controller, on a drive of the arm."""
    drive = f"    drive: {drive}\n"
    file = folder / "programme.py"
    file.write_text(text)
    scenario = load_scenario(
        SCENARIOS / "rover.scenario.yaml",
        name="Drive",
        text=WORLD.replace(": .inf", ": 20").replace(_ARM, _ARM + drive),
    )
    return run_with_controllers(scenario, {"rover": file})


def fuzz(
    number: int,
    actions: int,
    seed: int,
    folder: Path,
    told: Callable[[str], None] = lambda line: None,
) -> list[str]:
    """Runs random programmes.

    Args:
        number: how many.
        actions: of each.
        seed: of all.
        folder: where they are written.
        told: is told of each that was run.

    Returns:
        What was wrong, each with its programme.
    """
    wrong = []
    for i in range(number):
        random = np.random.default_rng([seed, i])
        text = programme(actions, random)
        drive = ("torque", "implicit")[i % 2]
        errors = io.StringIO()
        try:
            with contextlib.redirect_stderr(errors):
                first, second = (run(text, folder, drive) for _ in range(2))
            for name, values in first.signals.items():
                if not np.array_equal(values, second[name], equal_nan=True):
                    wrong.append(f"programme {i}: other bits of {name}\n{text}")
                    break
        except Exception:
            wrong.append(
                f"programme {i}:\n{errors.getvalue()[-3000:]}\n"
                f"{traceback.format_exc()}\n{text}"
            )
        told(
            f"programme {i} on {drive}: {errors.getvalue().count(chr(10))} lines"
        )
    return wrong


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programmes", type=int, default=50)
    parser.add_argument("--actions", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    warnings.simplefilter("ignore", MotorWarning)
    with tempfile.TemporaryDirectory() as place:
        found = fuzz(
            args.programmes, args.actions, args.seed, Path(place), print
        )
    print(*found, sep="\n\n")
    print(f"{args.programmes} programmes, {len(found)} wrong")
    sys.exit(bool(found))
