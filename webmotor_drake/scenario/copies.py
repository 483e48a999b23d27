"""Files that stand for a user's, in a folder that goes when this process ends."""

import atexit
import contextlib
import functools
import itertools
import os
import shutil
import tempfile
from collections.abc import Generator, Mapping
from pathlib import Path

# The copies made so far, and what they are copies of.
_ORIGINALS: dict[str, str] = {}
# Names of the copies' folders.
_NUMBERS = itertools.count()


@functools.lru_cache(maxsize=100)
def copy_of(original: Path, text: bytes) -> Path:
    """Returns a file with a text that stands for another file.

    The same text is written once: of a model that is built again and again there is
    one copy.

    Args:
        original: the user's file.
        text: content for Drake to read instead.
    """
    return copies_of(original, {original.parent / original.name: text})


def copies_of(original: Path, files: Mapping[Path, bytes]) -> Path:
    """Writes files that stand for others, as they stand to each other.

    Args:
        original: the user's file that the first of them stands for.
        files: their contents, by the paths that they would have.

    Returns:
        The first of them.
    """
    folder = copies_folder() / str(next(_NUMBERS))
    top = os.path.commonpath([file.parent for file in files])
    copies = [folder / file.relative_to(top) for file in files]
    write_below(folder, dict(zip(copies, files.values(), strict=True)))
    _ORIGINALS[str(copies[0])] = str(original)
    return copies[0]


def write_below(folder: Path, files: Mapping[Path | str, bytes]) -> None:
    """Writes files, by their names in a folder, with the folders that they need."""
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)


@contextlib.contextmanager
def note_copy(copy: Path, original: Path) -> Generator[None]:
    """Tells `users_files` of a copy, for the duration of the block."""
    _ORIGINALS[str(copy)] = str(original)
    try:
        yield
    finally:
        del _ORIGINALS[str(copy)]


def users_files(text: str) -> str:
    """Returns a `text` of Drake's with the user's files instead of our copies.

    A copy has its lines where the original has them.
    """
    for copy, original in _ORIGINALS.items():
        text = text.replace(copy, original)
    return text


@functools.cache
def copies_folder() -> Path:
    """Returns the folder for files that go when this process ends."""
    folder = Path(tempfile.mkdtemp(prefix="webmotor_"))
    atexit.register(_remove, folder, os.getpid())
    return folder


def _remove(folder: Path, process: int) -> None:
    if os.getpid() == process:  # a forked child has a folder of its own
        shutil.rmtree(folder, ignore_errors=True)


def _forget_copies() -> None:
    """Has a forked child make its own copies: its parent's go when that ends."""
    copies_folder.cache_clear()
    copy_of.cache_clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_copies)
