"""Random calls of methods with random arguments, and what came of them."""

import argparse
import contextlib
import inspect
import io
import struct
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from webmotor_drake import MotorWarning

# What Webots' Python raises too: ctypes, struct, lists and texts. An image's
# getters index what they are given: it may be a dict, or repeated 2**40 times.
ALLOWED = (
    LookupError,
    MemoryError,
    OverflowError,
    TypeError,
    ValueError,
    struct.error,
)
# Calls between two steps, on average.
BETWEEN = 5
# Lengths of steps, ms.
STEPS = 0, 2, 4, 20

# Gives the object that is called next.
Choose = Callable[[np.random.Generator], object]
# Gives what calls may be given.
Arguments = Callable[[np.random.Generator], Sequence[object]]


def plain_arguments(random: np.random.Generator) -> list[object]:
    """Returns numbers, texts and lists of all kinds."""
    return [
        *(0, 1, -1, 2, 7, 8, 64, 2**40, 0.5, -0.5, 1e300),
        *(float("nan"), float("inf"), "x", "", "gps", b"bytes", b""),
        *(None, True, [], [1, 2], [0.5], (1, 2, 3), {"a": 1}),
        int(random.integers(-1000, 1000)),
        float(random.normal()),
    ]


def calls_of(thing: object, left_out: set[str]) -> list[str]:
    """Returns the methods that a controller may call, but those left out."""
    return [
        name
        for name, _ in inspect.getmembers(type(thing), callable)
        if not name.startswith("_") and name not in left_out
    ]


def wanted(method: object, random: np.random.Generator) -> int:
    """Returns how many arguments a call is given: mostly those that it takes."""
    try:
        number = len(inspect.signature(method).parameters)
    except ValueError:
        number = 1
    return number if random.random() < 0.9 else int(random.integers(5))


def make_calls(
    number: int,
    random: np.random.Generator,
    *,
    choose: Choose,
    arguments: Arguments,
    step: Callable[[int], object],
    left_out: set[str],
) -> tuple[Counter, list[str]]:
    """Makes random calls, and steps now and then.

    Args:
        number: how many.
        random: what they are drawn from.
        choose: gives the object that is called.
        arguments: gives what a call may be given.
        step: steps the robot by so many ms.
        left_out: methods that are not called.

    Returns:
        How often calls returned, or raised what they may; and what was wrong.
    """
    found: Counter[str] = Counter()
    wrong = []
    for _ in range(number):
        if random.random() < 1 / BETWEEN:
            step(int(random.choice(STEPS)))
        thing = choose(random)
        names = calls_of(thing, left_out)
        name = names[random.integers(len(names))]
        method, known = getattr(thing, name), arguments(random)
        places = random.integers(len(known), size=wanted(method, random))
        given = [known[i] for i in places]
        try:
            method(*given)
            found["returned"] += 1
        except ALLOWED as error:
            found[type(error).__name__] += 1
        except Exception as error:
            wrong.append(f"{thing!r}.{name}{tuple(given)!r}: {error!r}")
    return found, wrong


def show(
    fuzz: Callable[[int, int, Path], tuple[Counter, list[str]]],
    description: str | None,
) -> bool:
    """Prints what came of calls as the command line wants them.

    Args:
        fuzz: takes the number of calls, a seed, and a folder for files.
        description: of the script.

    Returns:
        Whether anything was wrong.
    """
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--calls", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    warnings.simplefilter("ignore", MotorWarning)
    said = io.StringIO()
    with (
        tempfile.TemporaryDirectory() as folder,
        contextlib.redirect_stderr(said),
    ):
        found, wrong = fuzz(args.calls, args.seed, Path(folder))
    print(f"{args.calls} calls: {dict(found)}")
    print(f"{len(said.getvalue().splitlines())} lines on standard error")
    for line in wrong:
        print(f"wrong: {line}")
    return bool(wrong)
