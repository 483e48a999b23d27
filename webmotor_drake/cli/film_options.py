"""The options of films: part, camera, size and speed."""

import argparse
import typing

from webmotor_drake.errors import InputError

_OPTIONS = ("camera", "size", "fps", "speed", "from", "to", "title")


def film_options(args: argparse.Namespace) -> dict[str, typing.Any]:
    """Returns the arguments for `write_video`, except the file.

    Raises:
        InputError: there are some, but no --video.
    """
    given = {name: getattr(args, name) for name in _OPTIONS}
    if args.video is None:
        size = "{}x{}".format(*given["size"])
        for name, value in {**given, "size": size}.items():
            if value != args.parser.get_default(name):
                raise InputError(f"--{name} needs --video")
    start, end = given.pop("from"), given.pop("to")
    return {**given, "start": start, "end": end, "follow": args.follow}
