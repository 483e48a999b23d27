"""Values drawn anew in each episode."""

import math
import numbers
import typing
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from webmotor_drake.errors import InputError

# The source of a drawn value: two numbers to draw between, evenly; several to choose
# from; a function of the random numbers; or a value that is always the same.
Draw = (
    tuple[float, float]
    | Sequence[typing.Any]
    | Callable[[np.random.Generator], typing.Any]
    | float
)


def check_draw(draw: Draw, name: str) -> None:
    """Raises InputError for a draw that cannot be made."""
    if isinstance(draw, tuple):
        numbers = len(draw) == 2 and all(_is_number(end) for end in draw)
        if not numbers or not -math.inf < draw[0] <= draw[1] < math.inf:
            raise InputError(
                f"{draw} is not a range; (low, high) is allowed, two numbers of"
                " which the first is the smaller"
            ).below(name)
    elif isinstance(draw, list):
        if not draw:
            raise InputError("an empty list to choose from").below(name)
    elif not callable(draw) and not _is_number(draw):
        raise InputError(
            f"{draw!r} is not a draw; (low, high), a list to choose from, a function"
            " of the random numbers, or a number are allowed"
        ).below(name)


def drawn(draw: Draw, random: np.random.Generator) -> typing.Any:
    """Returns a value of a draw."""
    if isinstance(draw, tuple):
        return float(random.uniform(*draw))
    if isinstance(draw, list):
        return draw[int(random.integers(len(draw)))]
    return draw(random) if callable(draw) else draw


def all_drawn(
    draws: Mapping[str, Draw] | Callable[[np.random.Generator], typing.Any],
    random: np.random.Generator,
) -> dict[str, typing.Any]:
    """Returns a value of each draw, in their order; a function makes its own."""
    if callable(draws):
        return dict(draws(random))
    return {name: drawn(draw, random) for name, draw in draws.items()}


def seed_of_each(
    seed: int | Sequence[int | None] | None, number: int
) -> list[int | None]:
    """Returns the seeds of several environments, as Gymnasium's vectors have them.

    Args:
        seed: seed of the first, one more for each of the others; or a seed for each.
        number: count of environments.

    Raises:
        ValueError: a list of another length.
    """
    if seed is None:
        return [None] * number
    seeds = [seed + i for i in range(number)] if isinstance(seed, int) else seed
    if len(seeds) != number:
        raise ValueError(f"{len(seeds)} seeds for {number} environments")
    return list(seeds)


def _is_number(value: object) -> bool:
    return isinstance(value, numbers.Real) and not isinstance(value, bool)
