"""The files that a scenario needs beside its own."""

import re
from pathlib import Path

from pydrake.multibody.parsing import PackageMap

from webmotor_drake.results.whole_file import is_file
from webmotor_drake.scenario.assets import MESHES, named_below
from webmotor_drake.scenario.model_file import ModelFile, files_of
from webmotor_drake.scenario.packages import find_package
from webmotor_drake.scenario.scenario import (
    Scenario,
    controllers_of,
    file_in,
    packages_of,
    path_in,
)

# Files that name others.
_MODELS = {".urdf", ".sdf", ".xml", ".dmd"}
_DIRECTIVES = {".yaml", ".yml"}
_IN_DIRECTIVES = re.compile(r"""\bfile\s*:\s*["']?([^\s"',}]+)""")


def needed_files(scenario: Scenario) -> list[Path]:
    """Returns a scenario's models, the files that these name, and its controllers.

    Files that are missing are left out: Drake says which, and where. So are those that
    go along with the scenario.
    """
    source = scenario.source
    packages = packages_of(scenario)
    found: dict[Path, None] = {}
    for directive in scenario.directives:
        for add in (directive.add_model, directive.add_directives):
            if add is not None and not (source and source.has(add.file)):
                for file in files_of(file_in(scenario, add.file), packages, []):
                    _add(file, packages, found)
    for controller in controllers_of(scenario).values():
        _add(path_in(scenario, controller), packages, found)
    return list(found)


def _add(file: Path, packages: PackageMap, found: dict[Path, None]) -> None:
    """Adds a file, and all that it names, to `found`."""
    if file in found or not is_file(file):
        return
    found[file] = None
    suffix = file.suffix.lower()
    if suffix in MESHES:
        found.update(dict.fromkeys(filter(is_file, named_below(file))))
    if suffix not in _MODELS | _DIRECTIVES:
        return
    if suffix in _MODELS:
        names = ModelFile(file).named_files()
    else:
        text = file.read_text(encoding="utf-8", errors="replace")
        names = _IN_DIRECTIVES.findall(text)
    for name in names:
        find_package(name, packages, file)
        for other in files_of(name, packages, [file.parent]):
            _add(other, packages, found)
