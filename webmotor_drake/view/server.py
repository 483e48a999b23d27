"""Starts Meshcat, for browsers on this machine alone."""

import contextlib
import logging
from collections.abc import Iterator

from pydrake.geometry import Meshcat, MeshcatParams

from webmotor_drake.errors import InputError

# Where Meshcat looks for a free port first, and last.
FIRST_PORT, LAST_PORT = 7000, 7999


def start_meshcat() -> Meshcat:
    """Returns a Meshcat that listens on 127.0.0.1, at the first free port.

    Raises:
        InputError: no port is free.
    """
    try:
        with _address_not_told():
            return Meshcat(MeshcatParams(host="127.0.0.1"))
    except RuntimeError as error:
        raise InputError(
            f"no port from {FIRST_PORT} to {LAST_PORT} is free for Meshcat"
        ) from error


@contextlib.contextmanager
def _address_not_told() -> Iterator[None]:
    """Keeps Drake from telling the address: the command line does."""
    drake = logging.getLogger("drake")
    level = drake.level
    drake.setLevel(logging.WARNING)
    try:
        yield
    finally:
        drake.setLevel(level)
