"""The commands and their options, as options.toml has them, for argparse."""

import argparse
import contextlib
import functools
import importlib.resources
import ipaddress
import math
import tomllib
import typing
from collections.abc import Callable


@functools.cache
def _tables() -> dict[str, typing.Any]:
    file = importlib.resources.files("webmotor_drake.cli") / "options.toml"
    return tomllib.loads(file.read_text(encoding="utf-8"))


def commands() -> dict[str, dict[str, typing.Any]]:
    """Returns the commands: their subjects, and the sets of options of each."""
    return _tables()["commands"]


def add_options(command: argparse.ArgumentParser, name: str) -> None:
    """Adds the options and the description of a command to its parser."""
    about = commands()[name]
    command.description = about.get("description")
    for options in map(_tables()["sets"].get, about["sets"]):
        title = options.get("group")
        target = command.add_argument_group(title) if title else command
        for option, given in options.items():
            if option != "group":
                target.add_argument(option, **_arguments(given))


def _arguments(given: dict[str, typing.Any]) -> dict[str, typing.Any]:
    found = dict(given)
    if given.get("action") == "append":
        found["default"] = []
    if "type" in given:
        found["type"] = _TYPES[given["type"]]
    elif given.get("metavar") in ("FILE", "DIR", "RUN_FOLDER"):
        found["type"] = _path
    if isinstance(given.get("metavar"), list):
        found["metavar"] = tuple(given["metavar"])
    return found


def names(text: str) -> list[str]:
    """Returns the names in an argument, which has commas between them."""
    return [name.strip() for name in text.split(",")]


def _some_names(text: str) -> list[str]:
    return list(filter(None, names(text)))


def _path(text: str) -> str:
    if not text.strip():
        raise argparse.ArgumentTypeError(
            f"{text!r} is no name of a file or folder"
        )
    return text


def _number(
    kind: type[int | float], least: float, below: float, words: str
) -> Callable[[str], float]:
    def read(text: str) -> float:
        with contextlib.suppress(ValueError):
            if least <= (number := kind(text)) < below:
                return number
        raise argparse.ArgumentTypeError(f"{text}: {words} is needed")

    return read


def _address(text: str) -> str:
    if text == "none":
        return text
    try:
        address = ipaddress.IPv4Address(text)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{text}: four numbers are needed, such as 192.168.1.7, or none"
        ) from None
    if address.is_unspecified:
        raise argparse.ArgumentTypeError(
            f"{text} is no machine; give the address of each that may connect"
        )
    return str(address)


def _mapping(text: str) -> dict[str, typing.Any]:
    import yaml

    try:
        mapping = yaml.safe_load(text)
    except yaml.YAMLError:
        mapping = None
    if not isinstance(mapping, dict):
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a mapping such as {{a: b}}"
        )
    return typing.cast(dict[str, typing.Any], mapping)


def _size(text: str) -> tuple[int, int]:
    width, _, height = text.partition("x")
    try:
        return int(width), int(height)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{text}: WIDTHxHEIGHT is needed, such as 1280x720"
        ) from None


_TYPES: dict[str, Callable[[str], object]] = {
    "int": int,
    "float": float,
    "names": names,
    "some_names": _some_names,
    "port": _number(int, 0, 2**16, "0 to 65535"),
    "address": _address,
    "rate": _number(float, 0, math.inf, "at least 0"),
    "size": _size,
    "mapping": _mapping,
}
