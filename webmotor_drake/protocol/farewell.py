"""Tells clients that it is over."""

import time
from collections.abc import Mapping

from webmotor_drake.protocol.link import Link
from webmotor_drake.protocol.server import Server
from webmotor_drake.protocol.wire_robot import QUIT

# The time in which clients have to hear it, s.
_GRACE = 1.0


def say_goodbye(server: Server, links: Mapping[str, Link]) -> None:
    """Tells all clients that it is over, and waits for them to go.

    Those that come meanwhile are not heard: they want what comes after it.

    Args:
        server: their connections; it has none of them then.
        links: by the name of the robot.
    """
    deadline = time.monotonic() + _GRACE
    told: set[str] = set()
    leaving = dict(server.clients)
    for name, client in leaving.items():
        client.hurry(_GRACE)
        if links[name].asked is not None:
            client.answer(QUIT)
            told.add(name)
    while leaving and time.monotonic() < deadline:
        for name in server.wait(deadline - time.monotonic()):
            client = leaving.get(name)
            if client is None:
                continue
            client.hear()
            request = client.request()
            if request is not None and not request.last:
                client.answer(QUIT)
                told.add(name)
            elif request is not None or client.closed:
                server.drop(name)
                del leaving[name]
    for name, client in leaving.items():
        if name not in told:  # it computes; this is its next answer
            client.answer(QUIT)
        server.drop(name)
