"""Models in a form that Drake can read and finish reading, with all that they name.

Drake follows a model that includes itself until the process dies, waits for ever on a
pipe or a device, reads neither STL nor COLLADA meshes that collide, and cannot step a
body that is connected to the world.
"""

import os
import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from pydrake.multibody.parsing import PackageMap

from webmotor_drake.errors import InputError, unknown_name
from webmotor_drake.limits import too_many
from webmotor_drake.results.project_files import check_asset
from webmotor_drake.results.whole_file import check_regular, is_file
from webmotor_drake.scenario.assets import passed
from webmotor_drake.scenario.copies import copies_of
from webmotor_drake.scenario.model_file import SUFFIXES, Element, ModelFile
from webmotor_drake.scenario.packages import find_package

# Largest numbers; Drake's time grows with the square of some or faster, to 10 s here.
_MOST = {"models": 5_000, "bodies": 5_000, "collision shapes": 2_500}
_COUNTED = {
    "link": "bodies",
    "body": "bodies",
    "collision": "collision shapes",
    "geom": "collision shapes",
}
_DEEPEST = 100
# Most shapes that collide in a model with a plane, which is one of them.
BESIDE_PLANE = 6
_PLANE = "geometry", "plane"
_TOP = "robot", "material"


class ModelFiles:
    """The models of a scenario, read once each.

    Args:
        packages: the folders of `package://`; those that are found are added.

    Attributes:
        packages: folders of `package://`, found ones among them.
        files: files that were read: the models and the files that they name.
    """

    def __init__(self, packages: PackageMap):
        self.packages = packages
        self.files: dict[Path, None] = {}
        self._numbers: Counter[str] = Counter()
        self._read: dict[Path, tuple[Path, Counter[str]]] = {}

    def readable(self, uri: str) -> str:
        """Returns the URI of a model that Drake can read: `uri`, or that of a copy.

        A copy names converted meshes, and replacements for files that could hurt. Drake
        reports missing files and all other faults.

        Args:
            uri: URI of the model, as in a directive.

        Raises:
            InputError: Drake cannot read or step it; the text names the file.
        """
        try:
            file = Path(self.packages.ResolveUrl(uri))
        except RuntimeError:
            return uri  # Drake says why
        copy, numbers = self._model(file, ())
        self._numbers += numbers
        _check_numbers(file, self._numbers)
        return uri if copy == file else f"file://{copy}"

    def _model(
        self, file: Path, including: tuple[ModelFile, ...]
    ) -> tuple[Path, Counter[str]]:
        """Returns a model for Drake, and how many it has of the kinds in `_MOST`.

        The models `including` lead here, the first one the user's.
        """
        check_regular(file)
        if not is_file(file):
            return file, Counter()
        real = file.resolve()
        if any(other.path.resolve() == real for other in including):
            raise InputError(f"{real} includes itself")
        if len(including) > _DEEPEST:
            raise InputError(
                f"{file}: models in models, more than {_DEEPEST} deep"
            )
        if real not in self._read:
            self.files[file] = None
            model = ModelFile(file)
            _check_connections(model)
            _check_planes(model)
            if file.suffix.lower() == ".urdf":
                _check_mimics(model)
            self._read[real] = self._with_files(model, including)
        return self._read[real]

    def _with_files(
        self, model: ModelFile, including: tuple[ModelFile, ...]
    ) -> tuple[Path, Counter[str]]:
        """Returns a model, with the files that it names read; see `_model`."""
        numbers = Counter(
            _COUNTED[e.tag] for e in model.elements if e.tag in _COUNTED
        )
        numbers["models"] = 1
        included = Counter(
            e.named_file
            for e in model.elements
            if e.named_file and "include" in (e.parent, e.tag)
        )
        colliding = {e.named_file for e in model.elements if e.collides}
        moved: dict[str, Path] = {}
        is_moved = False
        for name in dict.fromkeys(model.named_files()):
            find_package(name, self.packages, model.path)
            for there in self._files_of(name, model, including):
                if name in included:
                    copy, inside = self._model(there, (*including, model))
                    for what, number in inside.items():
                        numbers[what] += number * included[name]
                else:
                    copy = self._asset(there, name, model, name in colliding)
                is_moved |= copy != there
                moved.setdefault(name, copy)
        _check_numbers(model.path, numbers)
        changes = _mended(model)
        is_changed = bool(is_moved or changes)
        if not is_changed or model.path.suffix.lower() not in SUFFIXES:
            return model.path, numbers
        folder = model.path.absolute().parent
        text = model.renamed(
            lambda name: str(
                moved.get(name, name if "://" in name else folder / name)
            ),
            changes,
        )
        return copies_of(model.path, {model.path: text}), numbers

    def _files_of(
        self, name: str, model: ModelFile, including: tuple[ModelFile, ...]
    ) -> list[Path]:
        """Returns the existing files that a name may mean; Drake takes the first."""
        if "://" in name:
            # SDF calls packages models, too.
            url = re.sub("^model:", "package:", name)
            try:
                found = [Path(self.packages.ResolveUrl(url))]
            except RuntimeError:
                found = []  # Drake says why
        else:
            models = (model, *reversed(including))
            folders = [other.path.absolute().parent for other in models]
            below = [below for other in models for below in other.folders]
            inner = [folder / name for folder in folders for name in below]
            found = [folder / name for folder in (*inner, *folders)]
        return [*filter(os.path.exists, dict.fromkeys(found))]

    def _asset(
        self, file: Path, name: str, model: ModelFile, collides: bool
    ) -> Path:
        """Returns the file that Drake reads for one that is no model: it or a copy."""
        is_absolute = name.startswith(("/", "file:"))
        near = None if "://" in name and not is_absolute else model.path
        check_asset(file, near, is_relative=not is_absolute)
        kind = file.suffix.lower()
        # Drake goes on without a COLLADA mesh that is only drawn.
        becomes_obj = kind == ".stl" or (kind == ".dae" and collides)
        copy, stamps = passed(file, becomes_obj)
        self.files.update(dict.fromkeys(filter(is_file, stamps)))
        return copy


def _check_numbers(file: Path, numbers: Counter[str]) -> None:
    for what, most in _MOST.items():
        if problem := too_many(numbers[what], most, what):
            raise InputError(f"{file}: {problem}, with all that it includes")


def _check_planes(model: ModelFile) -> None:
    """Refuses a plane that collides beside many shapes.

    Drake (1.51 and 1.58) ends the process as it adds shapes to a half space that is on
    a body; measured from 7 on, 6 were fine.
    """
    collides, count, plane = False, 0, None
    for element in model.elements:
        if element.tag in ("collision", "visual"):
            collides = element.tag == "collision"
            count += collides
        elif collides and (element.parent, element.tag) == _PLANE:
            plane = element
    if plane is not None and count > BESIDE_PLANE:
        raise InputError(
            f"a plane that collides beside {count - 1} other shapes can end Drake's"
            f" process, at most {BESIDE_PLANE - 1} are allowed; give it a model of"
            " its own, or take a <box>",
            where=plane.where,
        )


def _check_connections(model: ModelFile) -> None:
    """Refuses an MJCF that connects a body to the world.

    Drake (1.51 and 1.58) reads it, and its first step ends the process.
    """
    for element in model.elements:
        given = element.given
        if (element.parent, element.tag) != ("equality", "connect"):
            continue
        if "body1" not in given:
            continue
        if "world" in (given["body1"], given.get("body2", "world")):
            raise InputError(
                "Drake cannot step a body that <connect> holds at the world; name a"
                " body there that has no joint",
                where=element.where,
            )


def _mended(model: ModelFile) -> dict[int, dict[str, str]]:
    """Returns changes to a URDF that Drake would refuse, for `ModelFile.renamed`.

    Different materials of one name get names of their own. What is left out: references
    to materials that are not known yet, mimics of fixed joints, and boxes of size 0, as
    virtual links have them.
    """
    changes: dict[int, dict[str, str]] = {}
    looks: dict[str, list[dict[str, str]]] = {}
    elements = model.elements if model.path.suffix.lower() == ".urdf" else []
    known = {e.name for e in elements if (e.parent, e.tag) == _TOP}
    for element in elements:
        lost: Iterable[Element] = ()
        if element.tag == "material" and element.children:
            known.add(element.name)
            own = [child.given for child in element.children]
            if looks.setdefault(element.name, own) != own:
                name = f"{element.name} {element.line}"
                changes[element.start] = {"name": name}
        elif element.tag == "material" and element.name not in known:
            lost = [element]
        elif element.given.get("type") == "fixed":
            lost = element.all("mimic")
        elif element.tag in ("visual", "collision"):
            sizes = (
                b.given.get("size", "") for b in element.all("geometry", "box")
            )
            lost = [element] * any(s and not s.strip("0. ") for s in sizes)
        for each in lost:
            changes[each.start] = {"<": ""}
    return changes


def _check_mimics(model: ModelFile) -> None:
    """Refuses mimic elements of a URDF that name no joint, with the cure."""
    if b"<mimic" not in model.data or not model.is_whole:  # Drake says why
        return
    joints = {joint.name: joint for joint in model.elements[0].all("joint")}
    for joint in joints.values():
        for mimic in joint.all("mimic"):
            target = mimic.given.get("joint", "")
            if target not in joints and joint.given.get("type") != "fixed":
                raise InputError(
                    f"joint {joint.name!r} mimics an"
                    f" {unknown_name('joint', target, joints)}; name one that is"
                    " there, or take the mimic element out of the file",
                    where=mimic.where,
                )
