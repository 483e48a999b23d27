"""The arguments of films: part, camera, size and speed."""

import argparse
import math
import typing

from webmotor_drake.errors import InputError

_OPTIONS = ("camera", "size", "fps", "speed", "from", "to", "title")


def add_film_arguments(command: argparse.ArgumentParser) -> None:
    """Adds --video and the options that need it."""
    command.add_argument(
        "--video",
        metavar="FILE",
        help="write a film: FILE.mp4, FILE.webm or FILE.gif",
    )
    film = command.add_argument_group("with --video")
    film.add_argument(
        "--camera",
        metavar="NAME",
        default="",
        help="a camera of the scenario; default: one that frames the robot",
    )
    film.add_argument(
        "--size",
        metavar="WIDTHxHEIGHT",
        type=_size,
        default=(1280, 720),
        help="pixels; default: 1280x720",
    )
    film.add_argument(
        "--fps",
        type=float,
        help="frames per second; default: 30, in a .gif 20",
    )
    film.add_argument(
        "--speed",
        type=float,
        default=1.0,
        help="seconds of the run per second of the film; default: 1",
    )
    film.add_argument(
        "--title",
        metavar="TEXT",
        help="text in the corner, with the time beside it",
    )
    film.add_argument(
        "--from",
        metavar="TIME",
        type=float,
        default=0.0,
        help="the film's first moment in the run, s",
    )
    film.add_argument(
        "--to",
        metavar="TIME",
        type=float,
        default=math.inf,
        help="the film's last moment in the run, s; default: the end",
    )


def film_options(args: argparse.Namespace) -> dict[str, typing.Any]:
    """Returns the arguments for `write_video`, except the file.

    Raises:
        InputError: there are some, but no --video.
    """
    given = {name: getattr(args, name) for name in _OPTIONS}
    if args.video is None:
        for name, value in given.items():
            if value != args.parser.get_default(name):
                raise InputError(f"--{name} needs --video")
    start, end = given.pop("from"), given.pop("to")
    return {**given, "start": start, "end": end, "follow": args.follow}


def _size(text: str) -> tuple[int, int]:
    width, _, height = text.partition("x")
    try:
        return int(width), int(height)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{text}: WIDTHxHEIGHT is needed, such as 1280x720"
        ) from None
