"""The gate for files that models name: meshes, materials, pictures.

Drake and VTK take what they are given: they wait for pipes, and end the process at
damaged pictures and at indices of no vertex. What passes here is a plain file of the
project or of a package, is measured, read once, and decoded once.
"""

import functools
import os
import re
import typing
from pathlib import Path
from urllib.parse import unquote

from webmotor_drake.errors import InputError, warn
from webmotor_drake.limits import too_many
from webmotor_drake.results.whole_file import (
    check_regular,
    is_file,
    load_bytes,
)
from webmotor_drake.scenario.gltf_check import check_gltf, gltf_files
from webmotor_drake.scenario.obj_indices import check_indices
from webmotor_drake.scenario.pictures import SUFFIXES, safe_png, white_png

# PNG and JPEG begin so.
_DECODED = (b"\x89PNG", *(b"\xff\xd8\xff" + bytes([i]) for i in range(256)))
_MOST_BYTES = 200_000_000
_POINTER = b"version https://git-lfs.github.com/spec/"
# Meshes that Drake reads, and that name other files.
MESHES = (".obj", ".gltf", ".glb")
# The files that an OBJ file and its materials name.
_NAMED = re.compile(
    rb"^[ \t]*(mtllib|map_\w+|norm|bump|disp|decal|refl)[ \t]+([^\r\n]+)",
    re.MULTILINE,
)
# What marks the folder of a project, which may be far above a model.
_MARKS = (".git", "package.xml", "protos", "worlds")


def check_asset(file: Path, near: Path | None = None) -> None:
    """Refuses a file that is not a plain one of the project or of a package.

    Files that are not there are left to who reads them.

    Args:
        file: its absolute path, with links in it or not.
        near: the file that names it by a relative path; None: it is named otherwise.

    Raises:
        InputError: a pipe, a device, a link that leads out of the project, a
            pointer of Git LFS, or it is too large.
    """
    check_regular(file)
    if not is_file(file):
        return
    _check_place(file, near)
    size = file.stat().st_size
    if problem := too_many(size, _MOST_BYTES, "bytes"):
        raise InputError(f"{file} has {problem}")
    if size < 1_000 and file.read_bytes().startswith(_POINTER):
        raise InputError(
            f"{file} is a pointer of Git LFS, not the file itself; git lfs pull"
            " brings it"
        )


class Assets(typing.NamedTuple):
    """A mesh, or a picture, and all files that it names.

    Attributes:
        files: their contents, in a form that cannot hurt.
        is_changed: True if one of them is another than on the disk.
    """

    files: dict[Path, bytes]
    is_changed: bool


def safe_assets(mesh: Path) -> Assets:
    """Returns a mesh and all files that it names, in a form that cannot hurt.

    A picture that cannot be decoded is white, so that its material has its colour;
    that is told. Files that are not there are left out.

    Args:
        mesh: the file; of an OBJ materials and their pictures are looked at, of a glTF
            its buffers and images, of all others nothing.

    Raises:
        InputError: a file that cannot be used; the text names it.
    """
    found: dict[Path, bytes] = {}
    is_changed = False
    waiting: list[tuple[Path, Path | None]] = [(mesh, None)]
    while waiting:
        file, near = waiting.pop()
        if file in found or not os.path.exists(file):
            continue
        given, found[file] = _read(file, near)
        is_changed |= given != found[file]
        waiting += [(named, file) for named in named_in(file, found[file])]
    if mesh.suffix.lower() in (".gltf", ".glb") and mesh in found:
        _check_gltf(mesh, found)
    return Assets(found, is_changed)


def _read(file: Path, near: Path | None) -> tuple[bytes, bytes]:
    """Returns a file's content as it is, and in a form that cannot hurt."""
    data = b""
    if file.suffix.lower() == ".png":  # VTK reads no others of an OBJ
        try:
            check_asset(file, near)
            data = load_bytes(file)
            return data, safe_png(file, data)
        except InputError as error:
            warn(f"{error.problem}; its colour is drawn instead")
            return data, white_png()
    check_asset(file, near)
    data = load_bytes(file)
    if file.suffix.lower() == ".obj":
        check_indices(file, data)
    return data, _with_relative_names(file, data)


def _check_gltf(mesh: Path, found: dict[Path, bytes]) -> None:
    """Refuses a glTF file with numbers or pictures that end VTK's process."""
    named = {n: _named(mesh, unquote(n)) for n in gltf_files(mesh, found[mesh])}
    files = {n: found.get(file, b"") for n, file in named.items()}
    for file in found.keys() & set(named.values()):
        if file.suffix.lower() in SUFFIXES:
            _check_picture(file, found[file])
    pictures = functools.partial(_check_picture, mesh)
    check_gltf(mesh, found[mesh], files, pictures)


def named_in(file: Path, data: bytes) -> list[Path]:
    """Returns the files that a mesh or a file of materials names, there or not."""
    kind = file.suffix.lower()
    if kind in (".gltf", ".glb"):
        return [_named(file, unquote(name)) for name in gltf_files(file, data)]
    if kind not in (".obj", ".mtl"):
        return []
    # Drake draws an OBJ without materials with the picture of its name.
    named = [file.with_suffix(".png")] if kind == ".obj" else []
    for word, rest in _NAMED.findall(data):
        if (word == b"mtllib") == (kind == ".obj"):
            named += [_named(file, os.fsdecode(name)) for name in _names(rest)]
    return named


def _names(rest: bytes) -> list[bytes]:
    """Returns the names that the rest of a line may be: all of it, or its end."""
    whole = rest.strip()
    return [*dict.fromkeys((whole, whole.split()[-1]))] if whole else []


def _named(file: Path, name: str) -> Path:
    """Returns the path of a name in a file, without ".."."""
    return Path(os.path.normpath(file.parent / name))


def _with_relative_names(file: Path, data: bytes) -> bytes:
    """Returns a file with relative names, so that copies name copies."""

    def relative(match: re.Match[bytes]) -> bytes:
        name = _names(match[2])[-1:]
        if not name or not os.path.isabs(name[0]):
            return match[0]
        other = os.path.relpath(os.fsdecode(name[0]), file.parent)
        return match[0].replace(name[0], os.fsencode(other))

    is_text = file.suffix.lower() in (".obj", ".mtl")
    return _NAMED.sub(relative, data) if is_text else data


def named_below(mesh: Path) -> list[Path]:
    """Returns a mesh and all files that it names, at any depth, there or not."""
    found: dict[Path, None] = {}
    waiting = [mesh]
    while waiting:
        file = waiting.pop()
        if file in found:
            continue
        found[file] = None
        if is_file(file) and file.suffix.lower() in (*MESHES, ".mtl"):
            about = file.stat()
            waiting += _named_then(file, about.st_mtime_ns, about.st_size)
    return list(found)


@functools.lru_cache(maxsize=1_000)
def _named_then(file: Path, *_: int) -> list[Path]:
    """Returns what `named_in` does, of a file of a time and a size."""
    return named_in(file, load_bytes(file))


def check_unchanged(file: Path) -> None:
    """Refuses a mesh or a picture that can hurt, where no copy can stand for it.

    Raises:
        InputError: the text names the file.
    """
    is_looked_at = file.suffix.lower() in (*MESHES, ".png") and is_file(file)
    if is_looked_at and _changed(file, *stamps(file)):
        raise InputError(
            f"{file}: it names a file by an absolute path, or a picture that is"
            " not a sound PNG"
        )


@functools.lru_cache(maxsize=1_000)
def _changed(file: Path, *_: int) -> bool:
    return safe_assets(file).is_changed


def stamps(file: Path) -> tuple[int, ...]:
    """Returns the sizes and times of a mesh and of all that it names."""
    stats = [there.stat() for there in named_below(file) if is_file(there)]
    return tuple(n for s in stats for n in (s.st_mtime_ns, s.st_size, s.st_ino))


def _check_picture(file: Path, data: bytes) -> None:
    """Refuses a picture of a glTF file that VTK cannot decode."""
    if bytes(data[:4]) in _DECODED:
        safe_png(file, bytes(data))


def _check_place(file: Path, near: Path | None) -> None:
    """Refuses a path or a link that leads out of the project."""
    plain = Path(os.path.normpath(file))
    real = file.resolve()
    homes = [project_of(plain.parent if near is None else near.parent)]
    if near is not None:
        homes.append(project_of(near.resolve().parent))
    if any(real.is_relative_to(home) for home in homes):
        return
    if any((up / "package.xml").is_file() for up in real.parents):
        return
    what = "leads out of" if near is None or real != plain else "is outside of"
    raise InputError(f"{file} {what} its project, {homes[0]}")


@functools.lru_cache(maxsize=1_000)
def project_of(folder: Path) -> Path:
    """Returns the folder of the project that a folder is in, without links.

    It is the nearest with a mark, as of a repository, a package, or Webots' projects;
    without any two folders above.
    """
    folder = folder.resolve()
    ups = [folder, *folder.parents]
    for up in ups:
        if (up / ".git").exists():
            return up
    for up in ups:
        if any((up / mark).exists() for mark in _MARKS):
            return up
    home = Path.home()
    wide = (up for up in reversed(ups[:3]) if not home.is_relative_to(up))
    return next(wide, folder)
