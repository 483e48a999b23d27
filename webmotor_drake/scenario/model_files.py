"""Refuses model files that Drake would never finish reading, or that end the process.

It follows a model that includes itself until the process dies, waits for ever for
what a pipe or a device has to say, and steps no body that is connected to the world.
"""

from collections import Counter
from pathlib import Path

from pydrake.multibody.parsing import PackageMap

from webmotor_drake.errors import InputError
from webmotor_drake.limits import too_many
from webmotor_drake.results.whole_file import check_regular, is_file
from webmotor_drake.scenario.assets import check_asset, check_unchanged
from webmotor_drake.scenario.model_file import ModelFile, files_of
from webmotor_drake.scenario.packages import find_package

# Drake's time grows with the square of some of them, or more: these are ten seconds.
_MOST = {"models": 5_000, "bodies": 5_000, "collision shapes": 2_500}
_COUNTED = {
    "link": "bodies",
    "body": "bodies",
    "collision": "collision shapes",
    "geom": "collision shapes",
}


def check_model_file(
    uri: str, packages: PackageMap, before: Counter[str] | None = None
) -> None:
    """Refuses a model that includes itself, or that Drake cannot read or step.

    Missing files and all other faults are Drake's to tell.

    Args:
        uri: of the model, as in a directive.
        packages: where `package://` leads to; those that are found are added.
        before: the numbers of `_MOST` in the models of the scenario before it; added
            to.

    Raises:
        InputError: the text names the file.
    """
    try:
        file = Path(packages.ResolveUrl(uri))
    except RuntimeError:
        return
    before = Counter() if before is None else before
    before += _check(file, packages, (), {})
    _check_numbers(file, before)


def _check_numbers(file: Path, numbers: Counter[str]) -> None:
    for what, most in _MOST.items():
        if problem := too_many(numbers[what], most, what):
            raise InputError(f"{file}: {problem}, with all that it includes")


def _check_vtk(file: Path) -> None:
    """Refuses a file that claims to be a VTK mesh but is not.

    Drake's reader prints the bytes that it does not understand.
    """
    if file.suffix.lower() != ".vtk" or not is_file(file):
        return
    data = file.read_bytes()
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


def _check_connections(file: Path, model: ModelFile) -> None:
    """Refuses an MJCF that connects a body to the world.

    Drake (1.51 and 1.58) reads it, and its first step ends the process.
    """
    for element in model.elements:
        given = element.attributes
        if (element.parent, element.tag) != ("equality", "connect"):
            continue
        if "body1" not in given:
            continue
        if "world" in (given["body1"], given.get("body2", "world")):
            raise InputError(
                f"{file}:{element.line}:{element.column}: Drake cannot step a body"
                " that <connect> holds at the world; name a body there that has no"
                " joint"
            )


def _check(
    file: Path,
    packages: PackageMap,
    including: tuple[Path, ...],
    checked: dict[Path, Counter[str]],
) -> Counter[str]:
    """Checks a model and those that it includes; returns the numbers of `_MOST`.

    Args:
        file: the model.
        packages: see `check_model_file`.
        including: the models that lead here, the first the user's.
        checked: the numbers in those that need no other look; added to.
    """
    check_regular(file)
    if not is_file(file):
        return Counter()
    file = file.resolve()
    if file in including:
        raise InputError(f"{file} includes itself")
    if file in checked:
        return checked[file]
    model = ModelFile(file)
    _check_connections(file, model)
    folders = [file.parent, *(other.parent for other in including)]
    meshes = [folder / name for folder in folders for name in model.folders()]
    for name in model.named_files():
        find_package(name, packages, file)
        near = None if "://" in name or name.startswith("/") else file
        for there in files_of(name, packages, [*folders, *meshes]):
            check_asset(there, near)
            if file.suffix.lower() == ".xml":
                check_unchanged(there)
            _check_vtk(there)
    numbers = Counter(
        _COUNTED[e.tag] for e in model.elements if e.tag in _COUNTED
    )
    numbers["models"] = 1
    for name in model.included_models():
        for there in files_of(name, packages, folders):
            numbers += _check(there, packages, (*including, file), checked)
    _check_numbers(file, numbers)
    checked[file] = numbers
    return numbers
