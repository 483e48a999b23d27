"""Starts Meshcat, for browsers on this machine alone."""

from pydrake.geometry import Meshcat, MeshcatParams

from webmotor_drake.errors import InputError

# Where Meshcat looks first, and where its search for a free port ends.
FIRST_PORT, LAST_PORT = 7000, 7999


def start_meshcat() -> Meshcat:
    """Returns a Meshcat that listens on 127.0.0.1, at the first free port.

    Raises:
        InputError: no port is free.
    """
    try:
        return Meshcat(MeshcatParams(host="127.0.0.1"))
    except RuntimeError as error:
        raise InputError(
            "cannot show anything: no port between"
            f" {FIRST_PORT} and {LAST_PORT} is free ({error})"
        ) from error


def taken_port(meshcat: Meshcat) -> int | None:
    """Returns the port that was taken, if `meshcat` had to take a later one."""
    return FIRST_PORT if meshcat.port() != FIRST_PORT else None
