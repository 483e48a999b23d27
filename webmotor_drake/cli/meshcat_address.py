"""Says where Meshcat is to be found."""

from typing import TYPE_CHECKING

from webmotor_drake.cli.console import complain

if TYPE_CHECKING:
    from pydrake.geometry import Meshcat


def tell_address(meshcat: "Meshcat") -> None:
    """Prints the address to open, and which port was taken."""
    from webmotor_drake.view.server import FIRST_PORT

    if meshcat.port() != FIRST_PORT:
        complain(f"port {FIRST_PORT} is in use; this is port {meshcat.port()}")
    complain(f"open {meshcat.web_url()} in a browser (Ctrl-C ends)")
