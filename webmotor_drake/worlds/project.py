"""The files of a Webots project, and the search for PROTOs and controllers.

A PROTO is looked for in the user's own files, then among our replacements, then in
the folders that the user gives for Webots' own. Nothing is downloaded.
"""

import dataclasses as dc
import functools
import os
import re
import shlex
import typing
from collections import ChainMap
from pathlib import Path

from webmotor_drake.drive.driver import WebotsMotorDriver
from webmotor_drake.errors import InputError
from webmotor_drake.results.project_files import check_asset
from webmotor_drake.results.whole_file import is_file
from webmotor_drake.scenario.robot_controllers import (
    EXTERN,
    OTHERS,
    is_program,
    project_files,
)
from webmotor_drake.scenario.yaml_document import load_text
from webmotor_drake.worlds.nodes import Node
from webmotor_drake.worlds.reader import Texts, read_texts
from webmotor_drake.worlds.report import Report
from webmotor_drake.worlds.source import NEWEST, Source, Version, read_version
from webmotor_drake.worlds.stand_ins import FOLDER

# Names for which Webots starts nothing of the user's.
NO_NAMES = frozenset({"", "void", "<none>", "<generic>", "none"})
_LANGUAGES = {".c": "C", ".cpp": "C++", ".cc": "C++", ".java": "Java"}
_MAX_BYTES = 100_000_000
# Files of another program have the same ending.
_PROTOBUF = re.compile(r"""^\s*syntax\s*=\s*["']proto""", re.MULTILINE)
_WEBOTS_ONLY = re.compile(
    r"^#\s*licen[sc]e\s*:.*\bonly\b.*\bWebots\b", re.IGNORECASE | re.MULTILINE
)
_WEB = re.compile(
    r"(?:webots://|https?://raw\.githubusercontent\.com/cyberbotics/webots/[^/]+/)"
)


@dc.dataclass(frozen=True)
class Options:
    """A user's choices for reading a world.

    Attributes:
        proto_paths: folders with PROTOs, searched after the project's own.
        allow_webots_assets: True to read files whose header only allows their use with
            Webots; the user answers for the right to do so.
        without: names of PROTOs and nodes to leave out.
        strict: True if replaced or omitted nodes are an error.
    """

    proto_paths: tuple[Path, ...] = ()
    allow_webots_assets: bool = False
    without: tuple[str, ...] = ()
    strict: bool = False

    def as_metadata(self) -> dict[str, typing.Any]:
        """Returns the settings that differ from the defaults, for a run's metadata."""
        given = {
            "proto_paths": [str(path.absolute()) for path in self.proto_paths],
            "allow_webots_assets": self.allow_webots_assets,
            "without": list(self.without),
        }
        return {name: value for name, value in given.items() if value}

    @classmethod
    def from_metadata(cls, given: typing.Any) -> "Options":
        """Returns the options in a run's metadata; the defaults if it has none."""
        values = given if isinstance(given, dict) else {}
        return cls(
            tuple(map(Path, values.get("proto_paths", ()))),
            bool(values.get("allow_webots_assets")),
            tuple(values.get("without", ())),
        )


def load_source(
    file: Path, shown: str, version: Version | None, report: Report
) -> Source:
    """Reads a file in Webots' format.

    Args:
        file: its path.
        shown: name in messages.
        version: version of a file without a header; None: a header is required.
        report: report of the world that needs the file.

    Raises:
        InputError: the file cannot be read, or is not in Webots' format.
    """
    # Old worlds encode umlauts otherwise; Webots reads on, too.
    text = load_text(file, shown, _MAX_BYTES, "replace")
    found = read_version(text)
    if found is None and version is None:
        raise InputError(
            "expected '#VRML_SIM R2023b utf8', or another version, in the first"
            " line",
            where=f"{shown}:1:1",
        )
    return Source(
        shown, text, file.parent, found or version or NEWEST, report=report
    )


class Project:
    """A world's project: the folder with worlds, protos and controllers.

    Args:
        world: the world's file.
        options: choices of the user.

    Attributes:
        root: folder of the project.
        world: the world's absolute path.
        report: report of the world.
    """

    def __init__(self, world: Path, options: Options):
        self.report = Report()
        folder = world.absolute().parent
        # Worlds may stand in folders below worlds/.
        above = [
            up.parent for up in (folder, *folder.parents) if up.name == "worlds"
        ]
        self.root = above[0] if above else folder
        self.options = options
        self.world = world.absolute()
        self.resolved = functools.cache(Path.resolve)  # without links
        self._is_webots_only = functools.cache(_is_webots_only)
        self._protos_below = functools.cache(_protos_below)
        self._read: dict[tuple[Path, Version], Texts] = {}

    def users_file(self, name: str, source: Source) -> Path | None:
        """Returns the user's file of a PROTO that a source names, if there is one."""
        url = source.urls.get(name)
        if url is not None:
            if "://" in url:
                return None
            file = source.folder / url.replace("\\", "/")
            return file if is_file(file) else None
        return self._protos_below(self.root / "protos").get(name)

    @property
    def _given(self) -> list[Path]:
        """The folders with files of Webots' that the user gave."""
        home = os.environ.get("WEBOTS_HOME", "")
        return [*self.options.proto_paths, *([Path(home)] if home else ())]

    def webots_file(self, name: str, source: Source) -> Path | None:
        """Returns the file of a PROTO of Webots' in the folders that the user gave."""
        rest = _WEB.sub("", source.urls.get(name, ""))
        for root in self._given:
            if rest and is_file(root / rest):
                return root / rest
        given = map(self._protos_below, self.options.proto_paths)
        return ChainMap(*given).get(name)

    def may_read(self, file: Path) -> bool:
        """Returns whether the licence in a file's header allows its use here."""
        allowed = self.options.allow_webots_assets
        return allowed or not self._is_webots_only(file)

    def load_proto(self, file: Path, version: Version) -> Texts:
        """Reads a PROTO's file, once.

        Args:
            file: its path; a file outside of the folders that the user gave is told.
            version: version of the file that names it, if it has no header of its own.

        Raises:
            InputError: it is not a PROTO.
        """
        key = self.resolved(file), version
        if key not in self._read:
            given = map(Path.resolve, (*self._given, FOLDER))
            if not any(map(key[0].is_relative_to, given)):
                check_asset(file.absolute(), self.world, is_relative=False)
            shown = os.path.relpath(file)
            source = load_source(file, shown, version, self.report)
            if _PROTOBUF.search(source.text[:4000]):
                problem = "a file of protobuf, not of Webots"
                raise InputError(problem, where=source.name)
            texts = read_texts(source)
            if not texts.proto:
                raise InputError("there is no PROTO in it", where=source.name)
            self._read[key] = texts
        return self._read[key]


def _is_webots_only(file: Path) -> bool:
    with file.open("rb") as stream:
        head = stream.read(4000).decode("utf-8", errors="replace")
    return bool(_WEBOTS_ONLY.search(head))


def _protos_below(folder: Path) -> dict[str, Path]:
    """Returns the PROTO files in a folder and below it, by name; of two the first."""
    files = sorted(folder.rglob("*.proto"), reverse=True)
    return {file.stem: file for file in files}


# Controllers


def add_controller(
    node: Node, driver: WebotsMotorDriver, project: Project, folder: Path
) -> None:
    """Adds the file of a Robot's controller, and its arguments.

    Args:
        node: the Robot.
        driver: driver that gets them; unchanged, with a report, if none can run.
        project: project of the world.
        folder: folder that the file's name becomes relative to.
    """
    name = node.text("controller", "<generic>")
    if name in NO_NAMES:
        return
    if name == EXTERN:
        driver.controller = EXTERN
        return
    # A PROTO's controller may be in the project of the PROTO's file.
    above = node.place.source.folder.absolute().parents[:4]
    places = [
        place for up in (project.root, *above) for place in _places(up, name)
    ]
    files = (
        file
        for place in places
        for file in map(place.parent.joinpath, project_files(place.name))
        if is_file(file)
    )
    if (file := next(files, None)) is None:
        why = _missing(name, places)
    elif why := _why_not(file):
        why = f"{os.path.relpath(file)}: {why}"
    else:
        driver.controller = Path(os.path.relpath(file, folder)).as_posix()
        driver.controller_args = _arguments(node)
        return
    field = node.fields.get("controller")
    place = field.place if field is not None else node.place
    place.add("idle", node.text("name", "robot"), why)


def _missing(name: str, places: list[Path]) -> str:
    """Returns the report's text on a controller without a file that can run."""
    for place in places:
        for suffix, language in _LANGUAGES.items():
            if is_file(place.with_name(f"{place.name}{suffix}")):
                return (
                    f"the controller {name} is written in {language} and not built"
                    " there; motors hold; `webmotor run --extern` waits for the"
                    " program"
                )
    files = f"controllers/{name}/{name}"
    return f"the project has neither {files}.py nor {files}; motors hold"


def _why_not(file: Path) -> str:
    """Returns why a controller cannot be started here; "": it can."""
    if not is_program(file):
        return ""
    language = OTHERS.get(file.suffix.lower())
    if language is None:
        runs = os.access(file, os.X_OK)
        return "" if runs else "not executable (chmod +x); motors hold"
    if "WEBOTS_HOME" in os.environ:
        return ""
    return (
        f"in {language}; WEBOTS_HOME with its library is not set; motors hold"
    )


def _places(folder: Path, name: str) -> list[Path]:
    """Returns the paths that a controller may have below a folder, without suffix."""
    # Webots wants a name. A path may lead to the file or to its folder.
    path = Path(name.replace("\\", "/").lstrip("/"))
    path = path.with_suffix("") if path.suffix == ".py" else path
    if not path.name:
        return []
    controllers = folder / "controllers"
    if len(path.parts) == 1:
        return [controllers / path / path.name]
    return [
        place / end
        for place in (controllers / path, folder / path)
        for end in (path.name, "")
    ]


def _arguments(node: Node) -> list[str]:
    field = node.fields.get("controllerArgs")
    texts = list(field.texts()) if field is not None else []
    if node.place.source.version < (2020, 1, 0):  # one text, blanks between
        try:
            return [word for text in texts for word in shlex.split(text)]
        except ValueError:
            return [word for text in texts for word in text.split()]
    return texts
