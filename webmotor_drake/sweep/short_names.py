"""Short names of parameters, for tables and pictures."""

from collections import Counter
from collections.abc import Sequence

from webmotor_drake.errors import InputError
from webmotor_drake.scenario.parameter_path import Keys, parse_path


def short_names(paths: Sequence[str]) -> dict[str, str]:
    """Returns the shortest ends of paths that tell them apart, by path.

    ``model_drivers.arm.motors."elbow motor".control_pid[0]`` becomes
    ``elbow motor control_pid[0]``, as long as no other path ends so.
    """
    ends = {path: _ends(path) for path in paths}
    names = {path: choices[0] for path, choices in ends.items()}
    longest = max(map(len, ends.values()), default=0)
    for length in range(1, longest):
        number = Counter(names.values())
        for path, choices in ends.items():
            if number[names[path]] > 1:
                names[path] = choices[min(length, len(choices) - 1)]
    return names


def _ends(path: str) -> list[str]:
    """Returns the ends of a path as people read them, from two names on."""
    try:
        keys = parse_path(path)
    except InputError:  # a column of a table that somebody made
        return [path]
    names = [i for i, key in enumerate(keys) if isinstance(key, str)]
    return [_text(keys[start:]) for start in names[-2::-1]] or [_text(keys)]


def _text(keys: Keys) -> str:
    words = [f"[{key}]" if isinstance(key, int) else f" {key}" for key in keys]
    return "".join(words).strip()
