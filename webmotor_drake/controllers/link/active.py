"""Finds the robot of a controller: `Robot()` and `Motor("name")` do not name it."""

import threading
import typing
import weakref

from webmotor_drake.controllers.link.client import Client


class Owner(typing.Protocol):
    """The owner of a device: a Robot."""

    _client: Client


# The client of each thread. A client knows its thread: a strong reference would keep
# both, and the simulation, for ever.
_owners: weakref.WeakKeyDictionary[
    threading.Thread, weakref.ReferenceType[Client]
] = weakref.WeakKeyDictionary()
# The robots of all runs and sessions that are open.
_open: list[Client] = []


def bind(client: Client, thread: threading.Thread | None = None) -> None:
    """Makes `client` the robot of a thread; None: of the current thread."""
    _owners[thread or threading.current_thread()] = weakref.ref(client)


def owner(thread: threading.Thread) -> Client | None:
    """Returns the robot of a thread, if it has one."""
    reference = _owners.get(thread)
    return reference and reference()


def threads_of(client: Client) -> list[threading.Thread]:
    """Returns the threads that have `client` for their robot."""
    return [thread for thread, of in list(_owners.items()) if of() is client]


def register(client: Client) -> None:
    """Adds the robot of a run or session that opens."""
    _open.append(client)


def unregister(client: Client) -> None:
    """Removes the robot of a run or session that closes."""
    _open.remove(client)


def client_of(robot: Owner | None) -> Client:
    """Returns the client that a device of `robot` commands; None: `current`."""
    return current() if robot is None else robot._client  # pyright: ignore[reportPrivateUsage]


def current() -> Client:
    """Returns the robot of this thread, or else the only robot.

    Raises:
        RuntimeError: there is no robot, or there are several.
    """
    client = owner(threading.current_thread())
    if client is not None:
        return client
    if len(_open) == 1:
        return _open[0]
    if not _open:
        raise RuntimeError(
            "no simulation runs here; run the controller with"
            " 'webmotor run FILE --controller CONTROLLER', or open a"
            " RobotSession"
        )
    names = ", ".join(client.host.name for client in _open)
    raise RuntimeError(
        f"several robots could be meant ({names}); pass robot=session.robot(NAME)"
    )
