"""Worlds and PROTOs with random mistakes: words lost, doubled, exchanged, cut, odd.

    python benchmarks/fuzz_worlds.py [--calls N] [--seed S]

Each one is refused in lines that have a place, or becomes a scenario, within a few
seconds. Anything else is shown, and the exit status is 1.
"""

import re
import shutil
import sys
import time
import warnings
from collections import Counter
from pathlib import Path

import numpy as np
from _lib.odd_files import slip
from _lib.random_calls import show

from webmotor_drake.data import SCENARIOS
from webmotor_drake.errors import InputError
from webmotor_drake.worlds.imported import import_world
from webmotor_drake.worlds.project import Options

WORLDS = SCENARIOS / "worlds"
# So long reading one may take, s of the processor.
_PATIENCE = 10.0
_TOKEN = re.compile(r'"[^"\n]*"|[{}\[\]]|[^\s{}\[\]"]+|\s+')
_PLACE = re.compile(r"\.(wbt|proto)|our own")
_WORDS = (
    *(
        "0",
        "-1",
        "1e300",
        "1e-300",
        "1e9",
        "nan",
        "inf",
        "1e999",
        "-0.0",
        "7.5",
    ),
    *("NULL", "TRUE", "FALSE", '"x"', '""', '"', "{", "}", "[", "]", "#", ","),
    *("DEF X", "USE X", "USE LINK", "IS name", "IS x", "PROTO", "EXTERNPROTO"),
    *("Solid { }", "Robot { }", "Physics { }", "Pose { }", "Transform { }"),
    *("Group { children USE X }", "HingeJoint { }", "SliderJoint { }"),
    *("BallJoint { }", "Hinge2Joint { }", "endPoint Slot { }", "children [ ]"),
    *(
        'endPoint SolidReference { solidName "x" }',
        "Track { }",
        "Propeller { }",
    ),
    *("Shape { geometry Plane { } }", "Box { size 0 0 0 }", "Sphere { }"),
    *('Mesh { url "x.stl" }', "IndexedFaceSet { }", "ElevationGrid { }"),
    *("Capsule { radius 0 }", "Cylinder { height -1 }", "Extrusion { }"),
    *("mass 0", "density -1", "scale 2 2 2", "rotation 0 0 0 0", "locked TRUE"),
    *(
        "axis 0 0 0",
        "minStop 1 maxStop -1",
        "position 1e300",
        "inertiaMatrix [ ]",
    ),
    *("inertiaMatrix [ 1 1 1 0 0 0 ]", "centerOfMass [ nan 0 0 ]"),
    *(
        "boundingObject Group { }",
        "boundingObject USE X",
        "Joint { }",
        "E-puck { }",
    ),
    *("%< for (;;) {} >%", "%<= 1 >%", "\x00", "é\u2028", "hidden x 1"),
)


def garbled(text: str, random: np.random.Generator) -> str:
    """Returns a text with a few mistakes."""
    tokens = _TOKEN.findall(text)
    for _ in range(random.integers(1, 5)):
        place = int(random.integers(len(tokens)))
        what = random.integers(9)
        word = f" {_WORDS[random.integers(len(_WORDS))]} "
        if what < 2:
            tokens[place] = word
        elif what < 4:
            tokens.insert(place, word)
        elif what == 4:
            tokens[place] = ""
        elif what == 5:
            tokens[place] = tokens[random.integers(len(tokens))]
        elif what == 6:
            _move(tokens, place, random)
        elif what == 7:
            _other_number(tokens, random)
        elif random.random() < 0.2:
            del tokens[max(place, 1) :]
    text = "".join(tokens)
    return slip(text, random) if random.random() < 0.1 and text else text


def _move(tokens: list[str], place: int, random: np.random.Generator) -> None:
    """Copies a piece of the text to another place."""
    piece = tokens[place : place + int(random.integers(1, 60))]
    other = int(random.integers(len(tokens)))
    tokens[other:other] = piece


def _other_number(tokens: list[str], random: np.random.Generator) -> None:
    numbers = [i for i, t in enumerate(tokens) if re.fullmatch(r"-?[\d.]+", t)]
    if numbers:
        tokens[numbers[random.integers(len(numbers))]] = _WORDS[
            random.integers(10)
        ]


def fuzz(number: int, seed: int, folder: Path) -> tuple[Counter, list[str]]:
    """Reads worlds with mistakes.

    Args:
        number: how many.
        seed: of their mistakes.
        folder: where they are written to.

    Returns:
        What came of them, and what was wrong.
    """
    random = np.random.default_rng(seed)
    project = folder / "project"
    shutil.copytree(WORLDS, project)
    worlds = sorted((project / "worlds").glob("*.wbt"))
    protos = sorted((project / "protos").glob("*.proto"))
    users = [w for w in worlds if any(p.stem in w.read_text() for p in protos)]
    found: Counter[str] = Counter()
    wrong = []
    for i in range(number):
        in_proto = random.random() < 0.25
        files = protos if in_proto else worlds
        file = files[random.integers(len(files))]
        world = users[random.integers(len(users))] if in_proto else file
        original = file.read_text()
        text = garbled(original, random)
        file.write_text(text, errors="surrogateescape")
        told = _outcome(world)
        file.write_text(original)
        found[told.partition(":")[0]] += 1
        if told.startswith("wrong"):
            wrong.append(f"{i} of seed {seed}, {file.name}: {told}")
            kept = folder.parent / f"odd_{seed}_{i}{file.suffix}"
            kept.write_text(text, errors="surrogateescape")
    return found, wrong


def _outcome(world: Path) -> str:
    """Returns what came of a world."""
    started = time.process_time()
    told = "read"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import_world(world, Options())
    except InputError as error:
        told = "refused"
        if not _PLACE.search(str(error)):
            told = f"wrong: no place: {error}"
    except (Exception, SystemExit) as error:
        told = f"wrong: {type(error).__name__}: {error}"[:300]
    if time.process_time() - started > _PATIENCE:
        told = f"wrong: took long; {told}"
    return told


if __name__ == "__main__":
    sys.exit(show(fuzz, __doc__))
