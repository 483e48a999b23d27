"""Finds the folders of `package://`.

They are searched in this order: given packages, our own, a package.xml above the file
that names the package, or in a folder beside it, and the folders of ROS's environment
variables.
"""

import contextlib
import os
import re
from collections.abc import Iterable, Iterator
from importlib import metadata
from pathlib import Path

from pydrake.multibody.parsing import PackageMap

from webmotor_drake.data import MODELS
from webmotor_drake.errors import InputError

# A package of real robots on PyPI: the extra `robots`.
ROBOTS = "example-robot-data"
MANIFEST = "package.xml"
# A package that Drake knows and would download.
_REMOTE = "drake_models"
# Exceptions of Drake at a wrong package.xml.
_DRAKE_ERRORS = (RuntimeError, SystemExit)
# SDF calls packages models, too.
_URI = re.compile(r"^(?:package|model)://([^/]+)")


def known_packages(given: Iterable[str | os.PathLike[str]] = ()) -> PackageMap:
    """Returns the folders of `package://` in directives.

    Args:
        given: packages of one's own: each its package.xml, or its folder.
    """
    packages = PackageMap()
    add_packages(packages, given)
    return packages


def add_packages(
    packages: PackageMap, package_xmls: Iterable[str | os.PathLike[str]] = ()
) -> None:
    """Makes packages known to Drake's parser: those given, and those of our scenarios.

    Ours are `package://webmotor_models`, and the robots of PyPI's example-robot-data
    if they are installed.

    Args:
        packages: map of Drake's parser, as `parser.package_map()` returns it.
        package_xmls: packages of one's own: each its package.xml, or its folder.

    Raises:
        InputError: a package.xml that cannot be read, has no name, or has that of
            another package.
    """
    for given in package_xmls:
        file = Path(given)
        file = (file / MANIFEST if file.is_dir() else file).absolute()
        if not file.is_file():
            raise InputError(
                f"no {MANIFEST} in {given}; the folder of a package, or its"
                f" {MANIFEST}, is needed"
            )
        name, folder = name_of(file), file.parent
        if name == _REMOTE:  # Drake would download its path
            packages.Remove(name)
        if not packages.Contains(name):
            packages.Add(name, str(folder))
        other = Path(packages.GetPath(name))
        if other.resolve() != folder.resolve():
            raise InputError(
                f"two packages are called {name!r}: {other} and {folder}; one of"
                " them is allowed"
            )
    if not packages.Contains("webmotor_models"):
        packages.AddPackageXml(str(MODELS / MANIFEST))
    with contextlib.suppress(metadata.PackageNotFoundError):
        robots = metadata.distribution(ROBOTS).locate_file(
            f"cmeel.prefix/share/{ROBOTS}"
        )
        if not packages.Contains(ROBOTS):
            packages.Add(ROBOTS, str(robots))


def name_of(manifest: Path) -> str:
    """Returns the name of the package that a package.xml describes.

    Raises:
        InputError: it cannot be read, or has no name.
    """
    packages = PackageMap.MakeEmpty()
    try:
        packages.AddPackageXml(str(manifest))
    except _DRAKE_ERRORS:
        raise InputError(
            f"{manifest} cannot be read, or has no name;"
            " <package><name>my_robot</name>...</package> is needed"
        ) from None
    return packages.GetPackageNames()[0]


def find_package(uri: str, packages: PackageMap, near: Path | None) -> None:
    """Makes the package of a URI known, if it can be found; Drake says if it cannot.

    Args:
        uri: name of a file in the package; names without `package://` or `model://` do
            nothing.
        packages: known packages; added to.
        near: file that names the URI, or None.

    Raises:
        InputError: the package of the robots is needed and not installed.
    """
    match = _URI.match(uri)
    if match is None or packages.Contains(match[1]):
        return
    for folder in _candidates(match[1], near):
        packages.Add(match[1], str(folder))
        return
    if match[1] == ROBOTS:
        problem = f"the package {ROBOTS} is not installed: pip install {ROBOTS}"
        raise InputError(problem)


def _candidates(name: str, near: Path | None) -> Iterator[Path]:
    """Yields folders of packages with a name, the nearest first."""
    above = [] if near is None else near.absolute().parents
    prefixes = os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep)
    for there in (
        *(folder / inside for folder in above for inside in ("", name)),
        *(Path(prefix, "share", name) for prefix in prefixes if prefix),
    ):
        file = there / MANIFEST
        with contextlib.suppress(InputError, OSError):
            if file.is_file() and name_of(file) == name:
                yield there
    found = PackageMap.MakeEmpty()
    with contextlib.suppress(*_DRAKE_ERRORS):
        found.PopulateFromRosPackagePath()
    if found.Contains(name):
        yield Path(found.GetPath(name))


def where_looked(name: str) -> str:
    """Returns the places where a package was looked for in vain, and the cure."""
    places = [f"a {MANIFEST} above the file that names it"]
    for variable in ("ROS_PACKAGE_PATH", "AMENT_PREFIX_PATH"):
        value = os.environ.get(variable)
        places.append(f"{variable} ({value or 'not set'})")
    return (
        f"looked for {name} in package_xmls, {', '.join(places)}; --package DIR, or"
        " package_xmls in the scenario, gives its folder"
    )
