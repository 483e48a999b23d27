"""The folder and the robot names by which clients find a simulation.

`/tmp/webots/<user>/<port>/ipc/<robot>/extern` is a local socket; `intern` is that of a
program which the simulator starts itself (WbStandardPaths.cpp, WbController.cpp).
"""

import contextlib
import hashlib
import os
import shutil
import stat
import urllib.parse
from pathlib import Path

from webmotor_drake.errors import InputError

_ROOT = Path("/tmp/webots")
# The longest name of a local socket, bytes.
LONGEST_PATH = 107
_LONGEST_NAME = 70


def user() -> str:
    """Returns the user as clients name it."""
    return os.environ.get("USER") or os.environ.get("USERNAME") or "default"


def quoted(name: str) -> str:
    """Returns a name as R2025a's clients write it first over TCP; up to 90 bytes."""
    return urllib.parse.quote(name, safe="-_~.")


def encoded(name: str) -> str:
    """Returns a name as clients write it in paths, and first over TCP.

    A long name becomes its SHA-1, as in releases up to R2024a.
    """
    code = quoted(name)
    return _digest(code) if len(code) > _LONGEST_NAME else code


def _digest(code: str) -> str:
    return hashlib.sha1(code.encode(), usedforsecurity=False).hexdigest()


class Instance:
    """The folder of one simulation, which belongs to this user alone.

    Attributes:
        path: the folder.

    Args:
        port: number in the folder's name; no other simulation has this port.

    Raises:
        InputError: the folder cannot be written.
    """

    def __init__(self, port: int):
        self.path = _ROOT / user() / str(port)
        try:
            with contextlib.suppress(FileExistsError):
                _ROOT.mkdir()  # in which each user may make a folder
                _ROOT.chmod(0o1777)
            _make_own(self.path.parent)
            shutil.rmtree(self.path, ignore_errors=True)  # a killed run's
            _make_own(self.path)
            (self.path / "ipc").mkdir(mode=0o700)
        except OSError as error:
            raise InputError(
                f"cannot make {self.path}, where controllers look for a"
                f" simulation: {error.strerror or error}"
            ) from None

    def folder(self, robot: str) -> Path:
        """Returns a new folder for a robot's sockets and images."""
        folder = self.path / "ipc" / encoded(robot)
        folder.mkdir(mode=0o700)
        return folder

    def offer_other_names(self, robot: str, kind: str) -> None:
        """Links the folder of a robot with a long name to its name in R2025a.

        Args:
            robot: its name.
            kind: kind of the socket in it, "extern" or "intern".
        """
        code = quoted(robot)
        # R2025a's room for a name in a socket's path; an intern path begins with ipc/.
        ipc = self.path / "ipc"
        room = 91 - len(str(ipc)) - 8
        if kind == "intern":
            room = 91 - len(f"{self.path}/") - 11
        room = max(room - room % 2, 4)
        other = _digest(code)[:room] if len(code) > room else code
        link = ipc / other
        if other != encoded(robot) and len(str(link / kind)) <= LONGEST_PATH:
            with contextlib.suppress(OSError):
                link.symlink_to(encoded(robot))

    def remove(self) -> None:
        """Removes the folder, and each folder above it that is then empty."""
        shutil.rmtree(self.path, ignore_errors=True)
        with contextlib.suppress(OSError):
            self.path.parent.rmdir()


def _make_own(folder: Path) -> None:
    """Makes a folder that is ours alone; raises an OSError if it is not, or a link."""
    with contextlib.suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
        raise PermissionError("somebody else has it")
