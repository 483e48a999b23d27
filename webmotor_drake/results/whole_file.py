"""Files that are either whole or not there.

Data is written to a temporary file in the same folder, synced to the disk and
renamed. A crash, a full disk or Ctrl-C midway leaves the older file, or none,
but never half a file.
"""

import errno
import os
import secrets
from collections.abc import Generator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from webmotor_drake.errors import InputError, guess

_PROBE = bytes(4096)  # one block: an empty file fits even on a full disk


def write_whole(path: str | os.PathLike[str], data: bytes) -> None:
    """Writes `data` to the file `path`, whole or not at all.

    The folder is made if needed. A link keeps pointing where it points; a
    device or pipe, such as /dev/stdout, is written to and not replaced.

    Args:
        path: the file to write.
        data: its whole content.

    Raises:
        InputError: `path` cannot be written; says why.
    """
    write_together({Path(path): data})


def write_together(files: Mapping[Path, bytes]) -> None:
    """Writes several files, none of them before all are on the disk.

    Args:
        files: the content of each file.

    Raises:
        InputError: one of them cannot be written; says which, and why.
    """
    with ExitStack() as cleanup:
        ready: list[tuple[Path, Path]] = []
        for path, data in files.items():
            if _is_special(path):
                with explained(path):
                    path.write_bytes(data)
            else:
                temporary = cleanup.enter_context(_temporary(path, data))
                ready.append((temporary, path))
        for temporary, path in ready:
            with explained(path):
                os.replace(temporary, os.path.realpath(path))


def check_writable(*paths: str | os.PathLike[str]) -> None:
    """Proves that files can be written, and leaves them as they are.

    For use before long work that ends with writing them. Folders are made if needed.

    Args:
        paths: the files that will be written.

    Raises:
        InputError: one of them cannot be written; says why.
    """
    for path in map(Path, paths):
        if not _is_special(path):
            with _temporary(path, _PROBE):
                pass
        # Opening a pipe would wait for a reader, or end the reader's input.
        elif not (path.is_fifo() and os.access(path, os.W_OK)):
            with explained(path):
                path.write_bytes(b"")


def check_regular(path: Path) -> None:
    """Refuses pipes, devices and sockets.

    Reading a pipe may wait for ever, and /dev/zero never ends.

    Raises:
        InputError: `path` is a pipe, a device or a socket.
    """
    with suppress(OSError, ValueError):  # such a name is not possible
        if path.exists() and not path.is_file() and not path.is_dir():
            raise InputError(f"{path} is a pipe or a device, not a file")


def is_file(path: Path) -> bool:
    """Returns whether there is such a file; False for names that are not possible."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def load_bytes(path: Path) -> bytes:
    """Returns the content of a file.

    Raises:
        InputError: there is no such file, or it cannot be read; says why.
    """
    check_regular(path)
    with explained(path, "read"):
        return path.read_bytes()


def meant(path: Path) -> str:
    """Returns "; did you mean NAME?" for a missing file's neighbour of its kind."""
    with suppress(OSError, ValueError):
        for up in (*reversed(path.parents), path):
            if not os.path.lexists(up):
                near = map(str, up.parent.glob(f"*{up.suffix}"))
                return guess(up.name, map(os.path.basename, near))
    return ""


def reason(error: Exception) -> str:
    """Returns the system's words for `error`; of a missing file the nearest name."""
    words = error.strerror if isinstance(error, OSError) else None
    near = ""
    if isinstance(error, FileNotFoundError) and error.filename:
        near = meant(Path(os.fsdecode(error.filename)))
    return (words or str(error) or type(error).__name__) + near


@contextmanager
def _temporary(path: Path, data: bytes) -> Generator[Path]:
    """Gives a file beside `path` that holds `data`; removes it at the end."""
    with explained(path):  # the current folder may be gone
        target = Path(os.path.realpath(path))
    temporary = target.with_name(f".{secrets.token_hex(8)}.tmp")
    try:
        with explained(path):
            _make_folder(target.parent)
            with temporary.open("xb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
        yield temporary
    finally:
        with suppress(OSError):  # renamed, or never created
            temporary.unlink()


def _make_folder(folder: Path) -> None:
    """Makes `folder`, however deep; a file in its place is "Not a directory"."""
    missing: list[Path] = []
    for up in (folder, *folder.parents):
        if up.exists():
            break
        missing.append(up)
    for up in reversed(missing):
        up.mkdir(exist_ok=True)
    if not folder.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))


def _is_special(path: Path) -> bool:
    with explained(path):
        try:
            return path.exists() and not path.is_file()
        except NotADirectoryError:  # left to _make_folder
            return False


@contextmanager
def explained(path: str | Path, verb: str = "write") -> Generator[None]:
    """Reports an OSError of the block as an InputError.

    Args:
        path: the file that the block writes or reads.
        verb: "write" or "read".
    """
    try:
        yield
    except OSError as error:
        problem = f"cannot {verb} {path}: {reason(error)}"
        raise InputError(problem) from error
