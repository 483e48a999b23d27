"""Files in a folder that goes when this process ends: copies, and files as values."""

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

# The copies made so far, and what they are copies of.
_ORIGINALS: dict[str, str] = {}
_PREFIX, _A_DAY = "webmotor_copies_", 24 * 3600.0  # s


class NamedFiles:
    """The files of a folder with the digest of them as its name.

    They are values, which go along with a scenario. Drake reads files: they are
    written where and when they are needed, once per process.

    Args:
        files: their contents, by their names in the folder.

    Attributes:
        files: contents by their names in the folder.
        name: the folder's; that of others differs.
    """

    def __init__(self, files: Mapping[str, bytes]):
        self.files = dict(files)
        digest = hashlib.sha256()
        for name, data in sorted(self.files.items()):
            digest.update(f"{name}\0{len(data)}\0".encode() + data)
        self.name = f"models-{digest.hexdigest()[:16]}"

    @classmethod
    def of(cls, files: Mapping[Path, bytes]) -> "NamedFiles":
        """Returns files as they stand to each other, by their paths."""
        top = os.path.commonpath([file.parent for file in files])
        return cls(
            {f.relative_to(top).as_posix(): data for f, data in files.items()}
        )

    def __contains__(self, name: str) -> bool:
        """Returns whether a name is that of a file, with the folder's before it."""
        folder, _, rest = name.partition("/")
        return folder == self.name and rest in self.files

    def path(self, name: str) -> Path:
        """Returns the file of a name that is in it, written if it is not there."""
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
    """Writes files that stand for others, as they stand to each other.

    The same is written once: of a model that is built again and again there is one
    copy.

    Args:
        original: the user's file that the first of them stands for.
        files: their contents, by the paths that they would have.

    Returns:
        The first of them.
    """
    named = NamedFiles.of(files)
    copy = named.path(f"{named.name}/{next(iter(named.files))}")
    _ORIGINALS[str(copy)] = str(original)
    return copy


def users_files(text: str) -> str:
    """Returns a `text` of Drake's with the user's files instead of our copies.

    A copy has its lines where the original has them.
    """
    for copy, original in _ORIGINALS.items():
        text = text.replace(copy, original)
    return text


@functools.cache
def copies_folder() -> Path:
    """Returns the folder for files that go when this process ends.

    Where it is killed they go when another process makes its folder, a day later.
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


# A forked child makes its own copies: its parent's go when that ends.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=copies_folder.cache_clear)
