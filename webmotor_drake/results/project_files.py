"""Checks files named by untrusted files: plain ones of the project or a package."""

import functools
import os
from pathlib import Path

from webmotor_drake.errors import InputError, warn
from webmotor_drake.limits import too_many
from webmotor_drake.results.whole_file import check_regular, is_file

_MOST_BYTES = 200_000_000
_POINTER = b"version https://git-lfs.github.com/spec/"
# Files and folders that mark a project's folder, perhaps far above a model.
_MARKS = (".git", "package.xml", "protos", "worlds")


def check_asset(
    file: Path, near: Path | None = None, *, is_relative: bool = True
) -> None:
    """Refuses a file that is not a plain file of the project or of a package.

    A missing file is accepted: its reader reports it.

    Args:
        file: absolute path of the file, which may contain links.
        near: file that names it; None: named by the user or a package.
        is_relative: False if it is named by an absolute path: outside of the project
            that only gives a warning.

    Raises:
        InputError: the file is a pipe, a device, a link out of the project, a pointer
            of Git LFS, or too large.
    """
    check_regular(file)
    if not is_file(file):
        return
    _check_place(file, near, is_relative)
    size = file.stat().st_size
    if problem := too_many(size, _MOST_BYTES, "bytes"):
        raise InputError(f"{file} has {problem}")
    if size < 1_000 and file.read_bytes().startswith(_POINTER):
        raise InputError(
            f"{file} is a pointer of Git LFS, not the file itself; git lfs pull"
            " brings it"
        )


def _check_place(file: Path, near: Path | None, is_relative: bool) -> None:
    real = file.resolve()
    named = file if near is None or not is_relative else near
    homes = [project_of(Path(os.path.normpath(named)).parent)]
    if near is not None:
        homes.append(project_of(near.resolve().parent))
    if not _is_in(real, homes):
        is_link = real != Path(os.path.normpath(file))
        what = "leads out of" if is_link else "is outside of"
        raise InputError(f"{file} {what} its project, {homes[0]}")
    if near is not None and not is_relative and not _is_in(real, homes[1:]):
        warn(f"{near} names {file}, outside of its project, {homes[1]}")


def _is_in(real: Path, homes: list[Path]) -> bool:
    return any(map(real.is_relative_to, homes)) or any(
        (up / "package.xml").is_file() for up in real.parents
    )


@functools.lru_cache(maxsize=1_000)
def project_of(folder: Path) -> Path:
    """Returns the folder of the project that a folder is in, without links.

    That is the nearest folder with the mark of a repository, else with one of a package
    or of Webots' projects; without any mark, two folders above.
    """
    folder = folder.resolve()
    ups = [folder, *folder.parents]
    for marks in (_MARKS[:1], _MARKS):
        for up in ups:
            if any((up / mark).exists() for mark in marks):
                return up
    home = Path.home()
    wide = (up for up in reversed(ups[:3]) if not home.is_relative_to(up))
    return next(wide, folder)
