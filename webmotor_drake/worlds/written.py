"""Writes a world as a scenario: its file, models, meshes and a list of differences."""

import re
from pathlib import Path
from xml.sax.saxutils import escape, unescape

from webmotor_drake.results.whole_file import write_together
from webmotor_drake.worlds.imported import Imported, import_world
from webmotor_drake.worlds.project import Options
from webmotor_drake.worlds.report import KINDS, Report

# Meshes that a model names by their absolute path.
_MESH = re.compile(r"<uri>file://([^<]+)</uri>")
# The files that an OBJ file and its materials name.
_NAMED = re.compile(
    rb"^\s*(?:mtllib|map_\w+|norm|bump)\s+(.+?)\s*$", re.MULTILINE
)


def write_world(world: Path, folder: Path, options: Options) -> Imported:
    """Writes a world as a scenario that runs to the same bits.

    The folder gets NAME.scenario.yaml, models/, and import.txt, which lists what is
    not as in Webots. Controllers stay where they are.

    Args:
        world: the .wbt file.
        folder: made if it is not there.
        options: how the world is read.

    Raises:
        InputError: the world cannot be read, or a file not be written.
    """
    folder = folder.absolute()
    imported = import_world(world, options, "models", folder)
    files: dict[Path, bytes] = {}
    models = folder / "models"
    for name, content in imported.models.items():
        if isinstance(content, str):
            content = _with_meshes(content, models, files).encode()
        files[models / name] = content
    scenario = folder / f"{imported.name}.scenario.yaml"
    head = f"# {world.name} as a scenario; see import.txt.\n"
    files[scenario] = (head + imported.text).encode()
    files[folder / "import.txt"] = _listed(world, imported.report).encode()
    write_together(files)
    return imported


def _with_meshes(text: str, models: Path, files: dict[Path, bytes]) -> str:
    """Returns a model that names copies of its meshes, which it adds to the files."""

    def copied(match: re.Match[str]) -> str:
        mesh = Path(unescape(match[1]))
        known = [
            path
            for path, data in files.items()
            if path.name == mesh.name and data == mesh.read_bytes()
        ]
        if known:
            return (
                f"<uri>{escape(known[0].relative_to(models).as_posix())}</uri>"
            )
        number = len({path.parent for path in files})
        _copy(mesh, models / f"mesh_{number}", files)
        return f"<uri>mesh_{number}/{escape(mesh.name)}</uri>"

    return _MESH.sub(copied, text)


def _copy(mesh: Path, folder: Path, files: dict[Path, bytes]) -> None:
    """Adds a mesh, and the materials and textures beside it, to the files."""
    waiting = [mesh.name]
    while waiting:
        name = waiting.pop()
        source, target = mesh.parent / name, (folder / name)
        inside = target.resolve().is_relative_to(folder.resolve())
        if target in files or not inside or not source.is_file():
            continue
        files[target] = data = source.read_bytes()
        if source.suffix.lower() in (".obj", ".mtl"):
            waiting += [
                named.decode(errors="replace").split()[-1]
                for named in _NAMED.findall(data)
            ]


def _listed(world: Path, report: Report) -> str:
    """Returns the differences from Webots, one per line."""
    lines = [f"{world.name}: what is not as in Webots", ""]
    for kind, words in KINDS.items():
        entries = report.of_kind(kind)
        if entries:
            lines += [f"{words or 'here'}:", *(f"  {e}" for e in entries), ""]
    return "\n".join(lines)
