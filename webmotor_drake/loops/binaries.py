"""Makes the binaries of the loops, and finds those of the present text.

Their folder is named after a hash of all their text, with the compiler's options in
this file. So binaries from before an edit are not found any more, and are found again
if the edit is taken back.

`hatch_build.py` calls this before anything is installed: it needs only Python; to
compile, it also needs Cython and setuptools.
"""

import hashlib
import importlib.machinery
import os
import shutil
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
# Products are rounded on their own: the same bits on all processors and in Python.
FLAGS = ["-O3", "-g0", "-ffp-contract=off"]
DIRECTIVES = {
    "annotation_typing": False,  # the .pxd files say the types
    "boundscheck": False,
    "cdivision": True,
    "initializedcheck": False,
    "language_level": 3,
    "wraparound": False,
}
SUFFIX = importlib.machinery.EXTENSION_SUFFIXES[0]
# Code shared by all modules: otherwise each would contain it and take 9 s to compile.
_SHARED = "memory_views"


def modules() -> list[str]:
    """Returns the names of the modules that are compiled: those with a .pxd file."""
    return sorted(
        path.stem
        for path in HERE.glob("*.py")
        if path.with_suffix(".pxd").exists()
    )


def folder() -> Path:
    """Returns the folder for binaries of the present text; it may not exist."""
    digest = hashlib.sha256()
    for path in sorted(HERE.glob("*.p*")):
        if path.suffix in (".py", ".pxd"):
            digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return HERE / "compiled" / digest.hexdigest()[:16]


def found() -> Path | None:
    """Returns the folder if it has all binaries for this Python and processor."""
    there = folder()
    names = (*modules(), _SHARED)
    whole = all((there / f"{name}{SUFFIX}").is_file() for name in names)
    return there if whole else None


def compile_loops() -> Path:
    """Compiles the loops unless their binaries exist; returns the folder.

    Raises:
        Exception: the compiler or Python's headers are missing, or it fails.
    """
    there = found()
    if there is None:
        there = folder()
        with tempfile.TemporaryDirectory() as scratch:
            made = _compile_in(Path(scratch))
            there.mkdir(parents=True, exist_ok=True)
            for path in made.glob(f"*{SUFFIX}"):
                # Another process may read or write the file at the same time.
                part = there / f"{path.name}.{os.getpid()}"
                shutil.copy(path, part)
                part.replace(there / path.name)
    return there


def _compile_in(scratch: Path) -> Path:
    """Compiles a copy of this folder, and returns the one with the binaries."""
    from Cython.Build import cythonize
    from Cython.Build.SharedModule import generate_shared_module
    from Cython.Compiler.Options import CompilationOptions
    from setuptools import Distribution, Extension

    room = "webmotor_drake.loops"
    copy = scratch / room.replace(".", "/")
    shutil.copytree(HERE, copy, ignore=shutil.ignore_patterns("compiled"))
    (copy.parent / "__init__.py").touch()
    shared = copy / f"{_SHARED}.c"
    generate_shared_module(CompilationOptions(shared_c_file_path=str(shared)))
    extensions = [
        Extension(
            f"{room}.{name}",
            [f"{copy.relative_to(scratch)}/{name}.py"],
            extra_compile_args=FLAGS,
        )
        for name in modules()
    ]
    before = Path.cwd()
    os.chdir(scratch)
    try:
        made = cythonize(
            extensions,
            compiler_directives=DIRECTIVES,
            shared_utility_qualified_name=f"{room}.{_SHARED}",
            quiet=True,
        )
        made.append(
            Extension(
                f"{room}.{_SHARED}", [str(shared)], extra_compile_args=FLAGS
            )
        )
        build = Distribution({"ext_modules": made}).get_command_obj("build_ext")
        build.build_lib, build.build_temp = "lib", "temp"
        build.parallel = True
        build.ensure_finalized()
        build.run()
    finally:
        os.chdir(before)
    return scratch / "lib" / room.replace(".", "/")
