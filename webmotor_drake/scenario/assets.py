"""The gate for files that models name: meshes, materials, pictures.

Drake and VTK trust the files they are given: they wait for pipes, and end the process
at damaged pictures and at indices of no vertex. Here each file is checked to be a plain
one of the project or of a package, measured, and read and decoded once.
"""

import os
import re
from pathlib import Path
from urllib.parse import unquote

from webmotor_drake.errors import InputError
from webmotor_drake.results.project_files import check_asset
from webmotor_drake.results.whole_file import is_file, load_bytes
from webmotor_drake.scenario.copies import copies_folder, copies_of
from webmotor_drake.scenario.gltf import GLTF, gltf_files, safe_gltf
from webmotor_drake.scenario.meshes import (
    check_indices,
    load_triangles,
    obj_text,
)
from webmotor_drake.scenario.pictures import safe_png, white_png

# The files that an OBJ file and its materials name.
_NAMED = re.compile(
    rb"^[ \t]*(mtllib|map_\w+|norm|bump|disp|decal|refl)[ \t]+([^\r\n]+)",
    re.MULTILINE,
)


def safe_assets(mesh: Path) -> tuple[dict[Path, bytes], bool, list[Path]]:
    """Returns a mesh and all files that it names, in a form that cannot hurt.

    A picture that cannot be decoded is replaced by white, with a warning, so that its
    material keeps its colour.

    Args:
        mesh: file of the mesh; an OBJ names materials and their pictures, a glTF its
            buffers and images, other formats nothing.

    Returns:
        Contents of the files, in a form that cannot hurt, the mesh first; whether any
        differs from the file on the disk; and the files that are missing.

    Raises:
        InputError: a file that cannot be used; the text names it.
    """
    found: dict[Path, bytes] = {}
    missing: list[Path] = []
    is_changed = False
    waiting: list[tuple[Path, Path | None]] = [(mesh, None)]
    while waiting:
        file, near = waiting.pop()
        if file in found:
            continue
        if not os.path.exists(file):
            missing.append(file)
            continue
        found[file], changed = _read(file, near)
        is_changed |= changed
        waiting += [(named, file) for named in _named_in(file, found[file])]
    if mesh.suffix.lower() in GLTF and mesh in found:
        data = found[mesh]
        files = {
            n: found.get(_named(mesh, n), b"") for n in gltf_files(mesh, data)
        }
        found[mesh] = safe_gltf(mesh, data, files)
        is_changed |= found[mesh] != data
    return found, is_changed, missing


def _read(file: Path, near: Path | None) -> tuple[bytes, bool]:
    """Returns a file's content in a form that cannot hurt, and whether it changed."""
    is_picture = file.suffix.lower() == ".png"  # all that VTK reads of an OBJ
    try:
        check_asset(file, near)
        data = load_bytes(file)
        safe = safe_png(file, data) if is_picture else data
    except InputError as error:
        if not is_picture:
            raise
        return white_png(error), True
    if file.suffix.lower() == ".obj":
        check_indices(file, data)
    if file.suffix.lower() in (".obj", ".mtl"):
        safe = _with_relative_names(file, data)
    return safe, safe != data


def _named_in(file: Path, data: bytes) -> list[Path]:
    """Returns the files that a mesh or a file of materials names, there or not."""
    kind = file.suffix.lower()
    if kind in GLTF:
        return [_named(file, name) for name in gltf_files(file, data)]
    if kind not in (".obj", ".mtl"):
        return []
    # Drake puts the picture of the same name on an OBJ without materials.
    named = [file.with_suffix(".png")] if kind == ".obj" else []
    for word, rest in _NAMED.findall(data):
        if (word == b"mtllib") == (kind == ".obj"):
            named += [_named(file, os.fsdecode(name)) for name in _names(rest)]
    return named


def _names(rest: bytes) -> list[bytes]:
    """Returns the names that the rest of a line may be: all of it, or its last word."""
    whole = rest.strip()
    return [*dict.fromkeys((whole, whole.split()[-1]))] if whole else []


def _named(file: Path, name: str) -> Path:
    """Returns the path of a name in a file, without ".."."""
    return Path(os.path.normpath(file.parent / unquote(name)))


def _with_relative_names(file: Path, data: bytes) -> bytes:
    """Returns a file with relative names, so that copies name copies."""

    def relative(match: re.Match[bytes]) -> bytes:
        name = _names(match[2])[-1:]
        if not name or not os.path.isabs(name[0]):
            return match[0]
        other = os.path.relpath(os.fsdecode(name[0]), file.parent)
        return match[0].replace(name[0], os.fsencode(other))

    return _NAMED.sub(relative, data)


# Files that passed the gate in this process: results of `passed`.
_Passed = tuple[Path, dict[Path, tuple[int, ...] | None]]
_PASSED: dict[tuple[Path, bool, Path], _Passed] = {}


def passed(file: Path, becomes_obj: bool) -> _Passed:
    """Returns a file of a model in a form that Drake can read and that cannot hurt.

    A file that has not changed since is not read again.

    Args:
        file: a mesh, a picture, or anything else.
        becomes_obj: True if it is a mesh in a format that Drake does not read.

    Returns:
        The file itself if it can do no harm, else a copy; and times and sizes of all
        files that it names, None for missing ones.

    Raises:
        InputError: the file cannot be used; the text names it.
    """
    key = file, becomes_obj, copies_folder()
    known = _PASSED.get(key)
    if known is None or any(_stamp(f) != s for f, s in known[1].items()):
        known = _PASSED[key] = _pass(*key)
    return known


def _pass(file: Path, becomes_obj: bool, copies: Path) -> _Passed:
    """Reads a file anew and returns the result of `passed`."""
    kind = file.suffix.lower()
    copy, named = file, [file]
    if becomes_obj:
        text = obj_text(load_triangles(file)).encode()
        copy = copies_of(file, {file.with_suffix(".obj"): text})
    elif file.is_relative_to(copies):
        pass  # written from files that passed, as a world's meshes
    elif kind in (".obj", ".png", *GLTF):
        files, is_changed, missing = safe_assets(file)
        named = [*files, *missing]
        copy = copies_of(file, files) if is_changed else file
    elif kind == ".vtk":
        _check_vtk(file)
    return copy, {name: _stamp(name) for name in named}


def _stamp(file: Path) -> tuple[int, ...] | None:
    if not is_file(file):
        return None
    about = file.stat()
    return about.st_mtime_ns, about.st_size, about.st_ino


def _check_vtk(file: Path) -> None:
    """Refuses a file that claims to be a VTK mesh but is not.

    Drake's reader prints the bytes that it does not understand.
    """
    data = load_bytes(file)
    head = [line.strip() for line in data.split(b"\n", 4)[:4]]
    binary = head[2:3] == [b"BINARY"]
    if (
        len(head) < 4
        or not head[0].startswith(b"# vtk DataFile Version")
        or head[2] not in (b"ASCII", b"BINARY")
        or not head[3].startswith(b"DATASET")
        or not (binary or data.isascii())
    ):
        raise InputError(f"{file} is not a VTK mesh")
