"""Files in a folder that is removed when this process ends."""

import atexit
import contextlib
import fcntl
import functools
import hashlib
import os
import shutil
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

# The originals of the copies made so far.
_ORIGINALS: dict[str, str] = {}
_PREFIX, _A_DAY = "webmotor_copies_", 24 * 3600.0  # s


class NamedFiles:
    """The files of a folder whose name is their digest.

    They are values and stay with a scenario. For Drake, which reads files, they are
    written when they are first needed, once per process.

    Args:
        files: contents by their names in the folder.

    Attributes:
        files: contents by their names in the folder.
        name: name of the folder; other files give another one.
    """

    def __init__(self, files: Mapping[str, bytes]):
        self.files = dict(files)
        digest = hashlib.sha256()
        for name, data in sorted(self.files.items()):
            digest.update(f"{name}\0{len(data)}\0".encode() + data)
        self.name = f"models-{digest.hexdigest()[:16]}"

    @classmethod
    def of(cls, files: Mapping[Path, bytes]) -> "NamedFiles":
        """Returns files, given by their paths, with the same paths to each other."""
        top = os.path.commonpath([file.parent for file in files])
        return cls(
            {f.relative_to(top).as_posix(): data for f, data in files.items()}
        )

    def __contains__(self, name: str) -> bool:
        """Returns whether a file has the name "folder/file"."""
        folder, _, rest = name.partition("/")
        return folder == self.name and rest in self.files

    def path(self, name: str) -> Path:
        """Returns the path of a file with a name; writes the files if need be."""
        above = copies_folder()
        folder = above / self.name
        if not folder.is_dir():
            new = Path(tempfile.mkdtemp(dir=above))
            for inside, data in self.files.items():
                (new / inside).parent.mkdir(parents=True, exist_ok=True)
                (new / inside).write_bytes(data)
            try:
                new.rename(folder)
            except OSError:  # another thread was faster
                shutil.rmtree(new)
        return above / name


def copies_of(original: Path, files: Mapping[Path, bytes]) -> Path:
    """Writes copies of files, with the same paths to each other.

    Equal copies are written once: a model that is built again and again has one
    copy.

    Args:
        original: file of the user's that the first copy stands for.
        files: contents of the copies, by the paths of the originals.

    Returns:
        The path of the first copy.
    """
    named = NamedFiles.of(files)
    copy = named.path(f"{named.name}/{next(iter(named.files))}")
    _ORIGINALS[str(copy)] = str(original)
    return copy


def users_files(text: str) -> str:
    """Returns a `text` of Drake's that names the user's files instead of our copies.

    Line numbers hold: a copy has the same lines as its original.
    """
    for copy, original in _ORIGINALS.items():
        text = text.replace(copy, original)
    return text


@functools.cache
def copies_folder() -> Path:
    """Returns the folder for files that are removed when this process ends.

    If this process is killed, another one removes them, from a day later on.
    """
    folder = Path(tempfile.mkdtemp(prefix=_PREFIX))
    atexit.register(_remove, folder, os.getpid())
    _lock_of(folder)
    for other in folder.parent.glob(f"{_PREFIX}*"):
        with contextlib.suppress(OSError):  # in use, another user's, or gone
            if other.stat().st_mtime < time.time() - _A_DAY:
                lock = _lock_of(other)
                shutil.rmtree(other, ignore_errors=True)
                os.close(lock)
    return folder


def _lock_of(folder: Path) -> int:
    """Returns the lock on a folder, held until it is closed or this process ends."""
    lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(lock)
        raise
    return lock


def _remove(folder: Path, process: int) -> None:
    if os.getpid() == process:  # a forked child has a folder of its own
        shutil.rmtree(folder, ignore_errors=True)


# A forked child makes its own copies: its parent removes the others at its end.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=copies_folder.cache_clear)
