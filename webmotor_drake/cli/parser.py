"""argparse that reads dashes as underscores and knows the nearest option."""

import argparse
import dataclasses as dc
import difflib
import platform
import re
import sys
import typing
from collections.abc import Iterable, Sequence

from webmotor_drake.cli.console import say
from webmotor_drake.data import version
from webmotor_drake.errors import guess

_OPTION = re.compile(r"--\w[\w-]*")
_CHOICE = re.compile(r"invalid choice: '([^']*)' \(choose from (.*)\)$")


class Parser(argparse.ArgumentParser):
    """The parser of the command line, and of each of its commands."""

    def __init__(self, *args: typing.Any, **options: typing.Any):
        super().__init__(*args, **options)
        self.set_defaults(parser=self)  # a command's own takes its place

    def parse_args(  # pyright: ignore[reportIncompatibleMethodOverride]
        self,
        args: Iterable[str] | None = None,
        namespace: typing.Any = None,
    ) -> typing.Any:
        """Returns the arguments; --scenario-name is --scenario_name.

        Exits with status 2 where an option is unknown, and names the nearest.
        """
        given = list(sys.argv[1:] if args is None else args)
        known, unknown = self.parse_known_args(
            _with_underscores(given), namespace
        )
        if unknown:
            known.parser.error(
                f"unrecognized arguments: {' '.join(unknown)}"
                + _guess(unknown, {*self.options(), *known.parser.options()})
            )
        return known

    def error(self, message: str) -> typing.NoReturn:
        """Exits with status 2; names the nearest of a command's or option's choices."""
        choice = _CHOICE.search(message)
        if choice is not None:
            known = re.findall(r"[\w-]+", choice[2])
            message += guess(choice[1], known)
        super().error(message)

    def options(self) -> list[str]:
        """Returns the names of all options that begin with two dashes."""
        return re.findall(r"(?<!\S)\[?(--\w+)", self.format_help())


class Version(argparse.Action):
    """Prints the versions that a run depends on, and exits."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        """Is called where the option is given."""
        from importlib import metadata

        from webmotor_drake.loops import COMPILED

        say(
            f"webmotor {version()} (Drake {metadata.version('drake')},"
            f" Python {platform.python_version()}, motors"
            f" {'compiled' if COMPILED else 'not compiled'})"
        )
        parser.exit()


def _with_underscores(arguments: Sequence[str]) -> list[str]:
    """Writes names of options with underscores; not after ``=`` and ``--``."""
    end = arguments.index("--") if "--" in arguments else len(arguments)
    return [
        _OPTION.sub(lambda name: "--" + name[0][2:].replace("-", "_"), text, 1)
        if _OPTION.match(text)
        else text
        for text in arguments[:end]
    ] + list(arguments[end:])


def _guess(unknown: Sequence[str], options: set[str]) -> str:
    """Returns the end of the error for a misspelt option."""
    fields = _fields() if "--scenario_text" in options else {}
    for text in unknown:
        name = text.partition("=")[0]
        if not name.startswith("--"):
            continue
        known = sorted({*options, *fields})
        nearest = difflib.get_close_matches(name, known, n=1, cutoff=0.7)
        if nearest and nearest[0] in options:
            return f"; did you mean {nearest[0]}?"
        if nearest:
            field = fields[nearest[0]]
            return f"; --scenario_text '{{{field}: ...}}' sets it"
    return ""


def _fields() -> dict[str, str]:
    """Returns the fields of a scenario by the options that users may take for them.

    A field has the ends of its name as options, too, unless another field shares them.
    """
    from webmotor_drake.scenario.scenario import Scenario

    found: dict[str, set[str]] = {}
    for field in dc.fields(Scenario):
        words = field.name.split("_")
        for k in range(len(words)):
            name = "--" + "_".join(words[k:])
            found.setdefault(name, set()).add(field.name)
    return {n: min(fields) for n, fields in found.items() if len(fields) == 1}
