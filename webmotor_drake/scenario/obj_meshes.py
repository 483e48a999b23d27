"""Copies of URDFs and SDFs with OBJ meshes instead of those that Drake cannot read.

STL is converted wherever it is named, COLLADA (.dae) where it collides: Drake goes
on without meshes that are only looked at. A mesh that collides does so as its convex
hull, as all meshes do in Drake.
"""

import atexit
import contextlib
import functools
import itertools
import os
import shutil
import tempfile
from collections.abc import Generator
from pathlib import Path

import numpy as np
from pydrake.multibody.parsing import PackageMap

from webmotor_drake.results.whole_file import is_file
from webmotor_drake.scenario.assets import (
    MESHES,
    safe_assets,
    stamps,
)
from webmotor_drake.scenario.meshes import load_triangles
from webmotor_drake.scenario.model_file import ModelFile, files_of

# The copies made so far, and what they are copies of.
_ORIGINALS: dict[str, str] = {}

# So many copies are used again.
_KEPT = 100
# Names of the copies' folders.
_NUMBERS = itertools.count()


def with_obj_meshes(
    model: Path, packages: PackageMap, done: dict[Path, Path] | None = None
) -> Path:
    """Returns the model that Drake can read: `model`, or a copy with OBJ meshes.

    The same holds for the models that an SDF includes. Copies are in a temporary
    folder that goes when the program ends: what draws meshes reads them late.

    Args:
        model: the file, checked by `check_model_file`. One that is neither a URDF
            nor an SDF is returned as it is.
        packages: where `package://` leads to.
        done: the models returned before, by file; added to.

    Raises:
        InputError: a mesh that cannot be read.
    """
    if model.suffix.lower() not in (".urdf", ".sdf"):
        return model
    done = {} if done is None else done
    if model not in done:
        done[model] = _with_obj_meshes(model, packages, done)
    return done[model]


def _with_obj_meshes(
    model: Path, packages: PackageMap, done: dict[Path, Path]
) -> Path:
    """See `with_obj_meshes`."""
    read, folder = ModelFile(model), model.absolute().parent
    files = {
        name: file
        for name in read.named_files()
        for file in files_of(name, packages, [folder])
        if is_file(file)
    }
    instead = _converted_meshes(read, files)
    for name, file in files.items():
        if (included := with_obj_meshes(file, packages, done)) != file:
            instead[name] = included
    if not instead:
        return model

    def moved(name: str) -> str:
        missing = name if "://" in name else folder / name
        return str({**files, **instead}.get(name, missing))

    return copy_of(model, read.renamed(moved))


@contextlib.contextmanager
def note_copy(copy: Path, original: Path) -> Generator[None]:
    """Tells `users_files` of a copy, for the duration of the block."""
    _ORIGINALS[str(copy)] = str(original)
    try:
        yield
    finally:
        del _ORIGINALS[str(copy)]


@functools.lru_cache(maxsize=_KEPT)
def copy_of(original: Path, text: bytes) -> Path:
    """Returns a file with a text that stands for another file.

    The same text is written once: of a model that is built again and again there is
    one copy.

    Args:
        original: the user's file.
        text: what Drake is to read instead.
    """
    copy = _new_copy(original, original.name)
    copy.write_bytes(text)
    return copy


@functools.lru_cache(maxsize=_KEPT)
def _obj_copy(mesh: Path, *about: int) -> Path:
    """Returns an OBJ file made of a mesh; `about` distinguishes it from later ones."""
    text = obj_text(load_triangles(mesh))
    copy = _new_copy(mesh, f"{mesh.stem}.obj")
    copy.write_text(text)
    return copy


@functools.lru_cache(maxsize=_KEPT)
def _safe_copy(mesh: Path, *_: int) -> Path | None:
    """Returns a copy of a mesh or a picture; None if it can do no harm itself."""
    files, is_changed = safe_assets(mesh)
    if not is_changed:
        return None
    top = os.path.commonpath([file.parent for file in files])
    copy = _new_copy(mesh, mesh.relative_to(top).as_posix())
    folder = copy.parents[len(mesh.relative_to(top).parents) - 1]
    for file, data in files.items():
        there = folder / file.relative_to(top)
        there.parent.mkdir(parents=True, exist_ok=True)
        there.write_bytes(data)
    return copy


def _new_copy(original: Path, name: str) -> Path:
    folder = copies_folder() / str(next(_NUMBERS))
    folder.mkdir()
    copy = folder / name
    _ORIGINALS[str(copy)] = str(original)
    return copy


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
    for known in (copies_folder, copy_of, _obj_copy, _safe_copy):
        known.cache_clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_copies)


def _converted_meshes(
    model: ModelFile, files: dict[str, Path]
) -> dict[str, Path]:
    """Returns the OBJ files made of a model's meshes, by the meshes' names."""
    colliding = set(model.named_files(inside="collision"))
    obj: dict[str, Path] = {}
    for name, file in files.items():
        kind = file.suffix.lower()
        if kind in (*MESHES, ".png"):
            if (copy := _safe_copy(file, *stamps(file))) is not None:
                obj[name] = copy
        elif kind == ".stl" or (kind == ".dae" and name in colliding):
            about = file.stat()
            obj[name] = _obj_copy(
                file, about.st_mtime_ns, about.st_size, about.st_ino
            )
    return obj


def users_files(text: str) -> str:
    """Returns a `text` of Drake's with the user's files instead of our copies.

    A copy has its lines where the original has them.
    """
    for copy, original in _ORIGINALS.items():
        text = text.replace(copy, original)
    return text


def obj_text(*parts: np.ndarray, library: str = "") -> str:
    """Returns the text of an OBJ mesh, each vertex once.

    Faces have normals, without which Drake's cameras refuse a mesh.

    Args:
        *parts: corners, shape (n, 3, 3), anticlockwise seen from outside.
        library: the .mtl file with the parts' materials, m0, m1 and so on.
    """
    triangles = np.concatenate(parts)
    vertices, corners = np.unique(
        triangles.reshape(-1, 3), axis=0, return_inverse=True
    )
    sides = (triangles[:, 1:] - triangles[:, :1]).astype(float)
    across = np.cross(sides[:, 0], sides[:, 1])
    lengths = np.linalg.norm(across, axis=1, keepdims=True)
    across = np.where(lengths > 0, across / np.maximum(lengths, 1e-300), 0)
    normals, normal_of = np.unique(
        across.round(6) + 0.0, axis=0, return_inverse=True
    )
    lines = [f"mtllib {library}"] if library else []
    lines += ["v {!r} {!r} {!r}".format(*v) for v in vertices.tolist()]
    lines += ["vn {:g} {:g} {:g}".format(*n) for n in normals.tolist()]
    faces = [
        f"f {a}//{n} {b}//{n} {c}//{n}"
        for (a, b, c), n in zip(
            (corners.reshape(-1, 3) + 1).tolist(),
            (normal_of.ravel() + 1).tolist(),
            strict=True,
        )
    ]
    start = 0
    for k, part in enumerate(parts):
        lines += [f"usemtl m{k}"] if library else []
        lines += faces[start : start + len(part)]
        start += len(part)
    return "\n".join([*lines, ""])
